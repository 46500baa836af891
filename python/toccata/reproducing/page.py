"""docs/reproduction.md: a section a paper, each written by the command that measured it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from toccata import drawing

HEAD = """# The papers' numbers beside ours

Every section is written by `toccata reproduce PAPER`, which says what it ran. Simulated times are
the same on every machine ([simulation.md](simulation.md)); measured ones are of the machine that is
named.
"""


@dataclass
class Section:
    """What a paper's section says, in Markdown, and its pictures by name."""

    paper: str
    title: str
    parts: list[str] = field(default_factory=list)
    pictures: dict[str, Figure] = field(default_factory=dict)

    def say(self, text: str) -> None:
        self.parts.append(text)

    def table(self, heading: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        lines = [heading, ["---", *["---:"] * (len(heading) - 1)], *rows]
        self.parts.append("\n".join(f"| {' | '.join(map(str, each))} |" for each in lines))

    def picture(self, name: str, figure: Figure, what: str) -> None:
        self.pictures[name] = figure
        self.parts.append(f"![{what}](images/reproduced-{self.paper}-{name}.png)")

    def text(self) -> str:
        begin, end = _marks(self.paper)
        return "\n\n".join([begin, f"## {self.title}", *self.parts, end]) + "\n"


def _marks(paper: str) -> tuple[str, str]:
    return f"<!-- {paper} -->", f"<!-- end of {paper} -->"


def write(section: Section, docs: Path) -> list[Path]:
    """Puts the section in its place on the page, and its pictures beside; what was written."""
    page = docs / "reproduction.md"
    old = page.read_text() if page.exists() else HEAD
    begin, end = _marks(section.paper)
    if begin in old:
        before, rest = old.split(begin, 1)
        new = before + section.text() + rest.split(end, 1)[1].lstrip("\n")
    else:
        new = f"{old.rstrip()}\n\n{section.text()}"
    written = []
    for name, figure in section.pictures.items():
        path = docs / "images" / f"reproduced-{section.paper}-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        drawing.write(figure, path)
        written.append(path)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(new)
    return [page, *written]
