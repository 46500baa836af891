#!/usr/bin/env python3
"""choosing.py [COLLECTIVE...]: the automatic choice on the hosts of up.sh, without any settings.

The variables MPI=intelmpi and TOCCATA_BUILD=FOLDER choose another MPI, and the build for it.

The first run is timed after its trials. Later runs use learned results, and each includes the
native algorithm and some fixed ones. If the choice takes more than 1.05 times the time of the best
fixed one, the median of three runs counts. Writes a table in Markdown to results/choosing-MPI.md.
The library does not try floating-point sums, so reductions are left out. The vector form
alltoallv is measured only on request; its sizes are the mean bytes that a rank sends.
"""

import csv
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median

from measure import ALGORITHMS, LIMIT, REPETITIONS, RESULTS, ROOT, blocks, network

COLLECTIVES = ("allgather", "alltoall", "bcast", "gather", "scatter", "barrier")
VECTOR_FORMS = {"alltoallv": ("even", "uniform", "power_law", "silent")}  # distributions
SLOTS = ("4", "5,5,3,3")
TRIALS = {"8": 800, "128": 800, "1K": 800, "8K": 400, "64K": 200}  # calls that include trials
SIZES = {"barrier": ("8",), "alltoallv": ("128", "1K", "8K", "64K")}
USUAL_SIZES = ("8", "1K", "64K")
NATIVE, AUTO = "native", "auto"
MPI = os.environ.get("MPI", "openmpi")
TABLE = RESULTS / f"choosing-{MPI}.md"
MOST = 1.05  # maximum ratio to the best fixed algorithm

Times = dict[str, float]  # median ms by algorithm


@dataclass(frozen=True)
class Cell:
    """One row of the table."""

    collective: str
    slots: str
    size: str
    distribution: str  # "" for a collective without counts per rank

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.collective, self.distribution)))

    @property
    def blocks(self) -> dict[str, str]:
        """The size for the benchmark program, and the bytes that it means in the table."""
        return blocks(self.collective, self.size, "16")

    @property
    def stem(self) -> Path:
        """The path of its results, without suffix."""
        parts = MPI, self.collective, self.slots.replace(",", ""), self.size, self.distribution
        return RESULTS / "cluster" / "-".join(("choosing", *filter(None, parts)))


def cells(collective: str) -> Iterator[Cell]:
    sizes, distributions = SIZES.get(collective, USUAL_SIZES), VECTOR_FORMS.get(collective, ("",))
    for distribution, slots, size in product(distributions, SLOTS, sizes):
        yield Cell(collective, slots, size, distribution)


def measure(cell: Cell, algorithms: Sequence[str], warmup: int) -> Times:
    learned = cell.stem.with_suffix(".learned.json")
    path = f"{ROOT / 'bench/cluster/bin'}:{os.environ['PATH']}"
    subprocess.run(
        [ROOT / "toccata", "bench", cell.collective, "--mpi", MPI, "--ranks", "16",
         "--sizes", ",".join(cell.blocks),
         *(["--distribution", cell.distribution] if cell.distribution else []),
         "--repetitions", REPETITIONS, "--warmup", str(warmup), "--limit", LIMIT,
         "--algorithms", ";".join(algorithms), "--csv", f"{cell.stem}.csv",
         "--json", f"{cell.stem}.json", "--heatmap", f"{cell.stem}.png",
         "--launcher-args", "-x TOCCATA -x TOCCATA_SUMS" if MPI == "openmpi" else ""],
        env=os.environ | {"PATH": path, "SLOTS": cell.slots,
                          "TOCCATA": f"learn:{learned}", "TOCCATA_SUMS": "learn"},
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    with cell.stem.with_suffix(".csv").open() as file:
        return {row["algorithm"]: float(row["median_us"]) / 1e3 for row in csv.DictReader(file)}


def over_native(times: Times) -> Times:
    return {name: each / times[NATIVE] for name, each in times.items()}


def is_doubtful(over: Times) -> bool:
    return over[AUTO] > MOST * min(over.values())


def row(cell: Cell) -> str:
    flat, by_nodes = ALGORITHMS[cell.collective]
    fixed = (NATIVE, AUTO, *flat, *by_nodes)
    fresh = over_native(measure(cell, (NATIVE, AUTO), TRIALS[cell.size]))
    runs = [measure(cell, fixed, 2)]
    if is_doubtful(over_native(runs[0])):
        runs += [measure(cell, fixed, 2) for _ in range(2)]
    native = median(each[NATIVE] for each in runs)
    over = {name: median(over_native(each)[name] for each in runs) for name in runs[0]}
    learned = over.pop(AUTO)
    best = min(over, key=lambda name: over[name])
    size = ",".join(cell.blocks.values())
    return (
        f"| {cell.name} | {cell.slots} | {size} | {native:.3g} | {fresh[AUTO]:.2f} | "
        f"{learned:.2f} | {best}: {over[best]:.2f} | {learned / over[best]:.2f} |"
    )


def main() -> None:
    if MPI not in ("openmpi", "intelmpi"):
        sys.exit(f"choosing.py: MPI={MPI}: expected openmpi or intelmpi")
    wanted, known = sys.argv[1:] or list(COLLECTIVES), (*COLLECTIVES, *VECTOR_FORMS)
    if unknown := [each for each in wanted if each not in known]:
        sys.exit(f"choosing.py: {', '.join(unknown)}: none of {', '.join(known)}")
    (RESULTS / "cluster").mkdir(parents=True, exist_ok=True)
    for old in (RESULTS / "cluster").glob(f"choosing-{MPI}-*.learned.json"):
        old.unlink()
    lines = [
        network(), "",
        "| | ranks per host | bytes | native, ms | fresh | learned | best fixed | over it |",
        "|---|---|---:|---:|---:|---:|---|---:|",
    ]  # fmt: skip
    for collective in wanted:
        for cell in cells(collective):
            print(f"{cell.name}, {cell.slots} a host, {cell.size}", file=sys.stderr)
            lines.append(row(cell))
            TABLE.write_text("\n".join(lines) + "\n")
    print(f"wrote {TABLE}")


main()
