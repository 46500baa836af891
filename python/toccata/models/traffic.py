"""The traffic of a program: records of its messages and collectives, and where these go."""

import json
import operator
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta
from rich.table import Table

from toccata import _core, documents
from toccata.documents import Count
from toccata.errors import InputError
from toccata.models import estimates
from toccata.models.estimates import Called, Calls, Pair, Runs
from toccata.plain_table import PlainTable
from toccata.quantities import MOST_RANKS, show_amount

KEY, OLDEST, VERSION = "toccata_traffic", 1, 4
MOST_BYTES = 1 << 28  # of a file: 65536 ranks with 100 partners each
REMEDY = "`toccata run --record FILE.json -- mpirun ...` writes such files"
# The kinds of messages in tables.
LABELS: dict[str, tuple[estimates.Kind, ...]] = {
    "point-to-point": ("point-to-point",),
    "neighborhood": ("neighborhood",),
    "one-sided": ("one-sided",),
    "collective": ("served",),
    "collective (estimated)": ("collective", "estimated"),
}
Core = Annotated[int, Meta(ge=-1, le=2**31 - 1)]


@dataclass(frozen=True)
class Traffic:
    """The messages of a program whose ranks have these places."""

    placement: _core.Placement
    pairs: list[Pair]  # with estimates of the collectives
    called: list[Called] = field(default_factory=list)  # collectives whose messages are in `pairs`
    left_out: int = 0  # calls of collectives that `pairs` does not contain

    @property
    def ranks(self) -> int:
        return self.placement.p

    @cached_property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.pairs)

    @cached_property
    def messages(self) -> int:
        return sum(each.messages for each in self.pairs)

    @cached_property
    def flows(self) -> _core.Flows:
        """The bytes between ranks, without messages of a rank to itself."""
        rows: list[dict[int, float]] = [{} for _ in range(self.ranks)]
        for each in self.pairs:
            if each.sender != each.receiver:
                row = rows[each.sender]
                row[each.receiver] = row.get(each.receiver, 0) + each.bytes
        return _core.Flows([list(row.items()) for row in rows])


@dataclass(frozen=True)
class Record:
    """The file of a run: its messages, and its calls of collectives.

    `machine` and `placement` tell where its ranks ran, `cores` the core of each in the numbers of
    its node, or -1 if it could run on several.
    """

    ranks: Annotated[int, Meta(ge=1, le=MOST_RANKS)]
    machine: str
    placement: str
    cores: list[Core]
    pairs: list[Pair]
    outside: tuple[Count, Count]  # messages and bytes to ranks of other worlds
    mpi: str = ""  # from MPI_Get_library_version
    communicators: list[Runs] = field(default_factory=list)
    collectives: list[Calls] = field(default_factory=list)
    left_out: Count = 0  # calls of collectives that were not recorded

    @cached_property
    def phases(self) -> list[int]:
        """The numbers of all phases in which ranks communicated; 0 stands for further ones."""
        found = {each.phase for rows in (self.pairs, self.collectives) for each in rows}
        return sorted(found, key=lambda phase: (phase == 0, phase))

    def of_phase(self, phase: int) -> "Record":
        """The messages and calls of one phase. InputError if it has none."""
        if phase not in self.phases:
            there = ", ".join(map(phase_name, self.phases)) or "none"
            raise InputError(f"--phase {phase_name(phase)}: the phases of this record are: {there}")
        return replace(
            self,
            pairs=[each for each in self.pairs if each.phase == phase],
            collectives=[each for each in self.collectives if each.phase == phase],
        )

    @property
    def has_collectives(self) -> bool:
        """Whether the run recorded collectives; files of version 1 do not name the MPI library."""
        return bool(self.mpi)

    def placed(self, path: Path) -> _core.Placement:
        """The ranks where they ran. InputError if the file does not describe this."""
        try:
            there = _core.read_saved(self.machine, f"{path}: machine")
        except _core.ChoiceError as error:
            raise InputError(f"{error}; {REMEDY}") from None
        try:
            return _core.Placement(there, self.ranks, self.placement)
        except _core.ChoiceError as error:
            raise InputError(f"{path}: {error}; {REMEDY}") from None

    def traffic(self, placement: _core.Placement, following: bool = True) -> Traffic:
        """The messages of this program with these places of its ranks.

        The MPI library chooses its algorithms by the nodes, too. Without `following`, collectives
        whose algorithm follows the placement send nothing.
        """
        pairs, collectives = self.pairs, self.collectives
        if len(self.phases) > 1:
            pairs, collectives = _merged_pairs(pairs), _merged_calls(collectives)
        more, called, left_out = estimates.pairs(
            self.mpi, self.communicators, collectives, placement, following
        )
        return Traffic(placement, pairs + more, called, self.left_out + left_out)


def _merged_pairs(pairs: list[Pair]) -> list[Pair]:
    """Those of all phases together."""
    sums: dict[tuple[int, int, estimates.Kind], tuple[int, int]] = {}
    for each in pairs:
        key = each.sender, each.receiver, each.kind
        messages, size = sums.get(key, (0, 0))
        sums[key] = messages + each.messages, size + each.bytes
    return [Pair(*key, *counts) for key, counts in sums.items()]


def _merged_calls(collectives: list[Calls]) -> list[Calls]:
    sums: dict[Calls, int] = defaultdict(int)
    for each in collectives:
        sums[msgspec.structs.replace(each, calls=0, phase=1)] += each.calls
    return [msgspec.structs.replace(each, calls=calls) for each, calls in sums.items()]


def phase_name(phase: int) -> str:
    return str(phase) if phase else "others"


def is_traffic(text: str) -> bool:
    """Whether a text names a file with recorded traffic."""
    path = Path(text)
    if path.suffix != ".json" or documents.why_unreadable(path, MOST_BYTES):
        return False
    try:
        found = msgspec.json.decode(path.read_bytes())
    except (OSError, ValueError, RecursionError):  # MsgspecError and UnicodeDecodeError, too
        return False
    return isinstance(found, dict) and KEY in found


def read(path: Path) -> Record:
    """InputError if the file is not a record of this version."""
    found = documents.read(
        path, Record, KEY, VERSION, what="record of traffic", remedy=REMEDY, oldest=OLDEST,
        most=MOST_BYTES,
    )  # fmt: skip
    if len(found.cores) != found.ranks:
        raise InputError(f"{path}: cores: expected one for each of {found.ranks} ranks; {REMEDY}")
    for each in found.pairs:
        if max(each.sender, each.receiver) >= found.ranks:
            raise InputError(
                f"{path}: pairs: there is no rank {max(each.sender, each.receiver)} among "
                f"{found.ranks}; {REMEDY}"
            )
    if why := estimates.complaint(found.ranks, found.communicators, found.collectives):
        raise InputError(f"{path}: {why}; {REMEDY}")
    return found


def regions(placement: _core.Placement) -> Iterator[tuple[str, list[int]]]:
    """For each level, outermost first: its name, and the region of every rank."""
    for level, name in enumerate(placement.machine.levels):
        yield name, placement.regions(level)


@dataclass(frozen=True)
class Crossing:
    """The traffic between different objects of a level."""

    level: str
    messages: int
    bytes: int
    most: int  # bytes out of one object


def crossings(traffic: Traffic) -> list[Crossing]:
    """By level, outermost first."""
    result = []
    for name, at in regions(traffic.placement):
        messages = 0
        out: dict[int, int] = defaultdict(int)
        for each in traffic.pairs:
            if at[each.sender] != at[each.receiver]:
                messages += each.messages
                out[at[each.sender]] += each.bytes
        result.append(Crossing(name, messages, sum(out.values()), max(out.values(), default=0)))
    return result


def heaviest(traffic: Traffic, number: int = 10) -> list[tuple[int, int, int, int]]:
    """The pairs of ranks with the most bytes in both directions: ranks, messages, bytes."""
    sums: dict[tuple[int, int], tuple[int, int]] = {}
    for each in traffic.pairs:
        ends = min(each.sender, each.receiver), max(each.sender, each.receiver)
        messages, size = sums.get(ends, (0, 0))
        sums[ends] = messages + each.messages, size + each.bytes
    ordered = sorted(sums.items(), key=lambda item: (-item[1][1], -item[1][0], item[0]))
    return [(*ends, *counts) for ends, counts in ordered[:number]]


def kinds_table(traffic: Traffic) -> Table:
    """Messages and bytes of each kind."""
    table = PlainTable()
    for heading in ("Kind", "messages", "bytes", "share"):
        table.add_column(heading, justify="left" if heading == "Kind" else "right")
    for name, kinds in LABELS.items():
        of_kind = [each for each in traffic.pairs if each.kind in kinds]
        size = sum(each.bytes for each in of_kind)
        messages = sum(each.messages for each in of_kind)
        if messages:
            table.add_row(name, f"{messages:,}", show_amount(size), _share(size, traffic.bytes))
    return table


def phases_table(record: Record, placement: _core.Placement) -> Table:
    """Messages and bytes of each phase."""
    table = PlainTable()
    for heading in ("Phase", "messages", "bytes", "share"):
        table.add_column(heading, justify="left" if heading == "Phase" else "right")
    found = {each: record.of_phase(each).traffic(placement) for each in record.phases}
    whole = sum(each.bytes for each in found.values())
    for phase, each in found.items():
        share = _share(each.bytes, whole)
        table.add_row(phase_name(phase), f"{each.messages:,}", show_amount(each.bytes), share)
    return table


def crossings_table(traffic: Traffic, all_: Sequence[Crossing]) -> Table:
    """The traffic that crosses each level, as placed."""
    table = PlainTable()
    for heading in ("Across", "messages", "bytes", "share", "most from one"):
        table.add_column(heading, justify="left" if heading == "Across" else "right")
    for each in all_:
        table.add_row(
            each.level, f"{each.messages:,}", show_amount(each.bytes),
            _share(each.bytes, traffic.bytes), show_amount(each.most),
        )  # fmt: skip
    return table


def heaviest_table(traffic: Traffic) -> Table:
    """The ten pairs of ranks with the most bytes."""
    table = PlainTable()
    for heading in ("Ranks", "messages", "bytes", "share"):
        table.add_column(heading, justify="left" if heading == "Ranks" else "right")
    for a, b, messages, size in heaviest(traffic):
        ranks = f"{a}, {b}"
        table.add_row(ranks, f"{messages:,}", show_amount(size), _share(size, traffic.bytes))
    return table


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}%" if whole else ""


class _Costs:
    """The costs of messages between ranks with these places, by a model."""

    def __init__(self, placement: _core.Placement, model: _core.Model) -> None:
        self.levels = {each["level"]: each for each in json.loads(model.json)["levels"]}
        self._regions = list(regions(placement))

    def of(self, a: int, b: int, messages: float, size: float) -> tuple[float, float]:
        """The latencies if the messages follow each other; and the time of their bytes."""
        level = next(iter(self.levels))
        for name, of in self._regions:
            if of[a] == of[b] and name in self.levels:
                level = name
        costs = self.levels[level]
        long = size >= messages * costs.get("threshold", float("inf"))
        costs = costs.get("rendezvous", costs["eager"]) if long else costs["eager"]
        return messages * costs["alpha"], size * costs["beta"]


def _busiest(calls: Called, costs: _Costs) -> float:
    """The time of one call, if the messages of a rank follow each other."""
    of_rank: dict[int, float] = defaultdict(float)
    for sender, receiver, messages, units in calls.messages:
        ends = calls.members[sender], calls.members[receiver]
        took = sum(costs.of(*ends, messages, units * calls.bytes))
        for rank in ends:
            of_rank[rank] += took
    return max(of_rank.values(), default=0.0)


def seconds(traffic: Traffic, model: _core.Model) -> float:
    """The communication time of a program by a model.

    It is that of the busiest rank, or of the busiest object with a limited injection rate. All
    ranks of a collective wait for its busiest one. The messages of a rank with others are in flight
    together, like those of a halo; only messages with the same rank wait for each other.
    """
    costs = _Costs(traffic.placement, model)
    at = list(regions(traffic.placement))
    of_rank = [0.0] * traffic.ranks
    latency = [0.0] * traffic.ranks
    out: dict[tuple[str, int], float] = defaultdict(float)
    into: dict[tuple[str, int], float] = defaultdict(float)
    for each in traffic.pairs:
        if each.sender == each.receiver or each.messages == 0:
            continue
        for name, of in at:
            if of[each.sender] != of[each.receiver]:
                for ends, rank in ((out, each.sender), (into, each.receiver)):
                    ends[name, of[rank]] += each.bytes
        if each.kind in ("estimated", "served"):  # those of `called`
            continue
        waiting, sending = costs.of(each.sender, each.receiver, each.messages, each.bytes)
        for rank in (each.sender, each.receiver):
            of_rank[rank] += sending
            latency[rank] = max(latency[rank], waiting)
    for calls in traffic.called:
        took = calls.calls * _busiest(calls, costs)
        for rank in calls.members:
            of_rank[rank] += took
    limited = (
        size / costs.levels[name]["injection"]
        for ends in (out, into)
        for (name, _), size in ends.items()
        if costs.levels.get(name, {}).get("injection")
    )
    return float(max([*map(operator.add, of_rank, latency), *limited]))
