"""The time of collectives on one node, bare and preloaded.

node.py [--full] [--mpi FAMILY,...] [--ranks N,...] [--build DIR] [--output DIR]: runs
DIR/bench/FAMILY/node several times for each MPI found, preloaded without settings.

Prints the speedups for each number of ranks: the geometric means for sizes up to 1 KiB, up to 64
KiB and above, each with reused and with rotating buffers. Also prints the cells in which the MPI
library is clearly faster. Writes all cells to OUTPUT/node.csv and the figure to OUTPUT/node.svg.

If ranks share cores, the MPI library runs with each of its settings for yielding, and its best time
counts in each cell. Toccata runs with the usual setting.
"""

import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

RANGES = {"to 1 KiB": (0, 1 << 10), "to 64 KiB": ((1 << 10) + 1, 64 << 10), "above": (65537, 1e18)}
REDUCTIONS = ("allreduce", "reduce", "reduce_scatter")
# The environment for each setting of waiting; the first one is the usual setting.
YIELDING = {
    "openmpi": [{"YIELD_WHEN_IDLE": "1"}, {"YIELD_WHEN_IDLE": "0"}],
    "mpich": [{}, {"MPIR_CVAR_POLLS_BEFORE_YIELD": "1"}],
}
QUICK = ["-m", "4", "-b", "8,64,1024,4096,16384,65536,262144,1048576,4194304"]


@dataclass
class Cell:
    """Medians of the runs, in microseconds; those of the MPI library by its setting of waiting."""

    native: list[list[float]] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)

    def native_best(self) -> list[float]:
        return min(self.native, key=statistics.median)

    def speedup(self) -> float:
        return statistics.median(self.native_best()) / statistics.median(self.ours)

    def is_slower(self) -> bool:
        """Whether Toccata is more than 5% slower in all runs."""
        return self.speedup() < 1 / 1.05 and min(self.ours) > max(self.native_best())


Cells = dict[tuple[str, int, str], Cell]


def launch(family: str, ranks: int, build: Path, options: list[str], env: dict[str, str]) -> str:
    script = Path(__file__).with_name("mpiexec.sh")
    library = build / "lib" / family / "libtoccata.so"
    program = [str(build / "bench" / family / "node"), *options]
    command = [str(script), family, str(ranks), "env", f"LD_PRELOAD={library}", *program]
    done = subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"node: {' '.join(command)} ends with {done.returncode}:\n{done.stderr}")
    return done.stdout


def measure(
    family: str, ranks: int, build: Path, options: list[str], runs: int, cores: int
) -> Cells:
    cells: Cells = {}
    ways = YIELDING.get(family, [{}]) if ranks > cores else [{}]
    for run in range(runs):
        print(f"{family}, {ranks} ranks: run {run + 1} of {runs}", file=sys.stderr)
        for way, env in enumerate(ways):
            if way > 0 and run >= (runs + 1) // 2:
                continue  # half of the runs show whether this setting is better
            for line in launch(family, ranks, build, options, env).splitlines():
                name, size, buffers, *times = line.split()
                cell = cells.setdefault((name, int(size), buffers), Cell([[] for _ in ways]))
                cell.native[way].append(float(times[0]))
                if way == 0:
                    cell.ours.append(float(times[3]))
    return cells


def mean(cells: list[Cell]) -> str:
    if not cells:
        return "-"
    return f"{math.exp(statistics.fmean(math.log(each.speedup()) for each in cells)):.2f}"


def spell(size: int) -> str:
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def table(cells: Cells) -> list[str]:
    """One row per collective: speedups by size, with reused buffers. Then the means."""
    sizes = sorted({size for _, size, _ in cells if size > 0})
    lines = ["| collective | " + " | ".join(spell(each) for each in sizes) + " | mean | rotating |"]
    lines.append("|---" * (len(sizes) + 3) + "|")
    for name in dict.fromkeys(name for name, _, _ in cells):
        of = {(size, kind): cell for (its, size, kind), cell in cells.items() if its == name}
        row = [
            f"{of[size, 'reused'].speedup():.2f}" if (size, "reused") in of else ""
            for size in sizes
        ]
        means = [
            mean([c for (_, kind), c in of.items() if kind == k]) for k in ("reused", "rotating")
        ]
        lines.append(f"| {name} | " + " | ".join([*row, *means]) + " |")
    return lines


def summary(cells: Cells) -> list[str]:
    lines = []
    for kind in ("reused", "rotating"):
        of = {key: cell for key, cell in cells.items() if key[2] == kind}
        by_range = ", ".join(
            f"{name} {mean([c for key, c in of.items() if least <= key[1] <= most])}"
            for name, (least, most) in RANGES.items()
        )
        reductions = mean([cell for key, cell in of.items() if key[0] in REDUCTIONS])
        lines.append(
            f"{kind}: all {mean(list(of.values()))} ({by_range}); "
            f"allreduce, reduce and reduce-scatter {reductions}"
        )
        for (name, size, _), cell in of.items():
            if cell.is_slower():
                native, ours = statistics.median(cell.native_best()), statistics.median(cell.ours)
                lines.append(f"  slower: {name} {spell(size)}: {native:.2f} → {ours:.2f} µs")
    return lines


def draw(found: dict[tuple[str, int], Cells], path: Path) -> None:
    try:
        from matplotlib import pyplot
    except ImportError:
        print("node: no figure without matplotlib", file=sys.stderr)
        return
    figure, axes = pyplot.subplots(
        1, len(found), figsize=(4.5 * len(found), 4), sharey=True, squeeze=False
    )
    for axis, ((family, ranks), cells) in zip(axes[0], found.items(), strict=True):
        for name in dict.fromkeys(name for name, size, _ in cells if size > 0):
            points = sorted(
                (size, cell.speedup())
                for (its, size, kind), cell in cells.items()
                if its == name and kind == "reused"
            )
            axis.plot(*zip(*points, strict=True), marker=".", label=name)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log", base=2)
        axis.set_title(f"{family}, {ranks} ranks")
        axis.set_xlabel("bytes")
    axes[0][0].set_ylabel("speedup over the MPI library")
    axes[0][-1].legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="more sizes, samples and runs")
    parser.add_argument("--build", type=Path, default=Path("build/release"))
    parser.add_argument("--output", type=Path, default=Path("results"))
    parser.add_argument("--mpi", default="", help="families (all that were built)")
    parser.add_argument("--ranks", default="2,4,8")
    parser.add_argument("--runs", type=int, help="processes per cell (3, or 7 if --full)")
    parser.add_argument("--collectives", default="", help="these only")
    arguments = parser.parse_args()
    found_here = sorted(each.parent.name for each in arguments.build.glob("bench/*/node"))
    families = arguments.mpi.split(",") if arguments.mpi else found_here
    runs = arguments.runs or (7 if arguments.full else 3)
    options = [] if arguments.full else QUICK
    if arguments.collectives:
        options = [*options, "-c", arguments.collectives]
    cores = len(os.sched_getaffinity(0))
    found: dict[tuple[str, int], Cells] = {}
    for family in families:
        for ranks in map(int, arguments.ranks.split(",")):
            cells = measure(family, ranks, arguments.build, options, runs, cores)
            found[family, ranks] = cells
            print(f"\n{family}, {ranks} ranks: how many times as fast as the MPI library\n")
            print("\n".join([*table(cells), "", *summary(cells)]), flush=True)
    arguments.output.mkdir(parents=True, exist_ok=True)
    with (arguments.output / "node.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["mpi", "ranks", "collective", "bytes", "buffers", "native_us", "ours_us"])
        for (family, ranks), cells in found.items():
            for key, cell in cells.items():
                times = [statistics.median(cell.native_best()), statistics.median(cell.ours)]
                writer.writerow([family, ranks, *key, *(f"{each:.3f}" for each in times)])
    draw(found, arguments.output / "node.svg")


if __name__ == "__main__":
    main()
