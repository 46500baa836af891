"""`toccata topo`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata.commands.common import (
    LauncherArgs,
    MpiOption,
    PictureFile,
    PlacementOption,
    console,
    number_of_ranks,
    say,
    words,
)
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.measuring import locating
from toccata.simulating import platforms
from toccata.topology import machines
from toccata.topology import tree as tree

MachineText = Annotated[
    str | None,
    typer.Argument(
        metavar="MACHINE",
        help='Machine, such as "leaf:2 node:8 socket:2 core:8" or "torus:8x8 core:2"; or '
        "a file: Slurm's topology.conf, the output of scontrol show topology or ibnetdiscover, "
        "hwloc's XML, or a file that --save wrote.",
    ),
]
NumberOfRanks = Annotated[
    int | None,
    typer.Option(
        "-p",
        "--ranks",
        metavar="P",
        parser=number_of_ranks,
        help="Number of ranks on MACHINE, or to start on this machine.",
    ),
]
Trees = Annotated[
    str | None,
    typer.Option(
        metavar="ROOTS",
        help="Compute trees that use all links between nodes: for broadcasts from the nodes "
        '"0", "0,8" or "all", and for allreduces and allgathers. Requires MACHINE and --save.',
    ),
]
Links = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help='With --trees: dead and slow links, such as "0.0-0.1=0, leaf=1/5" (see '
        "toccata bounds --help).",
    ),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Save the machine, for TOCCATA_TOPOLOGY=FILE or --machine FILE."
    ),
]


def topo(
    machine: MachineText = None,
    p: NumberOfRanks = None,
    placement: PlacementOption = None,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    output: PictureFile = None,
    trees: Trees = None,
    links: Links = "",
    save: Save = None,
) -> None:
    """Show a machine and where ranks run on it, as a tree or as a figure.

    Without MACHINE, shows this machine as found by hwloc. With --ranks, mpirun starts that number
    of ranks, which discover where they run in the same way as the library (TOCCATA_TOPOLOGY
    included). Identical objects are shown once.

    With MACHINE, --placement may be a launcher's command. Then this launcher maps the ranks onto
    MACHINE, without starting a program.

    The table of --trees shows the bytes on the busiest link. n is the size of the message, or of a
    block of an allgather. Numbers in brackets are multiples of the lower bound.

    Examples:

    - `toccata topo`
    - `toccata topo --ranks 8 --mpi openmpi --launcher-args "--bind-to core" --save machine.txt`
    - `toccata topo "leaf:2 node:8 socket:2 core:8" --ranks 64 --placement cyclic-scatter`
    - `toccata topo "node:2 socket:2 core:4" --ranks 8 --placement "mpirun --map-by node"`
    - `toccata topo topology.conf --output cluster.png`
    - `scontrol show topology >cluster.txt; toccata topo cluster.txt`
    - `toccata topo torus:16x4 --links 0.0-0.1=0 --trees 0 --save torus.txt`
    """
    _check(machine, p, placement, mpi != "auto" or bool(launcher_args))
    if links and trees is None:
        raise InputError(f"--links '{links}' has no effect without --trees")
    if trees is not None:
        if machine is None or save is None:
            raise InputError("--trees requires MACHINE and --save FILE")
        _pack(machine, links, trees, save, output)
        return
    pretended = machines.of_environment() if p is not None else None  # of ranks that start here
    outputs.check(save, pictures=[output], reads=[machine or pretended])
    if machine is not None:
        there, ranks = locating.named(machine, p, placement)
    elif p is not None:
        there, ranks = locating.launched(launcher.find(mpi), p, words(launcher_args))
    else:
        there, ranks = locating.here()
    if save is not None:
        outputs.write(save, there.saved)
    if output is None:
        console.print(tree.Narrator(there, ranks).tree())
    else:
        from toccata.drawing import pictures, topologies  # matplotlib takes a second to load

        pictures.write(topologies.draw(there, ranks), output)
        say(f"wrote {output}")
    if save is not None:
        say(f"wrote {save}")


def _check(machine: str | None, p: int | None, placement: str | None, starts: bool) -> None:
    """InputError if options exclude each other; `starts` if some concern the launcher."""
    if machine is not None and starts:
        raise InputError(
            "--mpi and --launcher-args start ranks here; leave out MACHINE, or ask the launcher "
            'about it, for example with --placement "mpirun --map-by node"'
        )
    if machine is None and placement is not None:
        raise InputError(f"--placement {placement} has no effect without MACHINE")
    if machine is None and p is None and starts:
        raise InputError("--mpi and --launcher-args have no effect without --ranks")


def _pack(machine: str, links: str, trees: str, save: Path, output: Path | None) -> None:
    outputs.check(save, pictures=[output], reads=[machine])
    # needs numpy, which `make install PLOTS=OFF` leaves out
    from toccata.topology import packing

    packed = packing.packed(platforms.network(machine, links), trees)
    outputs.write(save, packing.with_trees(*packed).saved)
    console.print(packing.as_table(*packed))
    if output is not None:
        from toccata.drawing import forests, pictures  # matplotlib takes a second to load

        pictures.write(forests.draw(*packed), output)
        say(f"wrote {output}")
    say(f"wrote {save}")
