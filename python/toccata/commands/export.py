"""`toccata export`."""

from ctypes.util import find_library
from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata.commands.common import say
from toccata.errors import InputError
from toccata.launching import launcher, starting
from toccata.tuning import exporting, tuning_file


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Tuning file from `toccata tune`.")],
    openmpi: Annotated[
        bool, typer.Option("--openmpi", help="Write a rules file for Open MPI 4.1 (coll/tuned).")
    ] = False,
    openmpi5: Annotated[bool, typer.Option("--openmpi5", help="The same for Open MPI 5.")] = False,
    mpich: Annotated[
        bool, typer.Option("--mpich", help="Write a JSON selection file for MPICH.")
    ] = False,
    ucc: Annotated[bool, typer.Option("--ucc", help="Write a tune string for UCC.")] = False,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --mpich: coll_selection.json of MPICH, or the MPICH library.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write; standard output by default."
        ),
    ] = None,
) -> None:
    """Export the choices of a tuning file to an MPI that runs without Toccata.

    If the MPI does not have the best algorithm, exports the best one that the MPI has. If this one
    takes more than 95% of the native time, the MPI keeps its own choice. The rules of an MPI ignore
    nodes, so the choices for the largest measured number of nodes are exported. As in the library,
    a rule applies only near a measured point.

    Also prints the settings with which the MPI reads the file and obeys it in every call. Open MPI
    applies a rule to every MPI_Op. So algorithms with which it would reorder operands that do not
    commute are left out.

    Examples:

    - `toccata export ours.json --openmpi5 -o rules.conf`
    - `toccata export ours.json --mpich -o mpich.json`
    - `toccata export ours.json --ucc`
    """
    if [openmpi, openmpi5, mpich, ucc].count(True) != 1:
        raise InputError("give one of --openmpi, --openmpi5, --mpich and --ucc")
    if table is not None and not mpich:
        raise InputError("--table requires --mpich")
    outputs.check(output, reads=[file, table])
    found = tuning_file.read(file)
    format_ = "mpich" if mpich else "ucc" if ucc else "openmpi5" if openmpi5 else "openmpi"
    if mpich:
        text = exporting.mpich(found, exporting.mpich_table(table or _library()))
    elif ucc:
        text = exporting.ucc(found)
    else:
        text = exporting.openmpi(found, 5 if openmpi5 else 4)
    _write(found, format_, text, output)


def _write(found: tuning_file.Tuning, format_: str, text: str, output: Path | None) -> None:
    said = "" if format_ == "ucc" else exporting.settings(found, format_, str(output or "FILE"))
    if output is None:
        print(text, end="")
        starting.say([f"save it as FILE, and start with {said}"] if said else [])
        return
    outputs.write(output, text)
    wanted, ruled = exporting.gone_over(found, exporting.KNOWN[format_])
    say(f"wrote {output}: exported {ruled} of {wanted} non-native choices")
    if said:
        say(f"start with {said}")


def _library() -> Path:
    """The library of the first MPICH in PATH; otherwise, the one that the loader finds."""
    for starter in launcher.launchers():
        folder = Path(starter.path).resolve().parents[1] / "lib"
        if starter.family == "mpich" and (path := folder / "libmpi.so.12").exists():
            return path
    for name in ("mpich", "mpi"):
        file = find_library(name)
        for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"):
            if file and (path := Path(place) / file).exists():
                return path
    raise InputError("MPICH's library was not found; give --table with its coll_selection.json")
