"""`toccata export`."""

from ctypes.util import find_library
from pathlib import Path
from typing import Annotated

import typer

from toccata import exporting, outputs, tuning
from toccata.commands.common import console
from toccata.errors import InputError


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `toccata tune` wrote.")],
    openmpi: Annotated[
        bool, typer.Option("--openmpi", help="A rules file of Open MPI 4.1's coll/tuned.")
    ] = False,
    openmpi5: Annotated[bool, typer.Option("--openmpi5", help="The same of Open MPI 5.")] = False,
    mpich: Annotated[bool, typer.Option("--mpich", help="MPICH's JSON selection file.")] = False,
    ucc: Annotated[bool, typer.Option("--ucc", help="UCC's tune string.")] = False,
    table: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of --mpich: its coll_selection.json, or its library.",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Else it is printed.")
    ] = None,
) -> None:
    """Tell a tuning file's choices to an MPI alone, as far as it has the algorithms itself.

    Where the best is an algorithm that it does not have, it gets the best of those that it has, if
    that takes less than 95% of native's time; else its own choice stays. Its rules know no nodes:
    of several numbers of them the most count. As in the library a rule holds for what is nearest to
    a measured point, and for nothing that is far from all.

    Examples:

    - `toccata export ours.json --openmpi -o rules.conf`, then `mpirun --mca
      coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename rules.conf ...`
    - `toccata export ours.json --mpich -o mpich.json`, then
      `MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=mpich.json mpiexec ...`
    - `toccata export ours.json --ucc`
    """
    if [openmpi, openmpi5, mpich, ucc].count(True) != 1:
        raise InputError("say one of --openmpi, --openmpi5, --mpich and --ucc")
    if table is not None and not mpich:
        raise InputError("--table is of --mpich")
    outputs.check(output)
    found = tuning.read(file)
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
    console.print(f"wrote {output}: {ruled} of {wanted} settings that are not native's go over")


def _library() -> Path:
    for name in ("mpich", "mpi"):
        file = find_library(name)
        for place in ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"):
            if file and (path := Path(place) / file).exists():
                return path
    raise InputError("MPICH's library is not here; give --table with its coll_selection.json")
