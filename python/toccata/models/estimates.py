"""The messages of recorded collectives, estimated with the algorithms that MPI libraries use."""

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
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
# Of all entries together: expanding a million takes about a second.
MOST_MESSAGES = 2_000_000

# The algorithms of [thakur2005] are usual, and MPICH's rules name them.
USUAL = "mpich"
RULES = {"Open MPI": "open_mpi", "MPICH": "mpich"}
OTHERS = {"scan": "recursive_doubling", "exscan": "recursive_doubling"}


class Pair(msgspec.Struct, array_like=True, frozen=True):
    """The messages of one kind from one rank to another."""

    sender: Count
    receiver: Count
    kind: Kind
    messages: Count
    bytes: Count


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


def algorithm(mpi: str, collective: str, p: int, unit_bytes: int) -> _core.Choice:
    """The algorithm of the MPI library with that text, in our form, or else a usual one."""
    library = _core.mpi_library_of(mpi)
    for rules in (RULES.get(library.name) if library else None, USUAL):
        if rules is not None:
            found = _core.native_algorithm(rules, collective, p, unit_bytes)
            if found is not None and not found.why_impossible(_core.Shape(p)):
                return found
    return _core.parse_choice(collective, OTHERS[collective])


@lru_cache(maxsize=64)
def _schedules(
    collective: str, choice: str, p: int, root: int
) -> list[tuple[int, int, int, float]] | None:
    """Sender, receiver, messages and units of each pair; None if there are too many messages."""
    shape = _core.Shape(p, root)
    chosen = _core.parse_choice(collective, choice)
    found = _core.pairs_of(chosen, shape, MOST_MESSAGES)
    if found is None:
        return None
    parts = chosen.completed(shape).parts
    return [
        (sender, receiver, messages, blocks / parts) for sender, receiver, messages, blocks in found
    ]


def pairs(
    mpi: str, communicators: Sequence[Runs], collectives: Sequence[Calls]
) -> tuple[list[Pair], int]:
    """The messages between ranks of the world, and the calls for which these would be too many."""
    messages: dict[tuple[int, int], float] = defaultdict(float)
    bytes_: dict[tuple[int, int], float] = defaultdict(float)
    left, left_out = MOST_MESSAGES, 0
    for each in sorted(collectives, key=lambda each: -each.calls * max(1, each.bytes)):
        members = [rank for run in communicators[each.communicator] for rank in run.ranks]
        p = len(members)
        if p == 1 or (each.bytes == 0 and each.collective != "barrier"):
            continue  # MPI libraries send no message
        choice = algorithm(mpi, each.collective, p, each.bytes)
        found = _schedules(each.collective, choice.text, p, each.root) if left > 0 else None
        if found is None or len(found) > left:
            left_out += each.calls
            continue
        left -= len(found)
        for sender, receiver, number, units in found:
            ends = members[sender], members[receiver]
            messages[ends] += number * each.calls
            bytes_[ends] += units * each.bytes * each.calls
    return [
        Pair(*ends, "collective", round(number), round(bytes_[ends]))
        for ends, number in messages.items()
    ], left_out
