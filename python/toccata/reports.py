"""What TOCCATA_REPORT=FILE.json says of a run: tables, and where time was won."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_type_hints

from rich.console import Group, RenderableType
from rich.text import Text

from toccata import documents
from toccata.errors import InputError
from toccata.plain_table import PlainTable
from toccata.quantities import show_microseconds

VERSION = 1
MOST_ROWS = 30
REASONS = {
    "forced": "asked for by name", "tuned": "the tuning file says so",
    "learned": "earlier runs found so", "modelled": "the model says so",
    "guarded": "found by trials in this run", "native": "nothing else was better, or known",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """Calls of one collective on communicators of one shape, of one range of sizes, one choice.

    Seconds are of a call, but `seconds`, which are of all; 0 is not known.
    """

    collective: str
    ranks: int
    nodes: int
    bytes: int  # of a call, about; -1 where ranks do not know of each other
    calls: int
    total_bytes: int
    seconds: float
    choice: str
    reason: str
    predicted: float
    measured: float
    native: float
    bound: float

    @property
    def before(self) -> float:
        """Seconds that these calls would have taken by the MPI library's own; as now if unknown."""
        known = self.choice != "native" and self.measured > 0 and self.native > 0
        return self.seconds * self.native / self.measured if known else self.seconds


@dataclass(frozen=True)
class Report:
    """A run."""

    mpi: str
    ranks: int
    seconds: float  # from MPI_Init to MPI_Finalize
    rows: list[Row]

    @property
    def after(self) -> float:
        """Seconds in collectives."""
        return sum(each.seconds for each in self.rows)

    @property
    def before(self) -> float:
        """Seconds that they would have taken by the MPI library's own."""
        return sum(each.before for each in self.rows)


def read(path: Path) -> Report:
    """InputError, naming what is wrong."""
    document = documents.read(
        path, "toccata_report", VERSION,
        what="report", remedy="TOCCATA_REPORT=FILE.json has a run write one",
    )  # fmt: skip
    try:
        rows = [_row(each) for each in document["rows"]]
        mpi, ranks = str(document["mpi"]), int(document["ranks"])
        return Report(" ".join(mpi.split()), ranks, float(document["seconds"]), rows)
    except KeyError as error:
        raise InputError(f"{path}: {error.args[0]} is missing") from None
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: cannot be understood: {error}") from None


def _row(entry: Any) -> Row:
    names = get_type_hints(Row)
    return Row(**{name: kind(entry[name]) for name, kind in names.items()})


def summary(report: Report) -> list[str]:
    """How much time collectives take, and what of it was won; lines."""
    before, after = report.before, report.after
    share = f", {after / report.seconds:.0%} of the run's" if report.seconds > 0 else ""
    lines = [f"rank 0 was in collectives for {_seconds(after)}{share} {_seconds(report.seconds)}"]
    compared = sum(each.seconds for each in report.rows if each.before != each.seconds)
    if not compared:
        lines.append("nothing was served by an algorithm of ours that native was compared with")
        return lines
    won = before - after
    verb = "won" if won >= 0 else "lost"
    lines.append(
        f"by native it would have been {_seconds(before)}: {verb} {_seconds(abs(won))}, "
        f"{abs(won) / before:.0%}; native was compared for {compared / after:.0%} of the time"
    )
    best = max(report.rows, key=lambda each: each.before - each.seconds)
    if best.before > best.seconds:
        lines.append(
            f"most of it in {best.collective} of {show_size(best.bytes)} by {best.choice}: "
            f"{_seconds(best.before - best.seconds)}"
        )
    return lines


def table(report: Report) -> RenderableType:
    """A row for each collective, communicator, size and choice; those that take longest first."""
    result = PlainTable(kept=3)
    for heading in ("Collective", "Ranks", "Size", "Calls", "Time", "Share"):
        result.add_column(heading, justify="left" if heading == "Collective" else "right")
    result.add_column("Choice", no_wrap=True)
    result.add_column("Reason", no_wrap=True)
    for heading in ("Predicted\nµs", "Measured\nµs", "Native\nµs", "Bound\nµs", "Gain"):
        result.add_column(heading, justify="right", no_wrap=True)
    rows = sorted(report.rows, key=lambda each: each.seconds, reverse=True)
    for each in rows[:MOST_ROWS]:
        nodes = f" on {each.nodes}" if each.nodes > 1 else ""
        times = (each.predicted, each.measured, each.native, each.bound)
        known = each.choice != "native" and each.measured > 0 and each.native > 0
        gain = each.native / each.measured if known else 0
        result.add_row(
            each.collective,
            f"{each.ranks}{nodes}",
            show_size(each.bytes),
            str(each.calls),
            _seconds(each.seconds),
            f"{each.seconds / report.after:.0%}" if report.after > 0 else "",
            "[dim]native[/]" if each.choice == "native" else each.choice,
            each.reason,
            *(show_microseconds(time) if time > 0 else "[dim]–[/]" for time in times),
            f"[{'green' if gain >= 1 else 'red'}]×{gain:.2f}[/]" if gain else "[dim]–[/]",
        )
    parts: list[RenderableType] = [
        Text(f"{report.ranks} ranks   {report.mpi}", style="bold cyan"),
        result,
    ]
    if len(rows) > MOST_ROWS:
        rest = sum(each.seconds for each in rows[MOST_ROWS:])
        parts.append(Text(f"and {len(rows) - MOST_ROWS} more, {_seconds(rest)}", style="dim"))
    used = [reason for reason in REASONS if any(each.reason == reason for each in rows)]
    parts.append(Text("; ".join(f"{each}: {REASONS[each]}" for each in used), style="dim"))
    return Group(*parts)


def show_size(size: int) -> str:
    """Of a call; exact sizes are worth less than short ones."""
    if size < 0:
        return "?"
    for unit, factor in (("M", 1 << 20), ("K", 1 << 10)):
        if size >= factor:
            return f"{size / factor:.3g}{unit}"
    return str(size)


def _seconds(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"
