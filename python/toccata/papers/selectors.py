"""Compares our fastest algorithms, and the library's choices, with SimGrid's selectors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import geometric_mean

from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from toccata import _core
from toccata.algorithms import catalogue
from toccata.models import predicting
from toccata.papers.page import Found, Section
from toccata.quantities import show_bytes
from toccata.simulating import platforms, simulation
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import MOST_AT_ONCE, Cell, Work

TITLE = "Every collective, compared with SimGrid's selectors"

COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reduce_scatter",
    "scatter",
)  # fmt: skip
# On this page, the sizes of these are the total for all ranks; in cells, they are per block.
FOR_ALL_RANKS = ("alltoall", "reduce_scatter")
AS_FAST = 0.999  # of a selector's speed; algorithms with the same messages differ by less
SLOWER = 1.03  # the maximum ratio to the fastest selector that is counted as good
LEVEL = 1.02  # up to this ratio, two algorithms count as equally fast
# Maximum number of ranks for long all-to-alls with all messages in flight (see MOST_AT_ONCE).
MOST_LONG_AT_ONCE = 64
IN_FRONT = 8  # algorithms per ranking are simulated, in the setting predicted to be the fastest


@dataclass(frozen=True)
class Place:
    """Ranks on a platform."""

    name: str  # of a platform
    ranks: int
    placement: str

    @property
    def platform(self) -> Platform:
        return platforms.find(self.name)

    def __str__(self) -> str:
        return f"{self.name}, {self.ranks} ranks, {self.placement}"

    @property
    def collectives(self) -> list[str]:
        return [each for each in COLLECTIVES if each != "alltoall" or self.ranks <= MOST_AT_ONCE]

    def sizes(self, collective: str, quick: bool) -> list[int]:
        if collective == "barrier":
            return [1]
        if quick:
            return [8, 1 << 10, 1 << 16]
        few = collective != "alltoall" or self.ranks <= MOST_LONG_AT_ONCE
        return [8, 1 << 10, 1 << 13, 1 << 16, *([1 << 20] if few else [])]

    def unit(self, collective: str, size: int) -> int:
        """The bytes of a block or message, for a size of this page."""
        return max(1, size // self.ranks) if collective in FOR_ALL_RANKS else size

    def shape(self) -> _core.Shape:
        machine = _core.Machine(self.platform.machine)
        return _core.Shape(_core.Placement(machine, self.ranks, self.placement))


def places(quick: bool) -> list[Place]:
    numbers = [("yahoo", 24), ("yahoo", 64), ("fattree64", 128)]
    if not quick:
        numbers += [("gpc", 128), ("dragonfly", 128)]
    found = [Place(name, p, each) for name, p in numbers for each in ("sequential", "cyclic")]
    return [*found, Place("bluegene", 64, "sequential")]


@cache
def _models(name: str) -> tuple[_core.Model, _core.Model]:
    """The model of the platform, and the usual model, for unknown machines."""
    return platforms.find(name).model, predicting.read_model("usual")


def _tried(place: Place, collective: str, bytes_: Iterable[int]) -> list[list[list[str]]]:
    """The library's candidates, the most promising first, by model and size."""
    return _by_models(_core.worth_trying, place, collective, bytes_)


def _in_front(place: Place, collective: str, bytes_: Iterable[int]) -> set[str]:
    """The candidates and the first few of the ranking, for any model and size."""
    ranked = _by_models(_core.rank, place, collective, bytes_)
    first = {name for model in ranked for names in model for name in names[:IN_FRONT]}
    tried = _tried(place, collective, bytes_)
    return first | {name for model in tried for names in model for name in names}


def _by_models(
    ranking: Callable[..., list[list[tuple[_core.Choice, float]]]],
    place: Place,
    collective: str,
    bytes_: Iterable[int],
) -> list[list[list[str]]]:
    units = [place.unit(collective, size) for size in bytes_]
    return [
        [
            [choice.text for choice, _ in each]
            for each in ranking(collective, place.shape(), model, units)
        ]
        for model in _models(place.name)
    ]


def cells(place: Place, collective: str, bytes_: list[int]) -> list[Cell]:
    """The cells of all our algorithms that can run there, of the settings that a model ranks first,
    and of the selectors. No ranks share memory there, so algorithms for that are left out."""
    names = [each.name for each in catalogue.of_collective(collective) if not each.publishes]
    names += sorted(_in_front(place, collective, bytes_))
    shape = place.shape()
    ours = [
        name
        for name in dict.fromkeys(names)
        if not _core.parse_choice(collective, name).why_impossible(shape)
    ]
    return [
        Cell(collective, name, place.ranks, place.unit(collective, size), place.placement)
        for size in bytes_
        for name in (*ours, *simulation.SELECTORS)
    ]


@dataclass(frozen=True)
class Beside:
    """The time of the fastest selector in a cell, divided by ours."""

    place: Place
    collective: str
    bytes: int
    best: float  # with our fastest algorithm
    chosen: float  # with the choice by the platform's model
    usual: float  # with the choice by the usual model
    tried: float  # with the fastest candidate that the library tries with the usual model
    ours: str  # our fastest
    selectors: Mapping[str, float]  # time / that of the fastest selector


def beside(found: Found, place: Place, collective: str, bytes_: list[int]) -> list[Beside]:
    """The comparison for each size, except those without a correct time of any selector."""
    seconds: Mapping[int, dict[str, float]] = defaultdict(dict)
    for cell in cells(place, collective, bytes_):
        outcome = found.outcomes[place.platform, cell]
        if outcome.seconds is not None and outcome.valid is not False:
            seconds[cell.bytes][cell.algorithm] = outcome.seconds
    result = []
    by_platform, by_usual = _tried(place, collective, bytes_)
    for size, (chosen, *_), tried in zip(bytes_, by_platform, by_usual, strict=True):
        here = dict(seconds[place.unit(collective, size)])
        peers = {each: here.pop(each) for each in simulation.SELECTORS if each in here}
        if not peers or not {chosen, *tried} <= set(here):
            continue
        ours = min(here, key=lambda name: here[name])
        quickest = min(tried, key=lambda name: here[name])
        least = min(peers.values())
        best, first, guessed, found_out = (
            least / here[each] for each in (ours, chosen, tried[0], quickest)
        )
        over = {name: seconds / least for name, seconds in peers.items()}
        result.append(Beside(place, collective, size, best, first, guessed, found_out, ours, over))
    return result


def work(quick: bool) -> list[Work]:
    return [
        (place.platform, cell)
        for place in places(quick)
        for collective in place.collectives
        for cell in cells(place, collective, place.sizes(collective, quick))
    ]


ROWS: tuple[tuple[str, Callable[[Beside], float]], ...] = (
    ("best of ours", lambda each: each.best),
    ("chosen, platform's model", lambda each: each.chosen),
    ("chosen, usual model", lambda each: each.usual),
    ("best of those tried, usual model", lambda each: each.tried),
)


def _row(what: str, each: list[float]) -> list[str]:
    ahead, near = (sum(ratio >= least for ratio in each) for least in (AS_FAST, 1 / SLOWER))
    return [
        what, f"{ahead} of {len(each)}", f"{near} of {len(each)}", f"{geometric_mean(each):.2f}",
        f"{min(each):.2f}",
    ]  # fmt: skip


def _table(section: Section, all_: Sequence[Beside]) -> None:
    """Adds the table of our best and chosen algorithms over all cells."""
    section.table(
        ["", "at least as fast", f"at most {SLOWER}× the time", "geometric mean", "lowest"],
        [_row(what, [ratio(each) for each in all_]) for what, ratio in ROWS],
    )


def _each_alone(section: Section, all_: list[Beside]) -> None:
    """Compares with each selector, and counts the cells in which the fastest one equals ours."""
    each_alone = []
    for name in simulation.SELECTORS:
        here = [(each.selectors[name], each) for each in all_ if name in each.selectors]
        best = geometric_mean(over * each.best for over, each in here)
        tried = geometric_mean(over * each.tried for over, each in here)
        each_alone.append(f"{name} {best:.2f} ({tried:.2f})")
    ahead = [each.best for each in all_ if each.best >= LEVEL]
    gain = f"; in the others, ours is {geometric_mean(ahead):.2f} times as fast" if ahead else ""
    section.say(
        f"In {len(all_) - len(ahead)} of these cells, the fastest of the four selectors is within "
        f"{LEVEL - 1:.0%} of the best of ours{gain}. A library has one selector. Each one's time "
        "divided by that of the best of ours (of those tried with the usual model), geometric "
        f"mean: {', '.join(each_alone)}."
    )


def _draw(all_: list[Beside]) -> Figure:
    """One dot per cell: our best left of its collective's tick, the chosen one to the right."""
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    collectives = list(dict.fromkeys(each.collective for each in all_))
    ways: list[tuple[str, float, str, Callable[[Beside], float]]] = [
        ("best of ours", -0.17, "#1f77b4", lambda each: each.best),
        ("chosen by the platform's model", 0.17, "#e67e22", lambda each: each.chosen),
    ]
    for label, shift, colour, ratio in ways:
        at = [collectives.index(each.collective) for each in all_]
        spread = [0.12 * (i % 7 - 3) / 3 for i in range(len(all_))]  # so that dots do not overlap
        axes.scatter([x + shift + beside for x, beside in zip(at, spread, strict=True)],
                     [ratio(each) for each in all_], s=14, color=colour, alpha=0.6, label=label,
                     linewidths=0)  # fmt: skip
    axes.axhline(1, color="#1b2631", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_yticks([0.25, 0.5, 1, 2, 4, 8], ["¼", "½", "1", "2", "4", "8"], minor=False)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticks(range(len(collectives)), collectives)
    axes.set_ylabel("time of the fastest selector / ours")
    axes.set_title("Above the line, ours is faster; each dot is one size, machine and placement")
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


def _introduce(section: Section, quick: bool) -> None:
    """Describes the compared cells and the tables."""
    placements: dict[str, list[str]] = {}
    for each in places(quick):
        placements.setdefault(f"{each.name}, {each.ranks} ranks", []).append(each.placement)
    where = "; ".join(f"{each}, {' and '.join(all_)}" for each, all_ in placements.items())
    all_sizes = places(quick)[0].sizes("bcast", quick)
    few = f", all-to-alls up to {MOST_AT_ONCE} ranks, the longest up to {MOST_LONG_AT_ONCE}"
    section.say(
        "The tables compare our algorithms with the fastest of SimGrid's selectors "
        f"(`{'`, `'.join(simulation.SELECTORS)}`), cell by cell. The ratio of a cell is the "
        "selector's time divided by ours. Every core is a host, so no selector can detect nodes. "
        "The cells are all combinations of:\n\n"
        f"- platforms and placements: {where};\n"
        f"- collectives: {', '.join(COLLECTIVES)};\n"
        f"- sizes: {', '.join(map(show_bytes, all_sizes))} (bytes per block, or of the message; "
        "for all-to-alls and reduce-scatters, the total for all ranks)"
        + ("" if quick else few)
        + ".\n\n"
        "*Best* is the fastest of all our algorithms with default parameters and of the "
        f"{IN_FRONT} that each model ranks first, with the parameters that it predicts to be best. "
        "*Chosen* is the algorithm that the library would try first, by the "
        "platform's model or by the model of a usual machine, which is used if the platform is "
        "unknown; then, the library tries up to six algorithms. *At least as fast* means within "
        f"{1 - AS_FAST:.1%}: with the same algorithm, the times differ by less."
    )


def _by_collective(section: Section, all_: list[Beside]) -> None:
    groups: dict[str, list[Beside]] = defaultdict(list)
    for each in all_:
        groups[each.collective].append(each)
    rows = []
    for name, group in groups.items():
        best, chosen = [each.best for each in group], [each.chosen for each in group]
        rows.append([
            name, f"{sum(ratio >= AS_FAST for ratio in best)} of {len(best)}",
            f"{geometric_mean(best):.2f}", f"{min(best):.2f}",
            f"{sum(ratio >= AS_FAST for ratio in chosen)} of {len(chosen)}",
            f"{geometric_mean(chosen):.2f}", f"{min(chosen):.2f}",
        ])  # fmt: skip
    section.table(
        ["collective", "best: as fast", "mean", "lowest", "chosen: as fast", "mean", "lowest"], rows
    )


def report(section: Section, found: Found, quick: bool) -> None:
    all_ = [
        each
        for place in places(quick)
        for collective in place.collectives
        for each in beside(found, place, collective, place.sizes(collective, quick))
    ]
    _introduce(section, quick)
    _table(section, all_)
    _each_alone(section, all_)
    section.picture("ratios", _draw(all_), "selector's time divided by ours, by collective")
    _by_collective(section, all_)
    if wrong := found.wrong():
        section.say(f"Left out because their data was wrong: {', '.join(wrong)}.")
    if lost := found.lost():
        section.say(f"Left out because SimGrid deadlocks there (simulation.md): {', '.join(lost)}.")
