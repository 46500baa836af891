"""Self-contained pages of HTML: their frame, lists, tables and figures. Pages need no network and
no script; they follow the light or dark colours of the reader's system."""

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from matplotlib import rc_context
from matplotlib.figure import Figure

MOST_ROWS, FEW_ROWS = 14, 3  # a longer table is folded, unless only a few rows follow
NO_TEXTS: Mapping[str, str] = {}
INK = "#0a0b0c"  # replaced by the colour of the page's text, which differs between light and dark
STYLE = """
:root { color-scheme: light dark;
        --paper: #ffffff; --ink: #1c2833; --line: #cfd6dc; --focus: #0072B2; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181c; --ink: #e6eaee; --line: #3a444d; --focus: #56B4E9; } }
body { background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif;
       max-width: 60rem; margin: 0 auto; padding: 1rem; overflow-wrap: break-word; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; } svg { width: 100%; max-width: 34rem; height: auto; }
.wide { overflow-x: auto; margin: .5rem 0; }
table { border-collapse: collapse; font-size: .9rem; }
caption { text-align: left; font-weight: 600; padding: .3rem .6rem; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid var(--line); }
thead th { vertical-align: bottom; } tbody th { font-weight: inherit; }
td, tbody th { white-space: nowrap; vertical-align: top; }
td.long { white-space: normal; min-width: 20rem; }
th:first-child, .text, .long { text-align: left; }
tbody th { position: sticky; left: 0; background: var(--paper); }
summary { cursor: pointer; padding: .5rem 0; }
:focus-visible { outline: 3px solid var(--focus); }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """A whole page. `title` is text, `parts` are HTML."""
    body = "\n".join([f"<h1>{escape(title)}</h1>", *parts])
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def heading(text: str, level: int = 2) -> str:
    return f"<h{level}>{escape(text)}</h{level}>"


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def items(lines: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{escape(line)}</li>" for line in lines) + "\n</ul>"


def folded(summary: str, parts: Iterable[str]) -> str:
    """Parts that the reader opens."""
    body = "\n".join(parts)
    return f"<details>\n<summary>{escape(summary)}</summary>\n{body}\n</details>"


def table(
    caption: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    texts: Mapping[str, str] = NO_TEXTS,
) -> str:
    """The first cell names its row. `texts` are the columns to align to the left, and their
    classes: "text", or "long" for sentences. On a narrow screen, the table scrolls; the keyboard
    can do that as well. The reader opens the rest of a long table."""
    first, rest = rows[:MOST_ROWS], rows[MOST_ROWS:]
    if len(rest) <= FEW_ROWS:
        return _table(caption, headings, rows, texts)
    more = _table(f"{caption}, continued", headings, rest, texts)
    return (
        _table(caption, headings, first, texts)
        + "\n"
        + folded(f"{caption}: {len(rest)} more rows", [more])
    )


def number(value: float) -> str:
    """Six digits, or all digits of the integer part: without an exponent, except of tiny values."""
    return f"{value:.6g}" if abs(value) < 1e6 else f"{value:.0f}"


def _table(
    caption: str,
    headings: Sequence[str],
    rows: Sequence[Sequence[str]],
    texts: Mapping[str, str],
) -> str:

    def line(cells: Sequence[str], in_head: bool) -> str:
        found = []
        for number, (name, cell) in enumerate(zip(headings, cells, strict=True)):
            tag, scope = "td", ""
            if in_head or number == 0:
                tag, scope = "th", f" scope={'col' if in_head else 'row'}"
            kind = f" class={texts[name]}" if name in texts else ""
            found.append(f"<{tag}{kind}{scope}>{escape(cell)}</{tag}>")
        return f"<tr>{''.join(found)}</tr>"

    lines = "\n".join(line(row, False) for row in rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}">\n<table>\n'
        f"<caption>{escape(caption)}</caption>\n"
        f"<thead>{line(headings, True)}</thead>\n"
        f"<tbody>\n{lines}\n</tbody>\n</table>\n</div>"
    )


def figure(draw: Callable[[], Figure], alt: str) -> str:
    """Inline SVG. Its texts stay texts, so they have the colour and the fonts of the page. `alt` is
    the text for readers who do not see it; no other figure of the page has the same."""
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
    svg = re.sub(r'="[^"]*"', lambda value: re.sub(r"(\.\d\d)\d+", r"\1", value[0]), svg)
    svg = svg.replace("<svg", f'<svg role="img" aria-label="{escape(alt)}"', 1)
    return f"<figure>\n{svg}</figure>"
