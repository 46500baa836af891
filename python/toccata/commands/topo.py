"""`toccata topo`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import launcher, locating, outputs
from toccata import topo as tree
from toccata.commands.common import (
    LauncherArgs,
    MpiOption,
    PictureFile,
    console,
    number_of_ranks,
    words,
)
from toccata.errors import InputError
from toccata.machines import PlacementOption


def topo(
    machine: Annotated[
        str | None,
        typer.Argument(
            metavar="MACHINE",
            help='As "leaf:2 node:8 socket:2 core:8" or "torus:8x8 core:2"; or a file: Slurm\'s '
            "topology.conf, what ibnetdiscover prints, hwloc's XML, or what --save wrote.",
        ),
    ] = None,
    p: Annotated[
        int | None,
        typer.Option(
            "-p",
            "--ranks",
            metavar="P",
            parser=number_of_ranks,
            help="So many ranks: on MACHINE, or started here.",
        ),
    ] = None,
    placement: PlacementOption = None,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    output: PictureFile = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the machine, for TOCCATA_TOPOLOGY=FILE or --machine FILE."
        ),
    ] = None,
) -> None:
    """Show a machine and where ranks are on it, as a tree or as a picture.

    Without MACHINE, it is this one as hwloc sees it; with --ranks, so many are started by mpirun
    and find out where they run as the library's algorithms do, TOCCATA_TOPOLOGY included. Objects
    that are alike are told of once where there are many.

    Examples:

    - `toccata topo`
    - `toccata topo --ranks 8 --mpi openmpi --launcher-args "--bind-to core" --save machine.txt`
    - `toccata topo "leaf:2 node:8 socket:2 core:8" --ranks 64 --placement cyclic-scatter`
    - `toccata topo topology.conf --output cluster.png`
    """
    if machine is not None:
        if mpi != "auto" or launcher_args:
            raise InputError("--mpi and --launcher-args start ranks here; leave out MACHINE")
    elif placement is not None:
        raise InputError(f"--placement {placement} is of no use without MACHINE")
    elif p is None and (mpi != "auto" or launcher_args):
        raise InputError("--mpi and --launcher-args are of no use without --ranks")
    outputs.check_pictures(output)
    outputs.check(save)
    if machine is not None:
        there, ranks = locating.named(machine, p, placement)
    elif p is not None:
        there, ranks = locating.launched(launcher.find(mpi), p, words(launcher_args))
    else:
        there, ranks = locating.here()
    if save is not None:
        save.write_text(there.saved)
    if output is None:
        console.print(tree.Narrator(there, ranks).tree())
    else:
        from toccata import drawing, topo_drawing  # matplotlib takes a second to load

        drawing.write(topo_drawing.draw(there, ranks), output)
        console.print(f"wrote {output}")
    if save is not None:
        console.print(f"wrote {save}")
