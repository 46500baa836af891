"""Algorithms in Python: a function writes the schedule of one rank.

    from toccata.writing import algorithm, recv, send

    @algorithm("allgather", citation="thakur2005, section 4.1")
    def ring(shape, rank, schedule):
        right, left = (rank + 1) % shape.p, (rank - 1) % shape.p
        schedule.round().copy(send(0), recv(rank))
        for i in range(shape.p - 1):
            schedule.round().send(right, recv((rank - i) % shape.p))
            schedule.recv(left, recv((left - i) % shape.p))

`toccata prove FILE.py` proves it. All commands accept `FILE.py:ring` as an algorithm's name.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from toccata import _core
from toccata._core import Cost
from toccata.topology import machines

__all__ = [
    "Cost", "Schedule", "Shape", "algorithm", "blocks", "choice", "circular", "number", "recv",
    "scratch", "send",
]  # fmt: skip

Range = _core.BlockRange
Blocks = Range | Sequence[Range]

MOST_ENTRIES = 1_000_000  # of a rank's schedule; a larger number results from an endless loop
MOST_BLOCKS = 1 << 28
MOST_CHANNELS = 64


class MisuseError(ValueError):
    """A user's function adds something impossible to its schedule, at a line of the user's file."""


def send(first: int, count: int = 1) -> Range:
    """Blocks of the send buffer, which is never written."""
    return blocks("send", first, count)


def recv(first: int, count: int = 1) -> Range:
    """Blocks of the receive buffer."""
    return blocks("recv", first, count)


def scratch(first: int, count: int = 1) -> Range:
    """Blocks of scratch, which `schedule.scratch` declares."""
    return blocks("scratch", first, count)


def blocks(buffer: str, first: int, count: int = 1, stride: int = 0, repeat: int = 1) -> Range:
    """`repeat` runs of `count` blocks from `first` on, whose beginnings are `stride` apart."""
    numbers = [
        _whole(value, what, least)
        for value, what, least in (
            (first, "the first block", 0),
            (count, "the number of blocks", 0),
            (stride, "the stride", -MOST_BLOCKS),
            (repeat, "the number of runs", 0),
        )
    ]
    return _core.block_range(buffer, *numbers)


def circular(
    buffer: Callable[..., Range] | str, first: int, count: int, p: int, step: int = 1
) -> list[Range]:
    """The `count` blocks first, first + step, ..., modulo p, of a buffer of p blocks.

    The buffer is `send`, `recv` or `scratch`.
    """
    name = buffer if isinstance(buffer, str) else buffer.__name__
    numbers = [
        _whole(value, what, -MOST_BLOCKS)
        for value, what in ((first, "first"), (count, "count"), (p, "p"), (step, "step"))
    ]
    try:
        return _core.circular(name, *numbers)
    except ValueError as error:
        raise MisuseError(str(error)) from None


def _whole(value: Any, what: str, least: int = 0, most: int = MOST_BLOCKS) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise MisuseError(f"{what} is {value!r}; expected an integer") from None
    if not least <= number <= most:
        raise MisuseError(f"{what} is {number}; expected {least} to {most}")
    return number


def _ranges(given: Any) -> list[Range]:
    listed = [given] if isinstance(given, Range) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(each, Range) for each in listed):
        raise MisuseError(
            f"blocks are {given!r}; they are send(...), recv(...), scratch(...), or a list of these"
        )
    return list(listed)


class Shape:
    """The information on which an algorithm may depend. It is the same on every rank.

    The attributes include the algorithm's parameters by name, such as `shape.radix`.
    """

    def __init__(self, known: _core.Shape, settings: Mapping[str, int | str]) -> None:
        self._settings = settings
        self.p = known.p
        self.root = known.root
        self.parts = known.parts
        self.placement = known.placement

    def __getattr__(self, name: str) -> Any:
        settings = self.__dict__.get("_settings", {})
        if name in settings:
            return settings[name]
        known = ", ".join(("p", "root", "parts", "nodes", *settings))
        raise AttributeError(f"a shape has no {name}; it has {known}")

    @cached_property
    def nodes(self) -> list[list[int]]:
        """The ranks of each node, in order; one node with all ranks if the placement is unknown."""
        return self.regions("node")

    def regions(self, level: str) -> list[list[int]]:
        """The ranks of each object of a level ("node", "socket"), in order of the first rank."""
        if self.placement is None or level not in self.placement.machine.levels:
            return [list(range(self.p))]
        machine = self.placement.machine
        number = machine.levels.index(level)
        of = machines.around(machine, number)
        found: dict[int, list[int]] = {}
        for rank, (inner, thing) in enumerate(self.placement.places):
            found.setdefault(of(inner, thing) if inner >= number else -1 - rank, []).append(rank)
        return list(found.values())


class Schedule:
    """One rank's schedule, written round by round.

    The messages of a round are in flight together; its copies and reductions follow them. Calls may
    be chained: `schedule.round().send(right, recv(0)).recv(left, recv(1))`.
    """

    def __init__(self, p: int, rank: int) -> None:
        self._p, self._rank = p, rank
        self._builder = _core.ScheduleBuilder()
        self._entries = 0

    def round(self) -> "Schedule":
        """Opens the next round. Every rank opens every round, even without any action in it."""
        self._count()
        self._builder.round()
        return self

    def send(
        self, peer: int, blocks: Blocks = (), travel: str = "whole", channel: int = 0
    ) -> "Schedule":
        """Sends blocks to a rank. The i-th block sent is the i-th block received."""
        return self._message(self._builder.send, peer, blocks, travel, channel)

    def recv(
        self, peer: int, blocks: Blocks = (), travel: str = "whole", channel: int = 0
    ) -> "Schedule":
        """Receives blocks from a rank."""
        return self._message(self._builder.recv, peer, blocks, travel, channel)

    def copy(self, source: Blocks, target: Blocks) -> "Schedule":
        """Copies blocks after the messages of the round have arrived."""
        return self._step(source, target, False)

    def reduce(self, source: Blocks, target: Blocks) -> "Schedule":
        """target = source ∘ target; `source` holds the contributions of lower ranks."""
        return self._step(source, target, True)

    def scratch(self, like: Blocks) -> Range:
        """New blocks of scratch, one for each block of `like` and of its size."""
        self._count()
        new: Range = self._asked(self._builder.scratch, _ranges(like))
        return new

    def build(self) -> _core.Schedule:
        return self._builder.build()

    def _message(
        self, add: Callable[..., None], peer: int, blocks: Blocks, travel: str, channel: int
    ) -> "Schedule":
        self._count()
        number = _whole(peer, "the peer", 0, self._p - 1)
        if number == self._rank:
            raise MisuseError(f"the peer is {number}; a rank cannot be its own peer")
        ranges = _ranges(blocks)
        self._asked(
            add, number, ranges, travel, _whole(channel, "the channel", 0, MOST_CHANNELS - 1)
        )
        return self

    def _step(self, source: Blocks, target: Blocks, reduces: bool) -> "Schedule":
        self._count()
        self._asked(self._builder.step, _ranges(source), _ranges(target), reduces)
        return self

    def _count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise MisuseError(
                f"a rank's schedule has more than {MOST_ENTRIES} entries; check that each loop ends"
            )

    @staticmethod
    def _asked(what: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return what(*arguments)
        except (ValueError, TypeError) as error:
            raise MisuseError(str(error).splitlines()[0]) from None


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm: one of some words, or a number."""

    name: str
    help: str
    words: Sequence[str] = ()
    least: int = 0
    most: int = 0
    standard: int = 0
    samples: Sequence[int] = ()


def choice(name: str, help: str, words: Sequence[str]) -> Parameter:
    """A parameter that is one of some words; the first is the default."""
    return Parameter(name, help, tuple(words))


def number(
    name: str, help: str, least: int, most: int, standard: int, samples: Sequence[int] = ()
) -> Parameter:
    """A parameter that is an integer; proofs try the samples."""
    return Parameter(name, help, (), least, most, standard, tuple(samples) or (standard,))


Write = Callable[[Shape, int, Schedule], object]


@dataclass(frozen=True)
class Written:
    """An algorithm, with the arguments of its decorator."""

    collective: str
    write: Write
    summary: str
    citation: str
    parameters: Sequence[Parameter]
    claim: Callable[[Shape], Cost | None] | None
    impossible: Callable[[Shape], str] | None
    parts: Callable[[Shape], int] | int
    flags: Mapping[str, bool] = field(default_factory=dict)


def algorithm(
    collective: str,
    *,
    citation: str = "",
    summary: str = "",
    claim: Callable[[Shape], Cost | None] | None = None,
    parameters: Sequence[Parameter] = (),
    impossible: Callable[[Shape], str] | None = None,
    parts: Callable[[Shape], int] | int = 1,
    blocks_alike: bool = False,
    relays: bool = False,
    ordered: bool = False,
    reproducible: bool = False,
    by_placement: bool = False,
) -> Callable[[Write], Write]:
    """Makes a function `write(shape, rank, schedule)` an algorithm of a collective.

    The function's name is the algorithm's. `claim` returns the cost according to the literature,
    or None if there is no formula; the proof compares the schedules with it. `impossible` returns
    the reason why the algorithm cannot run in a shape, as the end of a sentence ("needs an even
    number of ranks").
    CONTRIBUTING.md explains the other arguments.
    """
    flags = {"blocks_alike": blocks_alike, "relays": relays, "ordered": ordered,
             "reproducible": reproducible, "by_placement": by_placement}  # fmt: skip

    def known(write: Write) -> Write:
        said = (write.__doc__ or "").strip().splitlines()
        write.toccata = Written(  # type: ignore[attr-defined]
            collective, write, summary or (said[0] if said else ""), citation, tuple(parameters),
            claim, impossible, parts, flags,
        )  # fmt: skip
        return write

    return known
