"""The best of our algorithms, and what the library would choose, beside SimGrid's selectors."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import geometric_mean

from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from toccata import _core, catalogue, platforms, predicting, simulating
from toccata.platforms import Platform
from toccata.quantities import show_bytes
from toccata.reproducing.page import Found, Section
from toccata.simulating import MOST_AT_ONCE, Cell, Work

TITLE = "Every collective beside the selectors"

COLLECTIVES = (
    "allgather", "allreduce", "alltoall", "barrier", "bcast", "gather", "reduce", "reduce_scatter",
    "scatter",
)  # fmt: skip
# On this page the sizes of these are bytes for all ranks together; in cells they are of blocks.
FOR_ALL_RANKS = ("alltoall", "reduce_scatter")
AS_FAST = 0.999  # of a selector's speed: the same messages, with less in front of them
SLOWER = 1.03  # than the best selector: the most that is asked
LEVEL = 1.02  # times as fast: hardly more
# Ranks up to which all messages of a long all-to-all may be under way at once (see MOST_AT_ONCE).
MOST_LONG_AT_ONCE = 64
IN_FRONT = 8  # of a ranking are simulated, in the setting that it has quickest


@dataclass(frozen=True)
class Place:
    """Where a collective runs."""

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
        """Bytes of a block or message, of a size as this page has it."""
        return max(1, size // self.ranks) if collective in FOR_ALL_RANKS else size

    def shape(self) -> _core.Shape:
        machine = _core.Machine(self.platform.machine)
        return _core.Shape(_core.Placement(machine, self.ranks, self.placement))


def places(quick: bool) -> list[Place]:
    numbers = [("yahoo", 24), ("yahoo", 64), ("fattree64", 128)]
    if not quick:
        numbers += [("gpc", 128), ("dragonfly", 128), ("fattree64", 512)]
    found = [Place(name, p, each) for name, p in numbers for each in ("sequential", "cyclic")]
    return [*found, Place("bluegene", 64, "sequential")]


@cache
def _models(name: str) -> tuple[_core.Model, _core.Model]:
    """The platform's, and that of an unknown machine."""
    return platforms.find(name).model, predicting.read_model("usual")


def _tried(place: Place, collective: str, bytes_: Iterable[int]) -> list[list[list[str]]]:
    """What the library tries, the most promising first, by model, and size."""
    return _by_models(_core.worth_trying, place, collective, bytes_)


def _in_front(place: Place, collective: str, bytes_: Iterable[int]) -> set[str]:
    """Of each model and size what is tried, and the first few whether tried or not."""
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
    """Of all our algorithms that run there, of settings that a model has in front, and the
    selectors."""
    names = [each.name for each in catalogue.of_collective(collective)]
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
        for name in (*ours, *simulating.SELECTORS)
    ]


@dataclass(frozen=True)
class Beside:
    """How many times as long as ours the best selector takes in a cell."""

    place: Place
    collective: str
    bytes: int
    best: float
    chosen: float  # by the platform's model
    usual: float  # by that of a usual machine
    tried: float  # the best of those that are tried by that
    ours: str  # the best
    selectors: Mapping[str, float]  # each over the best of the four


def beside(found: Found, place: Place, collective: str, bytes_: list[int]) -> list[Beside]:
    """By size; without those for which no selector gave a time, or right data."""
    seconds: Mapping[int, dict[str, float]] = defaultdict(dict)
    for cell in cells(place, collective, bytes_):
        outcome = found.outcomes[place.platform, cell]
        if outcome.seconds is not None and outcome.valid is not False:
            seconds[cell.bytes][cell.algorithm] = outcome.seconds
    result = []
    by_platform, by_usual = _tried(place, collective, bytes_)
    for size, (chosen, *_), tried in zip(bytes_, by_platform, by_usual, strict=True):
        here = dict(seconds[place.unit(collective, size)])
        peers = {each: here.pop(each) for each in simulating.SELECTORS if each in here}
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


def _row(what: str, each: list[float]) -> list[str]:
    ahead, near = (sum(ratio >= least for ratio in each) for least in (AS_FAST, 1 / SLOWER))
    return [
        what, f"{ahead} of {len(each)}", f"{near} of {len(each)}", f"{geometric_mean(each):.2f}",
        f"{min(each):.2f}",
    ]  # fmt: skip


def table(section: Section, found: Iterable[Beside]) -> None:
    """The ways to be ours, over all cells."""
    all_ = list(found)
    section.table(
        ["", "at least as fast", f"at most {SLOWER} as long", "geometric mean", "least"],
        [
            _row("best of ours", [each.best for each in all_]),
            _row("chosen, platform's model", [each.chosen for each in all_]),
            _row("chosen, usual model", [each.usual for each in all_]),
            _row("best of those tried, usual model", [each.tried for each in all_]),
        ],
    )


def _each_alone(section: Section, all_: list[Beside]) -> None:
    """Each selector for itself, and how often the best of them is level with ours."""
    rows = []
    for name in simulating.SELECTORS:
        here = [(each.selectors[name], each) for each in all_ if name in each.selectors]
        best = geometric_mean(over * each.best for over, each in here)
        tried = geometric_mean(over * each.tried for over, each in here)
        rows.append([name, f"{best:.2f}", f"{tried:.2f}"])
    ahead = [each.best for each in all_ if each.best >= LEVEL]
    gain = f"; in the others ours is {geometric_mean(ahead):.2f} times as fast" if ahead else ""
    section.say(
        f"In {len(all_) - len(ahead)} of these cells the best of the four selectors is within "
        f"{LEVEL - 1:.0%} of the best of ours{gain}. A library has one selector, not the best of "
        "four; beside each alone, in the geometric mean:"
    )
    section.table(["selector", "best of ours", "best of those tried, usual model"], rows)


def _draw(all_: list[Beside]) -> Figure:
    """A dot a cell, of the best by the left of its collective and of the chosen by the right."""
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots()
    collectives = list(dict.fromkeys(each.collective for each in all_))
    ways: list[tuple[str, float, str, Callable[[Beside], float]]] = [
        ("best of ours", -0.17, "#1f77b4", lambda each: each.best),
        ("chosen by the platform's model", 0.17, "#e67e22", lambda each: each.chosen),
    ]
    for label, shift, colour, ratio in ways:
        at = [collectives.index(each.collective) for each in all_]
        spread = [0.12 * (i % 7 - 3) / 3 for i in range(len(all_))]  # so that dots do not hide
        axes.scatter([x + shift + beside for x, beside in zip(at, spread, strict=True)],
                     [ratio(each) for each in all_], s=14, color=colour, alpha=0.6, label=label,
                     linewidths=0)  # fmt: skip
    axes.axhline(1, color="#1b2631", linewidth=0.8)
    axes.set_yscale("log")
    axes.set_yticks([0.25, 0.5, 1, 2, 4, 8], ["¼", "½", "1", "2", "4", "8"], minor=False)
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticks(range(len(collectives)), collectives)
    axes.set_ylabel("best selector's time over ours")
    axes.set_title("Above the line ours is faster; a dot is a size, a machine and a placement")
    axes.grid(axis="y", alpha=0.3)
    figure.legend(loc="outside lower center", ncols=2, fontsize=9)
    return figure


def report(section: Section, found: Found, quick: bool) -> None:
    all_ = [
        each
        for place in places(quick)
        for collective in place.collectives
        for each in beside(found, place, collective, place.sizes(collective, quick))
    ]
    where = "; ".join(str(each) for each in places(quick))
    all_sizes = places(quick)[0].sizes("bcast", quick)
    few = f", all-to-alls up to {MOST_AT_ONCE} ranks, the longest up to {MOST_LONG_AT_ONCE}"
    section.say(
        "How many times as long as ours the best of SimGrid's selectors "
        f"(`{'`, `'.join(simulating.SELECTORS)}`) takes, cell by cell: {where}; "
        f"{', '.join(COLLECTIVES)}; {', '.join(map(show_bytes, all_sizes))} (bytes per block, "
        "or of the message; of all-to-alls and reduce-scatters, for all ranks together)"
        + ("" if quick else few)
        + ". *Best* is of all our algorithms in their standard setting, and of the "
        f"{IN_FRONT} that either model has in front, in the setting that it has quickest; *chosen* "
        "is what the library would try first, by the platform's model or by that of a usual "
        "machine, as without that knowledge; there it tries up to five, and keeps the best. "
        "With a host a core no selector gets to know of nodes: these are the selectors as SimGrid "
        f"has them, not those libraries. As fast is within {1 - AS_FAST:.1%}: where a selector "
        "takes the algorithm that ours is, times differ by less."
    )
    table(section, all_)
    _each_alone(section, all_)
    section.picture("ratios", _draw(all_), "times as long as ours, by collective")
    section.say("By collective, and by place:")
    for what in ("collective", "place"):
        groups: dict[str, list[Beside]] = defaultdict(list)
        for each in all_:
            groups[str(getattr(each, what))].append(each)
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
            [what, "best: as fast", "mean", "least", "chosen: as fast", "mean", "least"], rows
        )
    behind = sorted((each for each in all_ if each.best < AS_FAST), key=lambda each: each.best)
    if behind:
        section.say("Where a selector is ahead of all of ours, the furthest first:")
        section.table(
            ["where", "collective", "bytes", "best of ours", "times as long as it"],
            [[each.place, each.collective, show_bytes(each.bytes), each.ours,
              f"{each.best:.2f}"] for each in behind[:20]],
        )  # fmt: skip
    if wrong := found.wrong():
        section.say(f"Left out, as their data was wrong: {', '.join(wrong)}.")
    if lost := found.lost():
        section.say(
            f"Left out, as SimGrid has a deadlock there (simulation.md): {', '.join(lost)}."
        )
