"""Measures messages on this machine and fits a model to them.

A ping-pong takes 2·o + alpha + n·beta. In a burst of messages from one rank to another, each
message except the first adds the time for which it occupies the slowest part of the path, o or
n·beta·tau. Ranks of one node that send to another node at once share its injection limit. Two
ranks of a node that publish a block for each other write and read it, each once: a latency and
n·(write + read).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from toccata import _core
from toccata.errors import Failure, InputError
from toccata.measuring import benchmark
from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_bytes

LEAST_POINTS = 4  # minimum for a line
BEND = 0.8  # two lines are used if their squared errors are below this share of one line's
LIMITED = 1.15  # pairs share a limit if they take this many times as long as one pair

Points = list[tuple[int, float]]  # bytes, seconds


@dataclass
class Measured:
    """The measurements in the output of the program."""

    mpi: str = ""
    ranks: int = 0
    messages: dict[str, Points] = field(default_factory=dict)  # by level
    bursts: dict[str, dict[int, tuple[int, float]]] = field(default_factory=dict)
    pairs: dict[int, Points] = field(default_factory=dict)  # by number of pairs
    publishing: Points = field(default_factory=list)  # two ranks, each for the other
    steps: dict[str, float] = field(default_factory=dict)  # seconds per byte


@dataclass(frozen=True)
class Line:
    """alpha + n·beta for sizes of at least `first` bytes, and the error."""

    first: int
    alpha: float
    beta: float
    median_error: float  # relative
    worst_error: float


def parse_sizes(text: str) -> list[int]:
    """The sizes as users write them; InputError if they are too few to fit a line.

    Empty messages are measured too, but do not determine the cost of bytes.
    """
    sizes = benchmark.parse_sizes(text, least=0)
    if sum(size > 0 for size in sizes) < LEAST_POINTS:
        raise InputError(
            f"--sizes {text}: a fit needs at least {LEAST_POINTS} different sizes above 0, such as "
            "1:4M"
        )
    return sizes


def measure(command: Sequence[str], ranks: int) -> Measured:
    """Runs the calibration program on that many ranks; Failure if it fails."""
    # Reads all output first: if the program failed, its exit code tells more than the missing end.
    return read(list(benchmark.events(command, ranks)))


def read(events: Iterable[dict[str, Any]]) -> Measured:
    """The output of the program; Failure unless it is complete."""
    result = Measured()
    finished = False
    for told in events:
        match told["event"]:
            case "start":
                result.mpi, result.ranks = str(told["mpi"]), int(told["ranks"])
            case "message":
                points = result.messages.setdefault(told["level"], [])
                points.append((told["bytes"], told["seconds"]))
            case "burst":
                of_level = result.bursts.setdefault(told["level"], {})
                of_level[told["bytes"]] = (told["number"], told["seconds"])
            case "pairs":
                result.pairs.setdefault(told["number"], []).append((told["bytes"], told["seconds"]))
            case "publishing":
                result.publishing.append((told["bytes"], told["seconds"]))
            case "step":
                result.steps[told["level"]] = told["seconds"] / told["bytes"]
            case "done":
                finished = True
    if not finished:
        raise Failure("the calibration program ended before it had finished")
    return result


def without_noise(points: Points) -> Points:
    """The points by size. A time above that of a longer message was disturbed; the latter replaces
    it."""
    result: Points = []
    least = float("inf")
    for size, seconds in sorted(points, reverse=True):
        least = min(least, seconds)
        result.append((size, least))
    return result[::-1]


def fit_line(points: Points) -> Line:
    """The line with the least squares of relative errors and without negative parameters."""
    weights = [1 / seconds**2 for _, seconds in points]
    w = sum(weights)
    wn = sum(k * n for k, (n, _) in zip(weights, points, strict=True))
    wnn = sum(k * n * n for k, (n, _) in zip(weights, points, strict=True))
    wt = sum(k * t for k, (_, t) in zip(weights, points, strict=True))
    wnt = sum(k * n * t for k, (n, t) in zip(weights, points, strict=True))
    determinant = w * wnn - wn * wn
    alpha, beta = wt / w, 0.0
    if determinant > 0:
        alpha = (wt * wnn - wn * wnt) / determinant
        beta = (w * wnt - wn * wt) / determinant
    if beta < 0:
        alpha, beta = wt / w, 0.0
    if alpha < 0:
        alpha, beta = 0.0, wnt / wnn
    errors = [abs(alpha + n * beta - t) / t for n, t in points]
    return Line(points[0][0], alpha, beta, median(errors), max(errors))


def fit_lines(points: Points) -> list[Line]:
    """One line, or two (eager and rendezvous messages) if these have much smaller errors."""
    points = without_noise(points)
    whole = fit_line(points)
    best, least = [whole], BEND * _squares(points, whole)
    for i in range(LEAST_POINTS, len(points) - LEAST_POINTS + 1):
        lines = [fit_line(points[:i]), fit_line(points[i:])]
        squares = _squares(points[:i], lines[0]) + _squares(points[i:], lines[1])
        if squares < least:
            best, least = lines, squares
    return best


def _squares(points: Points, line: Line) -> float:
    return sum(((line.alpha + n * line.beta - t) / t) ** 2 for n, t in points)


def fit(measured: Measured, name: str) -> tuple[_core.Model, dict[str, list[Line]]]:
    """The model, and the lines of its levels."""
    lines = {level: fit_lines(points) for level, points in measured.messages.items()}
    # The program prints the outermost level first; the network may be missing.
    levels = [_level(measured, level, lines[level]) for level in lines]
    if "network" not in lines:
        levels.insert(0, {**levels[0], "level": "network"})
    rate = injection(measured)
    if rate is not None:
        node: dict[str, Any] = next((e for e in levels if e["level"] == "node"), {})
        if not node:
            node = {**levels[0], "level": "node"}
            levels.insert(1, node)
        node["injection"] = rate
    missing = "" if "network" in lines else "; network: a copy of the outermost level"
    document = {
        "name": name,
        "origin": f"toccata calibrate: {measured.ranks} ranks, {measured.mpi}; "
        f"measured: {', '.join(lines)}{missing}",
        "levels": levels,
        **measured.steps,
    }
    if (costs := publishing(measured)) is not None:
        document["publishing"] = costs
    return _core.Model.parse(json.dumps(document), name), lines


def _level(measured: Measured, level: str, lines: Sequence[Line]) -> dict[str, Any]:
    result: dict[str, Any] = {"level": level}
    names = ["eager", "rendezvous"]
    for i, (name, line) in enumerate(zip(names, lines, strict=False)):
        end = lines[i + 1].first if i + 1 < len(lines) else None
        result[name] = _protocol(measured, level, line, end)
    if len(lines) > 1:
        result["threshold"] = lines[1].first
    return result


def _protocol(measured: Measured, level: str, line: Line, end: int | None) -> dict[str, float]:
    """The parameters of a line. Its latency is its constant without both overheads."""
    empty = dict(measured.messages[level])
    acknowledgement = min(empty.values())  # a burst is answered by an empty message
    added = {
        size: max(0.0, (seconds - acknowledgement - empty[size]) / (number - 1))
        for size, (number, seconds) in measured.bursts.get(level, {}).items()
        if size >= line.first and (end is None or size < end)
    }
    if not added:
        return {"alpha": line.alpha, "beta": line.beta}
    smallest, largest = min(added), max(added)
    o = min(added[smallest], line.alpha / 2)
    tau = 1.0
    if line.beta * largest > o:  # otherwise the overheads hide the bytes
        tau = min(1.0, added[largest] / (line.beta * largest))
    return {"alpha": line.alpha - 2 * o, "beta": line.beta, "o": o, "tau": tau}


def injection(measured: Measured) -> float | None:
    """Bytes per second out of a node, if simultaneous pairs of ranks showed a limit."""
    if len(measured.pairs) < 2:
        return None
    one = dict(measured.pairs[1])
    most = max(measured.pairs)
    limited = [
        most * size / seconds
        for size, seconds in measured.pairs[most]
        if size > 0 and seconds > LIMITED * one[size] and seconds * size > 0
    ]
    # The largest messages show the limit best, because latency is the smallest part of their time.
    return max(limited) if limited else None


def publishing(measured: Measured) -> dict[str, float] | None:
    """The costs of published blocks. To write a block takes as long as a copy in the cache, at most
    half of the time; the rest is reading."""
    if not measured.publishing:
        return None
    line = fit_line(without_noise(measured.publishing))
    write = min(measured.steps.get("copy", 0.0), line.beta / 2)
    return {"latency": line.alpha, "write": write, "read": line.beta - write}


def report(measured: Measured, model: _core.Model, lines: dict[str, list[Line]]) -> RenderableType:
    """The parameters, and the errors of the lines compared with the measurements."""
    table = PlainTable(kept=2)
    table.add_column("Level", style="cyan")
    table.add_column("From")
    headings = (
        "alpha\n(µs)", "o\n(µs)", "beta\n(ns/byte)", "tau", "median\nerror", "worst\nerror"
    )  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for each in json.loads(model.json)["levels"]:
        for line, protocol in zip(
            lines.get(each["level"], []), ("eager", "rendezvous"), strict=False
        ):
            fitted = each[protocol]
            table.add_row(
                each["level"],
                show_bytes(line.first),
                f"{fitted['alpha'] * 1e6:.3f}",
                f"{fitted.get('o', 0) * 1e6:.3f}",
                f"{fitted['beta'] * 1e9:.4f}",
                f"{fitted.get('tau', 1):.2f}",
                f"{line.median_error:.0%}",
                f"{line.worst_error:.0%}",
            )
    title = Text(f"\n{plural('rank', measured.ranks)}", style="bold cyan")
    title.append(f"   {measured.mpi}", style="not bold default")
    rate = injection(measured)
    limit = (
        "not measured, because there is only one node" if not measured.pairs
        else f"{rate / 1e9:.2f} GB/s" if rate
        else "not reached"
    )  # fmt: skip
    steps = ", ".join(f"{what} {1e-9 / cost:.1f} GB/s" for what, cost in measured.steps.items())
    shared = "not measured, because no node has two ranks"
    if costs := publishing(measured):
        write, read = (1e-9 / max(costs[name], 1e-15) for name in ("write", "read"))
        shared = (
            f"{costs['latency'] * 1e6:.2f} µs, written at {write:.1f} and read at {read:.1f} GB/s"
        )
    return Group(
        title,
        table,
        Text(f"injection limit of a node: {limit}"),
        Text(f"blocks in the shared memory of a node: {shared}"),
        Text(steps),
    )
