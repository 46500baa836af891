"""Mappings of a program's ranks to cores, from its recorded traffic."""

import random
from dataclasses import dataclass
from time import perf_counter

from rich.table import Table

from toccata import _core
from toccata.models.reordering import Mapped, beside_bound, bound
from toccata.models.traffic import Record, Traffic, crossings
from toccata.models.traffic import seconds as predicted
from toccata.plain_table import PlainTable
from toccata.quantities import several, show_amount

LEAST_GAIN = 0.05  # of the predicted time; otherwise ranks should stay
SECONDS = 1.0  # of the search
HALVINGS = 16
RESTARTS = 40


@dataclass(frozen=True)
class Proposal:
    """The ranks as placed, mapped, and mapped by Scotch if it is there."""

    placed: Mapped
    mapped: Mapped
    scotch: Mapped | None
    least: float | None  # hop-bytes of every mapping, if known and if all have the same messages

    @property
    def beside_bound(self) -> str:
        """How close the mappings are to a lower bound."""
        theirs = [] if self.scotch is None else [self.scotch]
        return beside_bound(self.least, [self.placed, self.mapped, *theirs])

    @property
    def gain(self) -> float:
        """The saved share of the predicted time."""
        before = self.placed.seconds
        return 1 - self.mapped.seconds / before if before else 0.0

    @property
    def pays(self) -> bool:
        return self.gain >= LEAST_GAIN

    @property
    def sentence(self) -> str:
        if not self.pays:
            return (
                f"Leave the ranks where they are: the best mapping found saves "
                f"{100 * max(0.0, self.gain):.0f}% of the predicted communication time, less than "
                f"{100 * LEAST_GAIN:.0f}%."
            )
        levels = [level for level, _, _ in self.placed.crossings]
        at = levels.index("node") if "node" in levels else 0
        before, after = (each.crossings[at][1] for each in (self.placed, self.mapped))
        return (
            f"Map the ranks: this saves {100 * self.gain:.0f}% of the predicted communication "
            f"time, with {show_amount(after)} instead of {show_amount(before)} across "
            f"{several(levels[at])}."
        )


def propose(
    record: Record,
    placement: _core.Placement,
    model: _core.Model,
    seconds: float = SECONDS,
    scotch: bool = True,
) -> Proposal:
    """The best mapping found in about that time; ranks keep the cores that the placement uses.

    The search is for the messages of the present placement. MPI libraries choose some algorithms by
    the placement, so each mapping is judged by the messages that they would send there. If there
    are such algorithms, a second search leaves out their messages.
    """
    placed = record.traffic(placement)
    others = record.traffic(placement, following=False)
    shape, identity = _core.Shape(placement), list(range(record.ranks))
    judged: list[Traffic] = []

    def measured(label: str, players: list[int], took: float | None) -> Mapped:
        there = placed if players == identity else record.traffic(placement.among(players))
        judged.append(there)
        return _measured(label, there, players, took, model)

    before = measured("as placed", identity, None)
    least = bound(shape, placed.flows)
    searches = [(placed, least)]
    if placed.messages != others.messages:
        searches.append((others, bound(shape, others.flows)))
    found = []
    for each, end in searches:
        mapping, took = _search(shape, each.flows, seconds / len(searches), end or 0.0)
        found.append(measured("mapped", mapping, took))
    theirs = None
    if scotch and _core.has_scotch():
        theirs = measured("Scotch", *_core.map_by_scotch(placed.flows, shape))
    alike = all(each.pairs == placed.pairs for each in judged)
    mapped = min(found, key=lambda each: each.seconds)
    return Proposal(before, mapped, theirs, least if alike else None)


def _measured(
    label: str, there: Traffic, players: list[int], took: float | None, model: _core.Model
) -> Mapped:
    across = [(each.level, each.bytes, each.most) for each in crossings(there)]
    size = _core.hop_bytes(_core.Shape(there.placement), there.flows, list(range(there.ranks)))
    return Mapped(label, players, took, "", size, across, 0.0, predicted(there, model))


def _search(
    shape: _core.Shape, flows: _core.Flows, seconds: float, least: float
) -> tuple[list[int], float]:
    """The mapping with the fewest hop-bytes that was found, and the seconds that this took.

    Repeated halving, with different random numbers, has half of the time. The other half refines
    the mappings, the best one first, then random ones: annealings of small problems end early, in
    different optima. Ends when a mapping attains the bound.
    """
    begin, chance = perf_counter(), random.Random(1)
    identity = list(range(shape.p))

    def left() -> float:
        return seconds - (perf_counter() - begin)

    def size(players: list[int]) -> float:
        return _core.hop_bytes(shape, flows, players)

    def is_least(players: list[int]) -> bool:
        return size(players) <= least * (1 + 1e-9)

    starts = [identity, _core.map_flows(flows, shape)[0]]
    for seed in range(HALVINGS):
        if is_least(min(starts, key=size)) or (seed > 0 and left() < seconds / 2):
            break
        starts.append(_core.map_by_halving(flows, shape, seed)[0])
    starts.sort(key=size)
    best = starts[0]
    for turn in range(RESTARTS):
        if is_least(best) or left() <= 0:
            break
        start = starts[turn] if turn < len(starts) else chance.sample(identity, shape.p)
        best = min(best, _core.refine(flows, shape, start, left())[0], key=size)
    return best, perf_counter() - begin


def as_table(proposal: Proposal) -> Table:
    """One row per mapping."""
    table = PlainTable()
    levels = [f"across\n{level}" for level, _, _ in proposal.placed.crossings]
    for heading in ("Mapping", "hop-bytes", *levels, "predicted\nms", "gain", "search\nms"):
        table.add_column(heading, justify="left" if heading == "Mapping" else "right")
    for each in (proposal.placed, proposal.mapped, proposal.scotch):
        if each is None:
            continue
        gain = 1 - each.seconds / proposal.placed.seconds if proposal.placed.seconds else 0.0
        took = each.mapping_seconds
        table.add_row(
            each.label,
            show_amount(round(each.hop_bytes)),
            *(show_amount(size) for _, size, _ in each.crossings),
            f"{1e3 * each.seconds:.2f}",
            "" if took is None else f"{100 * gain:.0f}%",
            "" if took is None else f"{1e3 * took:.2f}",
        )
    return table
