"""The messages of recorded collectives, estimated with the algorithms that MPI libraries use."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta

from toccata import _core
from toccata.documents import Count
from toccata.models import expansions, open_mpi_forms
from toccata.quantities import MOST_RANKS

# The messages of calls are "served" if an algorithm of Toccata has sent them, or else "estimated".
# Files have neither: they have the calls, and "collective" messages whose ranks know only their own
# sizes, which count as direct ones.
Kind = Literal["point-to-point", "neighborhood", "one-sided", "collective", "estimated", "served"]
Collective = Literal[
    "allgather", "allgatherv", "allreduce", "alltoall", "barrier", "bcast", "exscan", "gather",
    "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "scatter",
]  # fmt: skip
# Functions whose algorithms have another name; and those whose blocks have different sizes, of
# which a record has the mean.
ALGORITHMS = {"allgatherv": "allgather", "reduce_scatter_block": "reduce_scatter"}
MEANS = ("allgatherv", "reduce_scatter")
Rank = Annotated[int, Meta(ge=0, lt=MOST_RANKS)]
Phase = Annotated[int, Meta(ge=-(2**31), lt=2**31)]  # 0: all after the first eight
MOST_BYTES = 2**62  # of a call

# The algorithms of [thakur2005] are usual, and MPICH's rules name them.
USUAL = "mpich"
# The reduction of long messages by leaders, in MPICH to rank 0, which then sends the result to the
# root; and the allreduce of Open MPI's `han`.
LEADERS_REDUCE = "multi_lane:lanes=1,between=reduce_scatter_gather"
HAN_ALLREDUCE = "hierarchical:between=reduce_bcast"
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
    """Equal calls of a collective. `bytes` are those of a block, or of the message; `algorithm` is
    that of Toccata which served them, or ""."""

    collective: Collective
    communicator: Count
    bytes: Annotated[int, Meta(ge=0, le=2**48)]
    root: Rank
    calls: Annotated[int, Meta(ge=0, le=2**48)]
    form: Literal["blocking", "nonblocking"]
    phase: Phase = 1
    algorithm: str = ""

    @property
    def name(self) -> str:
        """The collective, as algorithms call it."""
        return ALGORITHMS.get(self.collective, self.collective)


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


class Part(NamedTuple):
    """An algorithm that serves calls, or a part of them."""

    calls: Calls
    choice: _core.Choice
    is_served: bool = False  # by Toccata
    is_ours: bool = False  # the MPI library's messages are those of our algorithm

    @property
    def follows(self) -> bool:
        """Whether the messages depend on the places of the ranks."""
        algorithm = self.choice.algorithm
        return algorithm is not None and (algorithm.by_placement or algorithm.by_grid)

    @property
    def kind(self) -> Kind:
        """A record has neither the mesh of a communicator nor another order of its ranks."""
        algorithm = self.choice.algorithm
        is_known = (
            self.calls.collective not in MEANS
            and algorithm is not None
            and not algorithm.by_grid
            and "reorder=" not in self.choice.text
        )
        return "served" if self.is_served and is_known else "estimated"


def parts(mpi: str, group: "_Group", calls: Calls) -> list[Part]:
    """The algorithms of the calls: that of Toccata which has served them, or else those of the MPI
    library with that text."""
    shape = group.shape(calls.root)
    served = _served(calls)
    if served is not None and not served.why_impossible(shape):
        return [Part(calls, served, True, True)]
    form = ""
    if mpi.startswith("Open MPI") and calls.form == "blocking":
        form = open_mpi_forms.find(calls.collective, shape.p, calls.bytes)
    if not form:
        own = _own(mpi, shape, calls)
        return (
            _of_leaders(group, calls, own)
            if own.text.startswith(HAN_ALLREDUCE)
            else [Part(calls, own)]
        )
    if form == "butterfly":
        return [Part(calls, expansions.parsed(calls.name, "recursive_halving"), is_ours=True)]
    if form not in ("linear", "default"):
        return [Part(calls, expansions.parsed(calls.name, form))]
    whole = min(calls.bytes * shape.p, MOST_BYTES)
    if form == "linear":
        reduce = msgspec.structs.replace(calls, collective="reduce", bytes=whole, root=0)
        scatter = msgspec.structs.replace(calls, collective="scatter", root=0)
        return [Part(each, _own(mpi, shape, each)) for each in (reduce, scatter)]
    gather = msgspec.structs.replace(calls, collective="gather", root=0)
    bcast = msgspec.structs.replace(calls, collective="bcast", bytes=whole, root=0)
    return [
        Part(gather, expansions.parsed("gather", "linear")),
        Part(bcast, _own(mpi, shape, bcast)),
    ]


def _served(calls: Calls) -> _core.Choice | None:
    """The algorithm of Toccata; None for native, and for one from outside, which the run has read
    from a file, or from a newer version."""
    if not calls.algorithm:
        return None
    try:
        found = expansions.parsed(calls.name, calls.algorithm)
    except _core.ChoiceError:
        return None
    return None if found.native else found


def _of_leaders(group: "_Group", calls: Calls, own: _core.Choice) -> list[Part]:
    """The allreduce of Open MPI's `han`: leaders reduce long messages to one, which broadcasts."""
    leaders = len(set(group.nodes))
    if leaders < 3 or calls.bytes < 8 * (1 << leaders.bit_length() - 1):
        return [Part(calls, own)]
    if leaders <= 4:
        between = ":between=knomial"
    else:
        between = "" if calls.bytes < 1 << 16 else ":between=pipeline,segments=16"
    reduce = msgspec.structs.replace(calls, collective="reduce", root=0)
    bcast = msgspec.structs.replace(calls, collective="bcast", root=0)
    return [
        Part(reduce, expansions.parsed("reduce", LEADERS_REDUCE)),
        Part(bcast, expansions.parsed("bcast", "hierarchical" + between)),
    ]


def _own(mpi: str, shape: _core.Shape, calls: Calls) -> _core.Choice:
    """The algorithm of the MPI library with that text, in our form. If its nonblocking one is not
    known, its blocking one; or else a usual one."""
    name, size = calls.name, calls.bytes
    candidates = [
        _core.native_algorithm_of(mpi, name, shape, size, calls.form == "blocking"),
        _core.native_algorithm_of(mpi, name, shape, size),
        _core.native_algorithm(USUAL, name, shape.p, size),
    ]
    for found in candidates:
        if found is not None and not found.why_impossible(shape):
            return found
    return expansions.parsed(name, OTHERS[name])


@dataclass(frozen=True)
class Called:
    """Calls of a collective with one size, and the messages of each."""

    members: list[int]  # by rank of the communicator: that of the world
    messages: expansions.Expanded  # between ranks of the communicator
    bytes: int  # per unit
    calls: int


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
    def nodes(self) -> list[int]:
        """By rank."""
        levels = [*self.placement.machine.levels]
        if "node" not in levels:
            return [0] * len(self.members)
        return list(self.placement.regions(levels.index("node")))

    @cached_property
    def places(self) -> Hashable:
        """Equal for groups in which an algorithm sends the same messages."""
        levels = range(len(self.placement.machine.levels))
        return tuple(tuple(self.placement.regions(level)) for level in levels)


def _by_nodes(mpi: str, part: Part, group: _Group) -> expansions.Expanded | None:
    """The messages of an algorithm that follows the placement, where those of some MPI libraries
    differ from ours."""
    name, choice, root = part.calls.name, part.choice, part.calls.root
    is_long_reduce = name == "reduce" and choice.text == LEADERS_REDUCE
    through_0 = mpi.startswith("MPICH") and is_long_reduce and root != 0
    found = expansions.expanded(choice, group.shape(0 if through_0 else root))
    if found is None:
        return None
    if through_0:
        return [*found, (0, root, 1, 1.0)]
    leaders = len(set(group.nodes))
    if mpi.startswith("Open MPI") and is_long_reduce and leaders.bit_count() == 1:
        return expansions.between_leaders(found, group.nodes, root, expansions.reduced_to)
    if mpi.startswith("Open MPI") and name == "bcast" and choice.text == "hierarchical":
        tree = partial(expansions.open_mpi_tree, "bcast")
        return expansions.between_leaders(found, group.nodes, root, tree)
    return found


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
    messages: dict[tuple[int, int, Kind], float] = defaultdict(float)
    bytes_: dict[tuple[int, int, Kind], float] = defaultdict(float)
    groups: dict[int, _Group] = {}
    here: dict[Hashable, expansions.Expanded | None] = {}  # of algorithms that follow the placement

    def expanded(part: Part, group: _Group) -> expansions.Expanded | None:
        name, choice, root = part.calls.name, part.choice, part.calls.root
        if not part.follows:
            source = None if part.is_ours else mpi
            return expansions.anywhere(source, name, choice.text, len(group.members), root)
        key = (name, choice.text, root, part.is_ours, group.places)
        if key not in here:
            here[key] = _by_nodes("" if part.is_ours else mpi, part, group)
        return here[key]

    called: list[Called] = []
    left, left_out = expansions.MOST_MESSAGES, 0
    for each in sorted(collectives, key=lambda each: -each.calls * max(1, each.bytes)):
        if each.communicator not in groups:
            groups[each.communicator] = _Group(communicators[each.communicator], world)
        group = groups[each.communicator]
        p = len(group.members)
        if p == 1 or (each.bytes == 0 and each.collective != "barrier"):
            continue  # MPI libraries send no message
        for part in parts(mpi, group, each):
            if part.follows and not following:
                continue
            found = expanded(part, group) if left > 0 else None
            if found is None or len(found) > left:
                left_out += each.calls
                continue
            left -= len(found)
            size = part.calls.bytes
            called.append(Called(group.members, found, size, each.calls))
            for sender, receiver, number, units in found:
                ends = group.members[sender], group.members[receiver], part.kind
                messages[ends] += number * each.calls
                bytes_[ends] += units * size * each.calls
    return (
        [Pair(*ends, round(number), round(bytes_[ends])) for ends, number in messages.items()],
        called,
        left_out,
    )
