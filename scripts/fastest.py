"""Collectives on one node, preloaded, compared with the fastest of five MPI libraries.

fastest.py [--ranks N] [--runs N] [--output FILE]: runs the benchmark of scripts/node.py in turns
under Open MPI and MPICH of the system, and under Open MPI, MPICH and Intel MPI from PyPI.
fastest.py --draw PICTURE [--output FILE]: instead draws the speedups in FILE (needs matplotlib).

For each of them, prints the mean speedup over that MPI library alone, and the share of cells in
which the preloaded library takes at most 1.05 times the time of the fastest of all MPI libraries
alone. Then all cells, in microseconds. Writes them to FILE. Before the first run:

    scripts/test-mpis.sh --wrappers openmpi mpich intelmpi     # installs them; prints a list
    cmake --preset release -B build/mpis/build -DTOCCATA_BENCH=ON -DTOCCATA_MPI=LIST
    ninja -C build/mpis/build node_openmpi node_mpich node_intelmpi toccata_openmpi toccata_mpich \
        toccata_intelmpi
"""

import argparse
import csv
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

ROOT = Path(__file__).resolve().parents[1]
MPIS = ROOT / "build/mpis"
MOST = 1.05  # times the fastest
SIZES = "8,64,256,1024,4096,16384,65536,262144,1048576,4194304"  # bytes of the longer buffer

Cell = tuple[str, int]  # collective, bytes
Times = dict[Cell, float]  # median microseconds


@dataclass(frozen=True)
class Mpi:
    name: str
    family: str
    build: Path
    launcher: tuple[str, ...]

    def measure(self, ranks: int, milliseconds: str) -> list[list[str]]:
        """The lines of one run: collective, bytes, buffers, three times native, three ours."""
        library = self.build / "lib" / self.family / "libtoccata.so"
        program = self.build / "bench" / self.family / "node"
        for needed in (self.launcher[0], str(program)):
            if shutil.which(needed) is None:
                sys.exit(f"fastest: '{needed}' is missing: see the first lines of {__file__}")
        done = subprocess.run(
            [*self.launcher, "-n", str(ranks), "env", f"LD_PRELOAD={library}", str(program),
             "-r", "-m", milliseconds, "-b", SIZES],
            env=os.environ | {"LD_LIBRARY_PATH": str(MPIS / self.family / "lib")}
            if self.build.is_relative_to(MPIS)
            else None,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"fastest: {self.name} ends with {done.returncode}:\n{done.stderr}")
        return [line.split() for line in done.stdout.splitlines()]


def mpis() -> list[Mpi]:
    root = ("--allow-run-as-root",) if os.getuid() == 0 else ()
    hydra = ("-launcher", "fork")
    release, other = ROOT / "build/release", MPIS / "build"
    return [
        Mpi("Open MPI 4", "openmpi", release, ("mpiexec.openmpi", *root)),
        Mpi("Open MPI 5", "openmpi", other, (str(MPIS / "openmpi/bin/mpirun"), *root)),
        Mpi("MPICH 4", "mpich", release, ("mpiexec.mpich",)),
        Mpi("MPICH 5", "mpich", other, (str(MPIS / "mpich/bin/mpiexec.hydra"), *hydra)),
        Mpi("Intel MPI", "intelmpi", other, (str(MPIS / "intelmpi/bin/mpiexec.hydra"), *hydra)),
    ]


def measure(ranks: int, runs: int, milliseconds: str) -> tuple[dict[str, Times], dict[str, Times]]:
    """Native's times, and ours."""
    both: list[dict[str, dict[Cell, list[float]]]] = [
        defaultdict(lambda: defaultdict(list)) for _ in range(2)
    ]
    for run in range(runs):
        for mpi in mpis():
            print(f"run {run + 1} of {runs}: {mpi.name}", file=sys.stderr)
            for name, size, _, *times in mpi.measure(ranks, milliseconds):
                for found, time in zip(both, (times[0], times[3]), strict=True):
                    found[mpi.name][name, int(size)].append(float(time))
    native, ours = (
        {mpi: {cell: median(each) for cell, each in cells.items()} for mpi, cells in found.items()}
        for found in both
    )
    return native, ours


def draw(table: Path, picture: Path) -> None:
    """The speedup over each MPI library alone, by collective and size."""
    import matplotlib  # not needed for measurements

    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(each["mpi"] for each in rows))
    collectives = list(dict.fromkeys(each["collective"] for each in rows))
    sizes = sorted({int(each["bytes"]) for each in rows} - {0})
    figure, panels = pyplot.subplots(1, len(names), figsize=(13, 3.6), sharey=True)
    for axes, name in zip(panels, names, strict=True):
        speedups = [[float("nan")] * len(sizes) for _ in collectives]
        for each in rows:
            if each["mpi"] == name:
                row = speedups[collectives.index(each["collective"])]
                speedup = float(each["native_us"]) / float(each["ours_us"])
                if each["bytes"] == "0":  # a barrier
                    row[:] = [speedup] * len(sizes)
                else:
                    row[sizes.index(int(each["bytes"]))] = speedup
        shown = axes.imshow(speedups, cmap="RdBu", norm=colors.LogNorm(1 / 6, 6), aspect="auto")
        axes.set_title(f"speedup over {name}", fontsize=9)
        labels = [f"{each >> 20}M" if each >= 1 << 20 else f"{each >> 10}K" if each >= 1 << 10
                  else str(each) for each in sizes]  # fmt: skip
        axes.set_xticks(range(len(sizes)), labels, fontsize=7, rotation=90)
        axes.set_yticks(range(len(collectives)), collectives, fontsize=8)
    panels[0].set_xlabel("bytes of a rank's longer buffer", fontsize=8)
    figure.tight_layout()
    bar = figure.colorbar(shown, ax=list(panels), ticks=[0.5, 1, 2, 4], pad=0.01)
    bar.ax.set_yticklabels(["0.5×", "1×", "2×", "4×"], fontsize=8)
    bar.ax.minorticks_off()
    figure.savefig(picture, dpi=110, bbox_inches="tight")
    print(f"wrote {picture}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--milliseconds", default="4", help="per cell and side")
    parser.add_argument("--output", type=Path, default=ROOT / "results/fastest.csv")
    parser.add_argument("--draw", type=Path, metavar="PICTURE")
    arguments = parser.parse_args()
    if arguments.draw:
        draw(arguments.output, arguments.draw)
        return
    native, ours = measure(arguments.ranks, arguments.runs, arguments.milliseconds)
    cells = sorted(set.intersection(*(set(each) for each in native.values())))
    fastest = {cell: min(native, key=lambda mpi: native[mpi][cell]) for cell in cells}

    def over_fastest(mpi: str, cell: Cell) -> float:
        return ours[mpi][cell] / native[fastest[cell]][cell]

    for mpi in native:
        speedup = geometric_mean(native[mpi][cell] / ours[mpi][cell] for cell in cells)
        near = sum(over_fastest(mpi, cell) <= MOST for cell in cells)
        print(
            f"{mpi}: {speedup:.2f} times as fast as alone; at most {MOST} times the time of the "
            f"fastest MPI library in {near} of {len(cells)} cells ({near / len(cells):.0%})"
        )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    with arguments.output.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["mpi", "collective", "bytes", "native_us", "ours_us", "over_fastest"])
        for mpi in native:
            for cell in cells:
                times = (native[mpi][cell], ours[mpi][cell], over_fastest(mpi, cell))
                writer.writerow([mpi, *cell, *(f"{each:.3f}" for each in times)])
    for name, size in cells:
        cell = (name, size)
        preloaded = ", ".join(f"{mpi} {ours[mpi][cell]:.2f}" for mpi in native)
        alone = native[fastest[cell]][cell]
        print(f"{name} {size}: {fastest[cell]} alone {alone:.2f}; {preloaded}")
    print(f"wrote {arguments.output}")


if __name__ == "__main__":
    main()
