"""Loch and Koslovski's Sparbit paper: the fastest algorithms on Yahoo and Cervino."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, median

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from toccata import _core
from toccata.drawing import cells as cells_
from toccata.drawing import heatmap
from toccata.measuring import winners
from toccata.measuring.results import Results
from toccata.papers.page import Found, Section
from toccata.quantities import show_bytes
from toccata.simulating import platforms, simulation
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Work

TITLE = "Sparbit: the fastest algorithms on two clusters (Loch and Koslovski, 2021)"

SPARBIT = "sparbit:messages=per_block"  # like the paper's program
ONE_MESSAGE = "sparbit"
OTHERS = ("ring", "neighbor_exchange", "recursive_doubling", "bruck")
PLACEMENTS = ("sequential", "cyclic")
CLUSTERS = {"yahoo": 128, "cervino": 160}  # cores
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


def ranks(most: int, quick: bool) -> list[int]:
    """The paper's two progressions, up to one rank per core; a few of them with `quick`."""
    if quick:
        return [each for each in (13, 32, 64) if each <= most]
    return sorted({*range(8, most + 1, 8), *range(5, most + 1, 8)})


def sizes(quick: bool) -> list[int]:
    return [1 << k for k in ((0, 10, 12, 14) if quick else range(21))]


def cells(placement: str, names: Iterable[str], numbers: Sequence[int], bytes_: Sequence[int]
) -> list[Cell]:  # fmt: skip
    return [
        Cell("allgather", name, p, size, placement)
        for p in numbers
        for name in names
        for size in bytes_
        if not _core.parse_choice("allgather", name).why_impossible(_core.Shape(p))
    ]


# Part 1: the heat maps.


def _of_map(cluster: str, placement: str, quick: bool) -> list[Cell]:
    numbers = ranks(CLUSTERS[cluster], quick)
    return cells(placement, (SPARBIT, *OTHERS, ONE_MESSAGE), numbers, sizes(quick))


# Part 2: the conditions for the paper's result.


@dataclass(frozen=True)
class Conditions:
    """The costs of a message on Yahoo, in microseconds. The defaults are those of the platform."""

    latency: float = 25.0  # one way, between nodes
    overhead: float = 5.0  # at either end, between nodes
    inside: float = 0.2  # the overhead inside a node
    noise: float = 0.0

    @property
    def platform(self) -> Platform:
        return _under(self)

    def __str__(self) -> str:
        return (f"{self.latency:g} µs one way, {self.overhead:g} µs at either end, "
                f"{self.inside:g} inside, noise {self.noise:g}")  # fmt: skip


@cache
def _under(conditions: Conditions) -> Platform:
    network = {"alpha": 1e-6 * conditions.latency, "o": 1e-6 * conditions.overhead}
    inside = {"o": 1e-6 * conditions.inside, "alpha": 2e-6 * conditions.inside}
    name = f"yahoo, {conditions}"
    return platforms.find("yahoo").changed(name, network, inside, 1e-6 * conditions.noise)


LATENCIES = (12.0, 25.0, 50.0)
OVERHEADS = (1.0, 5.0, 10.0)
INSIDE = (0.2, 1.0, 3.0)
NOISES = (5.0, 20.0)
NEEDS_RANKS = (13, 32, 64)
NEEDS_SIZES = (1 << 10, 1 << 12, 1 << 14)


def _grid_of_conditions() -> list[Conditions]:
    return [Conditions(a, o) for o in OVERHEADS for a in LATENCIES]


def _conditions(quick: bool) -> list[Conditions]:
    found = [*_grid_of_conditions(), *(Conditions(inside=each) for each in INSIDE)]
    noisy = [Conditions(noise=each) for each in NOISES]
    if not quick:
        noisy += [Conditions(50, 5, 3, each) for each in (0, *NOISES)]
    return list(dict.fromkeys([*found, *noisy]))


def _of_needs(conditions: Conditions) -> list[Cell]:
    numbers = NEEDS_RANKS[:2] if conditions.noise else NEEDS_RANKS
    return cells("sequential", (SPARBIT, *OTHERS, ONE_MESSAGE), numbers, NEEDS_SIZES)


def work(quick: bool) -> list[Work]:
    found: list[Work] = [
        (platforms.find(cluster), cell)
        for cluster in CLUSTERS
        for placement in PLACEMENTS
        for cell in _of_map(cluster, placement, quick)
    ]
    found += [(each.platform, cell) for each in _conditions(quick) for cell in _of_needs(each)]
    return list(dict.fromkeys(found))


def _results(found: Found, platform: Platform, wanted: Iterable[Cell]) -> Results:
    here = {cell: found.outcomes[platform, cell] for cell in wanted}
    return Results(simulation.measurements(platform, here))


def _share(grid: winners.Grid) -> float:
    """The percentage of cells in which the highlighted algorithm is the fastest."""
    return 100 * len(grid.gains) / len(grid.measured)


def _among(results: Results, mine: str) -> winners.Grid:
    others = Results(each for each in results.all if each.algorithm in (mine, *OTHERS))
    return winners.grid(others, mine, None, "max")


def report(section: Section, found: Found, quick: bool) -> None:
    numbers = ranks(max(CLUSTERS.values()), quick)
    small, *_, large = map(show_bytes, sizes(quick))
    section.say(
        f"Allgathers on the platforms `yahoo` and `cervino`: {'a subset' if quick else 'all'} of "
        f"the paper's cells with at most one rank per core, {numbers[0]} to {numbers[-1]} ranks "
        f"(at most 128 on Yahoo), {small} to {large} bytes. Two ranks per core are not simulated. "
        "Sparbit sends one message per block, as the paper's program does; in the last two "
        "columns, one per round."
    )
    rows = []
    for cluster in CLUSTERS:
        platform = platforms.find(cluster)
        for placement in PLACEMENTS:
            results = _results(found, platform, _of_map(cluster, placement, quick))
            grid, other = _among(results, SPARBIT), _among(results, ONE_MESSAGE)
            rows.append([
                f"{cluster}, {placement}", f"{PAPER_SHARES[cluster, placement]:.1f}",
                f"{_share(grid):.1f}",
                " / ".join(f"{each:.1f}" for each in PAPER_GAINS[cluster, placement]),
                _gains(grid), f"{_share(other):.1f}", _gains(other),
            ])  # fmt: skip
            title = f"allgather on {cluster}, {placement}: simulated"
            section.picture(f"{cluster}-{placement}", heatmap.draw(grid, title), title)
    section.table(
        ["cluster, mapping", "paper: best in % of cells", "ours",
         "paper: mean / median / highest gain, %", "ours", "one message per round: best in %",
         "gain, %"],
        rows,
    )  # fmt: skip
    _report_needs(section, found, quick)
    if wrong := found.wrong():
        section.say(f"Left out because their data was wrong: {', '.join(wrong)}.")


def _gains(grid: winners.Grid) -> str:
    if not grid.gains:
        return "–"
    of_all = (fmean(grid.gains), median(grid.gains), max(grid.gains))
    return " / ".join(f"{100 * each:.1f}" for each in of_all)


Shares = dict[Conditions, tuple[float, float]]  # one message per block, one per round


def _report_needs(section: Section, found: Found, quick: bool) -> None:
    shares: Shares = {}
    for each in _conditions(quick):
        results = _results(found, each.platform, _of_needs(each))
        grids = (_among(results, SPARBIT), _among(results, ONE_MESSAGE))
        shares[each] = _share(grids[0]), _share(grids[1])
    section.say(
        "**Conditions for the paper's result.** The figure shows the percentage of cells in which "
        "Sparbit is the fastest of the five algorithms on `yahoo`, sequential, "
        f"with {', '.join(map(str, NEEDS_RANKS))} ranks and "
        f"{', '.join(map(show_bytes, NEEDS_SIZES))}. The overhead is the processor time of a "
        "message at either end (inside a node, the latency is twice the overhead). Noise is a "
        "delay at either end of every message, exponentially distributed with the given mean "
        f"({' and '.join(map(str, NEEDS_RANKS[:2]))} ranks only)."
    )
    section.picture("needs", _map(shares), "share of cells over latency and overhead")
    others = [each for each in shares if each not in _grid_of_conditions()]
    ever = [each for each in others if any(shares[each])]
    section.say(
        f"Beyond the figure, {len(others)} further conditions were simulated. Sparbit is never the "
        "fastest there, except in these (one message per block / one per round): "
        + ("; ".join(f"{each}: {_both(shares[each])}" for each in ever) or "none")
        + "."
    )
    section.say(
        "A ring is fast here: with sequential placement, it sends each block out of a node once. "
        "With 64 ranks on 8 nodes, Sparbit sends 152 blocks out of each node, and the ring 63. If "
        "the bandwidth (1 Gbit/s) dominates, their times have this ratio. Only a delay in every "
        "round of the ring could outweigh it. A delay of every message does not, because Sparbit "
        "with one message per block is delayed as often as the ring. Half of the paper's cells on "
        "Yahoo, where Sparbit gains most, have ranks that share cores."
    )


def _both(shares: tuple[float, float]) -> str:
    return " / ".join(f"{share:.1f}%" for share in shares)


def _map(shares: Shares) -> Figure:
    figure = Figure(figsize=(8.4, 3.6), layout="constrained")
    figure.suptitle("Sparbit best of five, % of cells: yahoo, sequential", fontsize=11)
    panels = list(figure.subplots(1, 2, sharey=True))
    scale, blues = Normalize(0, 100), colormaps["Blues"]
    colour_of = cells_.shades(scale, blues)
    for which, (axes, title) in enumerate(
        zip(panels, ("one message per block", "one message per round"), strict=True)
    ):
        values = [[shares[Conditions(a, o)][which] for a in LATENCIES] for o in OVERHEADS]
        cells_.draw(
            axes,
            [[colour_of(each) for each in row] for row in values],
            [[f"{each:.0f}" for each in row] for row in values],
            columns=[f"{a:g}" for a in LATENCIES],
            rows=[f"{o:g}" for o in OVERHEADS],
            fontsize=10,
        )
        axes.set_xlabel("one-way latency between nodes, µs")
        axes.set_title(title, fontsize=10)
    panels[0].set_ylabel("overhead at either end, µs")
    figure.colorbar(ScalarMappable(scale, blues), ax=panels, label="% of cells; the paper has 46")
    return figure
