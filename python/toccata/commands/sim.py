"""`toccata sim`."""

from collections.abc import Callable
from typing import Annotated

import typer
from rich.progress import Progress

from toccata import outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.commands.common import (
    CollectiveName,
    CsvFile,
    DistributionOption,
    HeatmapFile,
    JsonFile,
    LateOption,
    aside,
    console,
    count,
    print_whole,
    print_without,
    progress,
    say,
    seconds,
)
from toccata.errors import Failure
from toccata.measuring import tables, winners
from toccata.measuring.files import Files
from toccata.measuring.results import Results
from toccata.models import predicting
from toccata.simulating import platforms, session, simulation
from toccata.simulating.session import Plan, Request
from toccata.simulating.simulation import Cell, Outcome

STANDARD_SIZES = "1:1M:4"
STANDARD_PEERS = ",".join(simulation.SELECTORS)

PlatformName = Annotated[
    str,
    typer.Option(
        metavar="P",
        autocompletion=platforms.names,
        help='Platform: yahoo, cervino, ...; a platform file; a machine such as "node:16 core:8"; '
        "or a file from topo --save.",
    ),
]
RanksList = Annotated[
    str | None,
    typer.Option(metavar="LIST", help="Numbers of ranks; one per core by default."),
]
PlacementName = Annotated[
    str, typer.Option(metavar="NAME", help="Placement, as for predict: sequential, cyclic, ...")
]
Algorithms = Annotated[
    str,
    typer.Option(metavar="LIST", help="all, or a list such as ring,sparbit:messages=per_block."),
]
Peers = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="SimGrid's selectors (ompi, mpich, mvapich2, impi), single algorithms such "
        "as simgrid/bruck, or none.",
    ),
]
Sizes = Annotated[
    str, typer.Option(metavar="LIST", help="Bytes per block, or of the message, as for bench.")
]
ModelName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=predicting.model_names,
        help='Cost model, if --platform is a machine such as "node:16 core:8"; '
        f"{platforms.STANDARD_MODEL} by default.",
    ),
]
Highlight = Annotated[str | None, typer.Option(metavar="NAME", help="Algorithm to highlight.")]
Links = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help='Dead, slow or faster links, such as "0.0-0.1=0, leaf=1/5" (see '
        "toccata bounds --help).",
    ),
]
Predicted = Annotated[
    bool,
    typer.Option(
        "--predicted",
        help="Compare the prediction of the platform's model with the simulation.",
    ),
]
Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        parser=seconds,
        help="Time limit of a simulation (one algorithm, size and number of ranks).",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=count("number of jobs"),
        help="Number of simultaneous simulations; one per core by default.",
    ),
]


def sim(
    collective: CollectiveName,
    platform: PlatformName,
    ranks: RanksList = None,
    placement: PlacementName = "sequential",
    algorithms: Algorithms = "all",
    peers: Peers = STANDARD_PEERS,
    sizes: Sizes = STANDARD_SIZES,
    distribution: DistributionOption = None,
    model: ModelName = None,
    highlight: Highlight = None,
    links: Links = "",
    late: LateOption = None,
    predicted: Predicted = False,
    limit: Limit = 600,
    jobs: Jobs = None,
    csv: CsvFile = None,
    json_: JsonFile = None,
    heatmap: HeatmapFile = None,
) -> None:
    """Simulate a collective's algorithms on a machine that you do not have, with SimGrid.

    Runs the benchmark program and the library with all ranks in one process, on a simulated
    network. Only messages take time. Every run gives the same times, so earlier results are reused.
    All ranks start together, except late ones (--late), and the time is that of the slowest rank.
    platforms/ describes the platforms, docs/simulation.md the simulation. `make simgrid` builds
    SimGrid.

    The table also contains SimGrid's selectors, which imitate MPI libraries: ompi, mpich, mvapich2
    and impi choose like Open MPI, MPICH, MVAPICH2 and Intel MPI. Algorithms that return wrong data
    are left out.

    Examples:

    - `toccata sim allgather --platform yahoo --ranks 64 --placement cyclic`
    - `toccata sim alltoall --platform "node:16 core:8" --algorithms pairwise,bruck --sizes 8:4K`
    - `toccata sim bcast --platform fattree64 --ranks 4096 --peers none --sizes 1K`
    - `toccata sim alltoallv --distribution power_law --platform "node:16 core:8" --sizes 8:4K`
    - `toccata sim alltoall --platform yahoo --ranks 64 --peers none --predicted`
    - `toccata sim bcast --platform torus:16x4 --links 0.0-0.1=0 --sizes 1M`
    - `toccata sim allreduce --platform fattree64 --ranks 64 --placement cyclic --late 63:1ms`
    """
    plan = Request(
        collective, platform, model, ranks, placement, algorithms, peers, sizes,
        distribution.value if distribution else None, highlight, links, predicted, late,
    ).plan()  # fmt: skip
    for each in plan.remarks:
        aside(each)
    files = Files.of(plan.stem, csv, json_, heatmap)
    files.check(reads=[platform, model, *outside.files_of(*catalogue.split_choices(algorithms))])
    with progress(remaining=True, counted=False) as bar:
        outcomes = session.run(plan, files, _told(bar, plan), limit, jobs)
    results = plan.results(outcomes)
    if results.all:  # before printing: the reader of the output may have closed it
        _write(results, files, f"{collective}, {plan.platform.name}, {placement}", plan.marked)
    _print(plan, outcomes, results)
    if predicted:
        _print_predicted(plan.platform, outcomes)
    say(outputs.wrote(files.csv, files.json, files.heatmap))


def _told(bar: Progress, plan: Plan) -> Callable[[Cell], None]:
    task = bar.add_task("", total=sum(map(simulation.effort, plan.cells)))

    def told(cell: Cell) -> None:
        what = f"{cell.ranks} ranks, {cell.algorithm}, {q.show_bytes(cell.bytes)}"
        bar.update(task, advance=simulation.effort(cell), description=what)

    return told


def _print(plan: Plan, outcomes: dict[Cell, Outcome], results: Results) -> None:
    """Prints the tables, and lists the cells without a time or without checked data."""
    for p, reasons in plan.left_out.items():
        if any(each.ranks == p for each in results.all):
            print_whole(tables.overview(results, p, "max", plan.marked, None))
        print_without(p, reasons)
    for cell, outcome in outcomes.items():
        if outcome.seconds is None:
            aside(
                f"{cell.ranks} ranks, {q.show_bytes(cell.bytes)}: without {cell.algorithm}, "
                f"which {outcome.why_not}"
            )
    if not results.all:
        raise Failure("nothing could be simulated; see the messages above")
    unseen = sum(each.valid is None and each.seconds is not None for each in outcomes.values())
    if unseen:
        aside(f"data not checked because of its size: {unseen} of {len(plan.cells)} cases")


def _write(results: Results, files: Files, what: str, marked: str | None) -> None:
    files.write_results(results)
    if files.heatmap:
        from toccata.drawing import heatmap, pictures  # matplotlib takes a second to load

        grid = winners.grid(results, marked, None, "max")
        pictures.write(heatmap.draw(grid, f"{what}: simulated"), files.heatmap)


def _print_predicted(platform: platforms.Platform, outcomes: dict[Cell, Outcome]) -> None:
    """Compares the model with the simulation: prints the median errors per algorithm and of all."""
    from toccata.simulating import model_beside  # scipy takes a second to load

    predicted = model_beside.predictions(platform, outcomes)
    for name in dict.fromkeys(cell.algorithm for cell in predicted):
        of = {cell: time for cell, time in predicted.items() if cell.algorithm == name}
        error = model_beside.scored(platform, outcomes, of).error
        aside(f"{name}: by the model, median error {error:.1%}")
    found = model_beside.scored(platform, outcomes, predicted)
    console.print(f"model (terms: see toccata fit --help): {model_beside.text(found)}")
