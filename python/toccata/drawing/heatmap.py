"""The papers' hybrid heat map of a benchmark.

A cell is a number of ranks and a message size. If one of the other algorithms is fastest, the cell
has its colour. If the highlighted algorithm is fastest, a shade shows by which share of the second
best's time. There is no winner if the second best's spread reaches the fastest. The number in a
cell is the native time divided by the fastest.
"""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LinearSegmentedColormap, Normalize, to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from toccata.algorithms import catalogue
from toccata.errors import InputError
from toccata.measuring.winners import Cell, Grid, summary
from toccata.quantities import show_bytes

# Okabe and Ito's colours, which colour-blind people can distinguish, without their blues, which are
# for the highlighted algorithm. The native algorithm is always grey, and an algorithm has the same
# colour in all figures.
NATIVE = "#b3b3b3"
OTHERS = ("#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#7a5c3e", "#4d4d4d")
SHADES = LinearSegmentedColormap.from_list(
    "shades", colormaps["Blues"](np.linspace(0.25, 1.0, 256))
)
MISSING = "#ffffff"
UNCLEAR = "#f7efd9"
MEANING = "number in a cell: native's time over the fastest's"
ANNOTATED_COLUMNS = 24  # with more of them, a number does not fit into a cell


def colours(grid: Grid) -> dict[str, str]:
    """The colour of each winner except the highlighted one: independent of the other winners."""
    colours = palette(grid.collective, grid.others)
    return {name: colours[name] for name in grid.other_winners}


def palette(collective: str, algorithms: Sequence[str]) -> dict[str, str]:
    """In the order of the registry, so that each has its colour in every figure: algorithms, then
    their settings, then unknown ones."""
    try:
        known = catalogue.of_collective(collective)
    except InputError:
        known = []
    names = [each.name for each in known]
    names += [choice.text for each in known for choice in each.variants(64)]
    order = list(dict.fromkeys([*names, *algorithms]))
    return {
        name: NATIVE if name == "native" else colour_of(order.index(name)) for name in algorithms
    }


def colour_of(number: int) -> str:
    """After all are used, they are repeated lighter, then darker, then lighter still."""
    turn, which = divmod(number, len(OTHERS))
    if turn == 0:
        return OTHERS[which]
    level = (turn + 1) // 2
    toward, share = 1.0 if turn % 2 else 0.0, level / (level + 1)
    red, green, blue = ((1 - share) * part + share * toward for part in to_rgb(OTHERS[which]))
    return to_hex((red, green, blue))


def scale(grid: Grid) -> Normalize:
    """The range of the shades: from 0 to the largest gain, rounded up to tenths."""
    top = max(grid.gains, default=0.0)
    return Normalize(0.0, max(0.1, np.ceil(top * 10) / 10))


def image(grid: Grid) -> np.ndarray:
    """The figure's cells, as (sizes, ranks, red green blue)."""
    of_others, shade_of = colours(grid), scale(grid)

    def colour(cell: Cell | None) -> tuple[float, float, float]:
        if cell is None:
            return to_rgb(MISSING)
        if not cell.clear:
            return to_rgb(UNCLEAR)
        if cell.winner == grid.highlight:
            return to_rgb(SHADES(shade_of(cell.gain)))
        return to_rgb(of_others[cell.winner])

    return np.array([[colour(cell) for cell in row] for row in grid.cells])


def draw(grid: Grid, title: str) -> Figure:
    """The figure; small messages at the bottom."""
    columns, rows = len(grid.ranks), len(grid.sizes)
    width = min(max(0.75 * columns, 3.0), 12.0)
    height = min(max(0.28 * rows, 2.2), 9.0)
    figure = Figure(figsize=(width + 3.0, height + 1.7))
    figure_width, figure_height = figure.get_size_inches()
    axes = figure.add_axes(
        (0.85 / figure_width, 0.85 / figure_height, width / figure_width, height / figure_height)
    )
    axes.imshow(image(grid), origin="lower", aspect="auto", interpolation="nearest")
    axes.set_xticks(range(columns), map(str, grid.ranks))
    axes.set_yticks(range(rows), map(show_bytes, grid.sizes))
    if columns > ANNOTATED_COLUMNS:
        axes.set_xticks(
            range(0, columns, -(-columns // 16)), map(str, grid.ranks[:: -(-columns // 16)])
        )
    axes.set_xlabel("ranks")
    axes.set_ylabel(grid.sizes_of or catalogue.meaning_of_size(grid.collective))
    axes.set_xticks(np.arange(columns + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(rows + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    if columns <= ANNOTATED_COLUMNS:
        _annotate(axes, grid)
    if axes.texts:
        figure.text(0.2 / figure_width, 0.2 / figure_height, MEANING, fontsize=8.5, va="center",
                    color="#566573")  # fmt: skip
    figure.text(0.2 / figure_width, 1 - 0.3 / figure_height, title, fontsize=13,
                fontweight="bold", va="center")  # fmt: skip
    figure.text(0.2 / figure_width, 1 - 0.58 / figure_height, summary(grid), fontsize=8.5,
                color="#566573", va="center")  # fmt: skip
    _legend(figure, axes, grid)
    return figure


def _annotate(axes: Axes, grid: Grid) -> None:
    """Writes native's time as a multiple of the winner's into the cells that have a winner."""
    colours_of_cells = image(grid)
    for y, row in enumerate(grid.cells):
        for x, cell in enumerate(row):
            if cell is None or not cell.clear or cell.over_native is None:
                continue
            light = float(np.dot(colours_of_cells[y, x], (0.299, 0.587, 0.114)))
            ink = "#1c2833" if light > 0.5 else "white"
            axes.text(
                x, y, factor(cell.over_native), ha="center", va="center", fontsize=8, color=ink
            )


def factor(value: float) -> str:
    """As "1.04", "2.3", "17": only useful digits."""
    digits = 2 if value < 1.995 else 1 if value < 9.95 else 0
    return f"{value:.{digits}f}"


def _legend(figure: Figure, axes: Axes, grid: Grid) -> None:
    """The others' colours, and the bar of shades, to the right of the cells."""
    figure_width, figure_height = figure.get_size_inches()
    box = axes.get_position()
    handles = [Patch(facecolor=colour, label=name) for name, colour in colours(grid).items()]
    if len(grid.won) < len(grid.measured):
        handles.append(Patch(facecolor=UNCLEAR, label="no clear winner"))
    left = box.x1 + 0.2 / figure_width
    if handles:
        legend = figure.legend(
            handles=handles, title="fastest", loc="upper left", bbox_to_anchor=(left, box.y1),
            frameon=False, borderaxespad=0, fontsize=9, title_fontsize=9, alignment="left",
        )  # fmt: skip
        legend.set_gid("winners")
    if grid.highlight is None or not grid.gains:
        return
    used = (len(handles) * 0.2 + 0.7) / figure_height if handles else 0.4 / figure_height
    bottom, top = box.y0, max(box.y1 - used, box.y0 + 0.8 / figure_height)
    bar_axes = figure.add_axes((left, bottom, 0.16 / figure_width, top - bottom))
    bar = figure.colorbar(ScalarMappable(scale(grid), SHADES), cax=bar_axes)
    bar.ax.yaxis.set_major_locator(MaxNLocator(nbins=5, steps=[1, 2, 5, 10]))
    bar.ax.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    bar_axes.set_title(f"{grid.highlight},\nfaster by", fontsize=9, loc="left", pad=6)
