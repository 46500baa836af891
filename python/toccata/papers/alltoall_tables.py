"""The measurements and tables of the all-to-all paper (oliviero2023, sections III and IV).

Tables I to X: mean and median by number of processes and of ints, one pair per implementation. The
paper's machine has 6 cores with 12 threads. So the tables have the same form, but the times are not
comparable.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from toccata.measuring.results import Measurement, Results
from toccata.measuring.session import Paper
from toccata.plain_table import PlainTable

RANKS = "2,4,8"
INTS = tuple(2**power for power in (4, 8, 12, 16, 20))  # that a rank sends in total
INT_BYTES = 4
SIZES = [INT_BYTES * ints for ints in INTS]
SIZES_OF = "bytes that a rank sends"
ALGORITHMS = "native,bruck,bruck_radix:radix=4,bruck_modified,bruck_zero_copy"
REPETITIONS = 1000
# Section III: "a cap of 12 processes with 12 elements each".
CAP_RANKS, CAP_BYTES = 12, 12 * INT_BYTES

NAMES = {
    "native": "Baseline",
    "bruck": "Index",
    "bruck_radix:radix=4": "Radix r",
    "bruck_modified": "Datatype",
    "bruck_zero_copy": "Zero copy",
}


def blocks(sizes: Sequence[int], ranks: int) -> list[int]:
    """Converts the paper's sizes (the total that a rank sends) to block sizes."""
    return [max(1, size // ranks) for size in sizes]


PAPER = Paper(
    "alltoall", RANKS, ALGORITHMS, REPETITIONS,
    sizes=lambda p: blocks(SIZES, p),
    others={CAP_RANKS: blocks([CAP_BYTES], CAP_RANKS)},
)  # fmt: skip


def as_the_paper(results: Results) -> Results:
    """Converts results to the paper's sizes: the total bytes that a rank sends."""
    sizes = [CAP_BYTES, *SIZES]
    of_block = {(p, block): size for p in results.ranks
                for block, size in zip(blocks(sizes, p), sizes, strict=True)}  # fmt: skip
    return Results(
        replace(each, bytes=of_block.get((each.ranks, each.bytes), each.bytes * each.ranks))
        for each in results.all
    )


def tables(results: Results) -> RenderableType:
    """Tables I to X, in milliseconds, and one of the cap, from results with the paper's sizes."""
    parts: list[RenderableType] = []
    statistics: tuple[tuple[str, Callable[[Measurement], float]], ...] = (
        ("mean", lambda each: each.average),
        ("median", lambda each: each.median),
    )
    for algorithm in _in_order(results.algorithms):
        for statistic, time in statistics:
            parts.append(_heading(f"{statistic} execution time (ms) of {_name(algorithm)}"))
            parts.append(_by_ranks_and_ints(results, algorithm, time))
    if results.at(CAP_RANKS, CAP_BYTES):
        parts.append(_heading(f"{CAP_RANKS} processes with {CAP_RANKS} elements each (ms)"))
        parts.append(_cap(results))
    return Group(*parts)


def scaled(results: Results) -> Results:
    """The results without the cap, which has another size."""
    return Results(each for each in results.all if each.bytes != CAP_BYTES)


def _in_order(algorithms: list[str]) -> list[str]:
    """In the paper's order; implementations that are not in the paper come last."""
    order = list(NAMES)
    return sorted(algorithms, key=lambda each: order.index(each) if each in order else len(order))


def _name(algorithm: str) -> str:
    return f"{NAMES[algorithm]}, {algorithm}" if algorithm in NAMES else algorithm


def _heading(text: str) -> Text:
    return Text(f"\n{text}", style="bold cyan")


def _by_ranks_and_ints(
    results: Results, algorithm: str, time: Callable[[Measurement], float]
) -> Table:
    swept = scaled(results)
    table = _table("Processes/Size", *(_power(size) for size in swept.sizes))
    for ranks in swept.ranks:
        here = (swept.get(ranks, size, algorithm) for size in swept.sizes)
        table.add_row(str(ranks), *(_milliseconds(time(each)) if each else "–" for each in here))
    return table


def _cap(results: Results) -> Table:
    table = _table("Implementation", "mean", "median")
    for each in results.at(CAP_RANKS, CAP_BYTES):
        table.add_row(
            _name(each.algorithm), _milliseconds(each.average), _milliseconds(each.median)
        )
    return table


def _table(first: str, *others: str) -> Table:
    table = PlainTable()
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right", min_width=9)
    return table


def _power(size: int) -> str:
    ints = size // INT_BYTES
    power = ints.bit_length() - 1
    return f"2^{power}" if ints == 2**power else str(ints)


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.5f}"
