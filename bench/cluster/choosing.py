#!/usr/bin/env python3
"""choosing.py [COLLECTIVE...]: what the library chooses by itself on the hosts of up.sh, with
nothing set but the preload: fresh, behind its trials; then with what it learned, beside the MPI
library's own and the best of ours, all in one run. A table in Markdown goes to results/choosing.md.
Sums of floating-point numbers are not tried, so reductions are not here."""

import csv
import os
import subprocess
import sys

from measure import ALGORITHMS, LIMIT, REPETITIONS, RESULTS, ROOT, network

COLLECTIVES = ("allgather", "alltoall", "bcast", "gather", "scatter", "barrier")
SLOTS = ("4", "5,5,3,3")
TRIALS = {"8": 400, "1K": 400, "64K": 200}  # calls by size, in which the library tries
NATIVE, AUTO = "native", "auto"

Times = dict[str, float]  # median ms by algorithm


def measure(collective: str, slots: str, size: str, algorithms: str, warmup: int) -> Times:
    stem = RESULTS / "cluster" / f"choosing-{collective}-{slots.replace(',', '')}"
    path = f"{ROOT / 'bench/cluster/bin'}:{os.environ['PATH']}"
    subprocess.run(
        [ROOT / "toccata", "bench", collective, "--mpi", "openmpi", "--ranks", "16",
         "--sizes", size, "--repetitions", REPETITIONS, "--warmup", str(warmup), "--limit", LIMIT,
         "--algorithms", algorithms, "--csv", f"{stem}.csv", "--json", f"{stem}.json",
         "--heatmap", f"{stem}.png", "--launcher-args", f"-x TOCCATA_LEARN={stem}-learned.json"],
        env=os.environ | {"PATH": path, "SLOTS": slots}, stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    with stem.with_suffix(".csv").open() as file:
        return {row["algorithm"]: float(row["median_us"]) / 1e3 for row in csv.DictReader(file)}


def row(collective: str, slots: str, size: str) -> str:
    fixed = ALGORITHMS[collective].replace(";", ",").strip(",")
    fresh = measure(collective, slots, size, f"{NATIVE},{AUTO}", TRIALS[size])
    again = measure(collective, slots, size, f"{NATIVE},{AUTO},{fixed}", 2)
    native, learned = again.pop(NATIVE), again.pop(AUTO)
    best = min(again, key=lambda name: again[name])
    return (
        f"| {collective} | {slots} | {size} | {native:.3g} | {fresh[AUTO] / fresh[NATIVE]:.2f} | "
        f"{learned / native:.2f} | {best}: {again[best] / native:.2f} |"
    )


def main() -> None:
    wanted = sys.argv[1:] or list(COLLECTIVES)
    if unknown := [each for each in wanted if each not in COLLECTIVES]:
        sys.exit(f"choosing.py: {', '.join(unknown)}: none of {', '.join(COLLECTIVES)}")
    (RESULTS / "cluster").mkdir(parents=True, exist_ok=True)
    for old in (RESULTS / "cluster").glob("choosing-*-learned.json"):
        old.unlink()
    lines = [
        network(), "",
        "| | ranks a host | bytes | native, ms | fresh, of native | learned | best of ours |",
        "|---|---|---:|---:|---:|---:|---|",
    ]  # fmt: skip
    for collective in wanted:
        for slots in SLOTS:
            for size in ("8",) if collective == "barrier" else TRIALS:
                print(f"{collective}, {slots} a host, {size}", file=sys.stderr)
                lines.append(row(collective, slots, size))
                (RESULTS / "choosing.md").write_text("\n".join(lines) + "\n")
    print(f"wrote {RESULTS / 'choosing.md'}")


main()
