"""`toccata reorder`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import (
    BlockBytes,
    ModelOption,
    PictureFile,
    RootOption,
    console,
    number_of_ranks,
    print_whole,
)
from toccata.errors import InputError
from toccata.models import reordering
from toccata.topology import machines
from toccata.topology.machines import PlacementOption


def reorder(
    name: Annotated[
        str | None, typer.Argument(metavar="ALGORITHM", help="Algorithm, such as allgather/ring.")
    ] = None,
    machine: Annotated[
        str,
        typer.Option(metavar="TEXT", help='Machine, such as "node:4 socket:2 core:8", or a file.'),
    ] = "node:8 socket:2 core:4",
    p: Annotated[
        int | None,
        typer.Option(
            "-p",
            "--ranks",
            metavar="P",
            parser=number_of_ranks,
            help="Number of ranks; one per core by default.",
        ),
    ] = None,
    placement: PlacementOption = None,
    size: BlockBytes = "4K",
    model: ModelOption = "gpc",
    order: Annotated[
        str,
        typer.Option(
            metavar="ORDER",
            help="How blocks get back into their order: straight, exchange, shuffle, or auto (the "
            "fastest).",
        ),
    ] = "auto",
    root: RootOption = 0,
    seed: Annotated[
        int | None,
        typer.Option(help="Choose at random among equally close cores, as in the paper."),
    ] = None,
    scotch: Annotated[
        bool, typer.Option("--scotch/--no-scotch", help="Compare with Scotch's mapping.")
    ] = True,
    rankfile: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File for the launcher, to start a job with this mapping."
        ),
    ] = None,
    launcher: Annotated[
        str,
        typer.Option(metavar="NAME", help="Format of --rankfile: openmpi, slurm or mpich."),
    ] = "openmpi",
    output: PictureFile = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Draw the paper's figures 3, 4 and 7 instead, with times predicted by Toccata.",
        ),
    ] = False,
) -> None:
    """Map an algorithm's ranks onto a machine, and print the gain.

    Prints for the original order, the new order, and the mapping that the Scotch library finds for
    the same traffic:

    - bytes times distance
    - bytes that cross each level, and that leave the busiest object of that level
    - the predicted time
    - the time to find the mapping

    --rankfile writes the mapping for mpirun, srun or mpiexec, so that you can start your job
    reordered.

    Examples:

    - `toccata reorder allgather/ring --machine "node:4 socket:2 core:4" --placement cyclic`
    - `toccata reorder allgather/bruck --machine topology.conf --rankfile rankfile.txt`
    - `toccata reorder allgather/recursive_doubling --machine "node:8 core:8" -o before-after.png`
    - `toccata reorder --paper -o gpc.png`
    """
    outputs.check_pictures(output)
    outputs.check(rankfile)
    if paper:
        if name is not None:
            raise InputError(f"--paper draws its own algorithms; leave out {name}")
        from toccata.papers import reordering_figures

        reordering_figures.run(console, output)
        return
    if name is None:
        raise InputError("name an algorithm, such as allgather/ring; `toccata list` prints all")
    choice = catalogue.find(name)
    there = machines.named(machine)
    ranks = p if p is not None else there.objects(len(there.levels) - 1)
    where = placement or machines.STANDARD_PLACEMENT
    placed = _core.Placement(there, ranks, where)
    shape = _core.Shape(placed, root)
    if why := choice.why_impossible(shape):
        raise InputError(f"{name} {why} (there are {ranks})")
    if order not in ("auto", *_core.orders_for(choice)):
        raise InputError(
            f"--order {order}: {name} accepts {', '.join(_core.orders_for(choice))} or auto"
        )
    from toccata.models import predicting

    block = q.parse_bytes(size)
    assert choice.algorithm is not None
    collective = choice.algorithm.collective
    parameters = predicting.read_model(model)
    all_ = [reordering.measure("as placed", choice, shape, None, block, parameters)]
    label, found = reordering.ours(choice, shape, seed)
    measured = [
        reordering.measure(label, choice, shape, each, block, parameters, order) for each in found
    ]
    all_.append(min(measured, key=lambda each: each.seconds))
    if scotch and _core.has_scotch():
        theirs = _core.map_by_scotch(reordering.flows(choice, shape), shape)
        all_.append(reordering.measure("Scotch", choice, shape, theirs, block, parameters, order))
    console.print(
        f"\n[bold cyan]{ranks} ranks[/] on {there.text}, {where}: "
        f"{catalogue.path_of(choice)}, "
        f"{q.show_bytes(block)} {catalogue.meaning_of_size(collective)}, model {parameters.name}"
    )
    print_whole(reordering.as_table(all_))
    if scotch and not _core.has_scotch():
        console.print(f"[dim]{reordering.NO_SCOTCH}[/]")
    if rankfile is not None:
        rankfile.write_text(reordering.start_file(placed, all_[1].players, launcher))
        console.print(f"wrote {rankfile}")
    if output is not None:
        from toccata.drawing import mappings, pictures

        title = f"{catalogue.path_of(choice)} on {there.text}, {where}"
        pictures.write(mappings.draw(title, choice, shape, placed, all_, block), output)
        console.print(f"wrote {output}")
