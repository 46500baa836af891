"""Writes docs/mpi-libraries.md: what MPI libraries do where they differ, and what Toccata does.

mpi_libraries.py: prints the page. The observations are in mpi_libraries.csv, which `make libraries`
renews; a test compares the page.
"""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

OBSERVATIONS = Path(__file__).with_suffix(".csv")
TEXTS = Path(__file__).with_suffix(".md.in")  # the page; "@rows A + B" stands for a table


@dataclass(frozen=True)
class Observation:
    """What three ranks saw under one library, and with the algorithms of Toccata."""

    library: str
    row: str
    bare: str
    served: str


def observations() -> list[Observation]:
    with OBSERVATIONS.open(newline="") as file:
        return [Observation(**row) for row in csv.DictReader(file)]


def _value(text: str) -> str:
    """The values of three ranks as "a, b, c"."""
    return ", ".join(f"`{each}`" if "(" in each else each for each in text.split(" | "))


def _served(row: Sequence[Observation]) -> str:
    """What Toccata's algorithms do in a row. Some libraries do not let Toccata serve the call."""
    ours = sorted({_value(each.served) for each in row if each.served != each.bare})
    natives = {_value(each.served) for each in row if each.served == each.bare}
    if not ours:
        return natives.pop() if len(natives) == 1 else "as native"
    return " or ".join([*ours, *(["native"] if natives - set(ours) else [])])


def table(seen: Iterable[Observation], prefixes: Sequence[str]) -> str:
    """The rows that begin with a prefix: a column per library, and one for Toccata's algorithms.
    With several prefixes, the first column has the whole name of a row. Successive rows with the
    same values are one."""
    mine = [each for prefix in prefixes for each in seen if each.row.startswith(prefix)]
    libraries = sorted({each.library for each in mine})
    common = prefixes[0] if len(prefixes) == 1 else ""
    lines = [
        f"| {' | '.join([common.rstrip(' ,') or 'call', *libraries, 'served by Toccata'])} |",
        "|---" * (len(libraries) + 2) + "|",
    ]
    rows: list[tuple[str, list[str]]] = []
    for row in dict.fromkeys(each.row for each in mine):
        of = {each.library: each for each in mine if each.row == row}
        cells = [_value(of[name].bare) if name in of else "–" for name in libraries]
        cells.append(_served(list(of.values())))
        name = row.removeprefix(common).lstrip(" ,") or row
        if rows and rows[-1][1] == cells:
            name = _joined(rows.pop()[0], name)
        rows.append((name, cells))
    lines += [f"| {' | '.join([name, *cells])} |" for name, cells in rows]
    return "\n".join(lines)


def _joined(one: str, other: str) -> str:
    """The names of two rows as one: "A, x" and "A, y" as "A, x; y"."""
    head, comma, tail = other.rpartition(", ")
    return f"{one}; {tail if one.startswith(head + comma) else other}"


def markdown() -> str:
    seen = observations()
    lines = []
    for line in TEXTS.read_text().splitlines():
        if line.startswith("@rows "):
            lines.append(table(seen, line.removeprefix("@rows ").split(" + ")))
        else:
            lines.append(line)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(markdown(), end="")
