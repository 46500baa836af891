#!/usr/bin/env python3
"""choosing.py [COLLECTIVE...]: the automatic choice on the hosts of up.sh, without any settings.

The variables MPI=intelmpi and TOCCATA_BUILD=FOLDER choose another MPI, and the build for it.

The first run is timed after its trials. Later runs use learned results, and each includes the
native algorithm and some fixed ones. If the choice takes more than 1.05 times the time of the best
fixed one, the median of three runs counts. Writes a table in Markdown to results/choosing-MPI.md.
The library does not try floating-point sums, so reductions are left out.
"""

import csv
import os
import subprocess
import sys
from statistics import median

from measure import ALGORITHMS, LIMIT, REPETITIONS, RESULTS, ROOT, blocks, network

COLLECTIVES = ("allgather", "alltoall", "bcast", "gather", "scatter", "barrier")
SLOTS = ("4", "5,5,3,3")
TRIALS = {"8": 800, "1K": 800, "64K": 200}  # calls by size, in which the library tries
NATIVE, AUTO = "native", "auto"
MPI = os.environ.get("MPI", "openmpi")
TABLE = RESULTS / f"choosing-{MPI}.md"
MOST = 1.05  # maximum ratio to the best fixed algorithm

Times = dict[str, float]  # median ms by algorithm


def measure(collective: str, slots: str, size: str, algorithms: str, warmup: int) -> Times:
    stem = RESULTS / "cluster" / f"choosing-{MPI}-{collective}-{slots.replace(',', '')}"
    path = f"{ROOT / 'bench/cluster/bin'}:{os.environ['PATH']}"
    subprocess.run(
        [ROOT / "toccata", "bench", collective, "--mpi", MPI, "--ranks", "16",
         "--sizes", ",".join(blocks(collective, size, "16")), "--repetitions", REPETITIONS,
         "--warmup", str(warmup), "--limit", LIMIT, "--algorithms", algorithms,
         "--csv", f"{stem}.csv", "--json", f"{stem}.json", "--heatmap", f"{stem}.png",
         "--launcher-args", "-x TOCCATA_LEARN" if MPI == "openmpi" else ""],
        env=os.environ | {"PATH": path, "SLOTS": slots, "TOCCATA_LEARN": f"{stem}-learned.json"},
        stdout=subprocess.DEVNULL, check=True,
    )  # fmt: skip
    with stem.with_suffix(".csv").open() as file:
        return {row["algorithm"]: float(row["median_us"]) / 1e3 for row in csv.DictReader(file)}


def over_native(times: Times) -> Times:
    return {name: each / times[NATIVE] for name, each in times.items()}


def is_doubtful(over: Times) -> bool:
    return over[AUTO] > MOST * min(over.values())


def row(collective: str, slots: str, size: str) -> str:
    fixed = ALGORITHMS[collective].replace(";", ",").strip(",")
    fresh = over_native(measure(collective, slots, size, f"{NATIVE},{AUTO}", TRIALS[size]))
    runs = [measure(collective, slots, size, f"{NATIVE},{AUTO},{fixed}", 2)]
    if is_doubtful(over_native(runs[0])):
        runs += [measure(collective, slots, size, f"{NATIVE},{AUTO},{fixed}", 2) for _ in range(2)]
    native = median(each[NATIVE] for each in runs)
    over = {name: median(over_native(each)[name] for each in runs) for name in runs[0]}
    learned = over.pop(AUTO)
    best = min(over, key=lambda name: over[name])
    return (
        f"| {collective} | {slots} | {size} | {native:.3g} | {fresh[AUTO]:.2f} | {learned:.2f} | "
        f"{best}: {over[best]:.2f} | {learned / over[best]:.2f} |"
    )


def main() -> None:
    if MPI not in ("openmpi", "intelmpi"):
        sys.exit(f"choosing.py: MPI={MPI}: expected openmpi or intelmpi")
    wanted = sys.argv[1:] or list(COLLECTIVES)
    if unknown := [each for each in wanted if each not in COLLECTIVES]:
        sys.exit(f"choosing.py: {', '.join(unknown)}: none of {', '.join(COLLECTIVES)}")
    (RESULTS / "cluster").mkdir(parents=True, exist_ok=True)
    for old in (RESULTS / "cluster").glob(f"choosing-{MPI}-*-learned.json"):
        old.unlink()
    lines = [
        network(), "",
        "| | ranks per host | bytes | native, ms | fresh | learned | best fixed | over it |",
        "|---|---|---:|---:|---:|---:|---|---:|",
    ]  # fmt: skip
    for collective in wanted:
        for slots in SLOTS:
            for size in ("8",) if collective == "barrier" else TRIALS:
                print(f"{collective}, {slots} a host, {size}", file=sys.stderr)
                lines.append(row(collective, slots, size))
                TABLE.write_text("\n".join(lines) + "\n")
    print(f"wrote {TABLE}")


main()
