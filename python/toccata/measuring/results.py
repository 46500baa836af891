"""The measurements of a benchmark: the values, and how they are written to files."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from toccata import documents, outputs
from toccata.algorithms import catalogue
from toccata.errors import InputError

Metric = Literal["min", "average", "max", "median"]
METRICS: tuple[Metric, ...] = ("median", "average", "min", "max")


@dataclass(frozen=True)
class Measurement:
    """Times of one algorithm in one case, in seconds.

    min, average and max are over the ranks' mean times, as in the OSU benchmarks. Median and
    quartiles are over the repetitions, with the slowest rank's time of each.
    """

    collective: str
    mpi: str
    ranks: int
    bytes: int  # of a block, or of the message (catalogue.size_is_of)
    algorithm: str
    repetitions: int
    min: float
    average: float
    max: float
    median: float
    q25: float
    q75: float
    valid: bool | None  # None if the data were not checked
    wins: int = 0  # repetitions in which it was faster than the native algorithm
    pairs: int = 0  # repetitions that were compared with native
    # The same in the final, in which only the algorithm with the lowest median runs against native.
    final_wins: int = 0
    final_pairs: int = 0
    nodes: int = 1
    # "again" if the time did not fit the neighbouring sizes and was measured again; "out of line"
    # if the second time did not fit, either.
    remark: str = ""

    def time(self, metric: Metric) -> float:
        """Seconds."""
        return float(getattr(self, metric))

    @property
    def spread(self) -> float:
        """Half of the interquartile range, as a share of the median."""
        return (self.q75 - self.q25) / 2 / self.median if self.median > 0 else 0.0

    def clearly_below(self, other: "Measurement", metric: Metric) -> bool:
        """Whether its time is below the other's lower quartile, scaled to the metric."""
        lower = other.q25 / other.median if other.median > 0 else 1.0
        return self.time(metric) < other.time(metric) * lower


TIMES = ("min", "average", "max", "median", "q25", "q75")
# Names in files, which tell that minimum and maximum are over the ranks.
COLUMNS = {
    "median": "median",
    "q25": "quartile_25",
    "q75": "quartile_75",
    "min": "mean_of_fastest_rank",
    "average": "mean_of_all_ranks",
    "max": "mean_of_slowest_rank",
}


class Results:
    """All measurements of one benchmark, by ranks, bytes and algorithm."""

    def __init__(self, measurements: Iterable[Measurement]) -> None:
        self.all = list(measurements)
        self._by_case = {(each.ranks, each.bytes, each.algorithm): each for each in self.all}

    def get(self, ranks: int, size: int, algorithm: str) -> Measurement | None:
        return self._by_case.get((ranks, size, algorithm))

    def at(self, ranks: int, size: int) -> list[Measurement]:
        """All algorithms of one case."""
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
    """The share of the other's time by which mine is shorter, as in 0.25; negative if it is
    longer."""
    return 1 - mine / other if other > 0 else 0.0


def best(measurements: Sequence[Measurement], metric: Metric) -> Measurement | None:
    """The fastest measurement, the first of equal ones; None if there are none."""
    return min(measurements, key=lambda each: each.time(metric), default=None)


def clear_winner(measurements: Sequence[Measurement], metric: Metric) -> Measurement | None:
    """The fastest measurement; None if the spread of the next one reaches it, or there are none."""
    first = best(measurements, metric)
    second = best([each for each in measurements if each is not first], metric)
    if first is None or (second is not None and not first.clearly_below(second, metric)):
        return None
    return first


def _row(each: Measurement, complete: bool, scale: float) -> dict[str, Any]:
    """The values in a file; times in units of `scale` seconds."""
    unit = "us" if scale < 1 else "s"
    row: dict[str, Any] = {
        name: getattr(each, name)
        for name in ("collective", "mpi", "nodes", "ranks", "bytes", "algorithm", "repetitions")
    }
    row["bytes_of"] = catalogue.size_is_of(each.collective)
    row |= {f"{shown}_{unit}": getattr(each, name) / scale for name, shown in COLUMNS.items()}
    return row | {
        "spread": round(each.spread, 4),
        "valid": each.valid,
        "remark": each.remark,
        "complete": complete,
    }


def write_csv(results: Results, path: Path, complete: bool = True) -> None:
    """One row per measurement, times in microseconds. InputError if it cannot be written.

    If measurements are missing, `complete` is false in all rows.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(each, complete, 1e-6) for each in results.all]
    with outputs.whole(path) as made, made.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(rows[0] if rows else _row(_NOTHING, complete, 1e-6))
        for row in rows:
            writer.writerow(map(_cell, row.values()))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.3f}" if isinstance(value, float) and value >= 0.001 else str(value)


_NOTHING = Measurement("", "", 0, 0, "", 0, 0, 0, 0, 0, 0, 0, None)


def write_json(results: Results, path: Path, complete: bool = True) -> None:
    """An array of objects, times in seconds. InputError if it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [_row(each, complete, 1.0) for each in results.all]
    outputs.write(path, json.dumps(rows, indent=1) + "\n")


# In tables without the column bytes_of (before version 0.3), the sizes of these collectives are the
# total that a rank sends to all ranks.
ONCE_OF_ALL_BLOCKS = ("alltoall", "alltoallv", "reduce_scatter")


def block_bytes(row: Mapping[str, str | None], collective: str, ranks: int, size: int) -> int:
    """The size of a block or message for the size in a row, which may come from an old table."""
    old = "bytes_of" not in row and collective in ONCE_OF_ALL_BLOCKS
    return max(1, size // ranks) if old and ranks > 0 else size


def _seconds(cell: str) -> float:
    """The seconds of a time in microseconds; ValueError if it is not a time."""
    microseconds = float(cell)
    if not 0 <= microseconds < float("inf"):
        raise ValueError
    return microseconds * 1e-6


def read_csv(path: Path) -> Results:
    """The contents of a file of write_csv. InputError, naming file and line, for any other file."""
    names = {field: f"{shown}_us" for field, shown in COLUMNS.items()}
    documents.check(path)
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.DictReader(file)
        wanted = ["collective", "mpi", "ranks", "bytes", "algorithm", "repetitions"]
        missing = {*wanted, *names.values()} - set(reader.fieldnames or [])
        if missing:
            raise InputError(
                f"{path} is not a table of toccata bench: there is no column {min(missing)}"
            )
        found = []
        for row in reader:
            try:
                times = {each: _seconds(row[names[each]]) for each in TIMES}
                if times["median"] == 0:  # of a call; only single ranks may need no time
                    raise ValueError
                found.append(
                    Measurement(
                        collective=row["collective"],
                        mpi=row["mpi"],
                        ranks=int(row["ranks"]),
                        bytes=block_bytes(
                            row, row["collective"], int(row["ranks"]), int(row["bytes"])
                        ),
                        algorithm=row["algorithm"],
                        repetitions=int(row["repetitions"]),
                        min=times["min"],
                        average=times["average"],
                        max=times["max"],
                        median=times["median"],
                        q25=times["q25"],
                        q75=times["q75"],
                        valid=None,
                        nodes=int(row.get("nodes") or 1),
                        remark=row.get("remark") or "",
                    )
                )
            except (TypeError, ValueError):
                raise InputError(
                    f"{path}: line {reader.line_num} is not a line of toccata bench"
                ) from None
    return Results(found)
