"""Lower bounds on a mesh or torus, and what each algorithm reaches."""

from collections.abc import Sequence

from rich.table import Table

from toccata import _core, machines
from toccata.catalogue import path_of
from toccata.counting import MOST_MESSAGES
from toccata.errors import InputError
from toccata.plain_table import PlainTable


def shape(machine: str, p: int | None, placement: str | None, root: int) -> _core.Shape:
    """The ranks on that machine; as many as it has cores where nobody says how many.

    Raises InputError if it has no mesh, ChoiceError if it cannot be.
    """
    there = machines.named(machine)
    if not there.dims:
        raise InputError(f"--machine {machine} has no links to count; it takes torus:8x8x8, mesh:…")
    ranks = p or machines.cores(there)
    return _core.Shape(_core.Placement(there, ranks, placement or "sequential"), root)


def as_table(collective: str, choices: Sequence[_core.Choice], shape: _core.Shape, n: int) -> Table:
    """The bounds, then a row for each choice, with the ratio to the bound in brackets.

    Bytes are those over the busiest link, for n bytes of the whole vector. Rounds are at least as
    many as the busiest rank needs with one message a link at a time.
    """
    least = _core.lower_bounds(collective, shape, n)
    table = PlainTable()
    table.add_column("", style="cyan", overflow="fold")
    headings = (
        "Rounds",
        "Bytes on the\nbusiest link",
        "Messages on a\nlink at a time",
        "Reduced\na rank",
    )
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_row(
        "[bold]no algorithm does with less[/]",
        f"[bold]{least.rounds}[/]",
        f"[bold]{_bytes(least.link_bytes)}[/]",
        "",
        f"[bold]{_bytes(least.reduced_bytes)}[/]" if least.reduced_bytes else "",
    )
    for choice in choices:
        if choice.why_impossible(shape):
            table.add_row(path_of(choice), *["[dim]–[/]"] * len(headings))
            continue
        cost = choice.cost(shape)
        rounds = _beside(str(cost.rounds), cost.rounds, least.rounds)
        if cost.messages * shape.p > MOST_MESSAGES:
            table.add_row(path_of(choice), rounds, "[dim]too many to count[/]")
            continue
        found = _core.link_traffic(choice, shape, n)
        turns = max(cost.rounds, found.turns)
        rounds = _beside(str(turns), turns, least.rounds)
        reduced = n * cost.reduced / choice.data(shape)
        table.add_row(
            path_of(choice),
            rounds,
            _beside(_bytes(found.largest), found.largest, least.link_bytes),
            str(max(found.conflicts, default=0)),
            _beside(_bytes(reduced), reduced, least.reduced_bytes) if cost.reduced else "",
        )
    return table


def _bytes(size: float) -> str:
    return f"{size:.0f}" if size >= 100 or size == round(size) else f"{size:.2f}"


def _beside(text: str, found: float, least: float) -> str:
    if least == 0:
        return text
    ratio = found / least
    style = "green" if ratio < 1.005 else "dim"
    return f"{text} [{style}]({ratio:.2f})[/]"
