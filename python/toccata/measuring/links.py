"""Several links of a node at the same time: measured, fitted and drawn as in the multi-link paper.

The cost of l simultaneous messages of n bytes over l links is (alpha + n beta)(1 + (l - 1) tau):
with tau 0, an additional link is free; with 1, it gains nothing (Chan et al., 2006, section 5.1.1).
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from math import prod
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from rich.table import Table

from toccata import _core, outputs
from toccata.errors import Failure, InputError
from toccata.measuring import benchmark
from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_bytes, show_microseconds

WAYS = {"send": "send", "receive": "receive", "exchange": "exchange (both ways)"}
STANDARD_RANKS, STANDARD_SIZES = "5", "8:4M"
# The paper's sets of sizes: eager, between, rendezvous.
RANGES = ((0, 512), (513, 32 << 10), ((32 << 10) + 1, 1 << 62))
COLOURS = ("#0b5fa5", "#c8553d", "#2b8a5a", "#8e5ea2", "#b8860b", "#5c6b7a", "#d16ba5", "#3aa6a6")


@dataclass(frozen=True)
class Timing:
    """Medians over the repetitions, in seconds, for the ranks that took part."""

    way: str
    links: int
    bytes: int
    longest: float
    shortest: float
    average: float


@dataclass(frozen=True)
class Fit:
    """The parameters for the longest times of one direction and one range of sizes."""

    way: str
    least: int  # bytes
    most: int
    alpha: float  # seconds
    beta: float  # seconds per byte
    tau: float
    error: float  # root mean square, relative

    def seconds(self, size: float, links: int) -> float:
        return (self.alpha + size * self.beta) * (1 + (links - 1) * self.tau)


def check_machine(text: str, ranks: int) -> None:
    """InputError if the machine is not a mesh of that many cells; ChoiceError for invalid texts."""
    dims = _core.Machine(text).dims
    if not dims:
        raise InputError(
            f"'{text}' is not a mesh; give one such as torus:4x4, or leave out --machine"
        )
    if prod(dims) != ranks:
        raise InputError(
            f"'{text}' has {prod(dims)} cells, each of them a rank; "
            f"give --ranks {prod(dims)} instead of {ranks}"
        )


def measure(command: Sequence[str], ranks: int) -> tuple[str, list[Timing]]:
    """Runs the benchmark program; returns the MPI library and the measurements.

    Raises Failure if it fails or ends early.
    """
    mpi, timings, done = "", list[Timing](), False
    for event in benchmark.events(command, ranks):
        match event["event"]:
            case "start":
                mpi = str(event["mpi"])
            case "result":
                names = ("longest", "shortest", "average")
                times = {name: float(event[name]) for name in names}
                timings.append(Timing(event["way"], event["links"], event["bytes"], **times))
            case "done":
                done = True
    if not done or not timings:
        raise Failure(f"the run with {plural('rank', ranks)} ended early: {' '.join(command)}")
    return mpi, timings


def write_csv(timings: Iterable[Timing], path: Path) -> None:
    """One line per measurement, times in seconds; InputError if it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with outputs.whole(path) as made, made.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        names = [each.name for each in fields(Timing)]
        rows.writerow(names)
        rows.writerows([getattr(each, name) for name in names] for each in timings)


def fit(timings: Sequence[Timing], way: str, least: int, most: int) -> Fit | None:
    """The alpha, beta and tau with the least relative errors; None with fewer than two sizes.

    For a given tau, alpha and beta follow from a linear problem, so only tau is searched.
    """
    here = [each for each in timings if each.way == way and least <= each.bytes <= most]
    sizes = sorted({each.bytes for each in here})
    if len(sizes) < 2:
        return None
    size = np.array([each.bytes for each in here], dtype=float)
    more = np.array([each.links - 1 for each in here], dtype=float)
    seconds = np.array([each.longest for each in here])

    def solve(tau: float) -> tuple[float, float, float]:
        """Alpha, beta, and the root of the mean squared relative error."""
        factor = (1 + more * tau) / seconds
        columns = np.stack([factor, size * factor], axis=1)
        best, *_ = np.linalg.lstsq(columns, np.ones_like(seconds), rcond=None)
        if best.min() < 0:  # one of them would be negative: only the other remains
            kept = int(best.argmax())
            column = columns[:, kept]
            best = np.zeros(2)
            best[kept] = column.sum() / (column @ column)
        error = np.sqrt(np.mean((columns @ best - 1) ** 2))
        return float(best[0]), float(best[1]), float(error)

    low, high = 0.0, 2.0 if more.any() else 0.0
    for _ in range(4):  # on increasingly fine grids
        taus = np.linspace(low, high, 41)
        tau = float(min(taus, key=lambda each: solve(float(each))[2]))
        step = (high - low) / 40
        low, high = max(0.0, tau - step), tau + step
    alpha, beta, error = solve(tau)
    return Fit(way, sizes[0], sizes[-1], alpha, beta, tau, error)


def fits(timings: Sequence[Timing]) -> list[Fit]:
    """The fits for every direction and every range with enough sizes."""
    found = (fit(timings, way, least, most) for way in WAYS for least, most in RANGES)
    return [each for each in found if each is not None]


def alone(timings: Sequence[Timing]) -> list[int]:
    """The sizes that are alone in their ranges, so that no fit is possible."""
    sizes = {each.bytes for each in timings}
    ranges = [[n for n in sizes if least <= n <= most] for least, most in RANGES]
    return [each[0] for each in ranges if len(each) == 1]


def times_table(timings: Sequence[Timing], way: str) -> Table:
    """One row per size, one column per number of links, in µs, with the ratio to one link."""
    most = max(each.links for each in timings)
    table = PlainTable(title=f"{WAYS[way]}: longest time in µs")
    table.add_column("Size", justify="right")
    for links in range(1, most + 1):
        table.add_column(f"{links} link{'s' if links > 1 else ''}", justify="right", no_wrap=True)
    for size in sorted({each.bytes for each in timings}):
        row = {e.links: e.longest for e in timings if e.bytes == size and e.way == way}
        cells = [show_microseconds(row[1])]
        cells += [
            f"{show_microseconds(row[links])} [dim]×{row[links] / row[1]:.2f}[/]"
            for links in range(2, most + 1)
        ]
        table.add_row(show_bytes(size), *cells)
    return table


def fit_table(found: Iterable[Fit]) -> Table:
    """The fitted parameters."""
    table = PlainTable(kept=2, title="fit of (α + nβ)(1 + (l − 1)τ)")
    for heading in ("Way", "Sizes", "α (µs)", "β (ns/B)", "τ", "Error"):
        table.add_column(heading, justify="left" if heading == "Way" else "right", no_wrap=True)
    for each in found:
        table.add_row(
            each.way,
            f"{show_bytes(each.least)}–{show_bytes(each.most)}",
            show_microseconds(each.alpha),
            f"{each.beta * 1e9:.3f}",
            f"{each.tau:.3f}",
            f"{each.error:.0%}",
        )
    return table


def draw(timings: Sequence[Timing], found: Sequence[Fit], title: str) -> Figure:
    """Times over sizes, as circles; the fitted model as lines. One panel per direction."""
    figure = Figure(figsize=(4.6 * len(WAYS), 4.4), layout="constrained")
    panels = figure.subplots(1, len(WAYS), sharey=True, squeeze=False)[0]
    for axes, way in zip(panels, WAYS, strict=True):
        here = [each for each in timings if each.way == way]
        for links in sorted({each.links for each in here}):
            colour = COLOURS[(links - 1) % len(COLOURS)]
            points = sorted((e.bytes, e.longest * 1e6) for e in here if e.links == links)
            axes.plot(*zip(*points, strict=True), "o", mfc="none", ms=5, color=colour,
                      label=f"{links} link{'s' if links > 1 else ''}")  # fmt: skip
            for each in found:
                if each.way == way:
                    sizes = np.geomspace(each.least, each.most, 50)
                    line = [each.seconds(size, links) * 1e6 for size in sizes]
                    axes.plot(sizes, line, color=colour, lw=1.1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(WAYS[way], fontsize=11)
        axes.set_xlabel("bytes of a message")
        axes.grid(True, which="major", color="#e3e7ea", lw=0.6)
        axes.xaxis.set_major_formatter(lambda size, _: show_bytes(int(size)))
    panels[0].set_ylabel("longest time, µs")
    panels[0].legend(frameon=False, fontsize=9)
    figure.suptitle(f"{title}\ncircles: measured; lines: (α + nβ)(1 + (l − 1)τ), fitted by range",
                    fontsize=10.5)  # fmt: skip
    return figure
