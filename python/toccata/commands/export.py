"""`toccata export`."""

from ctypes.util import find_library
from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata.commands.common import console
from toccata.errors import InputError
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

    Examples:

    - `toccata export ours.json --openmpi -o rules.conf`, then `mpirun --mca
      coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename rules.conf ...`
    - `toccata export ours.json --mpich -o mpich.json`, then
      `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=mpich.json mpiexec ...`
    - `toccata export ours.json --ucc`
    """
    if [openmpi, openmpi5, mpich, ucc].count(True) != 1:
        raise InputError("give one of --openmpi, --openmpi5, --mpich and --ucc")
    if table is not None and not mpich:
        raise InputError("--table requires --mpich")
    outputs.check(output)
    found = tuning_file.read(file)
    if mpich:
        text = exporting.mpich(found, exporting.mpich_table(table or _library()))
    elif ucc:
        text = exporting.ucc(found)
    else:
        text = exporting.openmpi(found, 5 if openmpi5 else 4)
    if output is None:
        print(text, end="")
        return
    output.write_text(text)
    known = exporting.MPICH if mpich else exporting.UCC if ucc else exporting.OPENMPI
    wanted, ruled = exporting.gone_over(found, known)
    console.print(f"wrote {output}: exported {ruled} of {wanted} choices that are not native")


def _library() -> Path:
    for name in ("mpich", "mpi"):
        file = find_library(name)
        for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"):
            if file and (path := Path(place) / file).exists():
                return path
    raise InputError("MPICH's library was not found; give --table with its coll_selection.json")
