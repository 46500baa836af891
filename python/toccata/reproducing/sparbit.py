"""Loch and Koslovski's Sparbit paper: who is fastest on Yahoo and Cervino."""

from collections.abc import Callable
from statistics import fmean, geometric_mean, median

from matplotlib.figure import Figure

from toccata import heatmap, platforms, simulating
from toccata.platforms import Platform
from toccata.quantities import show_bytes
from toccata.reproducing.page import Section
from toccata.results import Results
from toccata.simulating import Cell

# As the paper's program sends: a message a block.
SPARBIT = "sparbit:messages=per_block"
OTHERS = ("ring", "neighbor_exchange", "recursive_doubling", "bruck")
ONE_MESSAGE = "sparbit"
PAPER_SHARES = {  # percent of the cells, section V
    ("yahoo", "sequential"): 46.43, ("yahoo", "cyclic"): 19.12,
    ("cervino", "sequential"): 39.64, ("cervino", "cyclic"): 30.83,
}  # fmt: skip
PAPER_GAINS = {  # mean, median and highest, percent: Table II, average times
    ("yahoo", "sequential"): (34.70, 26.16, 84.16),
    ("yahoo", "cyclic"): (14.89, 15.77, 31.07),
    ("cervino", "sequential"): (30.23, 29.00, 77.78),
    ("cervino", "cyclic"): (9.60, 8.71, 44.12),
}
LATENCIES = (12e-6, 25e-6, 50e-6)
OVERHEADS = (1e-6, 5e-6, 10e-6)
NOISES = (0.0, 5e-6, 20e-6)

Told = Callable[[Cell], None]


def ranks(most: int, quick: bool) -> list[int]:
    """The paper's two progressions, up to one rank a core; of those a few with `quick`."""
    if quick:
        return [each for each in (8, 13, 32, 61, 64, 93, 128) if each <= most]
    return sorted({*range(8, most + 1, 8), *range(5, most + 1, 8)})


def sizes(quick: bool) -> list[int]:
    return [1 << k for k in ((0, 6, 10, 13, 16, 20) if quick else range(21))]


def cells(
    platform: Platform, placement: str, names: tuple[str, ...], quick: bool, most: int
) -> list[Cell]:
    return [
        Cell("allgather", name, p, size, placement)
        for p in ranks(most, quick)
        for size in sizes(quick)
        for name in names
        if not (name == "neighbor_exchange" and p % 2)
        if not (name == "recursive_doubling" and p & (p - 1))
    ]


def share(results: Results, highlight: str) -> heatmap.Grid:
    return heatmap.grid(results, highlight, None, "max")


def _percent(part: float) -> str:
    return f"{100 * part:.1f}"


def reproduce(section: Section, quick: bool, told: Told, plan: Callable[[int], None]) -> None:
    """Fills the section. `plan` hears how many cells come."""
    clusters = [(platforms.find(name), most) for name, most in (("yahoo", 128), ("cervino", 160))]
    placements = ("sequential", "cyclic")
    names = (SPARBIT, *OTHERS)
    parts = "a stated subset of them" if quick else "all of them up to a rank a core"
    section.say(
        f"Platforms `yahoo` and `cervino`, allgather, {parts}: ranks "
        f"{', '.join(map(str, ranks(160, quick)))}, sizes {show_bytes(sizes(quick)[0])} to "
        f"{show_bytes(sizes(quick)[-1])}. The paper goes on to two ranks a core, which is not "
        "simulated. Sparbit sends a message a block, as the paper's program does."
    )
    rows = []
    for platform, most in clusters:
        for placement in placements:
            wanted = cells(platform, placement, (*names, ONE_MESSAGE), quick, most)
            plan(len(wanted))
            found = simulating.measurements(platform, simulating.run(platform, wanted, told))
            grid = share(Results(each for each in found if each.algorithm != ONE_MESSAGE), SPARBIT)
            other = share(Results(each for each in found if each.algorithm != SPARBIT), ONE_MESSAGE)
            rows.append(_row(platform.name, placement, grid, other))
            title = f"allgather on {platform.name}, {placement}: simulated"
            section.picture(f"{platform.name}-{placement}", heatmap.draw(grid, title), title)
    section.table(
        ["cluster, mapping", "paper: share of cells, %", "ours", "paper: mean / median / highest "
         "gain, %", "ours", "one message a round: share", "gain"],
        rows,
    )  # fmt: skip
    _needs(section, quick, told, plan)
    _beside_selectors(section, quick, told, plan)


def _gains(grid: heatmap.Grid) -> str:
    if not grid.gains:
        return "–"
    found = (fmean(grid.gains), median(grid.gains), max(grid.gains))
    return " / ".join(map(_percent, found))


def _row(name: str, placement: str, grid: heatmap.Grid, other: heatmap.Grid) -> list[str]:
    theirs = PAPER_GAINS[name, placement]
    return [
        f"{name}, {placement}",
        f"{PAPER_SHARES[name, placement]:.1f}",
        _percent(len(grid.gains) / len(grid.measured)),
        " / ".join(f"{each:.1f}" for each in theirs),
        _gains(grid),
        _percent(len(other.gains) / len(other.measured)),
        _gains(other),
    ]


def _needs(section: Section, quick: bool, told: Told, plan: Callable[[int], None]) -> None:
    """The share of cells over latency, overhead and noise."""
    yahoo = platforms.find("yahoo")
    settings = [(a, o, noise) for noise in NOISES for o in OVERHEADS for a in LATENCIES]
    shares: dict[tuple[float, float, float], tuple[float, float]] = {}
    for alpha, o, noise in settings:
        name = f"yahoo alpha={alpha} o={o} noise={noise}"
        changed = yahoo.changed(name, {"alpha": alpha, "o": o}, noise)
        wanted = [
            each
            for each in cells(changed, "sequential", (SPARBIT, *OTHERS, ONE_MESSAGE), True, 128)
            if each.ranks in (13, 32, 61, 64, 128) and each.bytes in (1, 1024, 8192, 65536)
        ]
        plan(len(wanted))
        found = simulating.measurements(changed, simulating.run(changed, wanted, told))
        both = []
        for mine, without in ((SPARBIT, ONE_MESSAGE), (ONE_MESSAGE, SPARBIT)):
            grid = share(Results(each for each in found if each.algorithm != without), mine)
            both.append(len(grid.gains) / len(grid.measured))
        shares[alpha, o, noise] = (both[0], both[1])
    section.say(
        "What the result needs. Share of cells, in percent, in which Sparbit is the best of the "
        "five on `yahoo`, sequential, 13 to 128 ranks and 1 B to 64 KiB, with a message a block "
        "and, behind the stroke, one a round; by the latency one way between nodes, the overhead "
        "of a message at either end there, and what holds a processor up at either end of every "
        "message (exponential, by its mean)."
    )
    section.table(
        ["noise, overhead", *(f"{a * 1e6:.0f} µs one way" for a in LATENCIES)],
        [
            [f"{noise * 1e6:.0f} µs, {o * 1e6:.0f} µs",
             *(" / ".join(_percent(s) for s in shares[a, o, noise]) for a in LATENCIES)]
            for noise in NOISES for o in OVERHEADS
        ],
    )  # fmt: skip
    section.picture("needs", _map(shares), "share of cells over latency, overhead and noise")


def _map(shares: dict[tuple[float, float, float], tuple[float, float]]) -> Figure:
    figure = Figure(figsize=(9.2, 3.4), layout="constrained")
    figure.suptitle("Sparbit best of the five, % of cells: yahoo, sequential", fontweight="bold")
    for axes, noise in zip(figure.subplots(1, len(NOISES)), NOISES, strict=True):
        values = [[100 * shares[a, o, noise][0] for a in LATENCIES] for o in OVERHEADS]
        image = axes.imshow(values, origin="lower", cmap="Blues", vmin=0, vmax=60, aspect="auto")
        for y, row in enumerate(values):
            for x, value in enumerate(row):
                ink = "white" if value > 35 else "#1c2833"
                axes.text(x, y, f"{value:.0f}", ha="center", va="center", color=ink)
        axes.set_xticks(range(len(LATENCIES)), [f"{a * 1e6:.0f}" for a in LATENCIES])
        axes.set_yticks(range(len(OVERHEADS)), [f"{o * 1e6:.0f}" for o in OVERHEADS])
        axes.set_title(f"noise {noise * 1e6:.0f} µs", fontsize=10)
        axes.set_xlabel("latency one way, µs")
    figure.axes[0].set_ylabel("overhead, µs")
    figure.colorbar(image, ax=figure.axes, label="% of cells; the paper has 46")
    return figure


BEST_OF_OURS = (
    "ring", "neighbor_exchange", "recursive_doubling", "bruck", "sparbit",
    "locality_bruck", "hierarchical", "multi_lane",
)  # fmt: skip


def _beside_selectors(
    section: Section, quick: bool, told: Told, plan: Callable[[int], None]
) -> None:
    """The best of ours against SimGrid's selectors."""
    yahoo = platforms.find("yahoo")
    rows = []
    for placement in ("sequential", "cyclic"):
        numbers = (16, 64, 128)
        wanted = [
            Cell("allgather", name, p, size, placement)
            for p in numbers
            for size in sizes(True)
            for name in (*BEST_OF_OURS, *simulating.SELECTORS)
        ]
        plan(len(wanted))
        outcomes = simulating.run(yahoo, wanted, told)
        found = Results(simulating.measurements(yahoo, outcomes))
        ratios = []
        for p in numbers:
            for size in sizes(True):
                here = {each.algorithm: each.max for each in found.at(p, size)}
                peers = [here[each] for each in simulating.SELECTORS if each in here]
                ours = [here[each] for each in BEST_OF_OURS if each in here]
                ratios.append(min(peers) / min(ours))
        wrong = sorted({c.algorithm for c, o in outcomes.items() if c.is_peer and o.valid is False})
        at_least = sum(ratio >= 1 for ratio in ratios)
        rows.append([
            placement, f"{at_least} of {len(ratios)}", f"{geometric_mean(ratios):.2f}",
            f"{min(ratios):.2f}", ", ".join(wrong) or "none",
        ])  # fmt: skip
    section.say(
        "The best of ours against the best of SimGrid's selectors (`ompi`, `mpich`, `mvapich2`, "
        "`impi`), 16, 64 and 128 ranks. How many times the time of ours that of the best selector "
        "is. With a host a core no selector gets to know of nodes, and SimGrid's ring is no "
        "neighbour's ring: so these are the selectors as SimGrid has them, not the libraries."
    )
    section.table(
        ["yahoo", "cells at least as fast", "geometric mean", "least", "gave wrong data"], rows
    )
