"""Tuning files: the measured best algorithms.

`toccata tune` writes them, and the library reads them. src/choices/tuning.h describes the format;
this module describes additional fields, which the library ignores. The library uses the nearest
measured point.
"""

import fcntl
import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from msgspec import Meta

from toccata import _core, documents, outputs
from toccata.documents import Count
from toccata.errors import InputError
from toccata.measuring import benchmark
from toccata.measuring.results import Measurement

VERSION = 1
REMEDY = "`toccata tune`"
DOUBT = 0.05  # the probability of a wrong decision that an algorithm is faster than native


AtLeastOne = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Case = tuple[str, int, int | None, int]  # collective, ranks, ranks per node, bytes


@dataclass(frozen=True)
class Point:
    """The best choice for one case. Seconds are medians per call; 0 means unknown."""

    collective: str
    ranks: AtLeastOne
    nodes: AtLeastOne
    bytes: Count  # of a block, or of the message, as in the library (src/choices/tuning.h)
    choice: str
    seconds: float = 0.0
    native_seconds: float = 0.0
    spread: float = 0.0  # interquartile range / `seconds`
    repetitions: int = 0
    per_node: int | None = None  # ranks per node, if given to the launcher
    medians: dict[str, float] = field(default_factory=dict)  # seconds of all candidates

    @property
    def gain(self) -> float:
        """The saved share of the native time, such as 0.25; 0 if unknown."""
        known = self.seconds > 0 and self.native_seconds > 0
        return 1 - self.seconds / self.native_seconds if known else 0.0

    @property
    def case(self) -> Case:
        """The case that the point was measured for, as requested."""
        return self.collective, self.ranks, self.per_node, self.bytes


@dataclass
class Tuning:
    """A tuning file."""

    machine: str = ""
    mpi: str = ""
    model: str = ""  # that made the choices, if they were not measured
    partial: bool = False  # whether results are missing
    missing: list[Case] = field(default_factory=list)  # from all interrupted commands
    date: str = ""
    points: list[Point] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """The origin of the times."""
        return "predicted" if self.model else "measured"

    def add(self, point: Point) -> None:
        """Adds a point, or replaces the point of the same case."""
        self.missing = [each for each in self.missing if each != point.case]
        self.points = [each for each in self.points if each.case != point.case]
        self.points.append(point)
        self.points.sort(key=lambda each: (each.collective, each.ranks, each.nodes, each.bytes))

    @property
    def done(self) -> set[Case]:
        """The cases with results that no command has to repeat."""
        return {each.case for each in self.points} - set(self.missing)

    def write(self, path: Path) -> None:
        """Replaces the file whole, or leaves it unchanged. InputError if that is impossible."""
        self.date = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
        document: dict[str, Any] = {"toccata_tuning": VERSION}
        listed = ("points", "missing")
        document |= {key: value for key, value in vars(self).items() if key not in listed}
        lines = ",\n".join(f"  {json.dumps(_fields(each))}" for each in self.points)
        head = json.dumps(document, indent=1).removesuffix("\n}")
        if self.missing:
            head += f',\n "missing": {json.dumps(self.missing)}'
        outputs.write(path, f'{head},\n "points": [\n{lines}\n ]\n}}\n')


def _fields(point: Point) -> dict[str, Any]:
    """The fields of a point in the file, without unknown values and insignificant digits."""

    def short(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: short(each) for key, each in value.items()}
        return float(f"{value:.4g}") if isinstance(value, float) else value

    named = {key: short(value) for key, value in vars(point).items()}
    return {key: value for key, value in named.items() if value not in (0.0, None, {})}


def read(path: Path) -> Tuning:
    """Reads a file that `write` or the library wrote. InputError if it is invalid.

    The library's own reader checks the fields that it uses.
    """
    try:
        _core.check_tuning(documents.text_of(path), str(path))
    except _core.ChoiceError as error:
        remedy = "" if REMEDY in str(error) else f"; {REMEDY} writes them"
        raise InputError(f"{error}{remedy}") from None
    return documents.read(
        path, Tuning, "toccata_tuning", VERSION, what="tuning file", remedy=f"{REMEDY} writes them"
    )


def update(path: Path, change: Callable[[Tuning], None]) -> Tuning:
    """Reads a file, changes its contents, and writes it, while other processes wait; makes the file
    if it does not exist. Returns the contents.

    The lock belongs to the file itself, as in the library, so that no other file remains. If a
    process replaces the file meanwhile, the lock is on the old one.
    """
    path = path.resolve()
    while True:
        if not path.exists():
            _make(path)
        with path.open("r+b") as file:
            with suppress(OSError):  # this file system cannot lock
                fcntl.flock(file, fcntl.LOCK_EX)
            if _is_replaced(file, path):
                continue
            found = read(path)
            change(found)
            found.write(path)
            return found


def _make(path: Path) -> None:
    """Makes a file without points, unless another process makes one meanwhile."""
    made = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        Tuning(partial=True).write(made)
        with suppress(FileExistsError):
            path.hardlink_to(made)
    except OSError:  # this file system has no hard links
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def _is_replaced(file: BinaryIO, path: Path) -> bool:
    try:
        return not os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return True


def decide(measured: Sequence[Measurement], nodes: int, per_node: int | None) -> Point:
    """The choice among all algorithms that were measured in one case.

    Among the algorithms that are significantly faster than native, it is the one with the lowest
    median; if there is none, it is native. The test is a sign test on interleaved calls. The
    algorithm that ran in the final is judged by that alone, at half of the level. All others share
    the other half, because one of many may be lucky.
    """
    native = next(each for each in measured if each.algorithm == "native")
    others = [each for each in measured if each is not native]

    def beats_native(each: Measurement) -> bool:
        if each.final_pairs > 0:
            return _core.chance(each.final_wins, each.final_pairs) < DOUBT / 2
        return _core.chance(each.wins, each.pairs) < DOUBT / 2 / len(others)

    beat = [each for each in others if each.median < native.median and beats_native(each)]
    best = min(beat, key=lambda each: each.median, default=native)
    return Point(
        collective=best.collective,
        ranks=best.ranks,
        nodes=nodes,
        bytes=best.bytes,
        choice=best.algorithm,
        seconds=best.median,
        native_seconds=native.median,
        spread=(best.q75 - best.q25) / best.median if best.median > 0 else 0.0,
        repetitions=best.repetitions,
        per_node=per_node,
        medians={each.algorithm: each.median for each in measured},
    )


def by_model(
    collective: str, shape: _core.Shape, nodes: int, sizes: Sequence[int], model: _core.Model
) -> list[Point]:
    """The library's choices by a model, one point per size."""
    points = []
    sizes = benchmark.sizes_of(collective, sizes)
    all_ranked = _core.rank(collective, shape, model, list(sizes))
    for size, ranked in zip(sizes, all_ranked, strict=True):
        if not ranked:
            continue
        choice, seconds = ranked[0]
        medians = {each.text: time for each, time in ranked}
        points.append(
            Point(collective, shape.p, nodes, size, choice.text, seconds, medians=medians)
        )
    return points
