"""The papers' hybrid heat map of a benchmark.

A cell is a number of ranks and a message size. If the highlighted algorithm is the fastest, a shade
of blue shows its gain, as a share of the second best's time. If another algorithm is the fastest,
the cell has its colour. There is no winner if the spread of the second best reaches the fastest
time. The number in a cell is the native time divided by the fastest.
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
from toccata.drawing import cells
from toccata.errors import InputError
from toccata.measuring.winners import Cell, Grid, summary
from toccata.quantities import show_bytes

# Okabe and Ito's colours, which colour-blind people can distinguish. Blue is missing, because it
# marks the highlighted algorithm. The native algorithm is always grey. An algorithm has the same
# colour in all figures.
NATIVE = "#b3b3b3"
OTHERS = ("#E69F00", "#009E73", "#F0E442", "#CC79A7", "#D55E00", "#7a5c3e", "#4d4d4d")
SHADES = LinearSegmentedColormap.from_list(
    "shades", colormaps["Blues"](np.linspace(0.25, 1.0, 256))
)
MEANING = "number in a cell: the winner's speedup over native"
UNCLEAR = "#f7efd9"
ANNOTATED_COLUMNS = 24  # with more columns, a number does not fit into a cell


def colours(grid: Grid) -> dict[str, str]:
    """The colour of each winner except the highlighted one: independent of the other winners."""
    colours = palette(grid.collective, grid.others)
    return {name: colours[name] for name in grid.other_winners}


def palette(collective: str, algorithms: Sequence[str]) -> dict[str, str]:
    """The colour of each algorithm, which is the same in every figure.

    Colours follow the order of the registry: algorithms, then their settings, then unknown ones.
    """
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
    """A colour by its number. After the last one, they repeat: lighter, darker, still lighter."""
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


def colours_of_cells(grid: Grid) -> list[list[cells.Colour]]:
    """Row by row, small messages first."""
    of_others, shade_of = colours(grid), cells.shades(scale(grid), SHADES)

    def colour(cell: Cell | None) -> cells.Colour:
        if cell is None:
            return cells.MISSING
        if not cell.clear:
            return UNCLEAR
        return shade_of(cell.gain) if cell.winner == grid.highlight else of_others[cell.winner]

    return [[colour(cell) for cell in row] for row in grid.cells]


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
    few = columns <= ANNOTATED_COLUMNS
    step = 1 if few else -(-columns // 16)
    cells.draw(
        axes,
        colours_of_cells(grid),
        [[_text(cell) for cell in row] for row in grid.cells] if few else None,
        columns=[str(p) if i % step == 0 else "" for i, p in enumerate(grid.ranks)],
        rows=[show_bytes(size) for size in grid.sizes],
    )
    axes.set_xlabel("ranks")
    axes.set_ylabel(grid.sizes_of or catalogue.meaning_of_size(grid.collective))
    if axes.texts:
        figure.text(0.2 / figure_width, 0.2 / figure_height, MEANING, fontsize=8.5, va="center",
                    color="#566573")  # fmt: skip
    figure.text(0.2 / figure_width, 1 - 0.3 / figure_height, title, fontsize=13,
                fontweight="bold", va="center")  # fmt: skip
    figure.text(0.2 / figure_width, 1 - 0.58 / figure_height, summary(grid), fontsize=8.5,
                color="#566573", va="center")  # fmt: skip
    _legend(figure, axes, grid)
    return figure


def _text(cell: Cell | None) -> str:
    """The native time divided by the winner's; "" if there is no winner."""
    if cell is None or not cell.clear or cell.over_native is None:
        return ""
    return factor(cell.over_native)


def factor(value: float) -> str:
    """Such as "1.04", "2.3" or "17": only useful digits."""
    digits = 2 if value < 1.995 else 1 if value < 9.95 else 0
    return f"{value:.{digits}f}"


def _legend(figure: Figure, axes: Axes, grid: Grid) -> None:
    """To the right of the cells: the colours of the other algorithms, and the bar of shades."""
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
