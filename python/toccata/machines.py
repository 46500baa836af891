"""The machine and the placement that a user names."""

from typing import Annotated

import typer

from toccata import _core
from toccata.errors import InputError

STANDARD_PLACEMENT = "sequential"

MachineOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='What the ranks run on, as "node:4 socket:2 core:8" or "torus:8x8 core:2".',
    ),
]
PlacementOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Where on it: sequential (unless given), cyclic, block-scatter, cyclic-scatter, "
        "random:SEED, or a list of cores.",
    ),
]


def places(machine: str | None, most: int) -> int:
    """How many ranks a machine has places for, or `most` where that is fewer or no machine."""
    if machine is None:
        return most
    there = _core.Machine(machine)
    return min(most, there.objects(len(there.levels) - 1))


def shape(p: int, machine: str | None, placement: str | None, root: int = 0) -> _core.Shape:
    """What is known of p ranks there; only their number where no machine is named.

    Raises InputError if there is a placement and no machine, ChoiceError if either cannot be.
    """
    if machine is None:
        if placement is not None:
            raise InputError(f"--placement {placement} is of no use without --machine")
        return _core.Shape(p, root)
    there = _core.Placement(_core.Machine(machine), p, placement or STANDARD_PLACEMENT)
    return _core.Shape(there, root)


def nodes(placement: _core.Placement) -> int:
    """On how many nodes its ranks are; cells of the network where no level has that name."""
    machine = placement.machine
    if "node" not in machine.levels and not machine.dims:
        return 1
    node = machine.levels.index("node") if "node" in machine.levels else 0
    used = set()
    for level, place in placement.places:
        at = place
        for inner in range(level, node, -1):
            at = machine.outer(inner, at)
        used.add(at)
    return len(used)
