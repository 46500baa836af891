"""`toccata bench`."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
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
    LauncherArgs,
    MpiOption,
    NoValidate,
    collective_names,
    console,
    count,
    normalised,
    print_whole,
    print_without,
    progress,
    seconds,
    words,
)
from toccata.errors import Failure, InputError
from toccata.launching import launcher
from toccata.measuring import benchmark, tables, winners
from toccata.measuring.results import Measurement, Metric, Results, read_csv, write_csv, write_json
from toccata.papers import alltoall_tables
from toccata.tuning import tuning_file

STANDARD_HIGHLIGHT = "sparbit"
STANDARD_RANKS = "2,4,8"
STANDARD_SIZES = "1:1M"
STANDARD_REPETITIONS = 100
# The parameters that `bench links` has too.
OF_LINKS = {"collective", "ranks", "sizes", "repetitions", "warmup", "mpi", "launcher_args",
            "machine", "csv", "heatmap"}  # fmt: skip


class MetricName(StrEnum):
    """Which of a benchmark's times is shown."""

    median = "median"
    average = "average"
    min = "min"
    max = "max"


class DeviceName(StrEnum):
    """The GPU runtimes that Toccata knows."""

    cuda = "cuda"
    hip = "hip"
    level_zero = "level_zero"


def bench(
    context: typer.Context,
    collective: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTIVE",
            autocompletion=collective_names,
            help="Collective, such as allgather.",
        ),
    ],
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Numbers of ranks, or a range FIRST:LAST:STEP; {STANDARD_RANKS} by default.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Bytes per block, or of the message: a list as 1,64,4K, or a range that doubles; "
            f"{STANDARD_SIZES} by default.",
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="all, variants (every setting), or a list such as native,ring,sparbit:...; "
            "auto: the choice of the preloaded library.",
        ),
    ] = None,
    distribution: Annotated[
        DistributionName | None,
        typer.Option(
            help="Distribution of the bytes over the blocks of a vector form; uniform by default."
        ),
    ] = None,
    device: Annotated[
        DeviceName | None,
        typer.Option(help="GPU runtime in whose memory the buffers are; host memory by default."),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="Measure alltoall as in the paper: use its ranks, sizes, algorithms and "
            "repetitions unless you give others, and print its tables.",
        ),
    ] = False,
    baseline: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Algorithms to compare the highlighted one with, such as native.",
        ),
    ] = "all",
    highlight: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Algorithm to highlight; {STANDARD_HIGHLIGHT} by default, if measured.",
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=count("number of calls"),
            help=f"Timed calls per size; {STANDARD_REPETITIONS} by default.",
        ),
    ] = None,
    warmup: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=count("number of calls", least=0),
            help="Untimed calls per size, before the timed calls.",
        ),
    ] = 10,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            parser=seconds,
            help="Approximate time limit per size; slow calls are repeated less often.",
        ),
    ] = 10,
    no_validate: NoValidate = False,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    metric: Annotated[
        MetricName, typer.Option(help="Time in the table and the heat map.")
    ] = MetricName.median,
    details: Annotated[
        bool,
        typer.Option(
            "--details", help="Print all times as well, in the format of the OSU benchmarks."
        ),
    ] = False,
    csv: CsvFile = None,
    json_: JsonFile = None,
    heatmap: HeatmapFile = None,
    scaling: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw the times over the number of ranks (weak scaling)."
        ),
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(
            metavar="OLD",
            help="Compare with an earlier table (CSV) of bench, and print the changes.",
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help='For links only: mesh of the ranks, such as "torus:4x4".'
        ),
    ] = None,
) -> None:
    """Measure the algorithms of a collective on this machine, compared with the MPI library's own.

    Runs the benchmark once per number of ranks and measures all algorithms interleaved in that run.
    Prints a table, and writes CSV, JSON and a heat map to results/ by default. Min, average and max
    are over the ranks' mean times, as in the OSU benchmarks. The median is over the repetitions; ±
    is half the interquartile range. If a time does not fit those of neighbouring sizes, the size is
    measured again, and marked if it still does not fit. After Ctrl-C or a failed run, the files
    contain the results so far, marked as incomplete. Exit code 1 if a run fails or receives wrong
    data.

    An algorithm wins only if its quartiles do not overlap the runner-up's. In the heat map, a cell
    has the colour of the winner. If the highlighted algorithm wins, the shade of blue shows its
    gain over the second best. The number is the time of the MPI library's own choice, divided by
    the winner's.

    Instead of a collective, `links` measures messages over several links of a node at the same
    time: every second rank of a mesh (without a mesh: rank 0) sends to its neighbours, receives
    from them, and exchanges with them. Prints the times, and α, β and τ of (α + nβ)(1 + (l − 1)τ)
    for each range of sizes; the figure follows the paper (Chan et al., 2006).

    Examples:

    - `toccata bench allgather`
    - `toccata bench allgather --ranks 2,4 --sizes 1:64K --repetitions 1000 --details`
    - `toccata bench allgather --algorithms native,sparbit,sparbit:messages=per_block --mpi mpich`
    - `toccata bench allgather --ranks 8:256:8 --launcher-args "--hostfile hosts"`
    - `toccata bench allgather --highlight bruck --baseline native --heatmap bruck.png`
    - `toccata bench allgather --compare results/yesterday.csv`
    - `toccata bench alltoall --paper`
    - `toccata bench links --ranks 5 --heatmap links.png`
    - `toccata bench alltoallv --distribution power_law --scaling scaling.png`
    """
    if collective == "links":
        _check_options_of_links(context)
        _bench_links(ranks, sizes, repetitions, warmup, mpi, launcher_args, machine, csv, heatmap)
        return
    if machine is not None:
        raise InputError(f"--machine requires bench links, not {collective}")
    if paper and collective != "alltoall":
        raise InputError(f"--paper requires alltoall, not {collective}")
    capped = paper and ranks is None
    if ranks is None:
        ranks = alltoall_tables.RANKS if paper else STANDARD_RANKS
    as_the_paper = paper and sizes is None
    if algorithms is None:
        algorithms = alltoall_tables.ALGORITHMS if paper else "all"
    names = catalogue.measured(collective, algorithms)
    if distribution and catalogue.is_regular(collective):
        raise InputError("--distribution requires a vector form, such as alltoallv")
    plan = benchmark.Plan(
        collective,
        names,
        tuning_file.sizes_of(
            collective, benchmark.parse_sizes(STANDARD_SIZES if sizes is None else sizes)
        ),
        repetitions or (alltoall_tables.REPETITIONS if paper else STANDARD_REPETITIONS),
        warmup,
        limit,
        not no_validate,
        distribution.value if distribution else None,
        device.value if device else None,
    )
    plans = dict.fromkeys(q.parse_ranks(ranks), plan)
    if as_the_paper:
        plans = {
            p: replace(plan, sizes=alltoall_tables.blocks(alltoall_tables.SIZES, p)) for p in plans
        }
    if capped:
        cap = alltoall_tables.blocks([alltoall_tables.CAP_BYTES], alltoall_tables.CAP_RANKS)
        plans[alltoall_tables.CAP_RANKS] = replace(plan, sizes=cap)
    for name in filter(outside.is_file, names):
        choice = catalogue.parse(collective, name)
        outside.make_runnable(name, choice, [
            shape for p in plans if not choice.why_impossible(shape := _core.Shape(p))
        ])  # fmt: skip
    chosen = STANDARD_HIGHLIGHT if highlight is None else normalised(collective, highlight)
    if highlight is not None and chosen not in names:
        raise InputError(f"--highlight {highlight} is not measured; add it to --algorithms")
    marked = chosen if chosen in names else None
    compared = None if baseline == "all" else catalogue.measured(collective, baseline)
    for name in compared or []:
        if name not in names:
            raise InputError(f"--baseline {name} is not measured; add it to --algorithms")
    starter = launcher.find(mpi)
    what = "-".join(
        [
            collective,
            *([distribution.value] if distribution else []),
            *([device.value] if device else []),
            *(["paper"] * paper),
        ]
    )
    stem = Path("results") / f"{what}-{starter.family}"
    csv, json_ = csv or stem.with_suffix(".csv"), json_ or stem.with_suffix(".json")
    heatmap = outputs.picture(heatmap, stem.with_suffix(".png"))
    if paper:
        scaling = outputs.picture(scaling, stem.with_name(f"{stem.name}-scaling.png"))
    more = words(launcher_args)
    commands = {p: benchmark.command_for(each, starter, p, more) for p, each in plans.items()}
    before = read_csv(compare) if compare is not None else None
    outputs.check_pictures(heatmap, scaling)
    outputs.check(csv, json_)

    measured: list[Measurement] = []
    arrived: list[Measurement] = []  # of a run that has not ended
    which: Metric = metric.value
    with progress() as bar:
        cells = sum(len(names) * len(each.sizes) for each in plans.values())
        task = bar.add_task("", total=cells)

        def told(measurement: Measurement) -> None:
            arrived.append(measurement)
            size = q.show_bytes(measurement.bytes)
            what = f"{measurement.ranks} ranks, {measurement.algorithm}, {size}"
            bar.update(task, advance=1, description=what)

        def once_more(p: int, sizes: Sequence[int]) -> benchmark.Run:
            plan = replace(plans[p], sizes=sizes)
            bar.update(task, total=(bar.tasks[task].total or 0) + len(names) * len(sizes))
            return benchmark.measure(plan, benchmark.command_for(plan, starter, p, more), p, told)

        try:
            for p, command in commands.items():
                bar.update(task, description=f"{p} ranks, starting")
                run = benchmark.measure(plans[p], command, p, told)
                bar.advance(task, len(run.impossible) * len(plans[p].sizes))
                measured += benchmark.straightened(run, partial(once_more, p))
                arrived.clear()
                results = Results(measured)
                if run.measurements:
                    print_whole(tables.overview(results, p, which, marked, compared))
                    if details:
                        print_whole(tables.details(results, p))
                print_without(p, run.impossible)
        except BaseException:
            if partly := Results([*measured, *arrived]).all:
                write_csv(Results(partly), csv, complete=False)
                write_json(Results(partly), json_, complete=False)
                print(f"toccata: {csv} and {json_} are incomplete", file=sys.stderr)
            raise
    if not measured:
        raise Failure("nothing could be measured: no algorithm is possible with these ranks")
    swept, sizes_of = results, ""
    if paper:
        of_paper, sizes_of = alltoall_tables.as_the_paper(results), alltoall_tables.SIZES_OF
        swept = alltoall_tables.scaled(of_paper)
        print_whole(alltoall_tables.tables(of_paper))
    grid = replace(winners.grid(swept, marked, compared, which), sizes_of=sizes_of)
    if marked and grid.measured:
        console.print(f"\n{winners.summary(grid)}")
    if before is not None:
        print_whole(tables.changes(before, results, which))
    write_csv(results, csv)
    write_json(results, json_)
    title = f"{' '.join(what.split('-'))}, {measured[0].mpi}: {which} time"
    if heatmap:
        from toccata.drawing import heatmap as map_
        from toccata.drawing import pictures  # matplotlib takes a second to load

        pictures.write(map_.draw(grid, title), heatmap)
    if scaling:
        from toccata.drawing import pictures
        from toccata.drawing import scaling as scaling_

        pictures.write(scaling_.draw(swept, which, title, sizes_of), scaling)
    console.print(outputs.wrote(csv, json_, heatmap, *([scaling] if scaling else [])))


def _check_options_of_links(context: typer.Context) -> None:
    """InputError where one was given that has no meaning for links."""
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name is not None and parameter.name not in OF_LINKS
        if (source := context.get_parameter_source(parameter.name)) is not None
        and source.name == "COMMANDLINE"
    ]
    if given:
        raise InputError(f"bench links does not accept {', '.join(given)}")


def _bench_links(
    ranks: str | None,
    sizes: str | None,
    repetitions: int | None,
    warmup: int,
    mpi: str,
    launcher_args: str,
    machine: str | None,
    csv: Path | None,
    picture: Path | None,
) -> None:
    """`bench links`."""
    from toccata.drawing import pictures
    from toccata.measuring import links

    p = q.parse_count(
        links.STANDARD_RANKS if ranks is None else ranks, "number of ranks", 2, q.MOST_RANKS
    )
    numbers = benchmark.parse_sizes(links.STANDARD_SIZES if sizes is None else sizes)
    if machine is not None:
        links.check_machine(machine, p)
    starter = launcher.find(mpi)
    stem = Path("results") / f"links-{starter.family}"
    csv, picture = csv or stem.with_suffix(".csv"), picture or stem.with_suffix(".png")
    program = [str(launcher.benchmark(starter.family, "links"))]
    program += ["--sizes", ",".join(map(str, numbers))]
    program += ["--repetitions", str(repetitions or STANDARD_REPETITIONS), "--warmup", str(warmup)]
    program += ["--machine", machine] if machine is not None else []
    command = launcher.start(starter, p, words(launcher_args), program)
    outputs.check_pictures(picture)
    outputs.check(csv)
    library, timings = links.measure(command, p)
    found = links.fits(timings)
    for way in links.WAYS:
        print_whole(links.times_table(timings, way))
    if found:
        print_whole(links.fit_table(found))
    for size in links.alone(timings):
        console.print(
            f"[dim]without a fit: {q.show_bytes(size)}, the only size of its range; a fit needs "
            "two[/]"
        )
    links.write_csv(timings, csv)
    where = machine or "rank 0 and its neighbours"
    pictures.write(links.draw(timings, found, f"{library}, {p} ranks, {where}"), picture)
    console.print(f"wrote {csv}, {picture}")
