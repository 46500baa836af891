"""Weak scaling: the time over the number of ranks, if each rank has the same amount of data.

Each size has a panel. Each algorithm has a line, in the colour of the heat map. The native
algorithm is grey and dashed.
"""

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from toccata.algorithms import catalogue
from toccata.drawing.heatmap import palette
from toccata.drawing.pictures import some_of
from toccata.measuring.results import Metric, Results
from toccata.quantities import show_bytes

MOST_PANELS = 6
WIDTH, HEIGHT, AROUND = 2.6, 2.3, 1.2  # inches, of a panel, and above and below all of them
MARKERS = "osD^vPX*<>"


def draw(results: Results, metric: Metric, title: str, sizes_of: str = "") -> Figure:
    """The figure; `sizes_of` is the meaning of sizes, if it is not the usual one.

    If there are many sizes, the figure shows some, including the smallest and the largest."""
    sizes = some_of(results.sizes, MOST_PANELS)
    columns = min(len(sizes), 3)
    rows = math.ceil(len(sizes) / columns)
    figure = Figure(figsize=(WIDTH * columns + 0.4, HEIGHT * rows + AROUND), layout="constrained")
    figure.suptitle(title, fontsize=12, fontweight="bold", x=0.02, ha="left")
    panels = list(figure.subplots(rows, columns, squeeze=False, sharex=True).flat)
    for axes, size in zip(panels, sizes, strict=False):
        meaning = sizes_of or catalogue.meaning_of_size(results.all[0].collective)
        _draw_panel(axes, results, size, metric)
        axes.set_title(f"{show_bytes(size)} {meaning}", fontsize=9)
    for axes in panels[len(sizes) :]:
        axes.remove()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(len(labels), columns + 1),
        frameon=False, fontsize=9,
    )  # fmt: skip
    for axes in panels[max(len(sizes) - columns, 0) : len(sizes)]:
        axes.set_xlabel("ranks", fontsize=9)
    figure.supylabel(f"{metric} time in µs", fontsize=10)
    return figure


def _draw_panel(axes: Axes, results: Results, size: int, metric: Metric) -> None:
    colours = palette(results.all[0].collective, results.algorithms)
    for number, algorithm in enumerate(results.algorithms):
        here = [each for p in results.ranks if (each := results.get(p, size, algorithm))]
        axes.plot(
            [each.ranks for each in here],
            [each.time(metric) * 1e6 for each in here],
            label=algorithm,
            color=colours[algorithm],
            linestyle="--" if algorithm == "native" else "-",
            marker=MARKERS[number % len(MARKERS)],
            markersize=4,
            linewidth=1.4,
        )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(results.ranks, map(str, results.ranks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", labelbottom=True)
    axes.tick_params(labelsize=8)
    axes.grid(color="#e5e8eb", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
