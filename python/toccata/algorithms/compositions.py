"""Compositions by level, for `toccata search`: a collective between the parts of a machine, and one
inside each part, one after the other or at the same time.

A cut divides the machine's levels on which ranks differ into outer and inner ones, so a rank has an
outer and an inner place. Ranks with the same inner place form a lane and exchange their blocks. So
do ranks with the same outer place. The radix k of an exchange determines its rounds. If k > 1, a
rank has k times as many blocks after each round [bruck1997]; if k = 1, blocks go round a ring.

    order=outer_first    the lanes, then their blocks inside          fewest bytes between the parts
    order=inner_first    inside, then all these blocks by the lanes   if the outer links are idle
    order=as_they_come   the blocks of one round of the lanes are spread inside during the next
                         round of the lanes: slow outer links are busy all the time

    4 ranks on nodes 0 1 | 2 3, as they come    rank 0   1        2        3
      inside, and lanes 0 2, 1 3                ABC.     AB.D     A.CD     .BCD
      inside, of these blocks                   ABCD     ABCD     ABCD     ABCD

`toccata show` and `prove` accept `.../toccata/algorithms/compositions.py:allgather_by_levels`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from toccata import _core
from toccata.topology import machines
from toccata.writing import (
    Range,
    Schedule,
    Shape,
    algorithm,
    blocks,
    choice,
    number,
    recv,
    scratch,
    send,
)

MOST_RADIX = 1024
PARAMETERS = (
    number("cut", "how many levels are outer ones, of those on which ranks differ", 0, 8, 0,
           [0, 1, 2]),
    choice("order", "of the exchanges", ["as_they_come", "outer_first", "inner_first"]),
    number("outer", "radix between the outer parts; 1 is a ring", 1, MOST_RADIX, 2, [1, 2, 4]),
    number("inner", "radix inside of them; 1 is a ring", 1, MOST_RADIX, 2, [1, 2, 4, 16]),
)  # fmt: skip


@dataclass(frozen=True)
class Places:
    """Ranks on a grid: the number of objects per level, outermost first, and the position of each
    rank."""

    sizes: tuple[int, ...]
    of_rank: tuple[tuple[int, ...], ...]


def _places(placement: _core.Placement) -> Places:
    """The places of the ranks; without sizes if the ranks do not form a grid."""
    there = placement.machine
    key = (there.text, placement.text)
    if key not in _known_places:
        if len(_known_places) > MOST_KNOWN:
            _known_places.clear()
        _known_places[key] = _find_places(there, placement.places)
    return _known_places[key]


_known_places: dict[tuple[str, str], Places] = {}
MOST_KNOWN = 1000


def _find_places(there: _core.Machine, all_: Sequence[tuple[int, int]]) -> Places:
    levels = range(len(there.levels))
    around = [machines.around(there, level) for level in levels]
    dims = there.dims
    paths = []
    for inner, thing in all_:
        path = [around[level](inner, thing) for level in levels if level <= inner]
        if dims:  # the cell of a torus has one coordinate per dimension
            cell, at = path[0], []
            for size in reversed(dims):
                at.append(cell % size)
                cell //= size
            path[:1] = reversed(at)
        paths.append(path)
    if len({len(path) for path in paths}) != 1 or len({tuple(path) for path in paths}) != len(all_):
        return Places((), ())
    columns = []
    for depth in range(len(paths[0])):
        # For each outer object: the numbers of its objects that have ranks.
        inside: dict[tuple[int, ...], dict[int, int]] = {}
        free = bool(dims) and depth < len(dims)
        column = []
        for path in paths:
            known = inside.setdefault(() if free else tuple(path[:depth]), {})
            column.append(known.setdefault(path[depth], len(known)))
        if max(column) > 0:
            columns.append(column)
    sizes = tuple(max(column) + 1 for column in columns)
    product = 1
    for size in sizes:
        product *= size
    if product != len(all_):
        return Places((), ())
    return Places(sizes, tuple(zip(*columns, strict=True)) or ((),) * len(all_))


class Grid:
    """Ranks by outer and inner place."""

    def __init__(self, places: Places, cut: int) -> None:
        self.outer = self.inner = 1
        for size in places.sizes[:cut]:
            self.outer *= size
        for size in places.sizes[cut:]:
            self.inner *= size
        self._place = [
            (_index(each[:cut], places.sizes[:cut]), _index(each[cut:], places.sizes[cut:]))
            for each in places.of_rank
        ]
        self._rank = {place: rank for rank, place in enumerate(self._place)}

    def place(self, rank: int) -> tuple[int, int]:
        return self._place[rank]

    def rank(self, outer: int, inner: int) -> int:
        return self._rank[outer % self.outer, inner % self.inner]


def _index(place: Sequence[int], sizes: Sequence[int]) -> int:
    result = 0
    for each, size in zip(place, sizes, strict=True):
        result = result * size + each
    return result


@lru_cache(maxsize=16)
def _grid(places: Places, cut: int) -> Grid:
    return Grid(places, cut)


def _places_of(shape: Shape) -> Places:
    if shape.placement is None:  # unknown location
        return Places((shape.p,), tuple((rank,) for rank in range(shape.p)))
    return _places(shape.placement)


def _impossible(shape: Shape) -> str:
    places = _places_of(shape)
    if not places.sizes and shape.p > 1:
        return "needs as many ranks in every object of a level"
    return f"has {len(places.sizes)} levels to cut" if shape.cut > len(places.sizes) else ""


Move = tuple[int, int, int]
"""Distance of the source on the circle, and its blocks: the first, relative to it, and how many."""


def exchange(size: int, radix: int) -> list[list[Move]]:
    """For each round, the blocks that every place of a circle receives."""
    if radix == 1:
        return [[(1, i, 1)] for i in range(size - 1)]
    rounds, held = list[list[Move]](), 1
    while held < size:
        distances = range(held, min(held * radix, size), held)
        rounds.append([(distance, 0, min(held, size - distance)) for distance in distances])
        held *= radix
    return rounds


Messages = dict[int, list[int]]
"""Blocks, by the destination or source."""
Round = tuple[Messages, Messages]  # sent, received


def allgather_rounds(shape: Shape, rank: int) -> list[Round]:
    """The messages of a rank, by round: every block arrives once."""
    grid = _grid(_places_of(shape), shape.cut)
    o, i = grid.place(rank)
    outer, inner = exchange(grid.outer, shape.outer), exchange(grid.inner, shape.inner)

    def lane(moves: list[Move]) -> Round:
        """A round between the parts, among the ranks with this rank's inner place."""
        sent, got = Messages(), Messages()
        for far, first, many in moves:
            sent[grid.rank(o - far, i)] = [grid.rank(o + first + n, i) for n in range(many)]
            got[grid.rank(o + far, i)] = [grid.rank(o + far + first + n, i) for n in range(many)]
        return sent, got

    def inside(moves: list[Move], outers: Sequence[int]) -> Round:
        """A round inside a part, with the blocks from these outer places."""
        sent, got = Messages(), Messages()
        for far, first, many in moves:
            sent[grid.rank(o, i - far)] = [
                grid.rank(each, i + first + n) for n in range(many) for each in outers
            ]
            got[grid.rank(o, i + far)] = [
                grid.rank(each, i + far + first + n) for n in range(many) for each in outers
            ]
        return sent, got

    if shape.order == "outer_first":
        return [lane(each) for each in outer] + [inside(each, range(grid.outer)) for each in inner]
    if shape.order == "inner_first":
        result = [inside(each, [o]) for each in inner]
        for moves in outer:
            sent, got = lane(moves)
            result.append((_with_insides(grid, sent), _with_insides(grid, got)))
        return result
    result = []
    here: list[int] = [o]
    for phase in range(len(outer) + 1):
        rounds = [inside(each, here) for each in inner] or [({}, {})]
        if phase < len(outer):  # in the first round, because these messages take longest
            sent, got = lane(outer[phase])
            rounds[0] = (sent | rounds[0][0], got | rounds[0][1])
            here = [o + far + first + n for far, first, many in outer[phase] for n in range(many)]
        result += rounds
    return [each for each in result if any(each)]


def _with_insides(grid: Grid, messages: Messages) -> Messages:
    return {
        peer: [grid.rank(grid.place(block)[0], n) for block in blocks_ for n in range(grid.inner)]
        for peer, blocks_ in messages.items()
    }


def ranges(buffer: str, of: Sequence[int]) -> list[Range]:
    """Blocks in ascending order, in few ranges."""
    runs = list[list[int]]()  # first, count, stride, repeat
    for first, count in _runs(sorted(of)):
        last = runs[-1] if runs else None
        if last is not None and last[1] == count:
            stride = first - (last[0] + last[2] * (last[3] - 1))
            if last[3] == 1 or stride == last[2]:
                last[2], last[3] = stride, last[3] + 1
                continue
        runs.append([first, count, 0, 1])
    return [blocks(buffer, *run) for run in runs]


def _runs(ascending: Sequence[int]) -> Iterator[tuple[int, int]]:
    first = 0
    for at in range(1, len(ascending) + 1):
        if at == len(ascending) or ascending[at] != ascending[at - 1] + 1:
            yield ascending[first], at - first
            first = at


def _gather(rounds: Sequence[Round], schedule: Schedule) -> None:
    for sent, got in rounds:
        schedule.round()
        for peer, of in sent.items():
            schedule.send(peer, ranges("recv", of))
        for peer, of in got.items():
            schedule.recv(peer, ranges("recv", of))


def _combine(rounds: Sequence[Round], buffer: str, schedule: Schedule) -> None:
    """The rounds in reverse: receives become sends, and sends become receives with reductions."""
    for sent, got in reversed(rounds):
        schedule.round()
        come = []
        for peer, of in got.items():
            schedule.send(peer, ranges(buffer, of))
        for peer, of in sent.items():
            partial = schedule.scratch(ranges("send", of))
            schedule.recv(peer, partial)
            come.append((partial, ranges(buffer, of)))
        for partial, into in come:
            schedule.reduce(partial, into)


SOURCE = "traff2020, by levels"


@algorithm("allgather", citation=SOURCE, parameters=PARAMETERS, impossible=_impossible,
           by_placement=True)  # fmt: skip
def allgather_by_levels(shape: Shape, rank: int, schedule: Schedule) -> None:
    """between the parts of a machine and inside of them, one after the other or at the same time"""
    schedule.round().copy(send(0), recv(rank))
    _gather(allgather_rounds(shape, rank), schedule)


@algorithm("reduce_scatter", citation=SOURCE, parameters=PARAMETERS, impossible=_impossible,
           by_placement=True)  # fmt: skip
def reduce_scatter_by_levels(shape: Shape, rank: int, schedule: Schedule) -> None:
    """the allgather by levels in reverse"""
    schedule.scratch(send(0, shape.p))
    schedule.round().copy(send(0, shape.p), scratch(0, shape.p))
    _combine(allgather_rounds(shape, rank), "scratch", schedule)
    schedule.round().copy(scratch(rank), recv(0))


@algorithm("allreduce", citation=SOURCE, parameters=PARAMETERS, impossible=_impossible,
           by_placement=True, parts=lambda shape: shape.p)  # fmt: skip
def allreduce_by_levels(shape: Shape, rank: int, schedule: Schedule) -> None:
    """a reduce-scatter by levels, then an allgather"""
    rounds = allgather_rounds(shape, rank)
    schedule.round().copy(send(0, shape.p), recv(0, shape.p))
    _combine(rounds, "recv", schedule)
    _gather(rounds, schedule)
