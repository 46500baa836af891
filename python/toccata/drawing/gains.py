"""The time gained in a run, as a figure."""

from collections import defaultdict
from collections.abc import Sequence

from matplotlib.figure import Figure
from matplotlib.patches import Patch

from toccata.drawing.heatmap import NATIVE
from toccata.launching.reports import Report, Row, show_call

MOST_BARS = 14
OURS, LOST = "#0072B2", "#D55E00"


def draw(report: Report, title: str) -> Figure:
    """Two bars per collective and size: the time with native algorithms, if it was measured, and
    the time of the run. The sums of all are on top."""
    groups: dict[tuple[str, int, int], list[Row]] = defaultdict(list)
    for each in report.rows:
        groups[each.collective, each.ranks, each.bytes].append(each)
    named = [
        (f"{show_call(collective, size)}, {ranks} ranks", _times(report, rows))
        for (collective, ranks, size), rows in groups.items()
    ]
    shown = sorted(named, key=lambda each: each[1][1], reverse=True)[:MOST_BARS]
    bars = [("all collectives", _times(report, report.rows)), *shown]
    figure = Figure(figsize=(8.2, 1.3 + 0.42 * len(bars)), layout="constrained")
    axes = figure.add_subplot()
    for y, (_, (before, after)) in enumerate(bars):
        if before is None:
            axes.barh(y, after * 1e3, 0.34, color=OURS)
            continue
        axes.barh(y - 0.18, before * 1e3, 0.34, color=NATIVE)
        axes.barh(y + 0.18, after * 1e3, 0.34, color=OURS if after <= before * 1.02 else LOST)
        if after < before * 0.995 or after > before * 1.005:
            text = f" {after / before - 1:+.0%}".replace("-", "−")
            axes.text(max(before, after) * 1e3, y, text, va="center", fontsize=8)
    axes.set_yticks(range(len(bars)), [name for name, _ in bars], fontsize=8)
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xlabel(f"ms, {report.meaning}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, fontsize=11, fontweight="bold", loc="left")
    handles = [Patch(color=OURS, label="with Toccata")]
    if any(before is not None for _, (before, _) in bars):
        handles.insert(0, Patch(color=NATIVE, label="with native algorithms, where measured"))
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure


def _times(report: Report, rows: Sequence[Row]) -> tuple[float | None, float]:
    """Seconds with native algorithms, and of the run. The first is None if no algorithm of Toccata
    was compared with native."""
    is_known = any(each.gain > 0 for each in rows) or all(each.is_native for each in rows)
    return sum(map(report.native_time, rows)) if is_known else None, sum(map(report.time, rows))
