"""The cost of the preloaded library at 16 to 256 ranks on this machine, and its growth.

Each number of ranks runs bench/ranks (which checks every result) bare, preloaded without settings,
and preloaded with the choices of the model. The last table fits a · p^b to the difference from
bare, and extrapolates it. Ranks share the cores, so a time per rank is wall time × cores / ranks.
With --hosts, the ranks run on the four hosts of bench/cluster, which is up already.
"""

import argparse
import csv
import math
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "release"
sys.path.insert(0, str(ROOT / "tests" / "preload"))
from jobs import Job  # noqa: E402
from suites import Family  # noqa: E402

VARIANTS = ("bare", "no settings", "model chooses")
TIMES = ("init_ms", "first_ms", "collectives_ms", "communicator_ms")
FAR = (10_000, 100_000)
HOSTS = 4
Figures = dict[str, float]


def figures(options: argparse.Namespace, ranks: int, variant: str) -> Figures:
    family = Family(options.mpi)
    if options.hosts:
        os.environ["HOSTS"] = str(HOSTS)
        os.environ["SLOTS"] = str(-(-ranks // HOSTS))
        family.launcher = [str(ROOT / "bench" / "cluster" / "bin" / "mpirun")]
        family.always = [str(ROOT / "build" / "cluster" / "sleep_on_yield.so")]
    loaded = family.always + ([] if variant == "bare" else [family.library])
    settings = {"LD_PRELOAD": " ".join(loaded)}
    if variant == "model chooses":
        settings["TOCCATA"] = "model"
    command = [str(BUILD / "bench" / options.mpi / "ranks")]
    command += [str(options.calls), str(options.communicators)]
    begin = time.monotonic()
    done = Job(family.launcher, options.patience, command, ranks, settings).outcome()
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"ranks: {ranks} ranks, {variant}: ends with {done.returncode}\n{done.stderr}")
    found = {name: float(value) for name, value in map(str.split, done.stdout.splitlines())}
    print(f"{ranks} ranks, {variant}: {seconds:.0f} s, {found['wrong']:.0f} wrong", flush=True)
    return found | {"job_s": seconds}


def median(runs: list[Figures]) -> Figures:
    return {name: statistics.median(each[name] for each in runs) for name in runs[0]}


def per_rank(name: str, value: float, ranks: int) -> float:
    """A value per rank: a time is divided by the ranks per core; memory is already per rank."""
    share = max(1.0, ranks / (os.cpu_count() or 1))
    return value / share if name in TIMES else value


def power(points: list[tuple[int, float]]) -> tuple[float, float] | None:
    """(a, b) of a · p^b by least squares of logarithms; None if a point is not positive."""
    if len(points) < 3 or any(value <= 0 for _, value in points):
        return None
    x, y = zip(*((math.log(p), math.log(value)) for p, value in points), strict=True)
    slope, intercept = statistics.linear_regression(x, y)
    return math.exp(intercept), slope


def tables(found: dict[int, dict[str, Figures]], variants: list[str]) -> None:
    names = [each for each in next(iter(found.values()))["bare"] if each != "wrong"]
    for name in names:
        print(f"\n{name}: {', '.join(variants)}")
        for ranks, each in found.items():
            print(f"{ranks:>6}" + "".join(f"{each[variant][name]:>14.2f}" for variant in variants))
    print("\nPreloaded minus bare, per rank, as a · p^b")
    head = ["figure", "settings", *map(str, found), "b", *map(str, FAR)]
    print(f"| {' | '.join(head)} |")
    for name in names:
        for variant in variants:
            if variant == "bare":
                continue
            points = [
                (p, per_rank(name, each[variant][name] - each["bare"][name], p))
                for p, each in found.items()
            ]
            fit = power(points)
            cells = [name, variant, *(f"{value:.3g}" for _, value in points)]
            cells.append(f"{fit[1]:.2f}" if fit else "–")
            cells += [f"{fit[0] * p ** fit[1]:.3g}" if fit else "–" for p in FAR]
            print(f"| {' | '.join(cells)} |")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--mpi", default="openmpi", help="openmpi or mpich")
    parser.add_argument(
        "--hosts", action="store_true", help="on the hosts of bench/cluster/up.sh (Open MPI, root)"
    )
    parser.add_argument("--ranks", default="16,32,64,128,256")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--runs", type=int, default=1, help="per number of ranks; medians")
    parser.add_argument("--calls", type=int, default=40, help="of every collective")
    parser.add_argument("--communicators", type=int, default=1000)
    parser.add_argument("--patience", type=float, default=900, help="seconds per run")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "ranks.csv")
    options = parser.parse_args()
    if options.hosts and options.mpi != "openmpi":
        parser.error(f"--hosts has Open MPI only, not {options.mpi}")
    found: dict[int, dict[str, Figures]] = {}
    wrong = 0.0
    variants = options.variants.split(",")
    for ranks in map(int, options.ranks.split(",")):
        runs: dict[str, list[Figures]] = {name: [] for name in variants}
        for _ in range(options.runs):
            for variant, all_runs in runs.items():
                all_runs.append(figures(options, ranks, variant))
                wrong += all_runs[-1]["wrong"]
        found[ranks] = {variant: median(all_runs) for variant, all_runs in runs.items()}
    with options.output.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ranks", "variant", "figure", "value"])
        for ranks, all_variants in found.items():
            for variant, each in all_variants.items():
                writer.writerows([ranks, variant, name, value] for name, value in each.items())
    if "bare" in variants:
        tables(found, variants)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
