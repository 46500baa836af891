"""A table on the terminal, without lines; numbers are never truncated."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Column, Table

GAP = 2  # between two columns
FOLDED = 20  # a column that may wrap does not become narrower


class PlainTable(Table):
    """A table that is too wide for a terminal is printed in parts, one below the other, with whole
    columns.

    The first `kept` columns, which identify a row, are in every part. If the output is not a
    terminal, there is one part.
    """

    def __init__(self, kept: int = 1, title: str | None = None, show_header: bool = True) -> None:
        super().__init__(
            title=title, title_justify="left", box=None, pad_edge=False, padding=(0, GAP, 0, 0),
            header_style="bold", show_header=show_header,
        )  # fmt: skip
        self.kept = kept

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        unlimited = options.update_width(10_000)
        widths = [_width(console, unlimited, each) for each in self.columns]
        room = options.max_width if options.is_terminal else unlimited.max_width
        for number, chosen in enumerate(self._parts(widths, room)):
            part = copy(self)
            part.columns = [
                replace(self.columns[each], _index=place, no_wrap=_of_figures(self.columns[each]))
                for place, each in enumerate(chosen)
            ]
            if number > 0:
                part.title = None
                yield ""
            needed = _together(widths, chosen)
            within = options.update_width(max(needed, options.max_width))
            yield from super(PlainTable, part).__rich_console__(console, within)

    def _parts(self, widths: Sequence[int], room: int) -> list[list[int]]:
        """The column numbers of each part: the kept ones, and at least one more."""
        kept = list(range(min(self.kept, len(widths))))
        parts = [kept]
        for column in range(len(kept), len(widths)):
            if parts[-1] != kept and _together(widths, [*parts[-1], column]) > room:
                parts.append(kept)
            parts[-1] = [*parts[-1], column]
        return parts


def _of_figures(column: Column) -> bool:
    return column.no_wrap or column.justify == "right"


def _width(console: Console, options: ConsoleOptions, column: Column) -> int:
    """The minimum width of a column; if it may wrap, that of its longest word, at most FOLDED."""
    cells = [Measurement.get(console, options, each) for each in (column.header, *column.cells)]
    longest = max(each.maximum if _of_figures(column) else each.minimum for each in cells)
    least = min(longest, FOLDED) if column.overflow == "fold" else longest
    return max(least, column.min_width or 0)


def _together(widths: Sequence[int], chosen: Sequence[int]) -> int:
    return sum(widths[each] + GAP for each in chosen) - GAP
