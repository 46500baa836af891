"""Predicted times as a figure, similar to Figures 7 and 8 of the locality-aware paper.

If there are several sizes, the x axis is the size, and each number of ranks has a panel. Otherwise,
the x axis is the number of ranks or nodes. Each machine has a colour, each algorithm a line style.
If there is only one machine, each algorithm has a colour.
"""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullFormatter

from toccata.drawing.pictures import some_of
from toccata.models.predicting import Predicted
from toccata.quantities import show_bytes

# Okabe and Ito's colours, which colour-blind people can tell apart. The number of markers differs
# from that of colours, so that many algorithms have different pairs.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STROKES = ("-", ":", "--", "-.", (0, (1, 3)), (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", "p", ">", "h", "d")
BOUND = "#8c8c8c"
MOST_PANELS = 9


def draw(all_: Sequence[Predicted], model: str) -> Figure:
    """The picture of all predictions, which have the same sizes and algorithms."""
    over_sizes = len(all_[0].sizes) > 1
    ranks = sorted({each.setting.shape.p for each in all_})
    shown = some_of(ranks, MOST_PANELS) if over_sizes else [0]
    columns = min(3, len(shown))
    rows = -(-len(shown) // columns)
    figure = Figure(figsize=(1.6 + 4.6 * columns, 1.4 + 3.4 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharey=True)
    styles = _Styles(all_)
    for i, axis in enumerate(axes.flat):
        if i >= len(shown):
            axis.set_visible(False)
            continue
        if over_sizes:
            here = [each for each in all_ if each.setting.shape.p == shown[i]]
            _over_sizes(axis, here, styles)
            axis.set_title(f"{shown[i]} ranks", fontsize=10)
        else:
            _over_ranks(axis, all_, styles)
        axis.set_yscale("log")
        axis.grid(alpha=0.25, which="both", linewidth=0.5)
        if i % columns == 0:
            axis.set_ylabel("predicted time (µs)")
    heading = f"Predicted by the model {model}"
    if over_sizes and len(shown) < len(ranks):
        heading += f", for {len(shown)} of {len(ranks)} numbers of ranks"
    if not over_sizes:
        heading += f", {show_bytes(all_[0].sizes[0])} bytes"
    figure.suptitle(heading, fontsize=11)
    figure.legend(handles=styles.handles(), loc="outside lower center", ncols=columns + 1,
                  frameon=False, fontsize=9)  # fmt: skip
    return figure


class _Styles:
    def __init__(self, all_: Sequence[Predicted]) -> None:
        self.machines = list(dict.fromkeys(each.setting.machine for each in all_))
        self.algorithms = list(dict.fromkeys(label for each in all_ for label in each.seconds))
        self.bounded = any(value is not None for each in all_ for value in each.bound)

    def line(self, machine: str | None, algorithm: str) -> dict[str, object]:
        stroke = self.algorithms.index(algorithm)
        colour = stroke if len(self.machines) == 1 else self.machines.index(machine)
        return {
            "color": COLOURS[colour % len(COLOURS)],
            "linestyle": STROKES[stroke % len(STROKES)],
            "marker": MARKERS[stroke % len(MARKERS)],
            "markersize": 3.5,
            "linewidth": 1.6,
        }

    def bound(self, machine: str | None) -> dict[str, object]:
        one = len(self.machines) == 1
        colour = BOUND if one else COLOURS[self.machines.index(machine) % len(COLOURS)]
        return {"color": colour, "linewidth": 0.8 if one else 0.6, "alpha": 0.8, "zorder": 1}

    def handles(self) -> list[Line2D]:
        if len(self.machines) == 1:
            entries = [
                Line2D([], [], label=each, **self.line(self.machines[0], each))  # type: ignore[arg-type]
                for each in self.algorithms
            ]
        else:
            entries = [
                Line2D([], [], color="black", label=each,
                       linestyle=STROKES[i % len(STROKES)],  # type: ignore[arg-type]
                       marker=MARKERS[i % len(MARKERS)], markersize=3.5)
                for i, each in enumerate(self.algorithms)
            ]  # fmt: skip
            entries += [
                Line2D([], [], color=COLOURS[i % len(COLOURS)], label=each, linewidth=3)
                for i, each in enumerate(self.machines)
            ]
        if self.bounded:
            entries.append(Line2D([], [], color=BOUND, linewidth=0.8, label="lower bound"))
        return entries


def _over_sizes(axis: Axes, here: Sequence[Predicted], styles: _Styles) -> None:
    for each in here:
        machine = each.setting.machine
        for label, times in each.seconds.items():
            _line(axis, each.sizes, times, styles.line(machine, label))
        _line(axis, each.sizes, each.bound, styles.bound(machine))
    axis.set_xscale("log", base=2)
    axis.set_xlabel("bytes")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda size, _: show_bytes(round(size))))


def _over_ranks(axis: Axes, all_: Sequence[Predicted], styles: _Styles) -> None:
    nodes = all(each.setting.nodes is not None for each in all_)
    for machine in styles.machines:
        of_machine = [each for each in all_ if each.setting.machine == machine]
        places = [each.setting.nodes if nodes else each.setting.shape.p for each in of_machine]
        numbers = [place or 0 for place in places]
        for label in styles.algorithms:
            times = [each.seconds[label][0] for each in of_machine]
            _line(axis, numbers, times, styles.line(machine, label))
        _line(axis, numbers, [each.bound[0] for each in of_machine], styles.bound(machine))
    axis.set_xscale("log", base=2)
    axis.set_xlabel("nodes" if nodes else "ranks")
    axis.xaxis.set_major_formatter(FuncFormatter(lambda number, _: f"{number:g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def _line(
    axis: Axes, places: Sequence[int], times: Sequence[float | None], style: dict[str, object]
) -> None:
    points = [(place, time * 1e6) for place, time in zip(places, times, strict=True) if time]
    if points:
        axis.plot(*zip(*points, strict=True), **style)  # type: ignore[arg-type]
