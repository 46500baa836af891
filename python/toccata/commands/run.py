"""`toccata run`."""

import os
import shlex
import sys
from typing import Annotated

import typer

from toccata import _core, launcher
from toccata.commands.common import normalised

ServerOption = Annotated[
    str | None,
    typer.Option(metavar="ALGORITHM", help="The same for the MPI call of that name."),
]


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- mpirun ARGS...")],
    allgather: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="What serves MPI_Allgather and MPI_Allgatherv; "
            "otherwise TOCCATA_ALLGATHER says it.",
        ),
    ] = None,
    alltoall: Annotated[
        str | None,
        typer.Option(metavar="ALGORITHM", help="The same for MPI_Alltoall."),
    ] = None,
    alltoallv: Annotated[
        str | None,
        typer.Option(metavar="ALGORITHM", help="The same for MPI_Alltoallv and MPI_Alltoallw."),
    ] = None,
    allreduce: ServerOption = None,
    bcast: ServerOption = None,
    gather: ServerOption = None,
    gatherv: ServerOption = None,
    reduce: ServerOption = None,
    reduce_scatter: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="The same for MPI_Reduce_scatter and MPI_Reduce_scatter_block.",
        ),
    ] = None,
    scatter: ServerOption = None,
    scatterv: ServerOption = None,
    report: Annotated[
        bool, typer.Option("--report", help="At its end, rank 0 tells what ran.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the command instead.")] = False,
) -> None:
    """Run an MPI program, unchanged, with our collectives.

    Finds out whose mpirun it is, preloads the library built for that MPI into all ranks, and hands
    them every TOCCATA_* variable. The exit code is the program's.

    Examples:

    - `toccata run --allgather sparbit --report -- mpirun -n 4 ./app`
    - `TOCCATA_ALLGATHER=bruck toccata run -- mpiexec.mpich -n 4 ./app`
    - `toccata run --dry-run -- mpirun -n 4 ./app`
    """
    settings = {}
    asked = {
        "allgather": allgather, "allreduce": allreduce, "alltoall": alltoall,
        "alltoallv": alltoallv, "bcast": bcast, "gather": gather, "gatherv": gatherv,
        "reduce": reduce, "reduce_scatter": reduce_scatter, "scatter": scatter,
        "scatterv": scatterv,
    }  # fmt: skip
    for each in _core.collectives():
        if (text := asked.get(each.name)) is not None:
            settings[each.variable] = normalised(each.name, text)
    if report:
        settings["TOCCATA_REPORT"] = "1"
    starter = launcher.identify(command[0])
    whole = launcher.preload(starter, command[1:], settings, os.environ)
    if dry_run:
        print(shlex.join(whole))
        return
    sys.stdout.flush()
    os.execv(whole[0], whole)  # signals and the exit code are then the launcher's own
