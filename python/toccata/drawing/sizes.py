"""Histograms of a report's sizes: calls and time per size class of each collective."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib import rcParams
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from toccata.launching.reports import LONGEST, Report, show_seconds, show_size

LONGER = LONGEST * 2  # the class of a row with all sizes above those of other rows
TIME = "#009E73"  # calls are outlines, which differ from it also without colours
MOST_PANELS = 14
WIDTH = 4.2  # inches: on a phone, texts stay readable


@dataclass(frozen=True)
class Sizes:
    """The calls of one collective, by size: -1 if unknown, otherwise a power of two that is not
    below the size, or 0."""

    collective: str
    calls: dict[int, int]
    seconds: dict[int, float]  # on rank 0


def sizes_of(report: Report) -> list[Sizes]:
    """By collective, the longest time first."""
    found: dict[str, Sizes] = {}
    for each in report.rows:
        mine = found.setdefault(
            each.collective, Sizes(each.collective, defaultdict(int), defaultdict(float))
        )
        size = _class(each.bytes)
        mine.calls[size] += each.calls
        mine.seconds[size] += each.seconds
    return sorted(found.values(), key=lambda each: -sum(each.seconds.values()))


def draw(sizes: Sequence[Sizes]) -> Figure:
    """A panel per collective: the shares of its calls and of its time, by size."""
    shown = sizes[:MOST_PANELS]
    outline: dict[str, Any] = {
        "facecolor": "none",
        "edgecolor": rcParams["axes.edgecolor"],
        "linewidth": 0.8,
    }
    filled: dict[str, Any] = {"facecolor": TIME}
    columns = _columns({size for each in shown for size in each.calls})
    figure = Figure(figsize=(WIDTH, 1.0 + 0.78 * len(shown)), layout="constrained")
    panels = figure.subplots(len(shown), sharex=True, squeeze=False)[:, 0]
    for axes, each in zip(panels, shown, strict=True):
        for values, style, shift in ((each.calls, outline, -0.2), (each.seconds, filled, 0.2)):
            total = sum(values.values())
            bars = {x: values[size] for x, size in enumerate(columns) if values.get(size)}
            shares = [value / total for value in bars.values()]
            axes.bar([x + shift for x in bars], shares, 0.36, **style)
        axes.set_title(title(each), fontsize=9, loc="left", pad=3)
        axes.set_ylim(0, 1)
        axes.set_yticks([0, 1], ["0", "100%"])
        axes.spines[["top", "right"]].set_visible(False)
    step = max(1, -(-len(columns) // 8))
    ticks = range(0, len(columns), step)
    panels[-1].set_xticks(ticks, [show_size(columns[each]) for each in ticks])
    panels[-1].set_xlim(-0.6, max(len(columns), 4) - 0.4)
    panels[-1].set_xlabel("size up to, bytes")
    handles = [
        Patch(**outline, label="share of calls"),
        Patch(**filled, label="share of time"),
    ]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, frameon=False)
    return figure


def title(sizes: Sizes) -> str:
    calls, seconds = sum(sizes.calls.values()), sum(sizes.seconds.values())
    time = show_seconds(seconds) if seconds > 0 else "time unknown"
    return f"{sizes.collective}: {calls} calls, {time}"


def _class(size: int) -> int:
    if size > LONGEST:
        return LONGER
    return size if size <= 1 else 1 << (size - 1).bit_length()


def _columns(used: set[int]) -> list[int]:
    """The classes that occur, and the powers of two between them."""
    powers = [size.bit_length() - 1 for size in used if 0 < size < LONGER]
    between = range(min(powers), max(powers) + 1) if powers else range(0)
    specials = sorted(size for size in used if size <= 0)
    return [*specials, *(1 << power for power in between), *({LONGER} & used)]
