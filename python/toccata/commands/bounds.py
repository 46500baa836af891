"""`toccata bounds`."""

from typing import Annotated

import typer

from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import PlacementOption, RootOption, number_of_ranks, print_whole
from toccata.simulating import platforms

MachineText = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help='Machine with its links: "torus:8x8x8", "leaf:2 node:8 core:8", a platform '
        "such as gpc, or a file (topology.conf, or the output of ibnetdiscover or scontrol).",
    ),
]
OptionalCollective = Annotated[
    str | None,
    typer.Argument(metavar="COLLECTIVE", help="Collective, such as allgather; all by default."),
]
Links = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help='Dead, slow or faster links, such as "0.0-0.1=0, leaf=1/5, leaf0=1/2, node3=2".',
    ),
]
NumberOfRanks = Annotated[
    int | None,
    typer.Option(
        "-p",
        "--ranks",
        metavar="P",
        parser=number_of_ranks,
        help="Number of ranks; all cores of the machine by default.",
    ),
]
VectorBytes = Annotated[
    str,
    typer.Option("--bytes", metavar="N", help="Bytes of the whole vector, such as 64 or 4K."),
]


def bounds_(
    machine: MachineText,
    collective: OptionalCollective = None,
    links: Links = "",
    p: NumberOfRanks = None,
    placement: PlacementOption = None,
    root: RootOption = 0,
    size: VectorBytes = "1M",
) -> None:
    """Compare the costs of algorithms on a network with lower bounds for all algorithms.

    Without COLLECTIVE, prints the bounds of all collectives. Numbers in brackets are multiples of
    the tightest bound above them.

    Rounds: the number of consecutive messages, if a node sends one message per link at a time.

    Bytes: the bytes on the busiest link, scaled to the capacity of a node's link.
    There are two bounds:

    - for any routes: from the network's minimum cuts (for alltoall, from multicommodity flows)
    - for the network's own routes: from a linear program, up to 64 nodes. A torus routes in the
      order of its dimensions. Other networks use all shortest paths equally.

    --links multiplies the capacity of a cable A-B, of the uplink of a node or switch, or
    of a level. The name of a torus cell is its coordinates. Nodes and switches are named node3 or
    leaf0, or as in the file. By default, an uplink has the capacity of all nodes below it together,
    so leaf=1/2 is a 2:1 taper.

    Examples:

    - `toccata bounds allgather --machine torus:8x8x8`
    - `toccata bounds bcast --machine mesh:4x4 --root 5 --bytes 64K`
    - `toccata bounds --machine "leaf:4 node:16 core:8" --links leaf=1/4`
    - `toccata bounds --machine torus:16x4 --links 0.0-0.1=0`
    """
    from toccata.algorithms import bounds  # needs numpy, which `make install PLOTS=OFF` leaves out

    on = bounds.On(platforms.network(machine, links), p, placement, root)
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
