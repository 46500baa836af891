"""`toccata place`."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from toccata import outputs
from toccata.commands.common import (
    LauncherFormat,
    MachineOption,
    ModelOption,
    PhaseOption,
    PlacementOption,
    aside,
    console,
    of_phase,
    print_whole,
    say,
    seconds,
    without_effect,
    write_rankfile,
)
from toccata.errors import InputError
from toccata.launching import maps, start_files
from toccata.models import placing, predicting
from toccata.models import traffic as recorded
from toccata.topology import machines

TrafficFile = Annotated[
    Path, typer.Argument(metavar="FILE.json", help="File of toccata run --record.")
]
Rankfile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File for the launcher, with this mapping."),
]
Limit = Annotated[
    float, typer.Option("--seconds", metavar="S", parser=seconds, help="Time limit of the search.")
]
CompareScotch = Annotated[
    bool, typer.Option("--scotch/--no-scotch", help="Compare with Scotch's mapping.")
]


def place(
    given: typer.Context,
    file: TrafficFile,
    machine: MachineOption = None,
    placement: PlacementOption = None,
    model: ModelOption = "usual",
    limit: Limit = placing.SECONDS,
    rankfile: Rankfile = None,
    launcher: LauncherFormat = "openmpi",
    scotch: CompareScotch = True,
    phase: PhaseOption = None,
) -> None:
    """Map the ranks of a recorded program to cores, so that they communicate over short distances.

    By default, the machine and the placement of the ranks are those of the recorded run. The ranks
    exchange the cores that they have; unused cores remain unused.

    A model predicts the time. In this prediction, a rank's messages to different ranks overlap, and
    nodes have a limited injection rate. If a mapping saves less than 5% of this time, the ranks
    should stay where they are, and no file is written.

    Examples:

    - `toccata run --record traffic.json -- mpirun -n 64 ./app`, then `toccata place traffic.json`
    - `toccata place traffic.json --rankfile ranks`, then `mpirun -n 64 --rankfile ranks ./app`
    - `toccata place traffic.json --machine "node:4 socket:2 core:8" --placement cyclic`
    """
    if rankfile is None:
        without_effect(given, ["launcher"], "without --rankfile")
    outputs.check(rankfile, reads=[file, machine, model])
    found = recorded.read(file)
    if phase is not None:
        found = found.of_phase(phase)
    if machine is not None:
        placed = maps.placed(machines.named(machine), found.ranks, placement)
        seats = start_files.seats(placed)
    elif placement is not None:
        raise InputError(f"--placement {placement} has no effect without --machine")
    else:
        placed = found.placed(file)
        seats = start_files.seats(placed, found.cores)
    if rankfile is not None:  # an unknown launcher fails before the search
        start_files.text(seats, range(found.ranks), launcher)
    proposal = placing.propose(found, placed, predicting.read_model(model), limit, scotch)
    written = ""  # before printing: the reader of the output may have closed it
    if rankfile is not None and proposal.pays:
        written = write_rankfile(rankfile, seats, proposal.mapped.players, launcher)
    where = f"{placed.machine.text}{of_phase(phase)}"
    console.print(f"\n[bold cyan]{found.ranks} ranks[/] on {where}, model {escape(model)}\n")
    print_whole(placing.as_table(proposal))
    if proposal.beside_bound:
        aside(proposal.beside_bound)
    console.print(f"\n{proposal.sentence}")
    if written:
        say(written)
