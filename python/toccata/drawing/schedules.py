"""A schedule as a figure, similar to Figure 3 of the Sparbit paper.

One panel per round. A column is a rank, a cell is a block of its buffer. The number in a cell is
the rank that owns the data. In a reduction, the text shows the ranks that have contributed ("0–3",
or their number if they are not consecutive). Data that arrived in the round is grey,
copied data orange, reduced data green; sent data has a frame. Arcs lead from sender to receiver. A
dashed red arc is a message that never arrives, although a rank waits for it.
"""

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch, Patch, Rectangle

from toccata import _core
from toccata.algorithms.catalogue import path_of
from toccata.algorithms.show import common_pattern
from toccata.algorithms.trace import NOTHING, Step, Trace, trace
from toccata.drawing.pictures import (
    ARROW,
    COPIED,
    EMPTY,
    FAINT,
    FAINT_ARROW,
    FAINT_OUTWARD,
    HELD,
    INK,
    OUTWARD,
    RECEIVED,
    REDUCED,
    WRONG,
)
from toccata.errors import InputError
from toccata.quantities import several

MOST_RANKS = 32  # with more ranks, numbers do not fit into cells
MOST_PANELS = 18

REGION = "#eef1e6"  # colour of every second region
# Inches: a cell by the maximum number of ranks; the narrowest panel; the space next to and above
# a panel.
CELLS = {8: 0.32, 16: 0.27, MOST_RANKS: 0.21}
LEAST_WIDTH, BESIDE, ABOVE, HEADING, LEGEND = 1.55, 0.7, 0.6, 0.75, 0.55
LINE = 0.17  # inches, of the error of a proof
GAP = 1.0  # cells between two buffers
RANK_ROW = 1.0  # cells


@dataclass(frozen=True)
class Fault:
    """The error of a proof, and its location, if the text contains it."""

    text: str
    rank: int | None = None
    round: int | None = None

    @classmethod
    def of(cls, error: str) -> "Fault | None":
        """From a line of `toccata verify`, "rank 1, round 2: ..."; None without an error."""
        match = re.search(r"\brank (\d+)(?:, round (\d+))?: ", error)
        where = [int(each) if each else None for each in match.groups()] if match else []
        return cls(error, *where) if error else None

    def lines(self, width: float) -> list[str]:
        """The text, wrapped for a figure of that width in inches."""
        return textwrap.wrap(f"wrong: {self.text}", int((width - 0.6) * 13))


def draw(choice: _core.Choice, shape: _core.Shape, fault: Fault | None = None) -> Figure:
    """The figure of all rounds of a choice; the round and the rank of a fault are marked.

    A fault without a round is at the end.

    Raises InputError if there are too many ranks to be readable.
    """
    p = shape.p
    if p > MOST_RANKS:
        raise InputError(
            f"-p {p}: figures show at most {MOST_RANKS} ranks; draw fewer ranks, such as -p 16, "
            "which show the same pattern, or leave out --output for text"
        )
    whole = trace(choice, shape)
    shown = _panels(whole, fault.round if fault else None)
    cell = next(inches for most, inches in CELLS.items() if p <= most)
    width = max(p * cell, LEAST_WIDTH) + BESIDE
    height = _rows(whole) * cell + ABOVE
    columns = _columns(len(shown), width, height)
    rows = math.ceil(len(shown) / columns)
    figure_width = max(columns * width + BESIDE, 6.4 if fault is None else 7.6)  # for the legend
    said = fault.lines(figure_width) if fault else []
    figure_height = rows * height + HEADING + LEGEND + LINE * len(said)
    figure = Figure(figsize=(figure_width, figure_height))
    left = (figure_width - columns * width) / 2 + BESIDE / 2
    for index, number in enumerate(shown):
        row, column = divmod(index, columns)
        axes = figure.add_axes(
            (
                (left + column * width) / figure_width,
                (LEGEND + (rows - 1 - row) * height) / figure_height,
                p * cell / figure_width,
                (height - ABOVE) / figure_height,
            )
        )
        steps = whole.before if number < 0 else whole.steps[number]
        _draw_panel(axes, whole, steps, _title(choice, whole, number, shown))
        if fault is not None and number == (shown[-1] if fault.round is None else fault.round):
            _mark(axes, fault)
    _draw_heading(figure, choice, whole, shown)
    write_fault(figure, said)
    _draw_legend(figure, whole)
    return figure


def _mark(axes: Axes, fault: Fault) -> None:
    """A red frame around the rank."""
    if fault.rank is None:
        return
    top, bottom = sorted(axes.get_ylim())
    axes.add_patch(
        Rectangle((fault.rank - 0.5, top), 1, bottom - top, fill=False, edgecolor=WRONG, lw=2,
                  clip_on=False)
    )  # fmt: skip


def write_fault(figure: Figure, lines: Sequence[str]) -> None:
    """Writes the lines below the heading, where the caller has left LINE inches for each."""
    width, height = figure.get_size_inches()
    figure.text(0.3 / width, 1 - (HEADING - 0.05) / height, "\n".join(lines), fontsize=9,
                color=WRONG, va="top")  # fmt: skip


def _columns(panels: int, width: float, height: float) -> int:
    """The number of panels per row, for even rows and a figure of about 16:10."""
    best = min(
        range(1, panels + 1),
        key=lambda n: abs(math.log(n * width / (math.ceil(panels / n) * height) / 1.6)),
    )
    rows = math.ceil(panels / best)
    return math.ceil(panels / rows)


def _panels(whole: Trace, faulty: int | None) -> list[int]:
    """The rounds that get a panel, including the faulty one; -1 is the state before the first
    message.

    If the first round only copies, its end is that state.
    """
    rounds = _rounds_worth_showing(whole)
    if len(rounds) > MOST_PANELS:
        rounds = [*rounds[: MOST_PANELS // 2], *rounds[-MOST_PANELS // 2 :]]
    return sorted({*rounds, *([] if faulty is None else [faulty])})


def _rounds_worth_showing(whole: Trace) -> list[int]:
    """The initial state, and the rounds in which any rank acts."""
    talking = [i for i, steps in enumerate(whole.steps) if any(s.communicates for s in steps)]
    first = talking[0] if talking else len(whole.steps)
    busy = (i for i in range(first, len(whole.steps)) if any(_busy(s) for s in whole.steps[i]))
    return [first - 1, *busy]


def _busy(step: Step) -> bool:
    return step.communicates or bool(step.copied)


def _regions(shape: _core.Shape) -> list[int]:
    """The region of every rank at the outermost level that divides the ranks; 0 if none does."""
    levels = _core.regions(shape)
    return levels[0][1] if levels else [0] * shape.p


def _title(choice: _core.Choice, whole: Trace, number: int, shown: list[int]) -> tuple[str, str]:
    if number == shown[0]:
        return "start", ""
    rounds = _rounds(choice, whole.shape, number)
    return f"round {number}", common_pattern(rounds) if len(rounds) == whole.p else ""


def _rounds(choice: _core.Choice, shape: _core.Shape, number: int) -> list[_core.Round]:
    schedules = [choice.schedule(shape, rank) for rank in range(shape.p)]
    return [each.round(number) for each in schedules if number < len(each)]


def _rows(whole: Trace) -> float:
    """The height of a panel, in cells."""
    buffers = [len(whole.before[0].holds[buffer]) for buffer in whole.buffers]
    return sum(buffers) + GAP * (len(buffers) - 1) + RANK_ROW + _arcs(whole.p)


def _arcs(p: int) -> float:
    """The height of the arcs, in cells."""
    return min(1.2 + 0.22 * p, 4.5)


def _draw_panel(axes: Axes, whole: Trace, steps: list[Step], title: tuple[str, str]) -> None:
    p = whole.p
    axes.set_xlim(-0.5, p - 0.5)
    regions = _regions(whole.shape)
    for rank in range(p):
        if regions[rank] % 2:
            axes.add_patch(
                Rectangle((rank - 0.5, -0.5 - RANK_ROW), 1, RANK_ROW, color=REGION, lw=0)
            )
    lowest = 0.0
    for buffer in whole.buffers:
        lowest = _draw_buffer(axes, whole, steps, buffer, lowest)
    axes.set_ylim(lowest, lowest - _rows(whole))
    axes.axis("off")
    name, pattern = title
    above: dict[str, Any] = {
        "xycoords": "axes fraction",
        "textcoords": "offset points",
        "va": "baseline",
    }
    axes.annotate(name, (0, 1), (0, 4), fontsize=10.5, fontweight="bold", color=INK, **above)
    axes.annotate(pattern, (0, 1), (57, 4), fontsize=9, color=ARROW, **above)
    for rank in range(p):
        if _labelled(rank, p):
            axes.text(rank, -0.95, str(rank), ha="center", va="center", fontsize=8, color=INK,
                      fontweight="bold")  # fmt: skip
    axes.text(-0.8, -0.95, "rank", ha="right", va="center", fontsize=8, color=INK)
    for rank, step in enumerate(steps):
        for peer in step.sends_to:
            _draw_arc(axes, rank, peer, regions)
        for peer in step.waits_for:
            _draw_arc(axes, peer, rank, regions, never_comes=True)


def _labelled(index: int, count: int) -> bool:
    return count <= MOST_RANKS or index % 8 == 0 or index == count - 1


def _draw_buffer(axes: Axes, whole: Trace, steps: list[Step], buffer: str, top: float) -> float:
    """Draws one buffer of all ranks below `top`; returns the top of the next one."""
    p = whole.p
    blocks = max(len(each.holds[buffer]) for each in steps)
    if blocks == 0:  # a barrier has only arcs
        return top - 0.5
    shades = cell_shades(steps, buffer)
    image = np.array([[to_rgb(shade) for shade in row] for row in shades])
    offset = top + GAP + 0.5 if top > 0 else 0.0
    axes.imshow(
        image,
        extent=(-0.5, p - 0.5, offset + blocks - 0.5, offset - 0.5),
        interpolation="nearest",
        aspect="auto",
        gid=buffer,
    )
    for x in range(p + 1):
        axes.plot(
            [x - 0.5, x - 0.5],
            [offset - 0.5, offset + blocks - 0.5],
            color=FAINT,
            lw=0.6,
            clip_on=False,
        )
    for y in range(blocks + 1):
        axes.plot(
            [-0.5, p - 0.5],
            [offset + y - 0.5, offset + y - 0.5],
            color=FAINT,
            lw=0.6,
            clip_on=False,
        )
    for rank, step in enumerate(steps):
        for block, datum in enumerate(step.holds[buffer]):
            if datum != NOTHING and p <= MOST_RANKS:
                axes.text(rank, offset + block, cell_text(step, buffer, block),
                          ha="center", va="center_baseline",
                          fontsize=8 if p <= 16 else 6, color=INK)  # fmt: skip
            if (buffer, block) in step.sent and p <= MOST_RANKS:
                axes.add_patch(
                    Rectangle(
                        (rank - 0.42, offset + block - 0.42),
                        0.84,
                        0.84,
                        fill=False,
                        edgecolor=ARROW,
                        lw=1.1,
                    )
                )
    name = "block" if len(whole.buffers) == 1 else buffer
    middle = offset + blocks / 2 - 0.5
    axes.text(-0.95, middle, name, ha="center", va="center", rotation=90, fontsize=8, color=INK)
    return offset + blocks - 0.5


def cell_text(step: Step, buffer: str, block: int) -> str:
    """The text in a cell that holds data."""
    ranks = sorted(step.given[buffer][block])
    if not ranks:
        return str(step.holds[buffer][block])
    if len(ranks) == 1:
        return str(ranks[0])
    in_a_row = ranks[-1] - ranks[0] == len(ranks) - 1
    return f"{ranks[0]}–{ranks[-1]}" if in_a_row else f"{len(ranks)}×"


def cell_shades(steps: list[Step], buffer: str) -> list[list[str]]:
    """The colour of every cell, as [block][rank]."""
    blocks = max(len(each.holds[buffer]) for each in steps)

    def shade(step: Step, block: int) -> str:
        if block >= len(step.holds[buffer]):
            return EMPTY
        if (buffer, block) in step.reduced:
            return REDUCED
        if (buffer, block) in step.received:
            return RECEIVED
        if (buffer, block) in step.copied:
            return COPIED
        return EMPTY if step.holds[buffer][block] == NOTHING else HELD

    return [[shade(step, block) for step in steps] for block in range(blocks)]


def _draw_arc(
    axes: Axes, sender: int, receiver: int, regions: list[int], never_comes: bool = False
) -> None:
    """An arc above the ranks, as high as it is wide, red if it leads out of the region.

    Arcs of rank 0 have the full colour; with several regions, those of its region have it.
    """
    p = len(regions)
    foot = -1.45
    height = 2 * (_arcs(p) - 0.35) * abs(receiver - sender) / max(p - 1, 1)
    toward = 1 if receiver > sender else -1
    bow = toward * height / abs(receiver - sender)
    first = regions[sender] == regions[0] if any(regions) else sender == 0
    outward = regions[sender] != regions[receiver]
    full, faint = (OUTWARD, FAINT_OUTWARD) if outward else (ARROW, FAINT_ARROW)
    colour = WRONG if never_comes else full if first else faint
    axes.add_patch(
        FancyArrowPatch(
            (sender + 0.1 * toward, foot),
            (receiver - 0.1 * toward, foot),
            connectionstyle=f"arc3,rad={-bow:.3f}",
            arrowstyle="-|>",
            mutation_scale=7 if first else 5,
            shrinkA=0,
            shrinkB=0,
            lw=1.4 if first else 0.8,
            color=colour,
            linestyle="--" if never_comes else "-",
            zorder=3 if first else 2,
        )
    )


def _draw_heading(figure: Figure, choice: _core.Choice, whole: Trace, shown: list[int]) -> None:
    cost = choice.cost(whole.shape)
    width, height = figure.get_size_inches()
    figure.text(0.3 / width, 1 - 0.3 / height, path_of(choice), fontsize=14, fontweight="bold",
                color=INK, va="center")  # fmt: skip
    left_out = len(_rounds_worth_showing(whole)) - len(shown)
    counts = {"rank": whole.p, "round": cost.rounds, "message": cost.messages}
    parts = [f"{count} {name}{'s' if count != 1 else ''}" for name, count in counts.items()]
    line = " · ".join([*parts[:2], f"at most {parts[2]} per rank"])
    if left_out:
        line += f" · {left_out} rounds in the middle are left out"
    figure.text(0.3 / width, 1 - 0.56 / height, line, fontsize=10, color="#566573", va="center")


def _draw_legend(figure: Figure, whole: Trace) -> None:
    handles: list[Patch | Line2D] = []
    has_blocks = any(whole.before[0].holds[buffer] for buffer in whole.buffers)
    if has_blocks:
        handles += [
            Patch(facecolor=RECEIVED, edgecolor=FAINT, label="received in this round"),
            Patch(facecolor=HELD, edgecolor=FAINT, label="held before"),
        ]
    if any(step.copied for steps in whole.steps for step in steps):
        handles.append(Patch(facecolor=COPIED, edgecolor=FAINT, label="copied locally"))
    if any(step.reduced for steps in whole.steps for step in steps):
        handles.append(Patch(facecolor=REDUCED, edgecolor=FAINT, label="reduced"))
    if has_blocks and whole.p <= MOST_RANKS:
        handles.append(
            Patch(facecolor="none", edgecolor=ARROW, linewidth=1.1, label="sent in this round")
        )
    if any(step.waits_for for steps in whole.steps for step in steps):
        handles.append(Line2D([], [], color=WRONG, lw=1.4, linestyle="--", label="never comes"))
    if levels := _core.regions(whole.shape):
        handles += [
            Line2D([], [], color=ARROW, lw=1.4, label=f"within a {levels[0][0]}"),
            Line2D([], [], color=OUTWARD, lw=1.4, label=f"between {several(levels[0][0])}"),
        ]
    if handles:
        figure.legend(handles=handles, loc="lower center", ncols=len(handles), frameon=False,
                      fontsize=9, handlelength=1.1, handleheight=1.1)  # fmt: skip
