"""A tuning file as tables, and as a picture."""

import math
from collections.abc import Sequence
from statistics import geometric_mean

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from toccata.heatmap import MISSING, NATIVE, colour_of
from toccata.quantities import show_bytes, show_microseconds
from toccata.tuning import Point, Tuning

CELL, BESIDE, ABOVE, LEGEND = (0.62, 0.27), 0.8, 0.75, 0.9  # inches
DARK = 1.5  # red, green and blue together, below which ink is white


def tables(tuning: Tuning) -> RenderableType:
    """One for each collective, ranks and nodes; a row per size."""
    parts: list[RenderableType] = []
    known = any(each.native_seconds > 0 for each in tuning.points)
    for (collective, ranks, nodes), points in _places(tuning.points).items():
        heading = Text(f"\n{collective}, {ranks} ranks", style="bold cyan")
        on = f" on {nodes} nodes" if nodes > 1 else ""
        heading.append(f"{on}   median time in µs   {tuning.mpi}", style="not bold default")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("Size", justify="right")
        table.add_column("Choice", no_wrap=True)
        columns = ("Time", "Spread", "Native", "Gain", "Calls") if known else ("Predicted",)
        for name in columns:
            table.add_column(name, justify="right", no_wrap=True)
        for each in points:
            table.add_row(show_bytes(each.bytes), *_row(each, known))
        parts += [heading, table]
    return Group(*parts)


def _row(point: Point, known: bool) -> list[str]:
    native = point.choice == "native"
    choice = "[dim]native[/]" if native else point.choice
    seconds = show_microseconds(point.seconds)
    if not known:
        return [choice, seconds]
    gain = "[dim]–[/]" if native else f"[green]{point.gain:.0%}[/]"
    before = show_microseconds(point.native_seconds)
    return [choice, seconds, f"{point.spread:.0%}", before, gain, str(point.repetitions)]


def summary(tuning: Tuning) -> str:
    """In how many settings something else than the MPI library's own serves, and what that gives.

    A line; the mean is of all settings, native ones included.
    """
    points = tuning.points
    won = [each for each in points if each.choice != "native"]
    text = f"{len(won)} of {len(points)} settings are served by an algorithm of ours"
    ratios = [p.seconds / p.native_seconds for p in points if p.seconds > 0 < p.native_seconds]
    if ratios:
        text += (
            f"; chosen over native: {geometric_mean(ratios):.2f} in the geometric mean, "
            f"{min(ratios):.2f} at best"
        )
    return text


def _places(points: Sequence[Point]) -> dict[tuple[str, int, int], list[Point]]:
    places: dict[tuple[str, int, int], list[Point]] = {}
    for each in points:
        places.setdefault((each.collective, each.ranks, each.nodes), []).append(each)
    return places


def draw(tuning: Tuning, title: str) -> Figure:
    """A panel a collective: who serves, by ranks and size, and what that gains over native."""
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
    image = np.full((len(sizes), len(settings), 3), to_rgb(MISSING))
    for each in points:
        y, x = sizes.index(each.bytes), settings.index((each.ranks, each.nodes))
        colour = to_rgb(palette[_name(each)])
        image[y, x] = colour
        if each.choice != "native" and each.native_seconds > 0:
            ink = "white" if sum(colour) < DARK else "#1c2833"
            axes.text(x, y, f"{each.gain:.0%}", ha="center", va="center", fontsize=7, color=ink)
    axes.imshow(image, origin="lower", aspect="auto", interpolation="nearest")
    several = len({nodes for _, nodes in settings}) > 1
    labels = [f"{ranks}\n{nodes}" if several else str(ranks) for ranks, nodes in settings]
    axes.set_xticks(range(len(settings)), labels, fontsize=8)
    axes.set_yticks(range(len(sizes)), [show_bytes(each) for each in sizes], fontsize=8)
    axes.set_xlabel("ranks, on nodes" if several else "ranks", fontsize=8)
    axes.set_xticks(np.arange(len(settings) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(sizes) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=1.2)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
