"""The time of nonblocking and persistent collectives, bare and preloaded.

nonblocking.py [--mpi FAMILY] [--hosts] [--runs N] [--build DIR] [--output FILE.csv] [-- OPTIONS of
the program]: runs DIR/bench/FAMILY/nonblocking (openmpi by default), preloaded without settings,
with 2 ranks here, or with --hosts with 16 ranks on the four hosts of bench/cluster/up.sh (which has
to run), even and uneven. Writes the median of the runs of all cells to FILE.csv, and prints the
ratios of ours to native: the geometric mean of each form, and the cells in which ours is clearly
slower.
"""

import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FORMS = ("blocking", "nonblocking", "overlapped", "persistent")
SLOWER = 1.05
SLOTS = {"4,4,4,4": "4", "5,5,3,3": "5,5,3,3"}

Cell = tuple[str, str, int]  # machine, collective, bytes
Times = dict[Cell, dict[str, list[float]]]  # by "native blocking", ...: µs of each run


def run(mpi: str, machine: str, build: Path, options: list[str]) -> str:
    library = build / "lib" / mpi / "libtoccata.so"
    program = " ".join([str(build / "bench" / mpi / "nonblocking"), *options])
    start = f"LD_PRELOAD={library}:$LD_PRELOAD exec {program}"
    env = dict(os.environ)
    if machine == "here":
        command = [str(ROOT / "scripts" / "mpiexec.sh"), mpi, "2", "sh", "-c", start]
    else:
        env |= {"SLOTS": SLOTS[machine]}
        command = [str(ROOT / "bench/cluster/bin/mpirun"), "-n", "16", "sh", "-c", start]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"nonblocking: {' '.join(command)} ends with {done.returncode}:\n{done.stderr}")
    return done.stdout


def measure(mpi: str, machines: list[str], build: Path, options: list[str], runs: int) -> Times:
    times: Times = defaultdict(lambda: defaultdict(list))
    for number in range(runs):
        for machine in machines:
            print(f"{machine}: run {number + 1} of {runs}", file=sys.stderr)
            for line in run(mpi, machine, build, options).splitlines():
                collective, size, side, form, median, *_ = line.split()
                cell = machine, collective, int(size)
                times[cell][f"{side} {form}"].append(float(median))
    return times


def forms_of(times: Times) -> list[str]:
    """The forms that were measured."""
    return [form for form in FORMS if any(f"ours {form}" in cell for cell in times.values())]


def ratio(cell: dict[str, list[float]], form: str) -> float:
    return statistics.median(cell[f"ours {form}"]) / statistics.median(cell[f"native {form}"])


def is_slower(cell: dict[str, list[float]], form: str) -> bool:
    """Whether ours is more than 5% slower in all runs."""
    return ratio(cell, form) > SLOWER and min(cell[f"ours {form}"]) > max(cell[f"native {form}"])


def write(times: Times, path: Path) -> None:
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["machine", "collective", "bytes", "form", "native_us", "ours_us", "runs"])
        for (machine, collective, size), cell in times.items():
            for form in forms_of(times):
                sides = [cell[f"{side} {form}"] for side in ("native", "ours")]
                medians = [f"{statistics.median(each):.3f}" for each in sides]
                table.writerow([machine, collective, size, form, *medians, len(sides[0])])


def tell(times: Times, machines: list[str]) -> None:
    print("| machine | form | cells | ours / native | slower cells |\n|---|---|---:|---:|---|")
    for machine in machines:
        cells = {key: cell for key, cell in times.items() if key[0] == machine}
        for form in forms_of(times):
            ratios = [ratio(cell, form) for cell in cells.values()]
            mean = math.exp(statistics.fmean(math.log(each) for each in ratios))
            slower = [
                f"{name} {size} ({ratio(cell, form):.2f})"
                for (_, name, size), cell in cells.items()
                if is_slower(cell, form)
            ]
            text = ", ".join(slower) or "none"
            print(f"| {machine} | {form} | {len(ratios)} | {mean:.2f} | {text} |")
        for form in ("nonblocking", "persistent"):
            if form not in forms_of(times):
                continue
            fastest = []
            for cell in cells.values():
                faster = min(statistics.median(cell[f"native {each}"]) for each in FORMS[:2])
                fastest.append(statistics.median(cell[f"ours {form}"]) / faster)
            worse = sum(each > SLOWER for each in fastest)
            mean = math.exp(statistics.fmean(math.log(each) for each in fastest))
            text = f"{worse} above {SLOWER}"
            print(f"| {machine} | {form} / faster native | {len(fastest)} | {mean:.2f} | {text} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mpi", default="openmpi")
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--output", type=Path, default=ROOT / "results" / "requests.csv")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    machines = list(SLOTS) if arguments.hosts else ["here"]
    build = arguments.build.resolve()
    times = measure(arguments.mpi, machines, build, arguments.options, arguments.runs)
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    write(times, arguments.output)
    tell(times, machines)


if __name__ == "__main__":
    main()
