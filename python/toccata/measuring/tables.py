"""A benchmark's results on the terminal."""

from rich.console import Group, RenderableType
from rich.text import Text

from toccata.measuring.results import Measurement, Metric, Results, best, clear_winner, gain
from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_bytes, show_microseconds


def overview(
    results: Results, ranks: int, metric: Metric, highlight: str | None, baseline: list[str] | None
) -> RenderableType:
    """One row per size, one column per algorithm, with half the interquartile range as its spread.

    The fastest is bold and green if it is clearly faster; `!` marks an outlier among neighbouring
    sizes. The last column is the gain of the highlighted algorithm, as a share of the best
    baseline time.
    """
    here = [each for each in results.all if each.ranks == ranks]
    algorithms = list(dict.fromkeys(each.algorithm for each in here))
    others = [a for a in algorithms if a != highlight and (baseline is None or a in baseline)]
    compared = highlight in algorithms and bool(others)
    table = PlainTable()
    table.add_column("Size", justify="right")
    for algorithm in algorithms:
        table.add_column(_narrow(algorithm), justify="right", no_wrap=True)
    if compared:
        versus = f"best of {len(others)}" if len(others) > 1 else others[0]
        heading = f"{highlight}\nfaster than\n{versus}"
        table.add_column(heading, justify="right", no_wrap=True)
    for size in results.sizes:
        row = {each.algorithm: each for each in here if each.bytes == size}
        if not row:
            continue
        first = clear_winner(list(row.values()), metric)
        cells = [_time(row.get(name), metric, first) for name in algorithms]
        if compared:
            cells.append(_gain(row, highlight or "", others, metric))
        table.add_row(show_bytes(size), *cells)
    return Group(_title(here[0], f"{_metric_name(metric)} time in µs"), table)


def details(results: Results, ranks: int) -> RenderableType:
    """A table per algorithm with all times, as in the OSU benchmarks."""
    parts: list[RenderableType] = []
    headings = ("Size", "Avg (µs)", "Min (µs)", "Max (µs)", "Median (µs)", "Spread", "Repetitions")
    for algorithm in results.algorithms:
        here = [e for e in results.all if e.ranks == ranks and e.algorithm == algorithm]
        if not here:
            continue
        table = PlainTable()
        for heading in headings:
            table.add_column(heading, justify="right", min_width=9)
        for each in sorted(here, key=lambda each: each.bytes):
            times = (each.average, each.min, each.max, each.median)
            table.add_row(
                show_bytes(each.bytes), *map(show_microseconds, times), f"{each.spread:.1%}",
                str(each.repetitions),
            )  # fmt: skip
        parts += [_title(here[0], algorithm), table]
    return Group(*parts)


def _narrow(algorithm: str) -> str:
    """An algorithm's name on several lines, so that five columns fit into a terminal."""
    name, _, settings = algorithm.partition(":")
    return "\n".join([name.replace("_", "_\n"), *filter(None, settings.split(","))])


def _title(any_of: Measurement, what: str) -> Text:
    heading = Text(f"\n{any_of.collective}, {plural('rank', any_of.ranks)}", style="bold cyan")
    heading.append(f"   {what}   {any_of.mpi}", style="not bold default")
    return heading


def _metric_name(metric: Metric) -> str:
    return {"min": "least", "max": "largest"}.get(metric, metric)


def _time(measurement: Measurement | None, metric: Metric, first: Measurement | None) -> str:
    if measurement is None:
        return "[dim]–[/]"
    text = show_microseconds(measurement.time(metric))
    text += f"±{measurement.spread:.0%}" + "!" * (measurement.remark == "out of line")
    return f"[bold green]{text}[/]" if measurement is first else text


def _gain(row: dict[str, Measurement], highlight: str, others: list[str], metric: Metric) -> str:
    second = best([row[name] for name in others if name in row], metric)
    if highlight not in row or second is None:
        return "[dim]–[/]"
    value = gain(row[highlight].time(metric), second.time(metric))
    return f"[{'green' if value > 0 else 'dim'}]{value:+.0%}[/]"


def changes(old: Results, new: Results, metric: Metric) -> RenderableType:
    """The times that changed by more than the spread, and the number of the other times."""
    table = PlainTable(kept=3)
    for heading in ("Ranks", "Size", "Algorithm", "before (µs)", "now (µs)", "now takes"):
        table.add_column(heading, justify="left" if heading == "Algorithm" else "right")
    faster = slower = both = 0
    for now in new.all:
        before = old.get(now.ranks, now.bytes, now.algorithm)
        if before is None or before.collective != now.collective:
            continue
        both += 1
        better = now.clearly_below(before, metric)
        if not better and not before.clearly_below(now, metric):
            continue
        faster, slower = faster + better, slower + (not better)
        colour = "green" if better else "red"
        # A rank may need no time, for example a root whose message is buffered.
        factor = now.time(metric) / before.time(metric) if before.time(metric) > 0 else None
        table.add_row(
            str(now.ranks), show_bytes(now.bytes), now.algorithm,
            show_microseconds(before.time(metric)), show_microseconds(now.time(metric)),
            "[dim]–[/]" if factor is None else f"[{colour}]{factor:.2f} times[/]",
        )  # fmt: skip
    verdict = (
        f"\n{faster} faster and {slower} slower than before, {both - faster - slower} within the "
        f"spread; {len(new.all) - both} have no earlier time"
    )
    return Group(Text(verdict), *([table] if faster or slower else []))
