"""A heat map of pairs of hosts: how many times as long messages take as expected."""

from collections.abc import Mapping, Sequence
from math import nan

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from toccata.drawing import cells
from toccata.drawing.pictures import some_of

MOST_NUMBERS = 16  # hosts, with numbers in the cells
MOST_NAMES = 24  # names on an axis
MOST_CELLS = 64  # in a row; with more hosts, a cell has the pairs of two groups of hosts
SLOWEST = 4.0  # factor of the darkest colour
SIZE = 5.2  # inches of a panel

Factors = Mapping[tuple[int, int], float]


def draw(panels: Mapping[str, Factors], names: Sequence[str], title: str) -> Figure:
    """One panel per metric; rows send, columns receive. Pairs that were not measured are white."""
    figure = Figure(figsize=(SIZE * len(panels), SIZE), layout="constrained")
    norm, colours = LogNorm(1.0, SLOWEST), colormaps["YlOrRd"]
    shade = cells.shades(norm, colours)
    size = -(-len(names) // MOST_CELLS)  # hosts of a group
    names = names[::size]
    some = set(some_of(range(len(names)), MOST_NAMES))
    labels = [name if i in some else "" for i, name in enumerate(names)]
    groups = range(len(names))
    for axes, (metric, factors) in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        slowest = _by_groups(factors, size)
        values = [[slowest.get((a, b), nan) for b in groups] for a in groups]
        shades = [
            [cells.MISSING if each != each else shade(min(max(each, 1.0), SLOWEST)) for each in row]
            for row in values
        ]
        texts = [["" if each != each else f"{each:.2f}" for each in row] for row in values]
        cells.draw(
            axes, shades, texts if len(names) <= MOST_NUMBERS else None, columns=labels,
            rows=labels, lines=1.2 if len(names) <= MOST_NAMES else 0.4, upwards=False,
        )  # fmt: skip
        axes.tick_params(axis="x", labelrotation=90)
        axes.tick_params(labelsize=8 if len(names) > MOST_NUMBERS else 10)
        axes.set_title(metric, fontsize=11)
        axes.set_xlabel("to")
        axes.set_ylabel("from")
    figure.colorbar(
        ScalarMappable(norm, colours), ax=figure.axes, label="time / expected time", shrink=0.8,
        ticks=[1, 1.5, 2, 3, 4], format="%g", extend="max",
    )  # fmt: skip
    if size > 1:
        title += f"; cells show the slowest pair of {size} × {size} hosts"
    figure.suptitle(title, fontsize=10.5)
    return figure


def _by_groups(factors: Factors, size: int) -> dict[tuple[int, int], float]:
    """The largest factor of the pairs of each two groups of consecutive hosts."""
    result = dict[tuple[int, int], float]()
    for (a, b), factor in factors.items():
        cell = (a // size, b // size)
        result[cell] = max(factor, result.get(cell, 0.0))
    return result
