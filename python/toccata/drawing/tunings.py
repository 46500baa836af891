"""A tuning file as a figure."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from toccata.drawing import cells
from toccata.drawing.heatmap import NATIVE, colour_of
from toccata.quantities import show_bytes
from toccata.tuning.overview import summary
from toccata.tuning.tuning_file import Point, Tuning

CELL, BESIDE, ABOVE, LEGEND = (0.62, 0.27), 0.8, 0.75, 0.9  # inches
MEANING = "number in a cell: share of native's time saved"


def draw(tuning: Tuning, title: str) -> Figure:
    """One panel per collective: the algorithm, by ranks and size, and its gain over native."""
    collectives = sorted({each.collective for each in tuning.points})
    settings = sorted({(each.ranks, each.nodes) for each in tuning.points})
    sizes = sorted({each.bytes for each in tuning.points})
    names = sorted({_name(each) for each in tuning.points} - {"native"})
    palette = {"native": NATIVE} | {name: colour_of(i) for i, name in enumerate(names)}
    columns = min(len(collectives), max(1, round(8 / (CELL[0] * len(settings) + BESIDE))))
    rows = math.ceil(len(collectives) / columns)
    width, height = CELL[0] * len(settings), CELL[1] * len(sizes)
    across = max(columns * (width + BESIDE) + 0.3, 8.0)
    named = int(across / 1.7)  # names in a row of the legend
    legend = LEGEND + 0.2 * (len(palette) // named)
    size = across, rows * (height + ABOVE) + legend + 0.4
    figure = Figure(figsize=size)
    for number, collective in enumerate(collectives):
        row, column = divmod(number, columns)
        left = 0.7 + column * (width + BESIDE)
        bottom = legend + (rows - 1 - row) * (height + ABOVE)
        axes = figure.add_axes(
            (left / size[0], bottom / size[1], width / size[0], height / size[1])
        )
        here = [each for each in tuning.points if each.collective == collective]
        _draw_panel(axes, here, settings, sizes, palette)
        axes.set_title(collective, fontsize=10, loc="left")
    figure.text(
        0.2 / size[0], 1 - 0.2 / size[1], title, fontsize=12, fontweight="bold", va="center"
    )
    figure.text(0.2 / size[0], 1 - 0.42 / size[1], summary(tuning), fontsize=8, va="center",
                color="#566573")  # fmt: skip
    figure.text(0.2 / size[0], 1 - 0.6 / size[1], MEANING, fontsize=8, va="center", color="#566573")
    used = {_name(each) for each in tuning.points}
    handles = [Patch(facecolor=palette[name], label=name) for name in palette if name in used]
    figure.legend(handles=handles, loc="lower center", ncols=named, frameon=False, fontsize=8,
                  handlelength=1.1)  # fmt: skip
    return figure


def _name(point: Point) -> str:
    return point.choice.partition(":")[0]


def _draw_panel(
    axes: Axes,
    points: Sequence[Point],
    settings: Sequence[tuple[int, int]],
    sizes: Sequence[int],
    palette: dict[str, str],
) -> None:
    several = len({nodes for _, nodes in settings}) > 1
    colours: list[list[cells.Colour]] = [[cells.MISSING] * len(settings) for _ in sizes]
    texts = [[""] * len(settings) for _ in sizes]
    for each in points:
        y, x = sizes.index(each.bytes), settings.index((each.ranks, each.nodes))
        colours[y][x] = palette[_name(each)]
        if each.choice != "native" and each.native_seconds > 0:
            texts[y][x] = f"{each.gain:.0%}"
    cells.draw(
        axes,
        colours,
        texts,
        columns=[f"{ranks}\n{nodes}" if several else str(ranks) for ranks, nodes in settings],
        rows=[show_bytes(each) for each in sizes],
        fontsize=7,
    )
    axes.tick_params(labelsize=8)
    axes.set_xlabel("ranks / nodes" if several else "ranks", fontsize=8)
