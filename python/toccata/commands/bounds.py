"""`toccata bounds`."""

from typing import Annotated

import typer

from toccata import catalogue, networks
from toccata import quantities as q
from toccata.commands.common import RootOption, number_of_ranks, print_whole
from toccata.machines import PlacementOption


def bounds_(
    machine: Annotated[
        str,
        typer.Option(
            metavar="TEXT",
            help='With its links: "torus:8x8x8", "leaf:2 node:8 core:8", a platform as gpc, or a '
            "file (topology.conf, or what ibnetdiscover prints).",
        ),
    ],
    collective: Annotated[
        str | None, typer.Argument(metavar="COLLECTIVE", help="As allgather; all if not given.")
    ] = None,
    links: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help='Dead, slow or faster links, as "0.0-0.1=0, leaf=1/5, leaf0=1/2, node3=2".',
        ),
    ] = "",
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
    """Set what algorithms reach on a network beside what no algorithm does with less.

    Without COLLECTIVE, print the bounds of all. Rounds are messages one after the other, with one
    message per link of a node at a time. Bytes are those over a link as wide as a node's: with any
    routes, by smallest cuts (alltoall: by flows); and by the network's own routes, by a linear
    program up to 64 nodes. On a torus routes go in dimension order, elsewhere over all shortest
    ways alike. In brackets, how many times the bound.

    --links multiplies capacities: of a cable A-B, of a vertex (of a switch its cable upwards), or
    of a level. Cells of a torus are called by their coordinates, others as leaf0, node3, or by the
    names in the file. Uplinks are as wide as all nodes below them, so leaf=1/2 is a 2:1 taper.

    Examples:

    - `toccata bounds allgather --machine torus:8x8x8`
    - `toccata bounds bcast --machine mesh:4x4 --root 5 --bytes 64K`
    - `toccata bounds --machine "leaf:4 node:16 core:8" --links leaf=1/4`
    - `toccata bounds --machine torus:16x4 --links 0.0-0.1=0`
    """
    from toccata import bounds  # needs numpy, which `make install PLOTS=OFF` leaves out

    on = bounds.On(networks.of(machine, links), p, placement, root)
    n = q.parse_bytes(size)
    if collective is None:
        print_whole(bounds.overview(on, n))
        return
    choices = [
        choice
        for each in catalogue.of_collective(collective)
        for choice in each.variants(on.shape.p) or [catalogue.find(each.path)]
    ]
    print_whole(bounds.as_table(collective, choices, on, n))
