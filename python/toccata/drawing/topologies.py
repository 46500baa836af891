"""A machine and the ranks on it as a figure: nested boxes, or the cells of a mesh."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from toccata import _core
from toccata.quantities import plural
from toccata.topology import tree

INK = "#1b2631"
FAINT = "#aeb6bf"
USED = "#aed6f1"  # an innermost object with a rank
FREE = "#ffffff"
SHADES = ("#f4f6f7", "#e8ecef", "#f8f9f9", "#dfe6ea", "#eef2f4")  # by level, outermost first
CELL = (0.5, 0.32)  # inches
HEADER = 0.24
PAD = 0.08
MARGIN = 0.3
TITLE = 0.6
WHOLE_OBJECTS = 160  # innermost objects; with more, some of equal ones are left out
SHOWN_CELLS = 12  # of a mesh, per dimension
FEW_ALIKE = 3  # up to this number, equal objects are all shown


@dataclass
class Box:
    """A rectangle with boxes in it; sizes in inches."""

    title: str
    colour: str
    inside: list["Box"] = field(default_factory=list)
    columns: int = 1
    width: float = CELL[0]
    height: float = CELL[1]
    left_out: bool = False  # this box represents several that are not shown


def draw(machine: _core.Machine, placement: _core.Placement | None) -> Figure:
    """The figure: a mesh of one to three dimensions as its cells, otherwise nested boxes."""
    if 0 < len(machine.dims) <= 3:
        return _draw_mesh(machine, placement)
    whole = Box("", "white", _boxes(machine, tree.items(machine, placement)))
    _lay_out(whole)
    width = max(whole.width, 5.0) + 2 * MARGIN
    figure = Figure(figsize=(width, whole.height + MARGIN + TITLE))
    axes = _canvas(figure)
    _title(axes, machine, placement, figure)
    for box, x, y in _placed(whole, MARGIN, MARGIN):
        _draw_box(axes, box, x, y)
    return figure


def _canvas(figure: Figure) -> Axes:
    """Axes in inches, y downwards from the top."""
    width, height = figure.get_size_inches()
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return axes


def _title(
    axes: Axes, machine: _core.Machine, placement: _core.Placement | None, figure: Figure
) -> None:
    text = tree.summary(machine)
    if placement:
        text += f" · {plural('rank', placement.p)}"
    width = figure.get_size_inches()[0]
    size = min(12.0, 72 * 1.75 * (width - 2 * MARGIN) / max(len(text), 1))
    axes.text(MARGIN, 0.3, text, fontsize=size, fontweight="bold", color=INK, va="center")


def _boxes(machine: _core.Machine, those: Sequence[tree.Item]) -> list[Box]:
    folds = machine.objects(len(machine.levels) - 1) > WHOLE_OBJECTS
    result: list[Box] = []
    for run in tree.alike(those) if folds else [list(those)]:
        shown = run if not folds or len(run) <= FEW_ALIKE else [run[0], run[-1]]
        for each in shown:
            if each is run[-1] and len(shown) < len(run):
                result.append(Box(f"⋯ {len(run) - len(shown)} alike", "none", left_out=True))
            result.append(_box(machine, each))
    return result


def _box(machine: _core.Machine, item: tree.Item) -> Box:
    ranks = tree.describe_numbers(item.ranks)
    if not item.inside:
        name = item.label or ("" if item.level else str(item.number))
        title = ranks if item.ranks else name
        return Box(title, USED if item.ranks else FREE)
    title = f"{machine.levels[item.level]} {item.number}"
    if item.label:
        title = f"{machine.levels[item.level]} {item.label}"
    if item.ranks:
        title += f"   ranks {ranks}"
    colour = SHADES[item.level % len(SHADES)]
    return Box(title, colour, _boxes(machine, item.inside))


def _lay_out(box: Box) -> None:
    """Sets the sizes, inner boxes first. Inner boxes form rows in a rectangle of about 3:2."""
    if not box.inside:
        box.width = max(CELL[0], 0.075 * len(box.title) + 0.16)
        return
    for each in box.inside:
        _lay_out(each)
    cells = not any(each.inside for each in box.inside)
    widest = max(each.width for each in box.inside)
    tallest = max(each.height for each in box.inside)
    count = len(box.inside)
    ratio = 2.5 if cells else 1.5
    columns = max(1, min(count, round(math.sqrt(count * ratio * tallest / widest))))
    columns = math.ceil(count / math.ceil(count / columns))  # rows as even as possible
    left_out = any(each.left_out for each in box.inside)
    box.columns = 3 if left_out else columns  # the first of a kind, the number of others, the last
    rows = _rows(box)
    for row in rows:
        for each in row:
            if each.left_out:
                each.height = max(other.height for other in row)
    box.width = max(sum(each.width + PAD for each in row) for row in rows) + PAD
    box.width = max(box.width, 0.075 * len(box.title) + 0.2)
    heights = sum(max(each.height for each in row) + PAD for row in rows)
    box.height = heights + PAD + (HEADER if box.title else 0)


def _rows(box: Box) -> list[list[Box]]:
    return [box.inside[i : i + box.columns] for i in range(0, len(box.inside), box.columns)]


def _placed(box: Box, x: float, y: float) -> list[tuple[Box, float, float]]:
    """The box and all boxes in it, with their upper left corners."""
    result = [(box, x, y)]
    top = y + (HEADER if box.title else 0) + PAD
    if not box.inside:
        return result
    for row in _rows(box):
        left = x + PAD
        for each in row:
            result += _placed(each, left, top)
            left += each.width + PAD
        top += max(each.height for each in row) + PAD
    return result


def _draw_box(axes: Axes, box: Box, x: float, y: float) -> None:
    y += TITLE - MARGIN
    if box.left_out:
        axes.text(x + box.width / 2, y + box.height / 2, box.title, fontsize=8, color="#566573",
                  ha="center", va="center")  # fmt: skip
        return
    if box.title or not box.inside:
        axes.add_patch(
            FancyBboxPatch(
                (x, y),
                box.width,
                box.height,
                boxstyle="round,pad=0,rounding_size=0.05",
                facecolor=box.colour,
                edgecolor=INK if box.inside else FAINT,
                lw=0.8,
            )
        )
    if box.inside:
        axes.text(x + PAD, y + 0.14, box.title, fontsize=8, color=INK, va="center")
    else:
        axes.text(x + box.width / 2, y + box.height / 2, box.title, fontsize=8, color=INK,
                  ha="center", va="center")  # fmt: skip


def _draw_mesh(machine: _core.Machine, placement: _core.Placement | None) -> Figure:
    """Planes of the last two dimensions side by side; links around a ring end in an arc."""
    planes, rows, columns = [1, 1, *machine.dims][-3:]
    wraps = [False, False, *machine.periodic][-3:]
    shown = [min(each, SHOWN_CELLS) for each in (planes, rows, columns)]
    titles = [tree.describe_numbers(each.all_ranks()) for each in tree.items(machine, placement)]
    visible = [
        titles[(plane * rows + row) * columns + column]
        for plane in range(shown[0])
        for row in range(shown[1])
        for column in range(shown[2])
    ]
    cell = (max(0.42, 0.075 * max(map(len, visible)) + 0.16), 0.34)
    step = (cell[0] + 0.26, cell[1] + 0.24)
    plane_width = shown[2] * step[0] + 0.5
    across = max(1, min(shown[0], round(math.sqrt(shown[0] * 2))))
    down = math.ceil(shown[0] / across)
    plane_height = shown[1] * step[1] + 0.6
    width = max(across * plane_width + MARGIN, 5.0) + MARGIN
    figure = Figure(figsize=(width, down * plane_height + TITLE + MARGIN + 0.1))
    axes = _canvas(figure)
    _title(axes, machine, placement, figure)
    for plane in range(shown[0]):
        left = MARGIN + 0.2 + plane % across * plane_width
        top = TITLE + 0.3 + plane // across * plane_height
        if planes > 1:
            axes.text(left, top - 0.25, f"plane {plane}", fontsize=8, color="#566573")
        for row in range(shown[1]):
            for column in range(shown[2]):
                number = (plane * rows + row) * columns + column
                x, y = left + column * step[0], top + row * step[1]
                last = (row == rows - 1, column == columns - 1)
                _draw_links(axes, x, y, cell, step, (row == 0, column == 0), last, wraps[1:])
                taken = titles[number]
                axes.add_patch(
                    FancyBboxPatch(
                        (x, y),
                        *cell,
                        boxstyle="round,pad=0,rounding_size=0.05",
                        facecolor=USED if taken else FREE,
                        edgecolor=INK,
                        lw=0.8,
                        zorder=2,
                    )
                )
                axes.text(x + cell[0] / 2, y + cell[1] / 2, taken, fontsize=8, color=INK,
                          ha="center", va="center", zorder=3)  # fmt: skip
    notes = []
    if [planes, rows, columns] != shown:
        notes.append("only the first " + "×".join(str(n) for n in shown if n > 1) + " cells")
    if planes > 1:
        notes.append("planes are linked to the next" + (" and the last to the first" * wraps[0]))
    height = figure.get_size_inches()[1]
    axes.text(MARGIN, height - 0.15, "; ".join(notes), fontsize=8, color="#566573", va="center")
    return figure


def _draw_links(
    axes: Axes,
    x: float,
    y: float,
    cell: tuple[float, float],
    step: tuple[float, float],
    first: tuple[bool, bool],
    last: tuple[bool, bool],
    wraps: Sequence[bool],
) -> None:
    """Links to the right and downwards, and stubs at both ends of a periodic dimension."""
    middle = (x + cell[0] / 2, y + cell[1] / 2)
    stub = 0.12
    lines = []
    if not last[1]:
        lines.append(((x + cell[0], x + step[0]), (middle[1], middle[1]), "-"))
    elif wraps[1]:
        lines.append(((x + cell[0], x + cell[0] + stub), (middle[1], middle[1]), ":"))
    if first[1] and wraps[1]:
        lines.append(((x - stub, x), (middle[1], middle[1]), ":"))
    if not last[0]:
        lines.append(((middle[0], middle[0]), (y + cell[1], y + step[1]), "-"))
    elif wraps[0]:
        lines.append(((middle[0], middle[0]), (y + cell[1], y + cell[1] + stub), ":"))
    if first[0] and wraps[0]:
        lines.append(((middle[0], middle[0]), (y - stub, y), ":"))
    for xs, ys, style in lines:
        axes.plot(xs, ys, color=INK, lw=1.2, ls=style, zorder=1)
