"""`toccata doctor`."""

import os
from typing import Annotated

import typer

from toccata.commands import checks
from toccata.commands.common import console
from toccata.commands.common import seconds as in_seconds
from toccata.errors import Failure


def doctor(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="Command after --, such as mpirun -n 4 ./app."),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="MPI", help="MPI, as for toccata run.")] = None,
    seconds: Annotated[
        float,
        typer.Option(
            metavar="SECONDS", parser=in_seconds, help="Time limit for the start of all ranks."
        ),
    ] = checks.SECONDS,
) -> None:
    """Check the installation: MPIs, libraries, settings, the machine, and your own command.

    Prints for each MPI whether Toccata has a library for it. Prints for each setting its origin and
    whether it is valid. Each problem comes with its remedy.

    With a command, starts this command with the library preloaded. Every rank reports in MPI_Init
    that it has loaded the library, and ends there. If the program does not load the library, it
    starts normally, and doctor ends it.

    Checks the choices for the number of ranks of the command; without a command, for one rank per
    core of this host. The exit code is 0 only if all checks succeed.

    Examples:

    - `toccata doctor`
    - `toccata doctor -- mpirun -n 4 ./app`
    - `toccata doctor -- srun -N 2 -n 64 ./app`
    """
    findings, said, tuning_file = checks.examine(os.environ)
    job = None
    if command:
        more, job = checks.treat(command, os.environ, mpi, seconds)
        findings += more
    if job is not None or not command:
        findings += checks.choices(said, job, tuning_file)
    for each in findings:
        mark = "[green]ok[/]   " if each.good else "[bold red]wrong[/]"
        console.print(f"{mark}  [bold]{each.topic:9}[/] {each.text}", soft_wrap=True)
        if not each.good:
            console.print(f"       {'':9} {each.remedy}", soft_wrap=True)
    wrong = sum(not each.good for each in findings)
    if wrong:
        raise Failure(f"{wrong} of {len(findings)} checks failed; the remedy follows each of them")
