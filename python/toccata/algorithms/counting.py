"""Counts of schedules, compared with the claims of the literature."""

from collections.abc import Sequence

from rich.table import Table

from toccata import _core
from toccata.algorithms.catalogue import path_of, size_is_of
from toccata.plain_table import PlainTable
from toccata.quantities import several

MOST_MESSAGES = 30_000_000  # of all ranks together; larger schedules are not counted completely


def bytes_of_blocks(choice: _core.Choice, shape: _core.Shape, size: int) -> int:
    """The bytes of a schedule's block; `size` is that of the collective's block or message."""
    assert choice.algorithm is not None
    of_message = size_is_of(choice.algorithm.collective) == "message"
    return -(-size // max(1, choice.data(shape))) if of_message else size


def as_table(choices: Sequence[_core.Choice], shape: _core.Shape, size: int) -> Table:
    """One row per choice; each number is the maximum over the ranks, with claims in brackets.

    A claim is red if the schedules differ from it. An impossible choice has no
    numbers. If there are too many messages, only the schedules of some ranks are counted.
    """
    table = PlainTable()
    table.add_column("Algorithm", style="cyan", overflow="fold")
    reduces = any(each.reduces for each in choices)
    headings = [
        "Rounds",
        "Messages",
        "Blocks\nsent",
        "Bytes\nsent",
        "Blocks\ncopied",
        "Bytes\ncopied",
        *(["Blocks\nreduced", "Bytes\nreduced"] if reduces else []),
    ]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for choice in choices:
        if choice.why_impossible(shape):
            table.add_row(path_of(choice), *["[dim]–[/]"] * len(headings))
            continue
        table.add_row(path_of(choice), *_cells(choice, shape, size)[: len(headings)])
    return table


def crossings_table(choices: Sequence[_core.Choice], shape: _core.Shape, size: int) -> Table | None:
    """The traffic across each level that divides the ranks: one row per choice and level.

    None if no level divides them.
    """
    levels = [level for level, _ in _core.regions(shape)]
    if not levels:
        return None
    table = PlainTable(kept=2)
    table.add_column("Algorithm", style="cyan", overflow="fold")
    table.add_column("Between", no_wrap=True)
    for scope in ("Per rank", "Per region", "All"):
        for number, unit in enumerate(("messages", "blocks", "bytes")):
            table.add_column(
                f"{scope if number == 0 else ''}\n{unit}", justify="right", no_wrap=True
            )
    for choice in choices:
        if choice.why_impossible(shape):
            continue
        if choice.cost(shape).messages * shape.p > MOST_MESSAGES:
            table.add_row(path_of(choice), "[dim]too many messages to count[/]")
            continue
        block = bytes_of_blocks(choice, shape, size)
        crossings = {each.level: each for each in _core.crossings(choice, shape, block)}
        for number, level in enumerate(levels):
            found = crossings[level]
            table.add_row(
                path_of(choice) if number == 0 else "",
                several(level),
                *(
                    str(value)
                    for each in (found.rank, found.region, found.total)
                    for value in (each.messages, each.blocks, each.bytes)
                ),
            )
    return table


def _cells(choice: _core.Choice, shape: _core.Shape, size: int) -> list[str]:
    block_bytes = bytes_of_blocks(choice, shape, size)
    found: _core.Cost | _core.Traffic = choice.cost(shape)
    if found.messages * shape.p <= MOST_MESSAGES:
        found = choice.traffic(shape, block_bytes)
    claimed = choice.claim(shape)

    def beside(name: str) -> str:
        number = getattr(found, name)
        if claimed is None:
            return str(number)
        style = "dim" if number == getattr(claimed, name) else "bold red"
        return f"{number} [{style}]({getattr(claimed, name)})[/]"

    def in_bytes(name: str) -> str:
        return str(getattr(found, f"{name}_bytes", getattr(found, name) * block_bytes))

    cells = [beside("rounds"), beside("messages")]
    for name in ("sent", "copied", "reduced"):
        cells += [beside(name), in_bytes(name)]
    return cells
