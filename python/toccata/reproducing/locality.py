"""Bienz, Gautam and Kharel's locality-aware Bruck: Figures 9 and 10 as simulations."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toccata import platforms, simulating
from toccata.platforms import Platform
from toccata.reproducing.page import Section
from toccata.simulating import Cell, Outcome

BYTES = 8  # two integers a rank
OURS = ("bruck", "hierarchical", "multi_lane", "locality_bruck")
COLOURS = ("#4d4d4d", "#E69F00", "#009E73", "#0b5fa5", "#CC79A7")
STYLES = ("-", "-", "-", "-", "--")
MOST_PEER_RANKS = 512

Told = Callable[[Cell], None]
Key = tuple[str, int, int]  # algorithm, ranks a region, regions


def _regions(quick: bool) -> list[int]:
    return [2, 4, 16, 64] if quick else [2, 4, 8, 16, 32, 64]


def _local(quick: bool) -> list[int]:
    return [4, 16, 32] if quick else [4, 8, 16, 32]


def reproduce(section: Section, quick: bool, told: Told, plan: Callable[[int], None]) -> None:
    """Fills the section. `plan` hears how many cells come."""
    section.say(
        "Figures 7 and 8 are models: see [models.md](models.md). Figures 9 and 10 are runs of "
        "allgather with two integers a rank, a region being a node (Quartz) or a socket, one a "
        "node (Lassen). Simulated on machines of their shape; the dashed line is the best of "
        "SimGrid's selectors, up to 512 ranks."
    )
    for number, name in ((9, "quartz"), (10, "lassen")):
        there = platforms.find(name)
        found = _simulate(there, quick, told, plan)
        section.say(f"Figure {number}, `{name}`: {there.origin}")
        section.picture(f"figure{number}", _draw(found, name, quick), f"Figure {number}")
        section.table(
            ["µs: ranks a region × regions", *OURS, "best selector", "bruck / locality_bruck"],
            [_row(found, s, r) for s in _local(quick) for r in _regions(quick)],
        )


def _simulate(
    there: Platform, quick: bool, told: Told, plan: Callable[[int], None]
) -> dict[Key, float]:
    """Seconds, by algorithm; the best selector is called "selector"."""
    found: dict[Key, float] = {}
    for local in _local(quick):
        machine = there.on(f"node:{max(_regions(quick))} socket:1 core:{local}")
        wanted = {
            (name, local, r): Cell("allgather", name, r * local, BYTES, "sequential")
            for r in _regions(quick)
            for name in (*OURS, *simulating.SELECTORS)
            if name in OURS or r * local <= MOST_PEER_RANKS
        }
        plan(len(wanted))
        outcomes = simulating.run(machine, list(wanted.values()), told)
        for key, cell in wanted.items():
            _note(found, key, outcomes[cell])
    return found


def _note(found: dict[Key, float], key: Key, outcome: Outcome) -> None:
    if outcome.seconds is None:
        return
    name, local, regions = key
    if name in OURS:
        found[key] = outcome.seconds
        return
    best = "selector", local, regions
    found[best] = min(found.get(best, outcome.seconds), outcome.seconds)


def _row(found: dict[Key, float], local: int, regions: int) -> list[str]:
    times = [found.get((name, local, regions)) for name in (*OURS, "selector")]
    bruck, ours = times[0], times[3]
    gain = f"{bruck / ours:.2f}" if bruck and ours else ""
    return [f"{local} × {regions}", *("" if t is None else f"{1e6 * t:.1f}" for t in times), gain]


def _draw(found: dict[Key, float], name: str, quick: bool) -> Figure:
    local = _local(quick)
    figure = Figure(figsize=(3.4 * len(local), 3.6), layout="constrained")
    figure.suptitle(f"allgather of 8 bytes a rank on {name}: simulated", fontweight="bold")
    panels: list[Axes] = list(figure.subplots(1, len(local), sharey=True))
    for axes, each in zip(panels, local, strict=True):
        for line, colour, style in zip((*OURS, "selector"), COLOURS, STYLES, strict=True):
            points = [(r, found.get((line, each, r))) for r in _regions(quick)]
            there = [(r, 1e6 * t) for r, t in points if t is not None]
            axes.plot([r for r, _ in there], [t for _, t in there], style, color=colour,
                      marker="o", markersize=3, label=line)  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(_regions(quick), [str(r) for r in _regions(quick)])
        axes.set_title(f"{each} ranks a region", fontsize=10)
        axes.set_xlabel("regions")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("µs")
    panels[0].legend(frameon=False, fontsize=8)
    return figure
