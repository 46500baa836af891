"""The fastest algorithm at each point of a benchmark (ranks and size), and its gain.

If the spread of the second best reaches the fastest, there is no winner.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median

from toccata.measuring.results import Metric, Results, best, gain


@dataclass(frozen=True)
class Cell:
    """The winner at one point, and its gain as a share of the second best's time (0.25 is a
    quarter)."""

    winner: str
    gain: float
    clear: bool = True  # whether the second best's spread does not reach it
    over_native: float | None = None  # native time / winner's time; None if native was not measured


@dataclass(frozen=True)
class Grid:
    """cells[size][ranks]; None where the point was not measured."""

    ranks: list[int]
    sizes: list[int]  # bytes
    highlight: str | None
    cells: list[list[Cell | None]]
    others: list[str]  # the baseline of the highlighted algorithm, winners or not
    collective: str = ""
    sizes_of: str = ""  # what sizes are, if it is not the usual (catalogue.meaning_of_size)

    @property
    def gains(self) -> list[float]:
        """The gains in the cells in which the highlighted algorithm wins."""
        return [each.gain for each in self.won if each.winner == self.highlight]

    @property
    def measured(self) -> list[Cell]:
        return [each for row in self.cells for each in row if each is not None]

    @property
    def won(self) -> list[Cell]:
        """Those with a clear winner."""
        return [each for each in self.measured if each.clear]

    @property
    def other_winners(self) -> list[str]:
        winners = {each.winner for each in self.won} - {self.highlight or ""}
        return sorted(winners, key=lambda each: (each != "native", each))


def grid(
    results: Results, highlight: str | None, baseline: Sequence[str] | None, metric: Metric
) -> Grid:
    """Compares the highlighted algorithm with the baseline; None means all other algorithms."""

    def cell(ranks: int, size: int) -> Cell | None:
        here = results.at(ranks, size)
        mine = [each for each in here if each.algorithm == highlight]
        others = [
            each
            for each in here
            if each.algorithm != highlight and (baseline is None or each.algorithm in baseline)
        ]
        first = best([*others, *mine], metric)
        if first is None or not others:
            return None
        second = best([each for each in [*others, *mine] if each is not first], metric)
        lead = gain(first.time(metric), second.time(metric)) if second else 0.0
        clear = second is None or first.clearly_below(second, metric)
        native = results.get(ranks, size, "native")
        over = native.time(metric) / first.time(metric) if native else None
        return Cell(first.algorithm, lead, clear, over)

    ranks, sizes = results.ranks, results.sizes
    others = sorted(set(results.algorithms) - {highlight})
    cells = [[cell(r, s) for r in ranks] for s in sizes]
    collective = results.all[0].collective if results.all else ""
    return Grid(ranks, sizes, highlight, cells, others, collective)


def summary(grid: Grid) -> str:
    """The number of cells that the highlighted algorithm wins, and its gains: as in the Sparbit
    paper's Table II."""
    if grid.highlight is None:
        return ""
    won, total = len(grid.gains), len(grid.measured)
    text = f"{grid.highlight} is clearly fastest at {won} of {total} points"
    if won:
        text += (
            f", by {fmean(grid.gains):.1%} on average, {median(grid.gains):.1%} (median), "
            f"{max(grid.gains):.1%} at most"
        )
    if unclear := total - len(grid.won):
        text += f"; {unclear} {'has' if unclear == 1 else 'have'} no clear winner"
    return text
