"""Recorded and predicted times as figures."""

import math
from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from toccata.models.recorded import Case
from toccata.quantities import show_bytes

# Okabe and Ito's colours, which colour-blind people can tell apart.
COLOURS = (
    "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#4d4d4d", "#7a5c3e",
)  # fmt: skip
MARKERS = "osD^vP*X"
INK, FAINT = "#1c2833", "#cfd6dc"


def predicted_over_measured(
    cases: Sequence[Case], predicted: Sequence[float], fitted: Sequence[bool]
) -> Figure:
    """One panel per machine, one dot per time; times used in the fit are hollow."""
    machines = sorted({each.machine for each in cases})
    collectives = sorted({each.collective for each in cases})
    colours = dict(zip(collectives, COLOURS, strict=False))
    figure = Figure(figsize=(4.1 * len(machines), 4.9), layout="constrained")
    panels = figure.subplots(1, len(machines), squeeze=False)[0]
    for axes, machine in zip(panels, machines, strict=True):
        here = [i for i, each in enumerate(cases) if each.machine == machine]
        times = [predicted[i] for i in here] + [cases[i].seconds for i in here]
        ends = (min(times) / 2 * 1e6, max(times) * 2 * 1e6)
        _loglog(axes)
        axes.plot(ends, ends, color=INK, linewidth=0.8, zorder=1)
        for factor in (0.5, 2):
            axes.plot(ends, [end * factor for end in ends], ":", color=INK, linewidth=0.7, zorder=1)
        for i in here:
            colour = colours[cases[i].collective]
            axes.plot(
                cases[i].seconds * 1e6, predicted[i] * 1e6, "o", markersize=4, markeredgewidth=0.9,
                markeredgecolor=colour, markerfacecolor="none" if fitted[i] else colour,
            )  # fmt: skip
        axes.set(xlim=ends, ylim=ends, title=machine, xlabel="measured, µs")
        axes.set_aspect("equal")
    figure.axes[0].set_ylabel("predicted, µs")
    key = [Line2D([], [], marker="o", linestyle="", color=colours[c], label=c) for c in collectives]
    key.append(
        Line2D(
            [], [], marker="o", linestyle="", markerfacecolor="none", color=INK, label="fitted to"
        )
    )
    figure.legend(handles=key, loc="outside lower center", ncols=3 * len(machines), frameon=False)
    return figure


def over_sizes(cases: Sequence[Case], predicted: Sequence[float], title: str) -> Figure:
    """One panel per collective: measured times as marks, predicted times as lines."""
    collectives = sorted({each.collective for each in cases})
    columns = min(4, len(collectives))
    rows = math.ceil(len(collectives) / columns)
    figure = Figure(figsize=(4.2 * columns, 3.7 * rows + 0.6), layout="constrained")
    figure.suptitle(f"{title}:\nmeasured (marks) and predicted (lines)", color=INK, fontsize=11)
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for axes in panels[len(collectives) :]:
        axes.set_axis_off()
    for axes, collective in zip(panels, collectives, strict=False):
        _loglog(axes)
        here = [i for i, each in enumerate(cases) if each.collective == collective]
        for style, algorithm in enumerate(sorted({cases[i].algorithm for i in here})):
            mine = sorted(
                (cases[i].total_bytes, cases[i].seconds * 1e6, predicted[i] * 1e6)
                for i in here
                if cases[i].algorithm == algorithm
            )
            sizes, measured, expected = zip(*mine, strict=True)
            colour = COLOURS[style % len(COLOURS)]
            axes.plot(sizes, expected, color=colour, linewidth=1.1)
            axes.plot(
                sizes, measured, MARKERS[style % len(MARKERS)], color=colour, markersize=5,
                label=algorithm,
            )  # fmt: skip
        shown = sorted({cases[i].total_bytes for i in here})[::2]
        axes.minorticks_off()
        axes.set_xticks(shown, [show_bytes(size) for size in shown])
        axes.set(title=collective, xlabel="total bytes", ylabel="µs")
        axes.legend(frameon=False, fontsize="small")
    return figure


def _loglog(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.grid(color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
