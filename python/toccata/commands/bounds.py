"""`toccata bounds`."""

from typing import Annotated

import typer

from toccata import bounds, catalogue
from toccata import quantities as q
from toccata.commands.common import RootOption, number_of_ranks, print_whole
from toccata.machines import PlacementOption


def bounds_(
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="As allgather.")],
    machine: Annotated[
        str,
        typer.Option(metavar="TEXT", help='With its links, as "torus:8x8x8" or "mesh:4x4 core:2".'),
    ],
    p: Annotated[
        int | None,
        typer.Option(
            "-p",
            "--ranks",
            metavar="P",
            parser=number_of_ranks,
            help="All the machine's cores if not given.",
        ),
    ] = None,
    placement: PlacementOption = None,
    root: RootOption = 0,
    size: Annotated[
        str, typer.Option("--bytes", metavar="N", help="Of the whole vector, as 64 or 4K.")
    ] = "1M",
) -> None:
    """Set what algorithms reach on a mesh or torus beside what no algorithm does with less.

    Messages are routed in dimension order. The bounds are those of Chan et al. (2006): messages one
    after the other, bytes over the busiest link, and bytes that a rank reduces. In brackets, how
    many times the bound.

    Examples:

    - `toccata bounds allgather --machine torus:8x8x8`
    - `toccata bounds bcast --machine mesh:4x4 --root 5 --bytes 64K`
    """
    shape = bounds.shape(machine, p, placement, root)
    choices = [
        choice
        for each in catalogue.of_collective(collective)
        for choice in each.variants(shape.p) or [catalogue.find(each.path)]
    ]
    print_whole(bounds.as_table(collective, choices, shape, q.parse_bytes(size)))
