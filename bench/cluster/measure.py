#!/usr/bin/env python3
"""measure.py [COLLECTIVE...]: every collective (or these) on the hosts of up.sh. It interleaves the
MPI library's own algorithm, flat algorithms of Toccata, and algorithms by nodes. Then it repeats
this with Open MPI's algorithms by nodes (han). With han, the barrier before each call is han's,
too, so ranks start at more similar times.

Writes tables in Markdown, with the spread and the network's settings, to results/cluster.md, and
times to results/cluster/.
"""

import csv
import itertools
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"
# Flat ones first, then those that consider nodes.
ALGORITHMS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "allgather": (("ring", "bruck"), ("hierarchical", "locality_bruck")),
    "allreduce": (
        ("recursive_doubling", "rabenseifner", "circulant"),
        ("hierarchical", "multi_lane"),
    ),
    "alltoall": (("pairwise", "bruck"), ("hierarchical",)),
    "alltoallv": (
        ("pairwise", "bruck", "spread_out"),
        ("hierarchical", "hierarchical:exchange=spread_out,radix=2"),
    ),
    "barrier": (("dissemination", "recursive_multiplying"), ("hierarchical",)),
    "bcast": (("binomial", "knomial", "pipeline", "circulant"), ("hierarchical", "multi_lane")),
    "exscan": (("recursive_doubling",), ("hierarchical",)),
    "gather": (("linear", "binomial"), ("hierarchical", "hierarchical:by=linear")),
    "gatherv": (("linear", "binomial"), ()),
    "reduce": (("binomial", "knomial", "pipeline", "circulant"), ("hierarchical", "multi_lane")),
    "reduce_scatter": (("recursive_halving", "circulant", "ring"), ("hierarchical", "multi_lane")),
    "scan": (("recursive_doubling",), ("hierarchical",)),
    "scatter": (("linear", "binomial"), ("hierarchical", "hierarchical:by=linear")),
    "scatterv": (("linear", "binomial"), ()),
}
# The number of ranks, and the ranks per host.
JOBS = (("16", "4"), ("32", "8"), ("16", "5,5,3,3"))
SIZES, REPETITIONS, LIMIT = os.environ.get("SIZES", "8,1K,64K"), "15", "3"
# Open MPI's own algorithms, and the settings that select them.
OWN = {"native": "", "han": "--mca coll_han_priority 100"}


# Sizes of these collectives are totals for all ranks in the tables, but per block in the benchmark.
FOR_ALL_RANKS = ("alltoall", "alltoallv", "reduce_scatter")
UNITS = {"K": 1 << 10, "M": 1 << 20}


def blocks(collective: str, sizes: str, ranks: str) -> dict[str, str]:
    """For each size of the benchmark program, its bytes in the tables. They may exceed the
    requested ones, because a block has at least one byte."""
    parts = int(ranks) if collective in FOR_ALL_RANKS else 1
    numbers = [int(each.rstrip("KM")) * UNITS.get(each[-1], 1) for each in sizes.split(",")]
    of_block = [max(1, each // parts) for each in numbers]
    return {str(each): str(each * parts) for each in of_block}


def measure(collective: str, ranks: str, slots: str, own: str) -> list[dict[str, str]]:
    table = RESULTS / "cluster" / f"{collective}-{ranks}-{slots.replace(',', '')}-{own}.csv"
    flat, by_nodes = ALGORITHMS[collective]
    path = f"{ROOT / 'bench/cluster/bin'}:{os.environ['PATH']}"
    sizes = blocks(collective, "8" if collective == "barrier" else SIZES, ranks)
    subprocess.run(
        [ROOT / "toccata", "bench", collective, "--mpi", "openmpi", "--ranks", ranks,
         "--sizes", ",".join(sizes), "--repetitions", REPETITIONS,
         "--warmup", "2", "--limit", LIMIT,
         "--algorithms", ";".join(("native", *flat, *by_nodes)), "--csv", table,
         "--json", table.with_suffix(".json"), "--heatmap", table.with_suffix(".png"),
         "--launcher-args", OWN[own]],
        env=os.environ | {"PATH": path, "SLOTS": slots}, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    with table.open() as file:
        rows = [
            row | {"bytes": sizes.get(row["bytes"], row["bytes"])} for row in csv.DictReader(file)
        ]
    return [row | {"algorithm": own} if row["algorithm"] == "native" else row for row in rows]


def markdown(collective: str, ranks: str, slots: str, rows: list[dict[str, str]]) -> str:
    names = list(dict.fromkeys(row["algorithm"] for row in rows))
    flat, _ = ALGORITHMS[collective]
    by_nodes = [each for each in names if each not in OWN and each not in flat]
    lines = [
        f"`{collective}`, {ranks} ranks, {slots} per host: median ms (half of the distance of the "
        f"quartiles, %); by nodes: {', '.join(by_nodes) or 'none'}",
        "",
        f"| bytes | {' | '.join(names)} |",
        f"|---:|{'---:|' * len(names)}",
    ]
    for size in dict.fromkeys(row["bytes"] for row in rows):
        here = {row["algorithm"]: row for row in rows if row["bytes"] == size}
        best = min(here.values(), key=lambda row: float(row["median_us"]))
        lines.append(f"| {size} | " + " | ".join(cell(here.get(n), best) for n in names) + " |")
    return "\n".join(lines)


def cell(row: dict[str, str] | None, best: dict[str, str]) -> str:
    if row is None:
        return "–"
    text = f"{float(row['median_us']) / 1e3:.3g} ({100 * float(row['spread']):.0f})"
    return f"**{text}**" if row is best else text


def network() -> str:
    usual = {"HOSTS": "4", "DELAY": "1000", "RATE": "100mbit", "CORE": "400mbit"}
    settings = {name: os.environ.get(name, value) for name, value in usual.items()}
    load = os.getloadavg()[0]
    return (
        f"{settings['HOSTS']} hosts on two leaf switches, {settings['RATE']} each, "
        f"{settings['CORE']} between the switches, {settings['DELAY']} µs from one to another, MTU "
        f"9000, cubic; {os.cpu_count()} cores, load {load:.1f} at the beginning"
    )


def main() -> None:
    wanted = sys.argv[1:] or list(ALGORITHMS)
    unknown = [each for each in wanted if each not in ALGORITHMS]
    if unknown:
        sys.exit(f"measure.py: no collective is called {', '.join(unknown)}")
    (RESULTS / "cluster").mkdir(parents=True, exist_ok=True)
    parts = [network()]
    for number, collective in enumerate(wanted, 1):
        for (ranks, slots), own in itertools.product(JOBS, OWN):
            print(f"{number} of {len(wanted)}: {collective}, {ranks} ranks, {slots} a host, {own}",
                  file=sys.stderr)  # fmt: skip
            rows = measure(collective, ranks, slots, own)
            parts.append(markdown(collective, ranks, slots, rows))
            (RESULTS / "cluster.md").write_text("\n\n".join(parts) + "\n")
    print(f"wrote {RESULTS / 'cluster.md'}")


if __name__ == "__main__":
    main()
