"""docs/reproduction.md: one section per paper, written by the command that measured it."""

import csv
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from toccata.algorithms import catalogue
from toccata.drawing import pictures
from toccata.quantities import show_bytes
from toccata.simulating import simulation
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Outcome, Work

HEAD = """# The papers' numbers compared with ours

`toccata reproduce PAPER --docs docs` writes each section; `reproduction/PAPER.csv` has all
simulated times. They are the same on every machine ([simulation.md](simulation.md)); the files in
`platforms/` state their sources and assumptions. Measured times belong to the machine that the text
names. A *selector* chooses among SimGrid's algorithms, like the MPI library with the same name.
"""
WIDTH = 110  # of a line of text


@dataclass(frozen=True)
class Found:
    """The simulated cells and their outcomes."""

    outcomes: Mapping[Work, Outcome]

    def seconds(self, platform: Platform, cell: Cell) -> float | None:
        return self.outcomes[platform, cell].seconds

    def wrong(self) -> list[str]:
        """The selectors that produced wrong data in any cell."""
        return sorted({cell.algorithm for (_, cell), each in self.outcomes.items()
                       if each.valid is False})  # fmt: skip

    def lost(self) -> list[str]:
        """Our cells that ended in a deadlock of SimGrid."""
        return sorted({f"`{cell.collective}/{cell.algorithm}` of {show_bytes(cell.bytes)} on "
                       f"{platform.name}, {cell.ranks} ranks, {cell.placement}"
                       for (platform, cell), each in self.outcomes.items()
                       if each.why_not == simulation.LOST_COUNT})  # fmt: skip


@dataclass
class Section:
    """The text of a paper's section, in Markdown, and its pictures by name."""

    paper: str
    title: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[str, Figure] = field(default_factory=dict)

    def say(self, text: str) -> None:
        self.parts.append("\n".join(_wrapped(line) for line in text.split("\n")))

    def table(self, heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows]
        self.parts.append("\n".join(f"| {' | '.join(map(str, each))} |" for each in lines))

    def picture(self, name: str, figure: Figure, what: str) -> None:
        self.pictures[name] = figure
        line = f"![{what}](images/reproduced-{self.paper}-{name}.png)"
        if self.parts and self.parts[-1].startswith("!["):
            self.parts[-1] += f"\n{line}"
        else:
            self.parts.append(line)

    def text(self) -> str:
        begin, end = _marks(self.paper)
        return "\n\n".join([begin, f"## {self.title}", *self.parts, end]) + "\n"


def _wrapped(line: str) -> str:
    """The line in several lines; those of a list's item are indented."""
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(
        line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _marks(paper: str) -> tuple[str, str]:
    return f"<!-- {paper} -->", f"<!-- end of {paper} -->"


def write(section: Section, found: Found, docs: Path) -> list[Path]:
    """Replaces the section on the page, and writes its pictures and all times; returns the written
    files."""
    page = docs / "reproduction.md"
    old = page.read_text(encoding="utf-8") if page.exists() else HEAD
    begin, end = _marks(section.paper)
    if begin in old:
        before, rest = old.split(begin, 1)
        new = before + section.text() + rest.split(end, 1)[1].lstrip("\n")
    else:
        new = f"{old.rstrip()}\n\n{section.text()}"
    times = docs / "reproduction" / f"{section.paper}.csv"
    written = [page, times]
    for path in (page, times):
        path.parent.mkdir(parents=True, exist_ok=True)
    for name, figure in section.pictures.items():
        path = docs / "images" / f"reproduced-{section.paper}-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        pictures.write(figure, path)
        written.append(path)
    page.write_text(new, encoding="utf-8")
    _write_times(found, times)
    return written


def _write_times(found: Found, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["platform", "collective", "algorithm", "ranks", "placement", "bytes",
                         "bytes_of", "microseconds", "why_not"])  # fmt: skip
        for (platform, cell), each in found.outcomes.items():
            time = "" if each.seconds is None else f"{1e6 * each.seconds:.4g}"
            writer.writerow([platform.name, cell.collective, cell.algorithm, cell.ranks,
                             cell.placement, cell.bytes, catalogue.size_is_of(cell.collective),
                             time, each.why_not])  # fmt: skip
