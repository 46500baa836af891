"""What a benchmark measured: the values, and how they are written to files."""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal

Metric = Literal["min", "average", "max", "median"]
METRICS: tuple[Metric, ...] = ("median", "average", "min", "max")


@dataclass(frozen=True)
class Measurement:
    """Times of one algorithm in one setting, in seconds.

    min, average and max are over the ranks' mean times, as the OSU benchmarks report them; median
    and quartiles are over the repetitions, of the slowest rank in each.
    """

    collective: str
    mpi: str
    ranks: int
    bytes: int  # that a rank contributes
    algorithm: str
    repetitions: int
    min: float
    average: float
    max: float
    median: float
    q25: float
    q75: float
    valid: bool | None  # None if the data were not looked at
    wins: int = 0  # repetitions in which it took less time than the MPI library's own
    pairs: int = 0  # of so many

    def time(self, metric: Metric) -> float:
        """Seconds."""
        return float(getattr(self, metric))


TIMES = ("min", "average", "max", "median", "q25", "q75")


class Results:
    """All measurements of one benchmark, by ranks, bytes and algorithm."""

    def __init__(self, measurements: Iterable[Measurement]) -> None:
        self.all = list(measurements)
        self._by_setting = {(each.ranks, each.bytes, each.algorithm): each for each in self.all}

    def get(self, ranks: int, size: int, algorithm: str) -> Measurement | None:
        return self._by_setting.get((ranks, size, algorithm))

    def at(self, ranks: int, size: int) -> list[Measurement]:
        """All algorithms in one setting."""
        return [each for each in self.all if (each.ranks, each.bytes) == (ranks, size)]

    @property
    def ranks(self) -> list[int]:
        return sorted({each.ranks for each in self.all})

    @property
    def sizes(self) -> list[int]:
        return sorted({each.bytes for each in self.all})

    @property
    def algorithms(self) -> list[str]:
        return list(dict.fromkeys(each.algorithm for each in self.all))


def gain(mine: float, other: float) -> float:
    """By how much of the other's time mine is shorter, as in 0.25; negative if it is longer."""
    return 1 - mine / other if other > 0 else 0.0


def best(measurements: Sequence[Measurement], metric: Metric) -> Measurement | None:
    """The fastest; of equals the first. None of none."""
    return min(measurements, key=lambda each: each.time(metric), default=None)


def write_csv(results: Results, path: Path) -> None:
    """One row per measurement, times in microseconds. OSError where it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [each.name for each in fields(Measurement)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f"{name}_us" if name in TIMES else name for name in names])
        for each in results.all:
            row: dict[str, Any] = asdict(each)
            row |= {name: f"{row[name] * 1e6:.3f}" for name in TIMES}
            row["valid"] = "" if each.valid is None else str(each.valid).lower()
            writer.writerow([row[name] for name in names])


def write_json(results: Results, path: Path) -> None:
    """An array of objects, times in seconds. OSError where it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([asdict(each) for each in results.all], indent=1) + "\n")
