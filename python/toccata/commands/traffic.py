"""`toccata traffic`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, counting
from toccata.commands.common import (
    BlockBytes,
    MachineOption,
    Names,
    PhaseOption,
    PictureFile,
    PlacementOption,
    RootOption,
    console,
    number_of_ranks,
    of_phase,
    print_whole,
    print_without,
    say,
    subjects,
    without_effect,
)
from toccata.errors import InputError
from toccata.launching import maps
from toccata.models import traffic as recorded

NumberOfRanks = Annotated[
    int | None,
    typer.Option(
        "-p",
        "--ranks",
        metavar="P",
        parser=number_of_ranks,
        help="Number of ranks (not for a record).",
    ),
]


def traffic(
    given: typer.Context,
    names: Names = None,
    p: NumberOfRanks = None,
    size: BlockBytes = "1",
    root: RootOption = 0,
    machine: MachineOption = None,
    placement: PlacementOption = None,
    output: PictureFile = None,
    phase: PhaseOption = None,
) -> None:
    """Count rounds, messages and blocks, and compare them with the literature.

    Every number is the maximum over the ranks. If a paper gives a formula, its value is in
    brackets. If counting all ranks would take too long, a sample of the ranks is counted.

    With --machine, a second table shows the bytes between different nodes, different sockets, and
    so on: the maximum per rank, the maximum per region (node, socket), and the total.

    For a file of `toccata run --record`, the command prints the traffic of that program instead:
    its kinds of messages, the bytes that cross each level, and the heaviest pairs of ranks. -o
    draws a matrix. If the program marks phases with MPI_Pcontrol, the command lists them, too;
    --phase shows one of them.

    Examples:

    - `toccata traffic -p 64`
    - `toccata traffic allgather/bruck locality_bruck -p 16 --machine "node:4 core:4"`
    - `toccata traffic sparbit allgather/bruck -p 1000 --bytes 4K`
    - `toccata traffic traffic.json -o matrix.png`
    """
    outputs.check(pictures=[output])
    if names and (recorded.is_traffic(names[0]) or (p is None and names[0].endswith(".json"))):
        if len(names) > 1 or p is not None or machine is not None or placement is not None:
            raise InputError(
                f"{names[0]}: a record has its own ranks and machine; give no other names, and no "
                "-p, --machine or --placement"
            )
        without_effect(given, ["size", "root"], f"with the record {names[0]}")
        _print_recorded(Path(names[0]), output, phase)
        return
    if output is not None or phase is not None:
        what = "-o draws" if output is not None else "--phase selects"
        raise InputError(f"{what} recorded traffic; give a file of `toccata run --record`")
    if p is None:
        raise InputError("give the number of ranks, such as -p 16")
    bytes_ = q.parse_bytes(size)
    choices: list[_core.Choice] = []
    for subject in subjects(names):
        if isinstance(subject, _core.Choice):
            choices.append(subject)
        else:
            choices += subject.variants(p) or [catalogue.standard(subject)]
    shape = maps.shape(p, machine, placement, root)
    [left_out] = catalogue.impossible({catalogue.path_of(each): each for each in choices}, [shape])
    print_whole(counting.as_table(choices, shape, bytes_))
    if (crossings := counting.crossings_table(choices, shape, bytes_)) is not None:
        console.print()
        print_whole(crossings)
    print_without(p, left_out)


def _print_recorded(file: Path, output: Path | None, phase: int | None) -> None:
    record = recorded.read(file)
    placed = record.placed(file)
    part = record if phase is None else record.of_phase(phase)
    found = part.traffic(placed)
    title = f"{q.plural('rank', found.ranks)} on {placed.machine.text}{of_phase(phase)}"
    amount = f"{found.messages:,} messages, {q.show_amount(found.bytes)}"
    without = "" if record.has_collectives else "; this file has no collectives"
    if output is not None:  # before printing: the reader of the output may have closed it
        from toccata.drawing import pictures, traffic_maps  # matplotlib takes a second to load

        pictures.write(traffic_maps.draw(found, title), output)
    console.print(f"\n[bold cyan]{title}[/]: {amount}{without}\n")
    if len(record.phases) > 1:
        print_whole(recorded.phases_table(record, placed))
        console.print()
    print_whole(recorded.kinds_table(found))
    console.print()
    print_whole(recorded.crossings_table(found, recorded.crossings(found)))
    console.print()
    print_whole(recorded.heaviest_table(found))
    if record.outside[0]:
        messages, size = f"{record.outside[0]:,} messages", q.show_amount(record.outside[1])
        console.print(f"\n[dim]without {messages} ({size}) to ranks outside MPI_COMM_WORLD[/]")
    if found.left_out:
        console.print(f"\n[dim]without {found.left_out:,} collective calls above the limit[/]")
    if output is not None:
        say(f"wrote {output}")
