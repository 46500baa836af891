"""Two reports of a program, as a figure for a narrow page."""

from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from toccata.drawing.arrivals import MOST_BARS, WAITING, WIDTH, WORKING, unit_of
from toccata.launching.comparing import Change, Side

UNKNOWN = "#7f8c8d"


def shown_in_figure(changes: Sequence[Change]) -> list[Change]:
    """The calls that both reports have, the longest time first."""
    return [each for each in changes if each.in_both][:MOST_BARS]


def draw(changes: Sequence[Change]) -> Figure:
    """Two bars per entry: as many calls as before the change, with the times before and after."""
    shown = shown_in_figure(changes)
    figure = Figure(figsize=(WIDTH, 1.1 + 0.72 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    ticks, labels, colours = [], [], set()
    sides = [(each, side) for each in shown for side in (each.before, each.after)]
    unit, factor = unit_of(max((_length(*each) for each in sides), default=0.0))
    for number, each in enumerate(shown):
        y = 1.5 * number
        name = each.name if each.ratio is None else f"{each.name}: working ×{each.ratio:.2f}"
        axes.text(0, y - 0.26, name, va="bottom")
        for side, label in ((each.before, "before"), (each.after, "after")):
            left = 0.0
            for seconds, colour in _parts(side):
                width = seconds * each.before.calls * factor
                axes.barh(y, width, 0.36, left=left, color=colour)
                colours.add(colour)
                left += width
            ticks.append(y)
            labels.append(label)
            y += 0.45
    axes.set_yticks(ticks, labels)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(1.5 * len(shown) - 0.75, -0.85)
    axes.set_xlabel(f"{unit} for as many calls as before")
    axes.spines[["top", "right", "left"]].set_visible(False)
    names = {WAITING: "waiting", WORKING: "working", UNKNOWN: "both, on rank 0"}
    handles = [Patch(color=each, label=name) for each, name in names.items() if each in colours]
    figure.legend(handles=handles, loc="outside upper left", ncols=3, frameon=False)
    return figure


def _length(change: Change, side: Side) -> float:
    """Seconds of as many calls as before."""
    return change.before.calls * sum(seconds for seconds, _ in _parts(side))


def _parts(side: Side) -> list[tuple[float, str]]:
    """Seconds per call, and their colours."""
    if side.waiting is None or side.working is None:
        return [(side.per_call, UNKNOWN)]
    return [(side.waiting, WAITING), (max(side.working, 0.0), WORKING)]
