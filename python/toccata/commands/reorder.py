"""`toccata reorder`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.commands.common import (
    BlockBytes,
    LauncherFormat,
    ModelOption,
    PictureFile,
    PlacementOption,
    RootOption,
    aside,
    console,
    count,
    number_of_ranks,
    print_whole,
    say,
    without_effect,
    write_rankfile,
)
from toccata.errors import InputError
from toccata.launching import maps, start_files
from toccata.models import predicting, reordering
from toccata.topology import machines

AlgorithmName = Annotated[
    str | None, typer.Argument(metavar="ALGORITHM", help="Algorithm, such as allgather/ring.")
]
MachineText = Annotated[
    str,
    typer.Option(metavar="TEXT", help='Machine, such as "node:4 socket:2 core:8", or a file.'),
]
NumberOfRanks = Annotated[
    int | None,
    typer.Option(
        "-p",
        "--ranks",
        metavar="P",
        parser=number_of_ranks,
        help="Number of ranks; one per core by default.",
    ),
]
Order = Annotated[
    str,
    typer.Option(
        metavar="ORDER",
        help="How blocks get back into their order: straight (they arrive in place), exchange "
        "(inputs move first), shuffle (a copy at the end), or auto (the fastest).",
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=count("seed", least=0),
        help="Choose at random among equally close cores, as Mirsadeghi and Afsahi do.",
    ),
]
CompareScotch = Annotated[
    bool, typer.Option("--scotch/--no-scotch", help="Compare with Scotch's mapping.")
]
Rankfile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File for the launcher, to start a job with this mapping."),
]
Paper = Annotated[
    bool,
    typer.Option(
        "--paper",
        help="Draw figures 3, 4 and 7 of Mirsadeghi and Afsahi (2016), with Toccata's predictions.",
    ),
]


def reorder(
    given: typer.Context,
    name: AlgorithmName = None,
    machine: MachineText = "node:8 socket:2 core:4",
    p: NumberOfRanks = None,
    placement: PlacementOption = None,
    size: BlockBytes = "4K",
    model: ModelOption = "gpc",
    order: Order = "auto",
    root: RootOption = 0,
    seed: Seed = None,
    scotch: CompareScotch = True,
    rankfile: Rankfile = None,
    launcher: LauncherFormat = "openmpi",
    output: PictureFile = None,
    paper: Paper = False,
) -> None:
    """Map an algorithm's ranks onto a machine, and print the gain.

    Prints for the ranks as placed, for our mapping (with its heuristic, such as RMH), and for the
    mapping that the Scotch library finds for the same traffic:

    - bytes times distance (hop-bytes)
    - bytes that cross each level, and that leave the busiest object of that level
    - the predicted time, and the time to find the mapping

    The last line compares them with a lower bound of the hop-bytes.

    --rankfile writes the mapping for mpirun, srun or mpiexec, to start your job reordered.

    Examples:

    - `toccata reorder allgather/ring --machine "node:4 socket:2 core:4" --placement cyclic`
    - `toccata reorder allgather/bruck --machine topology.conf --rankfile rankfile.txt`
    - `toccata reorder allgather/recursive_doubling --machine "node:8 core:8" -o before-after.png`
    - `toccata reorder --paper -o gpc.png`
    """
    _check_effects(given, paper, rankfile)
    outputs.check(rankfile, pictures=[output], reads=[machine, model, *outside.files_of(name)])
    if paper:
        _draw_paper(name, output)
        return
    if name is None:
        raise InputError("name an algorithm, such as allgather/ring; `toccata list` prints all")
    there, where = machines.named(machine), placement or machines.STANDARD_PLACEMENT
    placed = maps.placed(there, machines.cores(there) if p is None else p, where)
    choice, parameters = catalogue.find(name), predicting.read_model(model)
    job = reordering.Job(choice, placed, root, q.parse_bytes(size), parameters, order)
    job.check()
    seats = start_files.seats(placed)
    if rankfile is not None:  # an unknown launcher fails before the search
        start_files.text(seats, range(job.shape.p), launcher)
    all_ = reordering.compare(job, seed, scotch)
    lines = list[str]()  # printing comes last: the reader of the output may have closed it
    if rankfile is not None:
        lines.append(write_rankfile(rankfile, seats, all_[1].players, launcher))
    if output is not None:
        _draw(f"{catalogue.path_of(choice)} on {there.text}, {where}", job, all_, output)
        lines.append(f"wrote {output}")
    _print(job, where, all_, scotch, lines)


def _check_effects(given: typer.Context, paper: bool, rankfile: Path | None) -> None:
    """InputError if an option has no effect with the others."""
    if paper:
        without_effect(given, set(given.params) - {"paper", "output", "name"}, "with --paper")
    elif rankfile is None:
        without_effect(given, ["launcher"], "without --rankfile")


def _draw(title: str, job: reordering.Job, all_: Sequence[reordering.Mapped], output: Path) -> None:
    from toccata.drawing import mappings, pictures  # matplotlib takes a second to load

    pictures.write(mappings.draw(title, job.choice, job.shape, job.placed, all_, job.size), output)


def _print(
    job: reordering.Job,
    where: str,
    all_: Sequence[reordering.Mapped],
    scotch: bool,
    written: Sequence[str],
) -> None:
    assert job.choice.algorithm is not None
    collective = job.choice.algorithm.collective
    size = ""
    if catalogue.size_is_of(collective):
        size = f"{q.show_bytes(job.size)} {catalogue.meaning_of_size(collective)}, "
    console.print(
        f"\n[bold cyan]{job.shape.p} ranks[/] on {job.placed.machine.text}, {where}: "
        f"{catalogue.path_of(job.choice)}, {size}model {job.model.name}"
    )
    print_whole(reordering.as_table(all_))
    if said := reordering.beside_bound(job.bound(), all_):
        aside(said)
    if scotch and not _core.has_scotch():
        aside(reordering.NO_SCOTCH)
    for line in written:
        say(line)


def _draw_paper(name: str | None, output: Path | None) -> None:
    if name is not None:
        raise InputError(f"--paper draws its own algorithms; leave out {name}")
    from toccata.papers import reordering_figures

    reordering_figures.run(console, output)
    if output is not None:
        say(f"wrote {output}")
