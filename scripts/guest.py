"""The cost of the preloaded library for a program's collectives.

guest.py FAMILY BUILD [RUNS]: runs BUILD/bench/FAMILY/guest on two ranks in five interleaved
variants: bare, preloaded but off, preloaded without settings, so that the library chooses,
preloaded with an algorithm forced for every collective, and the same with a loaded GPU runtime (its
substitute in the tests, if built). Prints the medians over the runs with their spread.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

FORCED = {
    "TOCCATA_ALLGATHER": "recursive_doubling",
    "TOCCATA_ALLTOALL": "pairwise",
    "TOCCATA_ALLTOALLV": "pairwise",
    "TOCCATA_BCAST": "binomial",
    "TOCCATA_GATHER": "binomial",
    "TOCCATA_GATHERV": "linear",
    "TOCCATA_SCATTER": "binomial",
    "TOCCATA_SCATTERV": "linear",
    "TOCCATA_REDUCE": "binomial",
    "TOCCATA_ALLREDUCE": "recursive_doubling",
    "TOCCATA_REDUCE_SCATTER": "recursive_halving",
    "TOCCATA_SCAN": "recursive_doubling",
    "TOCCATA_EXSCAN": "recursive_doubling",
    "TOCCATA_BARRIER": "dissemination",
}


def figures(family: str, build: Path, settings: dict[str, str]) -> dict[str, float]:
    script = Path(__file__).with_name("mpiexec.sh")
    variables = [f"{name}={value}" for name, value in settings.items()]
    command = [str(script), family, "2", "env", *variables, str(build / "bench" / family / "guest")]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"guest: {' '.join(command)} ends with {done.returncode}:\n{done.stderr}")
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    return {name: float(value) for name, value in lines}


def main() -> None:
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    family, build = sys.argv[1], Path(sys.argv[2])
    runs = int(sys.argv[3]) if len(sys.argv) == 4 else 7
    preload = {"LD_PRELOAD": str(build / "lib" / family / "libtoccata.so")}
    variants = {
        "bare": {},
        "off": preload | {"TOCCATA": "off"},
        "nothing asked": preload,
        "forced": preload | FORCED,
    }
    runtime = build / "tests" / "mpi" / "libcuda.so.1"
    if runtime.exists():
        both = {"LD_PRELOAD": f"{preload['LD_PRELOAD']}:{runtime}"}
        variants["forced, GPU runtime"] = preload | FORCED | both | {"STAND_IN_BEGUN": "1"}
    found: dict[str, list[dict[str, float]]] = {name: [] for name in variants}
    for run in range(runs):
        print(f"run {run + 1} of {runs}", file=sys.stderr)
        for name, settings in variants.items():
            found[name].append(figures(family, build, settings))
    print(f"{family}, 2 ranks: medians of {runs} runs (least to most)")
    print(f"{'':24}" + "".join(f"{name:>30}" for name in variants))
    for figure in found["bare"][0]:
        cells = []
        for each in found.values():
            values = [run[figure] for run in each]
            cells.append(
                f"{statistics.median(values):.0f} ({min(values):.0f} to {max(values):.0f})"
            )
        print(f"{figure:24}" + "".join(f"{cell:>30}" for cell in cells))


if __name__ == "__main__":
    main()
