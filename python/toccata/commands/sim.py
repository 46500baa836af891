"""`toccata sim`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.commands.common import (
    CsvFile,
    DistributionName,
    HeatmapFile,
    JsonFile,
    collective_names,
    console,
    count,
    normalised,
    print_whole,
    print_without,
    progress,
    seconds,
)
from toccata.errors import Failure, InputError
from toccata.measuring import tables, winners
from toccata.measuring.results import Results, write_csv, write_json
from toccata.models import predicting
from toccata.simulating import platforms, simulation
from toccata.topology import machines
from toccata.tuning import tuning_file

STANDARD_SIZES = "1:1M:4"


def sim(
    collective: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTIVE",
            autocompletion=collective_names,
            help="Collective, such as allgather.",
        ),
    ],
    platform: Annotated[
        str,
        typer.Option(
            metavar="P",
            autocompletion=platforms.names,
            help='Platform: yahoo, cervino, ..., a file, or a machine such as "node:16 core:8".',
        ),
    ],
    ranks: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers of ranks; one per core by default."),
    ] = None,
    placement: Annotated[
        str, typer.Option(metavar="NAME", help="Placement, as for predict: sequential, cyclic, ...")
    ] = "sequential",
    algorithms: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="all, or a list such as ring,sparbit:messages=per_block."
        ),
    ] = "all",
    peers: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="SimGrid's selectors (ompi, mpich, mvapich2, impi), single algorithms such "
            "as simgrid/bruck, or none.",
        ),
    ] = ",".join(simulation.SELECTORS),
    sizes: Annotated[
        str, typer.Option(metavar="LIST", help="Bytes per block, or of the message, as for bench.")
    ] = STANDARD_SIZES,
    distribution: Annotated[
        DistributionName | None,
        typer.Option(
            help="Distribution of the bytes over the blocks of a vector form; uniform by default.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            autocompletion=predicting.model_names,
            help='Cost model, if --platform is a machine such as "node:16 core:8"; '
            f"{platforms.STANDARD_MODEL} by default.",
        ),
    ] = None,
    highlight: Annotated[
        str | None, typer.Option(metavar="NAME", help="Algorithm to highlight.")
    ] = None,
    predicted: Annotated[
        bool,
        typer.Option(
            "--predicted",
            help="Compare the prediction of the platform's model with the simulation.",
        ),
    ] = False,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            parser=seconds,
            help="Time limit of a simulation (one algorithm, size and number of ranks).",
        ),
    ] = 600,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count("number of jobs"),
            help="Number of simultaneous simulations; one per core by default.",
        ),
    ] = None,
    csv: CsvFile = None,
    json_: JsonFile = None,
    heatmap: HeatmapFile = None,
) -> None:
    """Simulate a collective's algorithms on a machine that you do not have, with SimGrid.

    Runs the benchmark program and the library with all ranks in one process, on a simulated
    network. Only messages take time. Every run gives the same times, so earlier results are reused.
    All ranks start together, and the time is that of the slowest rank. platforms/ describes the
    platforms, docs/simulation.md the simulation. `make simgrid` builds SimGrid.

    The table also contains SimGrid's own selectors. Each of them chooses like the MPI library with
    the same name. Algorithms that return wrong data are left out.

    Examples:

    - `toccata sim allgather --platform yahoo --ranks 64 --placement cyclic`
    - `toccata sim alltoall --platform "node:16 core:8" --algorithms pairwise,bruck --sizes 8:4K`
    - `toccata sim bcast --platform fattree64 --ranks 4096 --peers none --sizes 1K`
    - `toccata sim alltoallv --distribution power_law --platform "node:16 core:8" --sizes 8:4K`
    - `toccata sim alltoall --platform yahoo --ranks 64 --peers none --predicted`
    """
    if distribution and catalogue.is_regular(collective):
        raise InputError("--distribution requires a vector form, such as alltoallv")
    if distribution and predicted:
        raise InputError("--predicted requires blocks of equal size; leave out --distribution")
    known = catalogue.of_collective(collective)
    chosen = (
        [each.name for each in known]
        if algorithms == "all"
        else [normalised(collective, each) for each in catalogue.split_choices(algorithms)]
    )
    others = [] if peers == "none" else [each.strip() for each in peers.split(",")]
    for each in others:
        if each not in simulation.SELECTORS and not each.startswith(simulation.PEER):
            raise InputError(
                f"--peers {each}: expected one of {', '.join(simulation.SELECTORS)}, or one of "
                f"SimGrid's algorithms, such as {simulation.PEER}bruck"
            )
    if others and catalogue.is_among_neighbors(collective):
        console.print("[dim]without peers: SimGrid has no collectives among neighbours[/]")
        others = []
    marked = None if highlight is None else normalised(collective, highlight)
    if marked is not None and marked not in chosen:
        raise InputError(f"--highlight {highlight} is not simulated; add it to --algorithms")
    there = platforms.find(platform, model)
    machine = _core.Machine(there.machine)
    numbers = [machines.cores(machine)] if ranks is None else q.parse_ranks(ranks)
    bytes_ = tuning_file.sizes_of(collective, q.parse_sizes(sizes))
    for p in numbers:
        platforms.cores(there, p, placement)
    simulation.programs()
    form = f"{collective}-{distribution.value}" if distribution else collective
    stem = Path("results") / f"{form}-{there.name.split('/')[0]}-{placement}".replace(":", "")
    csv, json_ = (
        given or stem.with_name(stem.name + suffix)
        for given, suffix in ((csv, ".csv"), (json_, ".json"))
    )
    heatmap = outputs.picture(heatmap, stem.with_name(f"{stem.name}.png"))
    outputs.check_pictures(heatmap)
    outputs.check(csv, json_)

    ours = {name: catalogue.parse(collective, name) for name in chosen}
    left_out = {}
    for p in numbers:
        shape = _core.Shape(_core.Placement(machine, p, placement), 0)
        reasons = {name: choice.why_impossible(shape) for name, choice in ours.items()}
        left_out[p] = {name: why for name, why in reasons.items() if why}
    for name in filter(outside.is_file, chosen):
        outside.make_runnable(
            name,
            ours[name],
            [_core.Shape(_core.Placement(machine, p, placement), 0) for p in numbers
             if name not in left_out[p]],
        )  # fmt: skip
    cells = [
        simulation.Cell(
            collective, name, p, size, placement, distribution.value if distribution else None
        )
        for p in numbers
        for name in (*chosen, *others)
        if name not in left_out[p]
        for size in bytes_
    ]
    with progress(remaining=True, counted=False) as bar:
        task = bar.add_task("", total=sum(map(simulation.effort, cells)))

        def told(cell: simulation.Cell) -> None:
            what = f"{cell.ranks} ranks, {cell.algorithm}, {q.show_bytes(cell.bytes)}"
            bar.update(task, advance=simulation.effort(cell), description=what)

        try:
            outcomes = simulation.run(there, cells, told, limit, jobs)
        except BaseException:
            kept = {cell: it for cell in cells if (it := simulation.known(there, cell))}
            partly = Results(simulation.measurements(there, kept))
            if partly.all:
                write_csv(partly, csv, complete=False)
                write_json(partly, json_, complete=False)
                print(f"toccata: {csv} and {json_} are incomplete", file=sys.stderr)
            raise
    results = Results(simulation.measurements(there, outcomes))
    for p in numbers:
        if any(each.ranks == p for each in results.all):
            print_whole(tables.overview(results, p, "max", marked, None))
        print_without(p, left_out[p])
    for cell, outcome in outcomes.items():
        if outcome.seconds is None:
            console.print(
                f"[dim]{cell.ranks} ranks, {q.show_bytes(cell.bytes)}: without {cell.algorithm}, "
                f"which {outcome.why_not}[/]"
            )
    if not results.all:
        raise Failure("nothing could be simulated; see the messages above")
    unseen = sum(
        outcome.valid is None and outcome.seconds is not None for outcome in outcomes.values()
    )
    if unseen:
        console.print(
            f"[dim]data not checked because of its size: {unseen} of {len(cells)} cells[/]"
        )
    if predicted:
        _print_predicted(there, outcomes)
    write_csv(results, csv)
    write_json(results, json_)
    if heatmap:
        from toccata.drawing import heatmap as map_
        from toccata.drawing import pictures  # matplotlib takes a second to load

        title = f"{collective}, {there.name}, {placement}: simulated"
        grid = winners.grid(results, marked, None, "max")
        pictures.write(map_.draw(grid, title), heatmap)
    console.print(outputs.wrote(csv, json_, heatmap))


def _print_predicted(
    platform: platforms.Platform, outcomes: dict[simulation.Cell, simulation.Outcome]
) -> None:
    """The model compared with the simulation: the median error of each algorithm and of all."""
    from toccata.simulating import model_beside  # scipy takes a second to load

    predicted = model_beside.predictions(platform, outcomes)
    for name in dict.fromkeys(cell.algorithm for cell in predicted):
        of = {cell: time for cell, time in predicted.items() if cell.algorithm == name}
        error = model_beside.scored(platform, outcomes, of).error
        console.print(f"[dim]{name}: by the model, median error {error:.1%}[/]")
    found = model_beside.scored(platform, outcomes, predicted)
    console.print(f"the model compared with the simulation: {model_beside.text(found)}")
