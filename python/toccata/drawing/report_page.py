"""A report as one self-contained page, which needs no network."""

import io
import re
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

from toccata.drawing import arrivals
from toccata.launching import reports
from toccata.launching.reports import Report, Row

INK = "#0a0b0c"  # replaced by the colour of the page's text, which differs between light and dark
TEXTS = ("Choice", "Reason")  # columns that are aligned to the left
STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1c2833; --line: #cfd6dc; }
@media (prefers-color-scheme: dark) { :root { --paper: #14181c; --ink: #e6eaee; --line: #3a444d; } }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
       max-width: 60rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; } svg { width: 100%; max-width: 34rem; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child, .text { text-align: left; }
:focus-visible { outline: 3px solid #0072B2; }
"""


def page(report: Report) -> str:
    """The page in HTML."""
    title = escape(f"Collectives: {report.ranks} ranks, {report.mpi}")
    answers = reports.answers(report) or ["The report does not contain arrivals."]
    parts = [f"<h1>{title}</h1>", _list(answers)]
    calls = arrivals.calls_of(report)
    if report.arrivals and calls:
        parts += _times(calls)
        parts += _lateness(report, calls)
    parts += _choices(report)
    body = "\n".join(parts)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _times(calls: Sequence[arrivals.Calls]) -> list[str]:
    longest = calls[0]
    alt = (
        f"Bars of waiting and working for {min(len(calls), arrivals.MOST_BARS)} collectives. "
        f"The longest is {longest.name}: {reports.show_seconds(longest.waiting)} of waiting, "
        f"{reports.show_seconds(longest.working)} of working. The table has all numbers."
    )
    rows = [(each.name, f"{each.waiting * 1e3:.6g}", f"{each.working * 1e3:.6g}") for each in calls]
    return [
        "<h2>Waiting and working</h2>",
        "<p>A rank waits until the last rank arrives whose data it needs. Then it works.</p>",
        _figure(lambda: arrivals.draw_times(calls), alt),
        _table("Waiting and working, ms, mean over ranks", ("Calls", "Waiting", "Working"), rows),
    ]


def _lateness(report: Report, calls: Sequence[arrivals.Calls]) -> list[str]:
    assert report.arrivals is not None
    hosts = report.arrivals.hosts
    shown = [(False, "rank")] if len(hosts) <= arrivals.MOST_RANKS else []
    if len(set(hosts)) > 1 or not shown:
        shown.append((True, "host"))
    parts = ["<h2>Arrivals</h2>"]
    for by_host, what in shown:
        alt = (
            f"Heat map of {min(len(calls), arrivals.MOST_BARS)} collectives and all {what}s: the "
            f"mean time from the first rank's arrival to that of each {what}. The table has the "
            "sums over all collectives."
        )

        def draw(by_host: bool = by_host) -> Figure:
            return arrivals.draw_lateness(calls, hosts, by_host)

        parts.append(_figure(draw, alt))
    times = (report.arrivals.waiting, report.arrivals.working, reports.awaited(report))
    rows = [
        (f"{rank} on {host}", *(f"{each[rank] * 1e3:.6g}" for each in times))
        for rank, host in enumerate(hosts)
    ]
    headings = ("Rank", "Waiting", "Working", "Awaited")
    parts.append(_table("Ranks: ms of waiting, working, and of waiting for it", headings, rows))
    return parts


def _choices(report: Report) -> list[str]:
    rows = [
        (
            each.collective, str(each.ranks), reports.show_size(each.bytes), str(each.calls),
            f"{each.seconds * 1e3:.6g}", each.choice, _reason(each, report),
        )
        for each in sorted(report.rows, key=lambda each: each.seconds, reverse=True)
    ]  # fmt: skip
    headings = ("Collective", "Ranks", "Size", "Calls", "ms on rank 0", "Choice", "Reason")
    return ["<h2>Choices</h2>", _table("Choices and their reasons", headings, rows)]


def _reason(row: Row, report: Report) -> str:
    if row.is_native:
        return reports.why_native(row, report.rows)[1]
    return reports.REASONS.get(row.reason, row.reason)


def _list(lines: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{escape(line)}</li>" for line in lines) + "\n</ul>"


def _table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """On a narrow screen, it scrolls; the keyboard can do that as well."""

    def line(cells: Sequence[str], tag: str, scope: str = "") -> str:
        texts = (
            f"<{tag}{' class=text' if heading in TEXTS else ''}{scope}>{escape(cell)}</{tag}>"
            for heading, cell in zip(headings, cells, strict=True)
        )
        return f"<tr>{''.join(texts)}</tr>"

    lines = "\n".join(line(row, "td") for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">\n<table>\n'
        f"<caption>{escape(caption)}</caption>\n"
        f"<thead>{line(headings, 'th', ' scope=col')}</thead>\n"
        f"<tbody>\n{lines}\n</tbody>\n</table>\n</div>"
    )


def _figure(draw: Callable[[], Figure], alt: str) -> str:
    """Inline SVG. Its texts stay texts, so they have the colour and the fonts of the page."""
    colours = ("text.color", "axes.labelcolor", "xtick.color", "ytick.color", "axes.edgecolor")
    settings: dict[Any, Any] = dict.fromkeys(colours, INK)
    settings |= {"svg.fonttype": "none", "svg.hashsalt": alt, "font.size": 9}
    with rc_context(settings):
        text = io.StringIO()
        draw().savefig(text, format="svg", transparent=True, metadata={"Date": None})
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", svg, count=1)
    svg = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", svg, count=1)
    used = set(re.findall(r"#([\w.-]+)", svg))  # other names would occur in each figure
    svg = re.sub(r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", svg)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)
    return f"<figure>\n{svg}</figure>"
