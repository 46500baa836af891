"""A schedule on the mesh or torus of its ranks: which rank sends to which in each round.

One panel per round. A square is a rank; an arrow is a message, in the colour of its direction.
Messages around the end of a ring leave on one side and return on the other. More than two
dimensions are planes side by side.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle

from toccata import _core
from toccata.algorithms.catalogue import path_of
from toccata.drawing.pictures import EMPTY, FAINT, HELD, INK, RECEIVED, WRONG
from toccata.drawing.schedules import LINE, Fault, write_fault
from toccata.errors import InputError

MOST_CELLS = 256
MOST_PANELS = 12
# For both directions in the last dimension, then in the one before, and so on.
COLOURS = ("#0b5fa5", "#c8553d", "#2b8a5a", "#8e5ea2", "#b8860b", "#5c6b7a", "#d16ba5", "#3aa6a6")
CELL = 0.62  # inches
SIDE = 0.62  # of a square, in cells
GAP = 0.8  # between planes, in cells
BESIDE, ABOVE, HEADING, LEGEND = 0.5, 0.5, 0.8, 0.5  # inches


@dataclass(frozen=True)
class _Arrow:
    """An arrow between two points, in cells. A point is in a square, or at the end of a plane."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    leaves: bool = True  # a square
    enters: bool = True
    lane: float = 0.0  # shift to the left of the direction, in cells, for several messages


class _Layout:
    """The positions of the cells."""

    def __init__(self, shape: _core.Shape) -> None:
        where = _core.OnLinks(shape)
        self.dims = where.dims or [1]
        self.periodic = where.periodic or [False]
        self.at = [where.coordinates(cell) or [0] for cell in where.cells]
        self.width = self.dims[-1]
        self.height = self.dims[-2] if len(self.dims) > 1 else 1
        self.planes = math.prod(self.dims[:-2])

    def point(self, coordinates: list[int]) -> tuple[float, float]:
        plane = 0
        for size, at in zip(self.dims[:-2], coordinates[:-2], strict=True):
            plane = plane * size + at
        row = coordinates[-2] if len(coordinates) > 1 else 0
        return plane * (self.width + GAP) + coordinates[-1], float(row)

    @property
    def size(self) -> tuple[float, float]:
        return self.planes * self.width + (self.planes - 1) * GAP, float(self.height)

    def colour(self, dimension: int, up: bool) -> str:
        return COLOURS[(2 * (len(self.dims) - 1 - dimension) + (0 if up else 1)) % len(COLOURS)]

    def way(self, sender: int, receiver: int) -> tuple[int, bool, bool] | None:
        """The dimension of a message, whether it goes upwards, and whether it goes around the end.

        None if the message is not along one axis.
        """
        here, there = self.at[sender], self.at[receiver]
        axes = [i for i in range(len(here)) if here[i] != there[i]]
        if len(axes) != 1:
            return None
        axis = axes[0]
        size, step = self.dims[axis], there[axis] - here[axis]
        if not self.periodic[axis] or size == 2:
            return axis, step > 0, False
        up = 2 * (step % size) <= size
        return axis, up, up != (step > 0)

    def arrows(self, sender: int, receiver: int, lane: float) -> Iterator[_Arrow]:
        """The arrow of a message; two arrows if it passes the end of a plane."""
        start, end = self.point(self.at[sender]), self.point(self.at[receiver])
        way = self.way(sender, receiver)
        if way is None:
            yield _Arrow(start, end, INK, lane=lane)
            return
        axis, up, around = way
        colour = self.colour(axis, up)
        if not around or axis < len(self.dims) - 2:
            yield _Arrow(start, end, colour, lane=lane)
            return
        horizontal = axis == len(self.dims) - 1
        edge = 0.5 + GAP / 2 - 0.12
        plane = self.point([*self.at[sender][:-1], 0])[0] if horizontal else 0.0
        low = plane - edge if horizontal else -edge
        high = plane + self.width - 1 + edge if horizontal else self.height - 1 + edge
        out, back = (high, low) if up else (low, high)
        if horizontal:
            yield _Arrow(start, (out, start[1]), colour, enters=False, lane=lane)
            yield _Arrow((back, end[1]), end, colour, leaves=False, lane=lane)
        else:
            yield _Arrow(start, (start[0], out), colour, enters=False, lane=lane)
            yield _Arrow((end[0], back), end, colour, leaves=False, lane=lane)


def draws(choice: _core.Choice, shape: _core.Shape) -> bool:
    """Whether this module draws the choice: its schedule depends on the mesh."""
    return choice.algorithm is not None and choice.algorithm.by_grid and bool(shape.dims)


def draw(choice: _core.Choice, shape: _core.Shape, fault: Fault | None = None) -> Figure:
    """The figure of all rounds with messages; the round and the rank of a fault are marked.

    Raises InputError if there are too many ranks to be visible.
    """
    if shape.p > MOST_CELLS:
        raise InputError(
            f"-p {shape.p}: figures of a mesh show at most {MOST_CELLS} ranks; leave out "
            "--output for text"
        )
    layout = _Layout(shape)
    schedules = [choice.schedule(shape, rank) for rank in range(shape.p)]
    rounds = [
        [each.round(i) if i < len(each) else None for each in schedules]
        for i in range(max(map(len, schedules)))
    ]
    conflicts = _core.link_traffic(choice, shape, 1).conflicts
    talking = [i for i, ranks in enumerate(rounds) if any(r and r.sends for r in ranks)]
    faulty = fault.round if fault else None
    shown = sorted({*talking[:MOST_PANELS], *([] if faulty is None else [faulty])})
    width, height = (each * CELL for each in layout.size)
    width, height = max(width, 1.9) + BESIDE, height + ABOVE + BESIDE
    columns = min(
        range(1, len(shown) + 1) or [1],
        key=lambda n: abs(math.log(n * width / (max(1, math.ceil(len(shown) / n)) * height) / 1.7)),
    )
    rows = max(1, math.ceil(len(shown) / columns))
    across = max(columns * width + BESIDE, 6.4)
    said = fault.lines(across) if fault else []
    size = across, rows * height + HEADING + LEGEND + LINE * len(said)
    figure = Figure(figsize=size)
    holding = [_has_data(choice, shape, rank) for rank in range(shape.p)]
    left = (size[0] - columns * width + BESIDE) / 2
    for panel, number in enumerate(shown):
        row, column = divmod(panel, columns)
        box = (
            (left + column * width) / size[0],
            (LEGEND + (rows - 1 - row) * height) / size[1],
            (width - BESIDE) / size[0],
            (height - ABOVE) / size[1],
        )
        axes = figure.add_axes(box)
        marked = (
            fault.rank if fault and number == (shown[-1] if faulty is None else faulty) else None
        )
        _draw_panel(axes, layout, rounds[number], holding, marked)
        title = f"round {number}   {_summary(rounds[number], conflicts[number])}"
        axes.set_title(title, fontsize=8.5, color=INK, loc="left")
        for ranks in rounds[number]:
            for message in ranks.sends if ranks else []:
                holding[message.peer] = True
    _draw_heading(figure, choice, shape, len(set(talking) - set(shown)))
    write_fault(figure, said)
    _draw_legend(figure, layout)
    return figure


def _has_data(choice: _core.Choice, shape: _core.Shape, rank: int) -> bool:
    return any(datum >= 0 for recv in (False, True) for datum in choice.before(shape, rank, recv))


def _summary(ranks: list[_core.Round | None], conflicts: int) -> str:
    counts = [
        sum(len(each.blocks) for each in message.ranges)
        for round_ in ranks
        if round_
        for message in round_.sends
    ]
    if not counts:
        return "no message"
    blocks = str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"
    text = f"{len(counts)} message{'s' if len(counts) > 1 else ''} of {blocks} block"
    if blocks != "1":
        text += "s"
    return text + (f", {conflicts} on a link" if conflicts > 1 else "")


def _draw_panel(
    axes: Axes,
    layout: _Layout,
    ranks: list[_core.Round | None],
    holding: list[bool],
    marked: int | None,
) -> None:
    width, height = layout.size
    margin = 0.5 + GAP / 2
    axes.set_xlim(-margin, width - 1 + margin)
    axes.set_ylim(height - 1 + margin, -margin)
    axes.set_aspect("equal")
    axes.axis("off")
    receiving = {message.peer for round_ in ranks if round_ for message in round_.sends}
    for rank, at in enumerate(layout.at):
        x, y = layout.point(at)
        shade = RECEIVED if rank in receiving else HELD if holding[rank] else EMPTY
        edge, thickness = (WRONG, 2.0) if rank == marked else (FAINT, 0.8)
        square = Rectangle(
            (x - SIDE / 2, y - SIDE / 2), SIDE, SIDE, facecolor=shade, edgecolor=edge, lw=thickness
        )
        axes.add_patch(square)
        axes.text(x, y, str(rank), ha="center", va="center", fontsize=7, color=INK)
    for sender, round_ in enumerate(ranks):
        peers: dict[int, int] = {}
        for message in round_.sends if round_ else []:
            earlier = peers.get(message.peer, 0)
            peers[message.peer] = earlier + 1
            for arrow in layout.arrows(sender, message.peer, 0.1 + 0.1 * earlier):
                _draw_arrow(axes, arrow)


def _draw_arrow(axes: Axes, arrow: _Arrow) -> None:
    """Shifts the arrow to its left, so that the one in the other direction remains visible."""
    (x0, y0), (x1, y1) = arrow.start, arrow.end
    length = math.hypot(x1 - x0, y1 - y0)
    along = (x1 - x0) / length, (y1 - y0) / length
    aside = along[1] * arrow.lane, -along[0] * arrow.lane
    inside = SIDE / 2 - 0.06
    first, last = (inside if arrow.leaves else 0), (inside if arrow.enters else 0)
    start = x0 + aside[0] + along[0] * first, y0 + aside[1] + along[1] * first
    end = x1 + aside[0] - along[0] * last, y1 + aside[1] - along[1] * last
    far = arrow.leaves and arrow.enters and length > 1.01
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>" if arrow.enters else "-",
            connectionstyle=f"arc3,rad={0.36 if far else 0}",
            mutation_scale=8,
            shrinkA=0,
            shrinkB=0,
            lw=1.1,
            color=arrow.colour,
            zorder=3,
        )
    )


def _draw_heading(figure: Figure, choice: _core.Choice, shape: _core.Shape, left_out: int) -> None:
    cost = choice.cost(shape)
    width, height = figure.get_size_inches()
    dims = "x".join(map(str, shape.dims))
    figure.text(0.3 / width, 1 - 0.3 / height, path_of(choice), fontsize=14, fontweight="bold",
                color=INK, va="center")  # fmt: skip
    line = f"{shape.p} ranks, {dims} · {cost.rounds} rounds"
    line += f" · at most {cost.messages} messages per rank"
    if left_out:
        line += f" · the last {left_out} rounds are left out"
    figure.text(0.3 / width, 1 - 0.56 / height, line, fontsize=10, color="#566573", va="center")


def _draw_legend(figure: Figure, layout: _Layout) -> None:
    handles: list[Patch | Line2D] = [
        Patch(facecolor=RECEIVED, edgecolor=FAINT, label="receives in this round"),
        Patch(facecolor=HELD, edgecolor=FAINT, label="has data"),
    ]
    for dimension, size in enumerate(layout.dims):
        if size > 1:
            for up in (True, False):
                label = f"dimension {dimension} {'+' if up else '−'}"
                colour = layout.colour(dimension, up)
                handles.append(Line2D([], [], color=colour, lw=1.6, label=label))
    figure.legend(handles=handles, loc="lower center", ncols=min(len(handles), 6), frameon=False,
                  fontsize=8.5, handlelength=1.2, handleheight=1.1)  # fmt: skip
