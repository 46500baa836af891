"""`toccata doctor`."""

import os
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.markup import escape

from toccata.commands import checks
from toccata.commands.common import (
    ThreadsOption,
    by_word,
    console,
    known_mpi,
    say,
    without_effect,
)
from toccata.commands.common import seconds as in_seconds
from toccata.errors import Failure


def doctor(
    given: typer.Context,
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", help="Command after --, such as mpirun -n 4 ./app."),
    ] = None,
    mpi: Annotated[str | None, typer.Option(metavar="MPI", help="MPI, as for toccata run.")] = None,
    place: Annotated[
        str | None,
        typer.Option(
            metavar="WORD", help="Place the ranks as with toccata run: compact, balanced or spread."
        ),
    ] = None,
    threads: ThreadsOption = None,
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
    that it has loaded the library, and ends there. If the library is not loaded, the program runs,
    and doctor ends it after --seconds. With --place WORD, doctor checks that the ranks run on the
    hosts that WORD selects.

    Prints the library's choices for typical calls, and checks the requested algorithms, for the
    ranks of the command, or else for one rank per core of this host. The exit code is 0 only if all
    checks succeed.

    Examples:

    - `toccata doctor`
    - `toccata doctor -- mpirun -n 4 ./app`
    - `toccata doctor -- srun -N 2 -n 64 ./app`
    - `toccata doctor --place spread --threads 4 -- mpirun -n 16 ./app`
    """
    if not command:
        without_effect(given, ["mpi", "place", "seconds"], "without a command")
    known_mpi(mpi)
    started = by_word(command or [], place, threads)
    findings, said, tuning_file = checks.examine(os.environ)
    job = None
    if started:
        more, job = checks.treat(started, os.environ, mpi, seconds)
        findings += more
    if job is not None and place is not None:
        findings.append(checks.as_said(place, job))
    if job is not None or not command:
        findings += checks.choices(said, job, tuning_file)
    _print(findings)


def _print(findings: Sequence[checks.Finding]) -> None:
    """Failure if a finding is not good."""
    for each in findings:
        mark = "[green]ok[/]   " if each.good else "[bold red]wrong[/]"
        console.print(f"{mark}  [bold]{each.topic:9}[/] {escape(each.text)}", soft_wrap=True)
        if not each.good:
            say(f"       {'':9} {each.remedy}")
    wrong = sum(not each.good for each in findings)
    if wrong:
        raise Failure(f"{wrong} of {len(findings)} checks failed; the remedy follows each of them")
