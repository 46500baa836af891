"""`toccata search`."""

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from rich.markup import escape

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.commands.common import (
    CollectiveName,
    aside,
    console,
    count,
    number_of_ranks,
    print_whole,
    progress,
    say,
    seconds,
)
from toccata.errors import Failure, InputError
from toccata.plain_table import PlainTable
from toccata.simulating import platforms, searching

MOST_SHOWN = 8
MOST_BYTES = 4 << 30  # of the benchmark program

MachineName = Annotated[
    str,
    typer.Option(
        metavar="M",
        autocompletion=platforms.names,
        help="Platform or machine, as for sim: fattree64, dragonfly, ..., a file, or a "
        'machine such as "torus:5x3x2".',
    ),
]
Bytes = Annotated[
    str, typer.Option("--bytes", metavar="B", help="Bytes per block, or of the message.")
]
Budget = Annotated[
    float,
    typer.Option(
        "--seconds",
        metavar="S",
        parser=seconds,
        help="Amount of work: about this many seconds on two cores.",
    ),
]
NumberOfRanks = Annotated[
    int | None,
    typer.Option(
        "-p",
        "--ranks",
        metavar="P",
        parser=number_of_ranks,
        help="Number of ranks; one per node by default.",
    ),
]
PlacementName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Placement, as for predict; by default cyclic without --ranks, otherwise sequential.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=count("seed", least=0),
        help="Seed for the random choice of further parameter values.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE.json", help="File for the schedules of the "
                 "winner."),
]  # fmt: skip


def search(
    collective: CollectiveName,
    machine: MachineName,
    size: Bytes,
    budget: Budget = 60,
    p: NumberOfRanks = None,
    placement: PlacementName = None,
    seed: Seed = 1,
    output: Output = None,
) -> None:
    """Search for the fastest schedules of a collective on a machine, and write them to a file.

    A model predicts the times of three kinds of candidates: the library's algorithms with all
    parameters, combinations of one algorithm per level of the machine, and trees that use all
    links. The best candidates are simulated. The table shows the predicted time, the simulated
    time, and its multiple of the lower bound. The schedules of the winner are proved before they
    are written.

    --seconds limits the work, not the elapsed time: the same --seed and --seconds give the same
    result on every machine. If a search is interrupted, the same command continues it.

    Examples:

    - `toccata search allgather --machine fattree64 --bytes 64K --seconds 60`
    - `toccata search allreduce --machine "leaf:4 node:8 core:4" --bytes 1M --seconds 30 --seed 2`
    - `toccata search allgather --machine torus:5x3x2 --bytes 1M -o torus.json`
    """
    searching.check(collective)
    there = platforms.find(machine)
    if placement is None:
        placement = "cyclic" if p is None else "sequential"
    p = p or searching.nodes_of(there)
    platforms.cores(there, p, placement)
    if p < 2:
        raise InputError(f"{machine}: 1 rank has nothing to exchange; give at least 2 ranks")
    n = q.parse_bytes(size)
    if not 1 <= n <= MOST_BYTES:
        raise InputError(f"--bytes {size}: expected 1 to 4G")
    kind = machine if machine in platforms.names() else "machine"
    output = output or Path("results") / f"{collective}-{kind}-{p}-{n}.json"
    if output.suffix != ".json":
        raise InputError(f"--output {output}: schedules are written as .json")
    outputs.check(output, reads=[machine])
    began = perf_counter()
    task = searching.Task(collective, there, p, placement, n, budget, seed)
    found = _search(task)
    written = _write(found, task, output)
    of = catalogue.meaning_of_size(collective).removeprefix("bytes ")
    console.print(
        f"[bold cyan]{collective}[/], {q.show_bytes(n)} bytes {of}, {p} ranks on "
        f"{escape(there.name)}, {placement}"
    )
    print_whole(_as_table(found))
    _print_summary(found, task, perf_counter() - began)
    say(written)
    aside(f"to run it: {outside.setting(found.best.candidate.choice, output)}")


def _search(task: searching.Task) -> searching.Result:
    with progress(remaining=True, counted=False, estimated=True) as bar:
        at = bar.add_task("", total=task.seconds)
        try:
            return searching.run(
                task, lambda what, effort: bar.update(at, advance=effort, description=what)
            )
        except KeyboardInterrupt:
            console.print("interrupted; the same command continues the search")
            raise


def _as_table(found: searching.Result) -> PlainTable:
    """The fastest simulated candidates, and the library's best one if it is not among them."""
    table = PlainTable()
    table.add_column("", style="cyan")
    for heading in ("Model,\nµs", "Simulated,\nµs", "Multiple\nof bound"):
        table.add_column(heading, justify="right", no_wrap=True)
    shown = found.simulated[:MOST_SHOWN]
    ours = found.best_of_ours
    if ours is not None and ours not in shown:
        shown[-1:] = [ours]
    for each in shown:
        assert each.simulated is not None
        name = each.candidate.label + (" [dim](library)[/]" if each.candidate.is_ours else "")
        table.add_row(
            f"[bold]{name}[/]" if each is found.best else name,
            q.show_microseconds(each.priced),
            q.show_microseconds(each.simulated),
            f"{each.simulated / found.bound:.3f}",
        )
    return table


def _print_summary(found: searching.Result, task: searching.Task, took: float) -> None:
    best, ours = found.best, found.best_of_ours
    assert best.simulated is not None
    over = best.simulated / found.bound - 1
    console.print(
        f"lower bound {q.show_microseconds(found.bound)} µs; the best takes {over:.1%} more"
    )
    if ours is not None and ours.simulated is not None:
        less = 1 - best.simulated / ours.simulated
        known = f"the library's best, {ours.candidate.label}"
        time = f"{q.show_microseconds(ours.simulated)} µs"
        console.print(
            f"{less:.1%} less than {known}, with {time}"
            if less > 0
            else f"{known}, takes {time}: no faster candidate was found"
        )
    console.print(
        f"[dim]{len(found.all)} candidates by the model, {len(found.simulated)} simulated; "
        f"{found.spent:.0f} of {task.seconds:g} s of work, in {q.show_duration(took)}; "
        f"seed {task.seed}[/]"
    )
    left = [each.candidate.label for each in found.all
            if each.simulated is None and each.candidate.is_standard]  # fmt: skip
    if left:
        console.print(f"[dim]too long to simulate within the budget: {', '.join(left)}[/]")


def _write(found: searching.Result, task: searching.Task, output: Path) -> str:
    """Writes the proved schedules; the line that names their file."""
    best = found.best.candidate
    algorithm = best.choice.algorithm
    assert algorithm is not None
    shapes = [best.shape]
    if best.choice.rooted and algorithm.ordered:  # ranks cannot exchange their roles
        placed = best.shape.placement
        assert placed is not None
        shapes = [_core.Shape(placed, root) for root in range(task.p)]
    for shape in shapes:
        if error := best.choice.verify(shape):
            raise Failure(f"{best.label} with {shape.p} ranks is wrong: {error}")
    outside.as_checked_file(best.choice, shapes, output)
    size = q.show_bytes(output.stat().st_size)
    return f"proved, and wrote {output}: {task.p} ranks, {size} bytes"
