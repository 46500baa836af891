"""Heat maps of recorded traffic: from which rank to which, by bytes and by messages."""

from collections.abc import Callable
from functools import partial

import numpy as np
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import PowerNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from toccata.drawing import cells
from toccata.drawing.pictures import some_of
from toccata.models.estimates import Pair
from toccata.models.traffic import Traffic
from toccata.quantities import show_amount

MOST_CELLS = 128  # in each direction; of more ranks, a cell has several
LABELS = 9
SHADES = colormaps["viridis_r"]


def draw(traffic: Traffic, title: str) -> Figure:
    """Two panels with a cell per pair of ranks, or of groups of consecutive ranks."""
    group = -(-traffic.ranks // MOST_CELLS)
    figure = Figure(figsize=(11.0, 5.2))
    figure.suptitle(title, fontsize=12, fontweight="bold")
    panels = figure.subplots(1, 2)
    figure.subplots_adjust(left=0.07, right=0.97, bottom=0.11, top=0.84, wspace=0.22)
    values: tuple[tuple[str, Callable[[Pair], int], Callable[[float], str]], ...] = (
        ("bytes", lambda each: each.bytes, lambda value: show_amount(round(value))),
        ("messages", lambda each: each.messages, lambda value: f"{value:,.0f}"),
    )
    for axes, (name, value, show) in zip(panels, values, strict=True):
        sums = _sums(traffic, group, value)
        norm = PowerNorm(0.5, 0, max(1.0, sums.max()))  # small values remain visible
        shade = cells.shades(norm, SHADES)
        number = len(sums)
        shown = some_of(range(number), LABELS)
        labels = [str(each * group) if each in shown else "" for each in range(number)]
        cells.draw(
            axes,
            [[shade(each) if each > 0 else cells.MISSING for each in row] for row in sums],
            columns=labels,
            rows=labels,
            lines=0.6 if number <= 64 else 0.0,
            upwards=False,
        )
        axes.set_aspect("equal")
        axes.spines[:].set_visible(True)
        axes.set_xlabel("to rank")
        axes.set_ylabel("from rank")
        axes.set_title(name if group == 1 else f"{name}, {group} ranks per cell", fontsize=10)
        bar = figure.colorbar(ScalarMappable(norm, SHADES), ax=axes, shrink=0.9)
        bar.ax.yaxis.set_major_formatter(FuncFormatter(partial(_shown, show)))
        bar.ax.tick_params(labelsize=8)
    return figure


def _shown(show: Callable[[float], str], value: float, _: int) -> str:
    return show(value)


def _sums(traffic: Traffic, group: int, value: Callable[[Pair], int]) -> NDArray[np.float64]:
    number = -(-traffic.ranks // group)
    sums = np.zeros((number, number))
    for each in traffic.pairs:
        sums[each.sender // group, each.receiver // group] += value(each)
    return sums
