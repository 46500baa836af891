"""Choices for a rank that was late in most calls of an earlier run.

All ranks read the same file, so they make the same choice. It depends on recorded arrivals, never
on those of the current call.
"""

from collections.abc import Sequence

from toccata import _core
from toccata.algorithms import catalogue
from toccata.launching.arrivals import MOST_CALLS
from toccata.launching.reports import Report, Row
from toccata.tuning.tuning_file import Point, Tuning

MOST_RANKS = 256  # with more, the predictions take minutes
LEAST_GAIN = 1.1  # predicted, over the best other algorithm
# The settings of the algorithm, for short and for long messages.
SETTINGS = ("", "radix=4", "radix=1048576", "radix=1048576,segments=4", "radix=1048576,segments=16",
            "radix=4,allgather=sparbit", "radix=4,allgather=sparbit,segments=8")  # fmt: skip


def tuning(report: Report, model: _core.Model) -> Tuning:
    """The choices that the model predicts to be faster with the recorded arrivals.

    Only for communicators with all ranks of MPI_COMM_WORLD, in the same order: the report does not
    contain the ranks of others.
    """
    found = Tuning(model=f"{model.name}, with the arrivals of a run")
    if report.arrivals is None:
        return found
    shape = _shape(report.arrivals.hosts)
    for row in report.rows:
        rank = late_rank(row)
        if rank is None or row.ranks != report.ranks or row.bytes <= 0:
            continue
        assert row.arrivals is not None
        arrivals = [each or 0.0 for each in row.arrivals.after_first]
        point = _point(row, rank, shape, arrivals, model)
        if point is not None:
            found.add(point)
    return found


def late_rank(row: Row) -> int | None:
    """The rank that arrived last in most calls; None if there is none."""
    if row.arrivals is None or sum(row.arrivals.last) <= 0:
        return None
    last = row.arrivals.last
    most = max(range(len(last)), key=last.__getitem__)
    return most if last[most] >= MOST_CALLS * sum(last) else None


def _point(
    row: Row, rank: int, shape: _core.Shape, arrivals: Sequence[float], model: _core.Model
) -> Point | None:
    """The choice for the calls of a row, if it is predicted to be faster than all others."""

    def seconds(text: str) -> float:
        choice = catalogue.parse(row.collective, text)
        end = _core.Predictor(choice, shape).seconds(row.bytes, model, arrivals)
        return end - max(arrivals)

    known = [each for each in catalogue.of_collective(row.collective) if each.proved]
    possible = {
        each.name: catalogue.for_late_rank(each)
        for each in known
        if not catalogue.parse(row.collective, each.name).why_impossible(shape)
    }
    others = {name: seconds(name) for name, is_late in possible.items() if not is_late}
    ours = {
        text: seconds(text)
        for name, is_late in possible.items()
        if is_late
        for settings in SETTINGS
        for text in [f"{name}:late={rank}" + (f",{settings}" if settings else "")]
    }
    best = min(ours, key=ours.__getitem__, default=None)
    if best is None or ours[best] * LEAST_GAIN > min(others.values()):
        return None
    return Point(row.collective, row.ranks, row.nodes, row.bytes, best, ours[best],
                 medians=ours | others)  # fmt: skip


def _shape(hosts: Sequence[str]) -> _core.Shape:
    """The ranks on their hosts, each in a core of its own."""
    nodes = list(dict.fromkeys(hosts))
    cores = max(hosts.count(each) for each in nodes)
    taken = dict.fromkeys(nodes, 0)
    places = []
    for host in hosts:
        places.append(str(nodes.index(host) * cores + taken[host]))
        taken[host] += 1
    machine = _core.Machine(f"node:{len(nodes)} core:{cores}")
    return _core.Shape(_core.Placement(machine, len(hosts), ",".join(places)))
