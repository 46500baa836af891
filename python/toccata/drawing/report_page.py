"""A report, or two reports before and after a change, as one self-contained page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from toccata.drawing import arrivals, changes, markup, sizes
from toccata.launching import comparing, reports
from toccata.launching.comparing import Change
from toccata.launching.reports import Report, Row
from toccata.quantities import plural

SIZE_HEADINGS = ("Collective", "Size up to", "Calls", "Time, ms")
REQUEST_HEADINGS = (
    "Collective", "Size", "Overlapped", "Overlapped, ms", "Start to completion, ms", "Calls",
    "Ranks", "Choice",
)  # fmt: skip
CHOICE_HEADINGS = ("Collective", "Size", "Choice", "ms on rank 0", "Calls", "Ranks", "Reason")
CHANGED = dict.fromkeys(comparing.CHOICES, "text")


@dataclass(frozen=True)
class Within:
    """The part of the page that a report has: all of it, or that before or after a change."""

    when: str = ""

    @property
    def prefix(self) -> str:
        """Tells the figures and tables of two reports apart."""
        return f"{self.when}: " if self.when else ""

    def heading(self, text: str) -> str:
        return markup.heading(self.prefix + text, 3 if self.when else 2)

    def table(
        self,
        caption: str,
        headings: Sequence[str],
        rows: Sequence[Sequence[str]],
        texts: Mapping[str, str] = markup.NO_TEXTS,
    ) -> str:
        return markup.table(self.prefix + caption, headings, rows, texts)


def page(report: Report) -> str:
    """The page in HTML."""
    answers = reports.answers(report) or ["No arrivals: set TOCCATA_REPORT on all ranks."]
    title = f"Collectives: {plural('rank', report.ranks)}, {report.mpi}"
    return markup.page(title, [markup.items(answers), *_sections(report, Within())])


def page_of_two(before: Report, after: Report) -> str:
    """The page of two reports: what changed, then the sections of each."""
    found = comparing.compare(before, after)
    title = f"Collectives before and after: {after.ranks} ranks, {after.mpi}"
    parts = [markup.items(comparing.answers(before, after, found)), *_changes(found)]
    parts.append(markup.heading("Each report"))
    for when, report in (("Before", before), ("After", after)):
        parts.append(markup.folded(f"{when}: the whole report", _sections(report, Within(when))))
    return markup.page(title, parts)


def _sections(report: Report, within: Within) -> list[str]:
    calls = arrivals.calls_of(report)
    parts = []
    if report.arrivals and calls:
        parts += _times(calls, within)
        parts += _lateness(report, calls, within)
    if report.rows:
        parts += _sizes(report, within)
    return parts + _requests(report, within) + _choices(report, within)


def _changes(found: Sequence[Change]) -> list[str]:
    parts = [markup.heading("Before and after")]
    shown = changes.shown_in_figure(found)
    if shown:
        first = shown[0]
        ratio = f" Its working time per call is ×{first.ratio:.2f}." if first.ratio else ""
        alt = (
            f"Pairs of bars, before and after, for {len(shown)} collectives. The longest is "
            f"{first.name}.{ratio} The table has all numbers."
        )
        parts.append(markup.figure(lambda: changes.draw(found), alt))
    rows = [comparing.cells(each, lambda seconds: markup.number(seconds * 1e6)) for each in found]
    caption = "Before and after, per call"
    parts.append(markup.paragraph(comparing.MEANING + "."))
    parts.append(markup.table(caption, comparing.HEADINGS, rows, CHANGED))
    return parts


def _times(calls: Sequence[arrivals.Calls], within: Within) -> list[str]:
    longest = calls[0]
    alt = (
        f"{within.prefix}Bars of waiting and working for {min(len(calls), arrivals.MOST_BARS)} "
        f"collectives. The longest is {longest.name}: {reports.show_seconds(longest.waiting)} of "
        f"waiting, {reports.show_seconds(longest.working)} of working. The table has all numbers."
    )
    rows = [(each.name, *_ms(each.waiting, each.working)) for each in calls]
    return [
        within.heading("Waiting and working"),
        markup.paragraph(
            "A rank waits until the last rank whose data it needs arrives; then it works."
        ),
        markup.figure(lambda: arrivals.draw_times(calls), alt),
        within.table(
            "Waiting and working, ms, mean over all ranks", ("Calls", "Waiting", "Working"), rows
        ),
    ]


def _lateness(report: Report, calls: Sequence[arrivals.Calls], within: Within) -> list[str]:
    assert report.arrivals is not None
    hosts = report.arrivals.short_hosts
    shown = [(False, "rank")] if len(hosts) <= arrivals.MOST_RANKS else []
    if len(set(hosts)) > 1 or not shown:
        shown.append((True, "host"))
    parts = [within.heading("Arrivals")]
    for by_host, what in shown:
        alt = (
            f"{within.prefix}Heat map of {min(len(calls), arrivals.MOST_BARS)} collectives and all "
            f"{what}s: the mean time from the first rank's arrival to that of each {what}. The "
            "numbers are in the table below it."
        )

        def draw(by_host: bool = by_host) -> Figure:
            return arrivals.draw_lateness(calls, hosts, by_host)

        parts += [markup.figure(draw, alt), _heat_table(calls, hosts, what, within)]
    times = (report.arrivals.waiting, report.arrivals.working, reports.awaited(report))
    rows = [
        (f"{rank} on {host}", *_ms(*(each[rank] for each in times)))
        for rank, host in enumerate(hosts)
    ]
    rows.sort(key=lambda each: -float(each[-1]))
    headings = ("Rank", "Waiting", "Working", "Awaited")
    parts.append(
        within.table(
            "Ranks, ms, the most awaited first",
            headings,
            rows,
        )
    )
    return parts


def _heat_table(
    calls: Sequence[arrivals.Calls], hosts: Sequence[str], what: str, within: Within
) -> str:
    """The numbers of a heat map, transposed: many ranks are many rows."""
    shown = calls[: arrivals.MOST_BARS]
    labels, values = arrivals.lateness(shown, hosts, what == "host")
    rows = [
        (label, *("–" if time != time else markup.number(time) for time in values[:, place]))
        for place, label in enumerate(labels)
    ]
    caption = f"Mean arrival after the first rank, µs, by {what}"
    headings = (what.capitalize(), *(each.name for each in shown))
    return markup.folded(f"Numbers by {what}", [within.table(caption, headings, rows)])


def _sizes(report: Report, within: Within) -> list[str]:
    found = sizes.sizes_of(report)
    alt = (
        f"{within.prefix}Histograms of sizes for {min(len(found), sizes.MOST_PANELS)} collectives: "
        f"shares of calls and of time. The first is {sizes.title(found[0])}. The table has all "
        "numbers."
    )
    rows = [
        (each.collective, reports.show_size(size), str(each.calls[size]), *_ms(each.seconds[size]))
        for each in found
        for size in sorted(each.calls)
    ]
    return [
        within.heading("Sizes"),
        markup.paragraph(
            "Bytes of a block, or of the message. “?” means that ranks do not know each other's "
            "sizes, or that a setting named the algorithm for all sizes. Times are those of "
            "rank 0, including waiting."
        ),
        markup.figure(lambda: sizes.draw(found), alt),
        within.table("Calls and time by size", SIZE_HEADINGS, rows),
    ]


def _requests(report: Report, within: Within) -> list[str]:
    rows = [
        (
            each.collective, reports.show_size(each.bytes),
            *(("–", "–", "–") if each.overlap is None
              else (f"{each.overlap:.0%}", *_ms(each.overlap * each.seconds, each.seconds))),
            str(each.calls), str(each.ranks),
            each.choice,
        )
        for each in _longest_first(each for each in report.rows if each.is_request)
    ]  # fmt: skip
    if not rows:
        return []
    return [
        within.heading("Nonblocking and persistent calls"),
        markup.paragraph(
            "Times of rank 0, from start to completion. Overlapped: the time outside the starting "
            "call, MPI_Wait, MPI_Test and similar functions. “–”: the MPI "
            "library served the calls, and Toccata does not see when they complete."
        ),
        within.table("Overlap", REQUEST_HEADINGS, rows, {"Choice": "text"}),
    ]


def _choices(report: Report, within: Within) -> list[str]:
    rows = [
        (
            each.collective, reports.show_size(each.bytes), each.choice, *_ms(each.seconds),
            str(each.calls), str(each.ranks), _reason(each, report),
        )
        for each in _longest_first(report.rows)
    ]  # fmt: skip
    table = within.table(
        "Choices and their reasons", CHOICE_HEADINGS, rows, {"Choice": "text", "Reason": "long"}
    )
    return [within.heading("Choices"), table]


def _longest_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda each: each.seconds, reverse=True)


def _ms(*seconds: float) -> list[str]:
    return [markup.number(each * 1e3) for each in seconds]


def _reason(row: Row, report: Report) -> str:
    if row.is_native:
        return reports.why_native(row, report.rows)[1]
    return reports.REASONS.get(row.reason, row.reason)
