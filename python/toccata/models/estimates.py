"""The messages of recorded collectives, estimated with the algorithms that MPI libraries use."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta

from toccata import _core
from toccata.quantities import MOST_RANKS

Kind = Literal["point-to-point", "neighborhood", "one-sided", "collective"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Collective = Literal[
    "allgather", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather", "reduce",
    "reduce_scatter", "scan", "scatter",
]  # fmt: skip
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Rank = Annotated[int, Meta(ge=0, lt=MOST_RANKS)]
Phase = Annotated[int, Meta(ge=-(2**31), lt=2**31)]  # 0: all after the first eight
# Of all entries together: expanding a million takes about a second.
MOST_MESSAGES = 2_000_000

# The algorithms of [thakur2005] are usual, and MPICH's rules name them.
USUAL = "mpich"
# Broadcasts, and the algorithm of their allgather.
SCATTER_ALLGATHERS = {
    "scatter_allgather": "ring",
    "scatter_allgather:allgather=recursive_doubling": "recursive_doubling",
}
OTHERS = {"scan": "recursive_doubling", "exscan": "recursive_doubling"}


class Pair(msgspec.Struct, array_like=True, frozen=True):
    """The messages of one kind from one rank to another."""

    sender: Count
    receiver: Count
    kind: Kind
    messages: Count
    bytes: Count
    phase: Phase = 1


class Run(msgspec.Struct, array_like=True, frozen=True):
    """The ranks first, first + step, ... of a communicator."""

    first: Rank
    count: Annotated[int, Meta(ge=1, le=MOST_RANKS)]
    step: Annotated[int, Meta(gt=-MOST_RANKS, lt=MOST_RANKS)]

    @property
    def ranks(self) -> range:
        return range(self.first, self.first + self.count * self.step, self.step)


Runs = Annotated[list[Run], Meta(min_length=1)]


class Calls(msgspec.Struct, array_like=True, frozen=True):
    """Equal calls of a collective. `bytes` are those of a block, or of the message."""

    collective: Collective
    communicator: Count
    bytes: Annotated[int, Meta(ge=0, le=2**48)]
    root: Rank
    calls: Annotated[int, Meta(ge=0, le=2**48)]
    form: Literal["blocking", "nonblocking"]
    phase: Phase = 1


def complaint(ranks: int, communicators: Sequence[Runs], collectives: Sequence[Calls]) -> str:
    """The error in recorded collectives of that many ranks, or ""."""
    sizes = []
    for number, runs in enumerate(communicators):
        where = f"communicators[{number}]"
        size = sum(each.count for each in runs)
        if any(each.step == 0 for each in runs):
            return f"{where}: the step of a run must not be 0"
        if size > ranks:
            return f"{where}: has {size} ranks, but there are only {ranks}"
        members = [rank for each in runs for rank in each.ranks]
        if min(members) < 0 or max(members) >= ranks:
            return f"{where}: expected ranks from 0 to {ranks - 1}"
        if len(set(members)) < size:
            return f"{where}: names a rank twice"
        sizes.append(size)
    for number, each in enumerate(collectives):
        where = f"collectives[{number}]"
        if each.communicator >= len(sizes):
            return f"{where}: there is no communicator {each.communicator} among {len(sizes)}"
        if each.root >= sizes[each.communicator]:
            size = sizes[each.communicator]
            return f"{where}: there is no root {each.root} among {size} ranks"
    return ""


def algorithm(mpi: str, shape: _core.Shape, calls: Calls) -> _core.Choice:
    """The algorithm of the MPI library with that text, in our form. If its nonblocking one is not
    known, its blocking one; or else a usual one."""
    name, size = calls.collective, calls.bytes
    candidates = [
        _core.native_algorithm_of(mpi, name, shape, size, calls.form == "blocking"),
        _core.native_algorithm_of(mpi, name, shape, size),
        _core.native_algorithm(USUAL, name, shape.p, size),
    ]
    for found in candidates:
        if found is not None and not found.why_impossible(shape):
            return found
    return _core.parse_choice(name, OTHERS[name])


def _follows(choice: _core.Choice) -> bool:
    """Whether the messages depend on the places of the ranks."""
    return choice.algorithm is not None and choice.algorithm.by_placement


Expanded = list[tuple[int, int, int, float]]  # sender, receiver, messages and units of each pair


@dataclass(frozen=True)
class Called:
    """Calls of a collective with one size, and the messages of each."""

    members: list[int]  # by rank of the communicator: that of the world
    messages: Expanded  # between ranks of the communicator
    bytes: int  # per unit
    calls: int


def _expanded(choice: _core.Choice, shape: _core.Shape) -> Expanded | None:
    """None if there are too many messages."""
    found = _core.pairs_of(choice, shape, MOST_MESSAGES)
    if found is None:
        return None
    parts = choice.completed(shape).parts
    return [
        (sender, receiver, messages, blocks / parts) for sender, receiver, messages, blocks in found
    ]


@lru_cache(maxsize=64)
def _anywhere(mpi: str, collective: str, choice: str, p: int, root: int) -> Expanded | None:
    """The messages of an algorithm that does not follow the placement."""
    if mpi.startswith("Open MPI") and choice == "binomial" and collective in ("bcast", "reduce"):
        return _open_mpi_tree(collective, p, root)
    if choice in SCATTER_ALLGATHERS and collective == "bcast":
        return _scatter_allgather(SCATTER_ALLGATHERS[choice], p, root)
    if choice == "recursive_halving" and collective == "reduce_scatter":
        return _recursive_halving(p)
    return _expanded(_core.parse_choice(collective, choice), _core.Shape(p, root))


def _open_mpi_tree(collective: str, p: int, root: int) -> Expanded:
    """The edges of Open MPI's binomial trees, which connect other ranks than ours.

    Ranks count from the root. In a broadcast, a rank gets its data from that without its highest
    binary one; in a reduction, it sends to that without its lowest.
    """
    edges = []
    for rank in range(1, p):
        if collective == "bcast":
            ends = rank - (1 << rank.bit_length() - 1), rank
        else:
            ends = rank, rank & (rank - 1)
        edges.append(((ends[0] + root) % p, (ends[1] + root) % p, 1, 1.0))
    return edges


def _scatter_allgather(second: str, p: int, root: int) -> Expanded | None:
    """The broadcast of Open MPI and MPICH. Unlike ours, its allgather counts ranks from the root,
    and sends to the root, too."""
    scatter = _expanded(_core.parse_choice("scatter", "binomial"), _core.Shape(p, root))
    allgather = _expanded(_core.parse_choice("allgather", second), _core.Shape(p, 0))
    if scatter is None or allgather is None:
        return None
    turned = [((a + root) % p, (b + root) % p, n, units) for a, b, n, units in allgather]
    return [(a, b, n, units / p) for a, b, n, units in scatter + turned]


def _recursive_halving(p: int) -> Expanded:
    """The reduce_scatter of Open MPI and MPICH. Unlike in ours, the first halves go to far ranks.

    If p is not a power of two, some even ranks take part through the next rank.
    """
    power = 1 << p.bit_length() - 1
    extra = p - power
    members = [2 * i + 1 for i in range(extra)] + list(range(2 * extra, p))
    blocks = [2.0] * extra + [1.0] * (power - extra)
    edges = [(2 * i, 2 * i + 1, 1, float(p)) for i in range(extra)]
    away = power // 2
    while away:
        for i in range(power):
            first = (i ^ away) // away * away  # of the half that is sent
            units = sum(blocks[first : first + away])
            edges.append((members[i], members[i ^ away], 1, units))
        away //= 2
    return edges + [(2 * i + 1, 2 * i, 1, 1.0) for i in range(extra)]


class _Group:
    """The ranks of a communicator in a placement of the world."""

    def __init__(self, runs: Runs, world: _core.Placement) -> None:
        self.members = [rank for run in runs for rank in run.ranks]
        self.placement = world.among(self.members)
        self._shapes: dict[int, _core.Shape] = {}

    def shape(self, root: int) -> _core.Shape:
        if root not in self._shapes:
            self._shapes[root] = _core.Shape(self.placement, root)
        return self._shapes[root]

    @cached_property
    def places(self) -> Hashable:
        """Equal for groups in which an algorithm sends the same messages."""
        levels = range(len(self.placement.machine.levels))
        return tuple(tuple(self.placement.regions(level)) for level in levels)


def pairs(
    mpi: str,
    communicators: Sequence[Runs],
    collectives: Sequence[Calls],
    world: _core.Placement,
    following: bool = True,
) -> tuple[list[Pair], list[Called], int]:
    """The messages between ranks of the world, the calls that send them, and the number of calls
    for which these would be too many.

    Without `following`, calls whose algorithm follows the placement send nothing.
    """
    messages: dict[tuple[int, int], float] = defaultdict(float)
    bytes_: dict[tuple[int, int], float] = defaultdict(float)
    groups: dict[int, _Group] = {}
    here: dict[Hashable, Expanded | None] = {}  # of algorithms that follow the placement
    called: list[Called] = []
    left, left_out = MOST_MESSAGES, 0
    for each in sorted(collectives, key=lambda each: -each.calls * max(1, each.bytes)):
        if each.communicator not in groups:
            groups[each.communicator] = _Group(communicators[each.communicator], world)
        group = groups[each.communicator]
        p = len(group.members)
        if p == 1 or (each.bytes == 0 and each.collective != "barrier"):
            continue  # MPI libraries send no message
        shape = group.shape(each.root)
        choice = algorithm(mpi, shape, each)
        follows = _follows(choice)
        if follows and not following:
            continue
        if left <= 0:
            found = None
        elif follows:
            key = (each.collective, choice.text, each.root, group.places)
            if key not in here:
                here[key] = _expanded(choice, shape)
            found = here[key]
        else:
            found = _anywhere(mpi, each.collective, choice.text, p, each.root)
        if found is None or len(found) > left:
            left_out += each.calls
            continue
        left -= len(found)
        called.append(Called(group.members, found, each.bytes, each.calls))
        for sender, receiver, number, units in found:
            ends = group.members[sender], group.members[receiver]
            messages[ends] += number * each.calls
            bytes_[ends] += units * each.bytes * each.calls
    return (
        [
            Pair(*ends, "collective", round(number), round(bytes_[ends]))
            for ends, number in messages.items()
        ],
        called,
        left_out,
    )
