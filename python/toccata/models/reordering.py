"""Mappings of an algorithm's ranks, their costs, and files for starting a job with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from rich.table import Table

from toccata import _core
from toccata.algorithms import catalogue, counting
from toccata.errors import InputError
from toccata.plain_table import PlainTable
from toccata.quantities import show_bytes, show_microseconds

MOST_OF_BOUND = 8192  # ranks; the bound's time grows with their square
LONG = 400  # rounds; a longer schedule is extrapolated from its first rounds
FIRST, SECOND = 24, 72  # the time of a round is measured between these
NO_SCOTCH = "not compared with Scotch: install libscotch-dev, then run make again"


@dataclass(frozen=True)
class Mapped:
    """One mapping of an algorithm, and its effects."""

    label: str
    players: list[int]  # by the algorithm's rank, the rank that plays it
    mapping_seconds: float | None  # of the search; None if there was no search
    order: str  # of the buffers; "" if all keep their roles
    hop_bytes: float
    crossings: list[tuple[str, int, int]]  # by level: bytes across, maximum out of an object
    link: float  # bytes on the busiest link of a mesh; 0 without a mesh
    seconds: float


class Predictor:
    """Predicts the time of a choice in a shape; if it has many rounds, from its first ones."""

    def __init__(self, choice: _core.Choice, shape: _core.Shape) -> None:
        rounds = len(choice.schedule(shape, shape.root))
        self._rounds = rounds
        self._whole = _core.Predictor(choice, shape) if rounds <= LONG else None
        if self._whole is None:
            self._first = _core.Predictor(choice, shape, FIRST)
            self._second = _core.Predictor(choice, shape, SECOND)

    def seconds(self, size: int, model: _core.Model) -> float:
        if self._whole is not None:
            return self._whole.seconds(size, model)
        first = self._first.seconds(size, model)
        a_round = (self._second.seconds(size, model) - first) / (SECOND - FIRST)
        return first + (self._rounds - FIRST) * a_round


def flows(choice: _core.Choice, shape: _core.Shape) -> _core.Flows:
    """The traffic between ranks, one byte per block. A ring's is computed without its schedules."""
    if choice.text == "ring" and choice.algorithm and choice.algorithm.path == "allgather/ring":
        return _core.ring_flows(shape.p)
    return _core.flows_of(choice, shape)


def measure(
    label: str,
    choice: _core.Choice,
    shape: _core.Shape,
    mapping: tuple[list[int], float] | None,
    size: int,
    model: _core.Model,
    order: str = "auto",
) -> Mapped:
    """The effects of a mapping; None keeps all roles.

    `order` "auto" is the fastest. `size` is that of a block, or of the message.
    """
    block = counting.bytes_of_blocks(choice, shape, size)
    players = mapping[0] if mapping else list(range(shape.p))
    found: tuple[float, str, _core.Shape] | None = None
    if mapping is None:
        found = (Predictor(choice, shape).seconds(size, model), "", shape)
    else:
        for each in _core.orders_for(choice) if order == "auto" else [order]:
            reordered = _core.reordered(choice, shape, players, each)
            seconds = Predictor(choice, reordered).seconds(size, model)
            if found is None or seconds < found[0]:
                found = (seconds, each, reordered)
    assert found is not None
    seconds, kept, there = found
    link = 0.0
    if shape.dims:
        link = _core.link_traffic(choice, there, float(block * choice.data(there))).largest
    across = [
        (each.level, each.total.bytes, each.region.bytes)
        for each in _core.crossings(choice, there, block)
    ]
    return Mapped(
        label,
        players,
        mapping[1] if mapping else None,
        kept,
        block * _core.hop_bytes(shape, flows(choice, shape), players),
        across,
        link,
        seconds,
    )


def ours(
    choice: _core.Choice, shape: _core.Shape, seed: int | None
) -> tuple[str, list[tuple[list[int], float]]]:
    """The mappings of an algorithm with their names, the preferred one first."""
    pattern = _core.pattern_of(choice)
    if pattern:
        heuristic = dict(_core.patterns())[pattern]
        return heuristic, [_core.map_pattern(pattern, shape, seed)]
    if seed is not None:
        raise InputError(f"--seed {seed}: {choice.text} has no random choice; leave it out")
    if choice.algorithm is not None and choice.algorithm.by_placement:
        start = perf_counter()
        found = _core.mappings_for(choice, shape)
        took = perf_counter() - start
        return "by nodes", [(each, took / len(found)) for each in found]
    return "by traffic", [_core.map_flows(_core.flows_of(choice, shape), shape)]


@dataclass(frozen=True)
class Job:
    """An algorithm among ranks on a machine."""

    choice: _core.Choice
    placed: _core.Placement
    root: int
    size: int  # bytes of a block, or of the message
    model: _core.Model
    order: str  # of the buffers; "auto" is the fastest

    @property
    def shape(self) -> _core.Shape:
        return _core.Shape(self.placed, self.root)

    def bound(self) -> float | None:
        """The hop-bytes of every mapping."""
        block = counting.bytes_of_blocks(self.choice, self.shape, self.size)
        return bound(self.shape, flows(self.choice, self.shape), block)

    def check(self) -> None:
        """InputError if there is no such root or order, or the algorithm cannot run there."""
        catalogue.check_root(self.root, _core.Shape(self.placed, 0).p)
        name = catalogue.path_of(self.choice)
        if why := self.choice.why_impossible(self.shape):
            raise InputError(f"{name} {why} (there are {self.shape.p} ranks)")
        known = _core.orders_for(self.choice)
        if self.order not in ("auto", *known):
            raise InputError(f"--order {self.order}: {name} accepts {', '.join(known)} or auto")


def compare(job: Job, seed: int | None, scotch: bool) -> list[Mapped]:
    """The original order, the fastest of our mappings, and Scotch's if requested and available."""
    shape, size, model = job.shape, job.size, job.model
    label, found = ours(job.choice, shape, seed)
    mapped = [
        measure(f"ours ({label})", job.choice, shape, each, size, model, job.order)
        for each in found
    ]
    compared = [
        measure("as placed", job.choice, shape, None, size, model),
        min(mapped, key=lambda each: each.seconds),
    ]
    if scotch and _core.has_scotch():
        theirs = _core.map_by_scotch(flows(job.choice, shape), shape)
        compared.append(measure("Scotch", job.choice, shape, theirs, size, model, job.order))
    return compared


def bound(shape: _core.Shape, traffic: _core.Flows, block: float = 1) -> float | None:
    """The hop-bytes that every mapping has; None for too many ranks."""
    return block * _core.least_hop_bytes(shape, traffic) if shape.p <= MOST_OF_BOUND else None


def beside_bound(least: float | None, all_: Sequence[Mapped]) -> str:
    """A sentence: how close each mapping is to the bound. Empty without a bound."""
    if not least:
        return ""
    ratios = ", ".join(f"{each.label} {each.hop_bytes / least:.2f}×" for each in all_)
    return f"Lower bound: {show_bytes(round(least))} hop-bytes. Relative to it: {ratios}."


def as_table(all_: Sequence[Mapped]) -> Table:
    """One row per mapping."""
    table = PlainTable()
    table.add_column("Mapping")
    table.add_column("hop-bytes", justify="right")
    for level, _, _ in all_[0].crossings:
        table.add_column(f"across\n{level}", justify="right")
        table.add_column(f"most from\none {level}", justify="right")
    if any(each.link for each in all_):
        table.add_column("busiest\nlink", justify="right")
    table.add_column("order")
    table.add_column("predicted\nµs", justify="right")
    table.add_column("gain", justify="right")
    table.add_column("search\nms", justify="right")
    before = all_[0].seconds
    for each in all_:
        cells = [each.label, show_bytes(round(each.hop_bytes))]
        for _, total, most in each.crossings:
            cells += [show_bytes(total), show_bytes(most)]
        if any(other.link for other in all_):
            cells.append(show_bytes(round(each.link)))
        gain = f"{100 * (1 - each.seconds / before):.0f}%" if each.order and before > 0 else ""
        took = "" if each.mapping_seconds is None else f"{1e3 * each.mapping_seconds:.2f}"
        table.add_row(*cells, each.order, show_microseconds(each.seconds), gain, took)
    return table
