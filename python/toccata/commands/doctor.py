"""`toccata doctor`."""

import os
from typing import Annotated

import typer

from toccata import doctor as practice
from toccata.commands.common import console
from toccata.commands.common import seconds as in_seconds
from toccata.errors import Failure


def doctor(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="After --, as it is to be run: mpirun -n 4 ./app."),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="MPI", help="As for toccata run.")] = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", parser=in_seconds, help="Longest time for all ranks to start."
        ),
    ] = practice.SECONDS,
) -> None:
    """Look whether all is well: MPIs, libraries, settings, the machine, and your own command.

    Says of each MPI found whether there is a library for it, of each setting where it comes from
    and whether it can be understood, and of all that is wrong what to do. With a command, that very
    command is started with the library preloaded, and every rank that comes to MPI_Init says
    whether it has it; there the program ends, before anything of its own. (A program that does not
    get the library begins, and is ended.) Choices are judged for the ranks of the command; without
    one, for as many as this host has cores. Exit code 0 only if all is well.

    Examples:

    - `toccata doctor`
    - `toccata doctor -- mpirun -n 4 ./app`
    - `toccata doctor -- srun -N 2 -n 64 ./app`
    """
    findings, said, tuning_file = practice.examine(os.environ)
    job = None
    if command:
        more, job = practice.treat(command, os.environ, mpi, seconds)
        findings += more
    if job is not None or not command:
        findings += practice.choices(said, job, tuning_file)
    for each in findings:
        mark = "[green]ok[/]   " if each.good else "[bold red]wrong[/]"
        console.print(f"{mark}  [bold]{each.topic:9}[/] {each.text}", soft_wrap=True)
        if not each.good:
            console.print(f"       {'':9} {each.remedy}", soft_wrap=True)
    wrong = sum(not each.good for each in findings)
    if wrong:
        raise Failure(f"{wrong} of {len(findings)} findings are wrong; what to do stands beside")
