"""Two reports of a program, before and after a change: the times of the same calls."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.text import Text

from toccata.launching import reports
from toccata.launching.reports import Report, Row
from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_microseconds

ALL_SIZES = -2  # a report with a forced choice does not tell the sizes of its calls apart
Class = tuple[str, int, int]  # collective, ranks, bytes
CHOICES = ("Choice before", "Choice after")
HEADINGS = (
    "Collective", "Ranks", "Size", "Working, ratio", "Working before, µs", "Working after, µs",
    "Waiting before, µs", "Waiting after, µs", "Calls before", "Calls after",
    "On rank 0 before, µs", "On rank 0 after, µs", *CHOICES,
)  # fmt: skip
MEANING = (
    "Times are per call: waiting and working are means over ranks; the time on rank 0 includes "
    "both. Ratio: after divided by before"
)


@dataclass(frozen=True)
class Side:
    """Calls in one of the two reports."""

    calls: int
    seconds: float  # on rank 0, in total
    waiting: float | None  # per call, the mean over ranks; None if unknown
    working: float | None
    choices: list[str]  # the choice of the most calls first

    @property
    def per_call(self) -> float:
        """Seconds on rank 0, including waiting; 0 if unknown."""
        return self.seconds / self.calls if self.calls else 0.0


@dataclass(frozen=True)
class Change:
    """Calls of one collective, number of ranks and size, before and after."""

    collective: str
    ranks: int
    bytes: int  # as in a row of a report, or ALL_SIZES
    before: Side
    after: Side

    @property
    def size(self) -> str:
        return "all" if self.bytes == ALL_SIZES else reports.show_size(self.bytes)

    @property
    def name(self) -> str:
        call = f"{self.collective}, all sizes"
        if self.bytes != ALL_SIZES:
            call = reports.show_call(self.collective, self.bytes)
        return f"{call}, {plural('rank', self.ranks)}"

    @property
    def in_both(self) -> bool:
        return self.before.calls > 0 and self.after.calls > 0

    @property
    def ratio(self) -> float | None:
        """The working time per call, after divided by before; None if one of them is unknown."""
        before, after = self.before.working or 0.0, self.after.working or 0.0
        return after / before if before > 0 and after > 0 else None


def compare(before: Report, after: Report) -> list[Change]:
    """All calls of both reports, the longest time first."""
    merged = _without_sizes(before, after)
    sides = [_classes(each, merged) for each in (before, after)]
    found = [
        Change(*key, *(_side(each.get(key, [])) for each in sides))
        for key in dict.fromkeys([*sides[0], *sides[1]])
    ]
    return sorted(found, key=lambda each: -max(each.before.seconds, each.after.seconds))


def overall(changes: Sequence[Change]) -> float | None:
    """The working time of the calls of before, after divided by before, over all calls with a
    known ratio; None if there are none."""
    known = [each for each in changes if each.ratio is not None]
    working = sum(each.before.calls * (each.before.working or 0.0) for each in known)
    now = sum(each.before.calls * (each.after.working or 0.0) for each in known)
    return now / working if known else None


def answers(before: Report, after: Report, changes: Sequence[Change]) -> list[str]:
    """Lines: the answers of both reports, and how much less the same calls work."""
    lines = [
        f"{when}: {line}"
        for when, report in (("before", before), ("after", after))
        for line in reports.answers(report) or reports.summary(report)[:1]
    ]
    ratio = overall(changes)
    if ratio is not None:
        lines.append(
            f"working time per call, for calls in both reports: ×{ratio:.2f} (after / before). "
            "Runs differ by chance; repeat both runs to confirm a small change"
        )
    return [*lines, *_warnings(before, after, changes, ratio)]


def table(before: Report, after: Report, changes: Sequence[Change]) -> RenderableType:
    """A row for each collective, number of ranks and size."""
    result = PlainTable(kept=3)
    for heading in HEADINGS:
        left = heading in ("Collective", *CHOICES)
        result.add_column(heading, justify="left" if left else "right", no_wrap=True)
    for each in changes[: reports.MOST_ROWS]:
        result.add_row(*(escape(cell) for cell in cells(each, show_microseconds)))
    parts: list[RenderableType] = [
        Text(f"before: {plural('rank', before.ranks)}   {before.mpi}", style="bold cyan"),
        Text(f"after:  {plural('rank', after.ranks)}   {after.mpi}", style="bold cyan"),
        result,
    ]
    if len(changes) > reports.MOST_ROWS:
        parts.append(Text(f"and {len(changes) - reports.MOST_ROWS} more", style="dim"))
    parts.append(Text(MEANING, style="dim"))
    return Group(*parts)


def cells(change: Change, show: Callable[[float], str]) -> list[str]:
    """The texts below HEADINGS. `show` writes seconds as microseconds."""
    sides = (change.before, change.after)
    ratio = change.ratio
    return [
        change.collective,
        str(change.ranks),
        change.size,
        "–" if ratio is None else f"×{ratio:.2f}",
        *("–" if each.working is None else show(each.working) for each in sides),
        *("–" if each.waiting is None else show(each.waiting) for each in sides),
        *(str(each.calls) for each in sides),
        *(show(each.per_call) if each.seconds > 0 else "–" for each in sides),
        *(", ".join(each.choices) or "–" for each in sides),
    ]


def _warnings(
    before: Report, after: Report, changes: Sequence[Change], ratio: float | None
) -> Iterator[str]:
    if before.ranks != after.ranks:
        yield (
            f"the reports have {before.ranks} and {after.ranks} ranks; only communicators with the "
            "same number of ranks are compared"
        )
    if before.mpi != after.mpi:
        yield f"the reports have different MPI libraries: {before.mpi} and {after.mpi}"
    if not any(each.in_both for each in changes):
        yield "the reports have no calls in common; give two reports of the same program"
    elif ratio is None:
        yield "no working times: a report has no arrivals; set TOCCATA_REPORT on all ranks"


def _without_sizes(before: Report, after: Report) -> set[tuple[str, int]]:
    """The collectives and numbers of ranks of which one report only does not know the sizes."""
    unknown = [
        {(each.collective, each.ranks) for each in report.rows if each.bytes < 0}
        for report in (before, after)
    ]
    return unknown[0] ^ unknown[1]


def _classes(report: Report, without_sizes: set[tuple[str, int]]) -> dict[Class, list[Row]]:
    result: dict[Class, list[Row]] = defaultdict(list)
    for each in report.rows:
        merged = (each.collective, each.ranks) in without_sizes
        size = ALL_SIZES if merged else each.bytes
        result[each.collective, each.ranks, size].append(each)
    return result


def _side(rows: Sequence[Row]) -> Side:
    sampled = sum(each.calls for each in rows if each.arrivals)
    choices: dict[str, int] = defaultdict(int)
    for each in rows:
        choices[each.choice] += each.calls
    return Side(
        sum(each.calls for each in rows),
        sum(each.seconds for each in rows),
        sum(each.waiting for each in rows) / sampled if sampled else None,
        sum(each.working for each in rows) / sampled if sampled else None,
        sorted(choices, key=lambda each: -choices[each]),
    )
