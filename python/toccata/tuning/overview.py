"""A tuning file as tables."""

from collections.abc import Sequence
from statistics import geometric_mean

from rich.console import Group, RenderableType
from rich.text import Text

from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_bytes, show_microseconds
from toccata.tuning.tuning_file import Point, Tuning


def tables(tuning: Tuning) -> RenderableType:
    """One table per collective, number of ranks and number of nodes; one row per size."""
    parts: list[RenderableType] = []
    known = any(each.native_seconds > 0 for each in tuning.points)
    time = "predicted" if tuning.model else "median"
    by = f"model {tuning.model}" if tuning.model else tuning.mpi
    for (collective, ranks, nodes), points in _places(tuning.points).items():
        heading = Text(f"\n{collective}, {plural('rank', ranks)}", style="bold cyan")
        on = f" on {nodes} nodes" if nodes > 1 else ""
        heading.append(f"{on}   {time} time in µs   {by}", style="not bold default")
        table = PlainTable(kept=2)
        table.add_column("Size", justify="right")
        table.add_column("Choice", no_wrap=True)
        columns = ("Time", "Spread", "Native", "Saved", "Calls") if known else ("Predicted",)
        for name in columns:
            table.add_column(name, justify="right", no_wrap=True)
        for each in points:
            table.add_row(show_bytes(each.bytes), *_row(each, known))
        parts += [heading, table]
    return Group(*parts)


def _row(point: Point, known: bool) -> list[str]:
    native = point.choice == "native"
    choice = "[dim]native[/]" if native else point.choice
    seconds = show_microseconds(point.seconds)
    if not known:
        return [choice, seconds]
    gain = "[dim]–[/]" if native else f"[green]{point.gain:.0%}[/]"
    before = show_microseconds(point.native_seconds)
    return [choice, seconds, f"{point.spread:.0%}", before, gain, str(point.repetitions)]


def summary(tuning: Tuning) -> str:
    """One line: the number of points with an algorithm of Toccata, and the speedup.

    The mean speedup is over all points, including native ones.
    """
    points = tuning.points
    won = [each for each in points if each.choice != "native"]
    text = f"Toccata serves {len(won)} of {len(points)} points"
    speedups = [p.native_seconds / p.seconds for p in points if p.seconds > 0 < p.native_seconds]
    if speedups:
        text += (
            f"; geometric mean of the speedups over native: {geometric_mean(speedups):.2f}×, "
            f"at most {max(speedups):.2f}×"
        )
    return text


def _places(points: Sequence[Point]) -> dict[tuple[str, int, int], list[Point]]:
    places: dict[tuple[str, int, int], list[Point]] = {}
    for each in points:
        places.setdefault((each.collective, each.ranks, each.nodes), []).append(each)
    return places
