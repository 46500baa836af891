"""The contents of TOCCATA_REPORT=FILE.json: tables, and the gain of a run."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

from msgspec import Meta
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text

from toccata import _core, documents
from toccata.documents import Count
from toccata.errors import InputError
from toccata.launching.arrivals import Arrivals, RowArrivals, Seconds
from toccata.plain_table import PlainTable
from toccata.quantities import MOST_RANKS, plural, show_amount, show_microseconds

VERSION = 1
REMEDY = "TOCCATA_REPORT=FILE.json makes a run write one"
KNOWN = 0.95  # of the time in collectives; a line warns if arrivals are known for less
CONTRADICT = 0.1  # of the sampled calls; a line warns if more contradict each other
COLLECTIVES = frozenset(each.name for each in _core.collectives())
INSTEAD = "native, for "  # the name of the requested algorithm follows
MOST_ROWS = 30
LONGEST = 1 << 50  # bytes; above that, a row has all sizes above those of other rows
REASONS = {
    "forced": "a setting names it", "tuned": "from the tuning file",
    "learned": "from earlier runs", "modelled": "from the model",
    "trials": "fastest in trials of this run", "tried": "tried, but native served most calls",
    "guarded": "fastest in trials, by an older library",
    "shared": "fastest in trials on another communicator with the same placement",
    "next-run": "candidates for the next run, measured in additional calls",
    "node": "shared memory is faster on one node",
    "topology": "for the slow links in the topology's file",
    "network": "predicted to be faster on any network",
}  # fmt: skip

# The reasons why native serves: a short form for the table, and a sentence with the remedy. The
# library writes the first ones (src/mpi/communicator/communicator.cpp); the others follow from the
# rows.
WHYS = {
    "alone": ("one rank", "communicators of one rank have nothing to exchange"),
    "world": ("outside world", "settings do not apply to communicators with ranks outside "
              "MPI_COMM_WORLD; use the C interface there"),
    "off": ("off", "TOCCATA=off leaves everything to the MPI library"),
    "asked": ("requested", "a setting names native"),
    "reproducible": ("reproducible", "with TOCCATA_SUMS=reproducible, no algorithm of Toccata can "
                     "serve these calls"),
    "edges": ("repeated edges", "MPI libraries order the blocks of repeated edges differently, so "
              "native serves all calls, unless a setting names an algorithm"),
    "neighbors": ("neighbours", "an older library did not try algorithms for neighbourhood "
                  "collectives; run again with this library"),
    "request": ("request", "native serves nonblocking and persistent calls under Intel MPI, MPICH "
                "before 4.3 and the standard ABI, and elsewhere until trials have ended"),
    "empty": ("no data", "calls without data"),
    "rounds": ("same bits", "floating-point sums and user-defined operations: Toccata changes no "
               "algorithm by trials here, so that every run gives the same bits; for the sums, "
               "TOCCATA=learn with TOCCATA_SUMS=learn finds the fastest algorithm for the next "
               "run, TOCCATA_SUMS=all for this run"),
    "none": ("none possible", "Toccata has no algorithm for these calls"),
    "first": ("first calls", "native serves the first calls of each size on a communicator; "
              "after a run with TOCCATA=learn, or with `toccata tune`, the choice is known from "
              "the first call on"),
    "rule": ("first calls", "native serves the first calls of each size on a communicator; a "
             "fixed rule serves the later ones"),
    "few": ("few calls", "too few calls: trials begin when they cost at most 2% of the time; "
            "after a run with TOCCATA=learn, or with `toccata tune`, the choice is known from "
            "the first call on"),
    "unknown": ("not known", "an older library wrote this report; run again with this library"),
}  # fmt: skip


Ranks = Annotated[int, Meta(ge=1, le=MOST_RANKS)]
Size = Annotated[int, Meta(ge=-1, le=2**63 - 1)]


@dataclass(frozen=True)
class Row:
    """Calls of one collective on communicators of one shape, with one range of sizes and one
    choice.

    Times are per call, except `seconds`, which is the total on rank 0 of the communicator; 0 means
    unknown.
    """

    collective: str
    ranks: Ranks
    nodes: Count
    bytes: Size  # approximate size of a call; -1 if ranks do not know the sizes of others
    calls: Count
    total_bytes: Count
    seconds: Seconds
    choice: str
    reason: str
    predicted: Seconds
    measured: Seconds
    native: Seconds
    bound: Seconds
    why: str = "unknown"  # of native calls, as a word of WHYS; "" if the row shows it
    outside: Seconds = 0.0  # of `seconds`, outside MPI_Wait, MPI_Test and similar functions
    arrivals: RowArrivals | None = None  # if calls were sampled

    @property
    def is_request(self) -> bool:
        """Whether the calls are nonblocking or persistent. Then `seconds` is the time from their
        start to their completion; 0 for requests of the MPI library, whose completion Toccata does
        not see."""
        name = self.collective
        return name.removesuffix("_init") != name or (name[:1] == "i" and name[1:] in COLLECTIVES)

    @property
    def overlap(self) -> float | None:
        """The share of the time that the program had for its own work; None if unknown."""
        known = self.is_request and self.seconds > 0
        return min(self.outside / self.seconds, 1.0) if known else None

    @property
    def is_native(self) -> bool:
        """Whether the MPI library served the calls, perhaps instead of a requested algorithm."""
        return self.choice == "native" or self.choice.startswith(INSTEAD)

    @property
    def gain(self) -> float:
        """The native time divided by ours, such as 1.25, if both were interleaved; otherwise 0."""
        known = self.measured > 0 and self.native > 0 and not self.is_native
        return self.native / self.measured if known else 0.0

    @property
    def calls_alike(self) -> tuple[str, int, int, int]:
        return self.collective, self.ranks, self.nodes, self.bytes

    @property
    def waiting(self) -> float:
        """Seconds of waiting in all calls, the mean over ranks; 0 if unknown."""
        return self.calls * self.arrivals.waiting if self.arrivals else 0.0

    @property
    def working(self) -> float:
        """The same of working."""
        return self.calls * self.arrivals.working if self.arrivals else 0.0

    @property
    def available(self) -> float:
        """Seconds of working above the lower bound: the most that another algorithm can gain."""
        return max(self.working - self.calls * self.bound, 0.0)

    @property
    def mean(self) -> float:
        """Seconds of all calls: the mean over ranks if arrivals are known, otherwise `seconds`."""
        return max(self.waiting + self.working, 0.0) if self.arrivals else self.seconds


@dataclass(frozen=True)
class Report:
    """A run."""

    mpi: str
    ranks: Ranks
    seconds: Seconds  # from MPI_Init to MPI_Finalize
    rows: list[Row]
    node: str = ""  # how the ranks on rank 0's node exchange data
    devices: list[str] = field(default_factory=list)  # a sentence per GPU runtime with a device
    arrivals: Arrivals | None = None  # if all ranks reported; Toccata 0.3 did not find them

    @property
    def whose(self) -> str:
        return "the ranks were, on average," if self.arrivals else "rank 0 was"

    @property
    def meaning(self) -> str:
        """Whose times `time` gives."""
        if not self.arrivals:
            return "rank 0"
        if all(each.arrivals or each.seconds == 0 for each in self.rows):
            return "mean over all ranks"
        return "mean over all ranks; without arrivals, rank 0 of each communicator"

    def weight(self, row: Row) -> float:
        """What the row's seconds count in sums: if all ranks reported, there are rows of several
        communicators, each with the seconds of its rank 0."""
        return row.ranks / self.ranks if self.arrivals else 1.0

    def time(self, row: Row) -> float:
        """Seconds of the row's calls, as `meaning` says."""
        return row.mean * self.weight(row)

    def native_time(self, row: Row) -> float:
        """The same with the native algorithm; the measured time if unknown."""
        return self.time(row) * (row.gain or 1.0)

    @property
    def after(self) -> float:
        """Seconds in collectives."""
        return sum(self.time(each) for each in self.rows)

    @property
    def before(self) -> float:
        """Seconds of all calls with native algorithms."""
        return sum(self.native_time(each) for each in self.rows)


def read(path: Path) -> Report:
    """Reads a report. InputError, naming the problem, if the file is not one."""
    report = documents.read(
        path, Report, "toccata_report", VERSION,
        what="report", remedy=REMEDY,
    )  # fmt: skip
    for what, length in _lists_by_rank(report):
        if length != report.ranks:
            raise InputError(
                f"{path}: {what}: expected one for each of {report.ranks} ranks; {REMEDY}"
            )
    return replace(report, mpi=" ".join(report.mpi.split()))


def _lists_by_rank(report: Report) -> Iterator[tuple[str, int]]:
    """The names of the lists by rank of MPI_COMM_WORLD, and their lengths."""
    if report.arrivals:
        for name in ("hosts", "waiting", "working"):
            yield f"arrivals.{name}", len(getattr(report.arrivals, name))
    for number, row in enumerate(report.rows):
        if row.arrivals:
            for name in ("after_first", "awaited", "last"):
                yield f"rows[{number}].arrivals.{name}", len(getattr(row.arrivals, name))


def awaited(report: Report) -> list[float]:
    """By rank of MPI_COMM_WORLD: seconds for which other ranks waited for it."""
    found = [each.arrivals.awaited for each in report.rows if each.arrivals]
    return [sum(each[rank] for each in found) for rank in range(report.ranks)]


def answers(report: Report) -> list[str]:
    """Lines: how much of the time are collectives, how much of that is waiting and for which ranks,
    and what a better algorithm can gain. Empty if the arrivals are unknown."""
    arrivals = report.arrivals
    if arrivals is None or report.seconds <= 0:
        return []
    waiting, working, available = (
        sum(getattr(each, what) * each.ranks for each in report.rows) / report.ranks
        for what in ("waiting", "working", "available")
    )
    found = [each.arrivals for each in report.rows if each.arrivals]
    last = [sum(each.last[rank] for each in found) for rank in range(report.ranks)]
    late = arrivals.late(awaited(report), last, report.seconds)
    for_whom = (
        f"{late[1]:.0%} of this waiting is for {late[0]}"
        if late
        else "no rank is late in most calls"
    )
    time, total = report.seconds, waiting + working
    share = waiting / total if total > 0 else 0.0
    return [
        *_unknown(report),
        f"blocking collectives: {total / time:.0%} of the time, {show_seconds(total)} of "
        f"{show_seconds(time)} (mean over ranks)",
        f"{share:.0%} of the time in blocking collectives is waiting for late ranks "
        f"({show_seconds(waiting)}); {for_whom}",
        f"better algorithms can save at most {show_seconds(available)}, {available / time:.0%} of "
        "the time: the working time minus the lower bound, if the bound is known",
    ]


def _unknown(report: Report) -> Iterator[str]:
    """Lines, if the arrivals do not tell about all calls."""
    assert report.arrivals is not None
    sampled = [each for each in report.rows if each.arrivals]
    known = sum(report.time(each) for each in sampled)
    if known < KNOWN * report.after:
        yield (
            f"arrivals are known for {known / report.after:.0%} of the time in collectives: "
            "only for blocking calls, and for the first 256 pairs of a communicator and a "
            "collective. The next lines cover only these calls"
        )
    kept = sum(each.arrivals.sampled for each in sampled if each.arrivals)
    left_out = report.arrivals.left_out
    if left_out > CONTRADICT * (kept + left_out):
        yield (
            f"{left_out} of {kept + left_out} sampled calls have contradictory times and are "
            "left out: they have no data, or threads of different ranks use communicators in "
            "different orders"
        )


def why_native(row: Row, rows: Sequence[Row]) -> tuple[str, str]:
    """The reason why native serves a row of a report: a short form, and a sentence with the
    remedy."""
    if row.choice.startswith(INSTEAD):
        return _why_not(row)
    if row.reason in ("next-run", "apart"):
        return "next run", (
            "native serves floating-point sums in this run; the next run with the same file of "
            "TOCCATA=learn uses its results"
        )
    tried = [each for each in rows if each.calls_alike == row.calls_alike and each.gain]
    if tried:
        best = max(tried, key=lambda each: each.gain)
        took = f"{best.choice} is {best.gain:.2f}× faster than native in trials"
        if best.gain <= 1:
            took = f"{best.choice} takes {1 / best.gain:.2f}× native's time in trials"
        if best.calls > row.calls:
            return "replaced", f"until {best.choice} replaced it: {took}"
        if best.gain <= 1:
            return "tried", f"the best candidate of {len(tried)} is not faster: {took}"
        return "in trials", (
            f"{took} ({plural('call', best.calls)}), but not chosen yet: it must win two "
            "comparisons, and trials take at most 2% of the time"
        )
    if row.why in ("rounds", "first") and any(_precedes(row, each) for each in rows):
        return WHYS["rule"]
    if row.why in WHYS and (row.why != "unknown" or row.bytes < 0):
        return WHYS[row.why]
    return WHYS["few"]


def _precedes(row: Row, later: Row) -> bool:
    """Whether a fixed rule served later calls like these, whose nodes may not have been known."""
    same = (row.collective, row.ranks, row.bytes) == (later.collective, later.ranks, later.bytes)
    return same and later.reason in ("node", "network") and not later.is_native


def _why_not(row: Row) -> tuple[str, str]:
    """Why native serves instead of a requested algorithm."""
    asked = row.choice.removeprefix(INSTEAD)
    try:
        choice = _core.parse_choice(row.collective, asked)
        why = "" if choice.native else choice.why_impossible(_core.Shape(row.ranks))
    except _core.ChoiceError:
        why = "cannot run here"
    if why:
        return "impossible", f"{asked} {why} (there are {row.ranks} ranks); name another algorithm"
    return "this call", (
        f"{asked} cannot serve these calls: their nodes, operation or datatype do not permit it, "
        "elements overlap, or MPI refuses their arguments"
    )


def reasons(report: Report) -> list[str]:
    """A line per reason why native serves, with its share of the time; the largest share first."""
    shares: dict[str, float] = defaultdict(float)
    where: dict[str, dict[str, None]] = defaultdict(dict)
    for each in report.rows:
        if each.is_native:
            _, text = why_native(each, report.rows)
            shares[text] += report.time(each)
            where[text][each.collective] = None
    if not shares or report.after <= 0:
        return []
    native = sum(shares.values()) / report.after
    lines = [f"native served {native:.0%} of the time in collectives, because:"]
    for text in sorted(shares, key=lambda each: -shares[each]):
        share, names = shares[text] / report.after, ", ".join(where[text])
        lines.append(f"  {share:4.0%}  {names}: {text}")
    return lines


def summary(report: Report) -> list[str]:
    """Lines: the share of time in collectives, and the gain."""
    before, after = report.before, report.after
    whole = report.seconds
    share = f", {after / whole:.0%} of the run's {show_seconds(whole)}" if whole > 0 else ""
    of_whom = f" ({report.meaning})" if ";" in report.meaning else ""
    lines = [f"{report.whose} in collectives for {show_seconds(after)}{share}{of_whom}"]
    tried = {each.calls_alike for each in report.rows if each.gain}
    compared = sum(report.time(each) for each in report.rows if each.calls_alike in tried)
    lines += _requests(report)
    if not compared:
        lines.append("no algorithm of Toccata was compared with native")
        return lines
    won = before - after
    verb = "saved" if won >= 0 else "lost"
    lines.append(
        f"with native, it would have been {show_seconds(before)}: Toccata {verb} "
        f"{show_seconds(abs(won))}, {abs(won) / before:.0%}. "
        f"Native was measured for calls with {compared / after:.0%} of the time in collectives"
    )
    gains = [report.native_time(each) - report.time(each) for each in report.rows]
    for what, gained in (("saving", max(gains)), ("loss", -min(gains))):
        row = report.rows[gains.index(gained if what == "saving" else -gained)]
        if gained > 0:
            lines.append(
                f"the largest {what}: {show_call(row.collective, row.bytes)} by {row.choice}, "
                f"{show_seconds(gained)}"
            )
    return lines


def _requests(report: Report) -> Iterator[str]:
    """A line, if the program used nonblocking or persistent calls."""
    found = [each for each in report.rows if each.is_request]
    seconds = sum(each.seconds for each in found)
    unseen = sum(each.calls for each in found if each.overlap is None)
    parts = []
    if seconds > 0:
        share = sum(each.seconds * (each.overlap or 0.0) for each in found) / seconds
        parts.append(
            f"{show_seconds(seconds)} from start to completion on rank 0, of which the program "
            f"overlapped {share:.0%} with its own work"
        )
    if unseen:
        parts.append(f"{plural('call', unseen)} by the MPI library, completion not known")
    if parts:
        yield "nonblocking and persistent calls: " + "; ".join(parts)


def table(report: Report) -> RenderableType:
    """A row for each collective, communicator, size and choice, the longest total time first."""
    result = PlainTable(kept=3)
    for heading in ("Collective", "Ranks", "Size", "Calls", "Time", "Share"):
        result.add_column(heading, justify="left" if heading == "Collective" else "right")
    result.add_column("Choice", no_wrap=True)
    result.add_column("Reason", no_wrap=True)
    for heading in (
        "Per call\nµs", "Predicted\nµs", "In trials\nµs", "Native in\ntrials µs",
        "Lower\nbound µs", "Speedup",
    ):  # fmt: skip
        result.add_column(heading, justify="right", no_wrap=True)
    requests = any(each.overlap is not None for each in report.rows)
    if requests:
        result.add_column("Overlap", justify="right", no_wrap=True)
    rows = sorted(report.rows, key=report.time, reverse=True)
    for each in rows[:MOST_ROWS]:
        nodes = f" on {each.nodes}" if each.nodes > 1 else ""
        a_call = each.seconds / each.calls if each.calls else 0.0
        times = (a_call, each.predicted, each.measured, each.native, each.bound)
        gain = each.gain
        reason = why_native(each, report.rows)[0] if each.is_native else _reason(each, report.rows)
        result.add_row(
            escape(each.collective),
            f"{each.ranks}{nodes}",
            show_size(each.bytes),
            str(each.calls),
            show_seconds(report.time(each)),
            f"{report.time(each) / report.after:.0%}" if report.after > 0 else "",
            f"[dim]{escape(each.choice)}[/]" if each.is_native else escape(each.choice),
            escape(reason),
            *(show_microseconds(time) if time > 0 else "[dim]–[/]" for time in times),
            f"[{'green' if gain >= 1 else 'red'}]{gain:.2f}×[/]" if gain else "[dim]–[/]",
            *([_overlap(each)] if requests else []),
        )
    parts: list[RenderableType] = [
        Text(f"{plural('rank', report.ranks)}   {report.mpi}", style="bold cyan"),
        result,
    ]
    if len(rows) > MOST_ROWS:
        rest = sum(report.time(each) for each in rows[MOST_ROWS:])
        parts.append(Text(f"and {len(rows) - MOST_ROWS} more, {show_seconds(rest)}", style="dim"))
    shown = {_reason(each, report.rows) for each in rows if not each.is_native}
    used = [f"{each}: {meaning}" for each, meaning in REASONS.items() if each in shown]
    used.append(f"Time: {report.meaning}")
    used.append(
        "Per call: the mean over all calls on rank 0 of a communicator, including waiting. In "
        "trials: the time of the slowest rank in the last trial"
    )
    parts.append(Text("; ".join(used), style="dim"))
    return Group(*parts)


def _reason(row: Row, rows: Sequence[Row]) -> str:
    """The reason for the choice of Toccata's algorithm in a row."""
    native = [each for each in rows if each.calls_alike == row.calls_alike and each.is_native]
    served_on = (
        row.reason in ("trials", "guarded") and sum(each.calls for each in native) > row.calls
    )
    return "tried" if served_on else row.reason


def _overlap(row: Row) -> str:
    return "[dim]–[/]" if row.overlap is None else f"{row.overlap:.0%}"


def show_size(size: int) -> str:
    """The size of a call, rounded: short numbers are more useful than exact ones."""
    if size < 0:
        return "?"
    if size > LONGEST:
        return "longer"
    for unit, factor in (("M", 1 << 20), ("K", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.3g}{unit}"
    return str(size)


def show_call(collective: str, size: int) -> str:
    """Such as "bcast of 64 B"; without the size (bytes) if there is none or the ranks do not know
    it."""
    if size < 0 or size > LONGEST or (size == 0 and "barrier" in collective):
        return collective
    return f"{collective} of {show_amount(size)}"


def show_seconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"
