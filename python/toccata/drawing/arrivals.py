"""Waiting and working in a run, and the arrivals of its ranks, as figures for a narrow page."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from toccata.launching.reports import Report, show_call

WAITING, WORKING, COLOURS = "#D55E00", "#0072B2", "viridis"
MOST_BARS = 14
MOST_RANKS = 64  # in a heat map
LETTERS = 48  # below an axis
WIDTH = 4.2  # inches: on a phone, texts stay readable


@dataclass(frozen=True)
class Calls:
    """All calls of one collective, number of ranks and size. Seconds are means over all ranks of
    the program."""

    name: str
    waiting: float
    working: float
    after_first: list[float]  # by rank of MPI_COMM_WORLD; NaN for ranks without calls


def calls_of(report: Report) -> list[Calls]:
    """The calls with known arrivals, the longest time first."""
    groups = defaultdict(list)
    for each in report.rows:
        if each.arrivals:
            groups[each.collective, each.ranks, each.bytes].append(each)
    result = []
    for (collective, ranks, size), rows in groups.items():
        lateness = np.array(
            [each.arrivals.after_first for each in rows if each.arrivals], dtype=float
        )
        weights = np.array([[each.calls] for each in rows]) * ~np.isnan(lateness)
        calls = weights.sum(axis=0)
        sums = (np.nan_to_num(lateness) * weights).sum(axis=0)
        means = np.divide(sums, calls, out=np.full(len(sums), np.nan), where=calls > 0)
        result.append(
            Calls(
                f"{show_call(collective, size)}, {ranks} ranks",
                sum(each.waiting * report.weight(each) for each in rows),
                sum(each.working * report.weight(each) for each in rows),
                means.tolist(),
            )
        )
    return sorted(result, key=lambda each: each.waiting + each.working, reverse=True)


def unit_of(longest: float) -> tuple[str, float]:
    """The unit of an axis for times up to `longest` seconds, and its number per second."""
    return ("s", 1.0) if longest >= 2 else ("ms", 1e3)


def draw_times(calls: Sequence[Calls]) -> Figure:
    """A bar per entry, the waiting part first."""
    shown = calls[:MOST_BARS]
    figure = Figure(figsize=(WIDTH, 0.9 + 0.5 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    unit, factor = unit_of(max(each.waiting + each.working for each in shown))
    for y, each in enumerate(shown):
        waiting, working = each.waiting * factor, each.working * factor
        axes.barh(y, waiting, 0.34, color=WAITING)
        axes.barh(y, working, 0.34, left=waiting, color=WORKING)
        axes.text(0, y - 0.24, each.name, va="bottom")
    axes.set_yticks([])
    axes.set_ylim(len(shown) - 0.7, -0.75)
    axes.set_xlabel(f"{unit}, mean over all ranks")
    axes.spines[["top", "right", "left"]].set_visible(False)
    handles = [Patch(color=WAITING, label="waiting"), Patch(color=WORKING, label="working")]
    figure.legend(handles=handles, loc="outside upper left", ncols=2, frameon=False)
    return figure


def lateness(
    calls: Sequence[Calls], hosts: Sequence[str], by_host: bool
) -> tuple[list[str], NDArray[np.float64]]:
    """The ranks or hosts; and per entry, the microseconds from the first rank's arrival to that of
    each of them."""
    values = np.array([each.after_first for each in calls]) * 1e6
    if not by_host:
        return [str(rank) for rank in range(len(hosts))], values
    labels = list(dict.fromkeys(hosts))
    places = np.array([labels.index(host) for host in hosts])
    columns = [_means(values[:, places == place]) for place in range(len(labels))]
    return labels, np.column_stack(columns)


def draw_lateness(calls: Sequence[Calls], hosts: Sequence[str], by_host: bool) -> Figure:
    """A heat map: the mean time from the first rank's arrival to that of each rank or host."""
    shown = calls[:MOST_BARS]
    labels, values = lateness(shown, hosts, by_host)
    figure = Figure(figsize=(WIDTH, 1.6 + 0.5 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    masked = np.ma.masked_invalid(values)
    norm = Normalize(0, max(float(masked.filled(0.0).max()), 1.0))
    edges = np.arange(len(labels) + 1)
    for y, each in enumerate(shown):  # the name of a row is above its cells
        axes.text(0, y + 0.36, each.name, va="bottom")
        axes.pcolormesh(edges, [y + 0.42, y + 1], masked[y : y + 1], norm=norm, cmap=COLOURS)
    letters = max(len(each) for each in labels) + 2
    step = -(-len(labels) * letters // LETTERS)
    axes.set_xticks(np.arange(0, len(labels), step) + 0.5, labels[::step])
    axes.set_yticks([])
    axes.set_ylim(len(shown), 0)
    axes.set_xlabel("host" if by_host else "rank")
    axes.spines[:].set_visible(False)
    figure.colorbar(
        ScalarMappable(norm, COLOURS), ax=axes, location="bottom",
        label="µs after the first rank's arrival",
    )  # fmt: skip
    return figure


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of each row without NaN; NaN if there is no other value."""
    known = ~np.isnan(values)
    count = known.sum(axis=1)
    sums = np.nan_to_num(values).sum(axis=1)
    result: NDArray[np.float64] = np.full(len(sums), np.nan)
    np.divide(sums, count, out=result, where=count > 0)
    return result
