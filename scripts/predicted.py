"""Compares the predictions of a model with measurements on this machine, for algorithms and sizes
of every collective. The model is calibrated just before, under the same load.

predicted.py [RANKS [SIZES]]: prints tables in the form of docs/models.md. A pair is two algorithms
with measured times 20% apart. The regret is the measured time of the predicted best algorithm,
divided by that of the real best. The machine should be idle; the load is printed last.
"""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOCCATA = str(ROOT / "toccata")
COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce",
    "reduce_scatter", "scan", "scatter",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """A predicted and a measured time, in microseconds."""

    collective: str
    algorithm: str
    bytes: int
    predicted: float
    measured: float
    spread: float  # interquartile range


def run(*words: str) -> None:
    done = subprocess.run([TOCCATA, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"predicted: toccata {' '.join(words)}: {done.stderr.strip()}")


def one(collective: str, ranks: int, sizes: str, model: Path, place: Path) -> list[Pair]:
    """The algorithms and sizes of a collective that have both a measured and a predicted time."""
    table, times = place / "measured.csv", place / "predicted.json"
    more = [] if collective == "barrier" else ["--sizes", sizes]
    run("bench", collective, "--ranks", str(ranks), *more, "--algorithms", "all",
        "--limit", "2", "--csv", str(table), "--json", str(place / "measured.json"),
        "--heatmap", str(place / "map.png"))  # fmt: skip
    with table.open() as file:
        rows = [row for row in csv.DictReader(file) if row["algorithm"] != "native"]
    wanted = sorted({int(row["bytes"]) for row in rows})
    run("predict", collective, "--model", str(model), "--ranks", str(ranks), "--sizes",
        ",".join(map(str, wanted)), "--json", str(times))  # fmt: skip
    predicted = {
        (each["algorithm"], each["bytes"]): each["seconds"] * 1e6
        for each in json.loads(times.read_text())
    }
    return [
        Pair(collective, row["algorithm"], int(row["bytes"]), predicted[key],
             float(row["median_us"]), float(row["quartile_75_us"]) - float(row["quartile_25_us"]))
        for row in rows
        if (key := (row["algorithm"], int(row["bytes"]))) in predicted
    ]  # fmt: skip


def judged(collective: str, pairs: list[Pair]) -> str:
    """A row of the first table."""
    errors = [abs(each.predicted / each.measured - 1) for each in pairs]
    noise = [each.spread / each.measured for each in pairs]
    right = wrong = 0
    regrets = []
    for size in {each.bytes for each in pairs}:
        own = [each for each in pairs if each.bytes == size]
        best = min(own, key=lambda each: each.measured)
        chosen = min(own, key=lambda each: each.predicted)
        regrets.append(chosen.measured / best.measured)
        for one, other in combinations(own, 2):
            if max(one.measured, other.measured) > 1.2 * min(one.measured, other.measured):
                agree = (one.measured < other.measured) == (one.predicted < other.predicted)
                right, wrong = right + agree, wrong + (not agree)
    return (
        f"| {collective} | {len(pairs)} | {statistics.median(errors):.0%} | {right} of "
        f"{right + wrong} | {statistics.mean(regrets):.2f} | ±{statistics.median(noise) / 2:.0%} |"
    )


def main() -> None:
    ranks = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    sizes = sys.argv[2] if len(sys.argv) > 2 else "64,1K,8K,32K,128K,512K"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        model = place / "here.json"
        run("calibrate", "--ranks", str(ranks), "-o", str(model))
        pairs = [pair for each in COLLECTIVES for pair in one(each, ranks, sizes, model, place)]
        print(model.read_text())
    print("| collective | times | median error | pairs in order | mean regret | spread |")
    print("|---|---|---|---|---|---|")
    for collective in COLLECTIVES:
        print(judged(collective, [each for each in pairs if each.collective == collective]))
    print("\n| algorithm | bytes | predicted, µs | measured, µs | |\n|---|---|---|---|---|")
    for each in pairs:
        print(
            f"| {each.collective}/{each.algorithm} | {each.bytes} | {each.predicted:.1f} | "
            f"{each.measured:.1f} ± {each.spread / 2:.1f} | ×{each.predicted / each.measured:.2f} |"
        )
    print(f"\nload when it ended: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
