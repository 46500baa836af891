"""The automatic choice compared with native, as a heat map."""

from collections.abc import Sequence

from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from toccata.drawing import cells
from toccata.measuring.demo import Cell
from toccata.quantities import show_bytes

UNCLEAR = "#e6e6e6"
NORM, COLORMAP = LogNorm(1 / 4, 4), colormaps["RdYlBu"]
TICKS = (1 / 4, 1 / 2, 1, 2, 4)


def draw(compared: Sequence[Cell], title: str) -> Figure:
    """One column per place, one row per collective and size.

    Blue cells are faster than native, red ones slower. Cells without a clear winner are grey.
    """
    places = list(dict.fromkeys(each.place.name for each in compared))
    rows = list(dict.fromkeys((each.collective, each.bytes) for each in compared))
    colours: list[list[cells.Colour]] = [[cells.MISSING] * len(places) for _ in rows]
    texts = [[""] * len(places) for _ in rows]
    colour_of = cells.shades(NORM, COLORMAP)
    for each in compared:
        y, x = rows.index((each.collective, each.bytes)), places.index(each.place.name)
        colours[y][x] = colour_of(each.speedup) if each.clear else UNCLEAR
        texts[y][x] = f"{each.speedup:.2f}×" + ("" if each.clear else "?")
    figure = Figure(figsize=(2.6 + 1.15 * len(places), 1.7 + 0.3 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    names = [f"{name} {show_bytes(size)}" for name, size in rows]
    cells.draw(
        axes, colours, texts, columns=places, rows=names, fontsize=9, lines=1.5, upwards=False
    )
    axes.xaxis.tick_top()
    axes.tick_params(which="both", length=0, labelsize=9)
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.02, ha="left")
    bar = figure.colorbar(ScalarMappable(NORM, COLORMAP), ax=axes, shrink=0.7, aspect=25)
    bar.set_label("speedup over native", fontsize=9)
    bar.set_ticks(TICKS, labels=[f"{each:g}×" for each in TICKS])
    bar.ax.minorticks_off()
    bar.ax.tick_params(labelsize=8)
    if not all(each.clear for each in compared):
        figure.legend(
            handles=[Patch(facecolor=UNCLEAR, label="? no clear winner: the quartiles overlap")],
            loc="outside lower left", frameon=False, fontsize=9,
        )  # fmt: skip
    return figure
