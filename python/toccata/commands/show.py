"""`toccata show`."""

from typing import Annotated

import typer
from rich.markup import escape

from toccata import _core, outputs
from toccata.algorithms import catalogue, outside, show
from toccata.commands.common import (
    MachineOption,
    PictureFile,
    PlacementOption,
    Ranks,
    RootOption,
    algorithm_names,
    console,
    rank_number,
    say,
)
from toccata.errors import InputError
from toccata.launching import maps

AlgorithmName = Annotated[
    str,
    typer.Argument(
        metavar="ALGORITHM",
        autocompletion=algorithm_names,
        help="Algorithm, such as sparbit, bcast/binomial or mine.py:ring.",
    ),
]
OneRank = Annotated[
    int | None,
    typer.Option(
        "--rank", metavar="R", parser=rank_number, help="Show all rounds of this rank only."
    ),
]


def show_(
    algorithm: AlgorithmName,
    p: Ranks,
    rank: OneRank = None,
    output: PictureFile = None,
    root: RootOption = 0,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Show which rank sends which blocks to which rank in each round, as text or as a figure.

    A block is named by its buffer and position; without a buffer, it is in recv, the buffer of the
    result. In the figure, each column is a rank, and blocks received in the round are grey. If the
    proof fails (see `toccata verify`), the round and the rank of the error are marked.

    Examples:

    - `toccata show sparbit -p 5`
    - `toccata show allgather/bruck:rotation=none -p 1000 --rank 17`
    - `toccata show sparbit -p 8 --output sparbit.png`
    - `toccata show reduce/binomial -p 6 --root 4`
    - `toccata show allgather/ring -p 8 --machine "node:2 core:4" --placement cyclic`
    - `toccata show bcast/torus_mst -p 16 --machine torus:4x4 --output tree.png`
    """
    choice = catalogue.find(algorithm)
    shape = maps.shape(p, machine, placement, root)
    choice.cost(shape)  # raises an error if the algorithm cannot run
    fault = ""
    if choice.proof_effort(shape) <= _core.MOST_PROOF_EFFORT:
        fault = choice.verify(shape)
        if fault:
            fault = outside.located(choice, shape, fault)
    if output is None:
        narrator = show.Narrator(choice, shape)
        console.print(narrator.all_ranks() if rank is None else narrator.one_rank(rank))
        _say(fault)
        return
    if rank is not None:
        raise InputError("--rank and --output exclude each other: a picture shows all ranks")
    outputs.check(pictures=[output])
    # matplotlib takes a second to load
    from toccata.drawing import grids, pictures, schedules

    draw = grids.draw if grids.draws(choice, shape) else schedules.draw
    pictures.write(draw(choice, shape, schedules.Fault.of(fault)), output)
    say(f"wrote {output}")
    _say(fault)


def _say(fault: str) -> None:
    if fault:
        console.print(f"[bold red]wrong[/]  {escape(fault)}")
