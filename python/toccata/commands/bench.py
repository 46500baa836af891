"""`toccata bench`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import Progress

from toccata import outputs
from toccata import quantities as q
from toccata.algorithms import outside
from toccata.commands.common import (
    CollectiveName,
    CsvFile,
    DistributionOption,
    HeatmapFile,
    JsonFile,
    LauncherArgs,
    MpiOption,
    NoValidate,
    count,
    print_whole,
    print_without,
    progress,
    say,
    seconds,
    words,
)
from toccata.launching import launcher
from toccata.measuring import session, tables, winners
from toccata.measuring.benchmark import Plan, Run
from toccata.measuring.files import Files
from toccata.measuring.results import Measurement, Results, read_csv
from toccata.measuring.session import (
    STANDARD_HIGHLIGHT,
    STANDARD_RANKS,
    STANDARD_REPETITIONS,
    STANDARD_SIZES,
    Comparison,
    Request,
)
from toccata.papers import alltoall_tables


class MetricName(StrEnum):
    """The time of a benchmark that the table shows."""

    median = "median"
    average = "average"
    min = "min"
    max = "max"


class DeviceName(StrEnum):
    """The GPU runtimes that Toccata knows."""

    cuda = "cuda"
    hip = "hip"
    level_zero = "level_zero"


RanksList = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help=f"Numbers of ranks, or a range FIRST:LAST:STEP; {STANDARD_RANKS} by default.",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Bytes per block, or of the message: a list such as 1,64,4K, or a range that doubles; "
        f"{STANDARD_SIZES} by default.",
    ),
]
Algorithms = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="all (every algorithm with its default parameters), variants (also with other "
        "parameters), auto (the choice of the preloaded library), or a list such as "
        "native,ring,sparbit.",
    ),
]
DeviceOption = Annotated[
    DeviceName | None,
    typer.Option(help="GPU runtime that allocates the buffers; host memory by default."),
]
Paper = Annotated[
    bool,
    typer.Option(
        "--paper",
        help="Measure alltoall as in Oliviero et al. (2023): use its ranks, sizes, algorithms "
        "and repetitions unless you give others, and print its tables.",
    ),
]
Baseline = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="Algorithms with which the highlighted one is compared, such as native.",
    ),
]
Highlight = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"Algorithm to highlight; {STANDARD_HIGHLIGHT} by default, if measured.",
    ),
]
Repetitions = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=count("number of calls"),
        help=f"Timed calls per size; {STANDARD_REPETITIONS} by default.",
    ),
]
Warmup = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=count("number of calls", least=0),
        help="Untimed calls per size, before the timed calls.",
    ),
]
Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        parser=seconds,
        help="Approximate time limit per size; slow calls are repeated less often.",
    ),
]
MetricOption = Annotated[MetricName, typer.Option(help="Time in the table and the heat map.")]
Details = Annotated[
    bool,
    typer.Option("--details", help="Print all times as well, in the format of the OSU benchmarks."),
]
ScalingFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw the times over the number of ranks (weak scaling)."),
]
OldTable = Annotated[
    Path | None,
    typer.Option(
        metavar="OLD",
        help="Compare with an earlier table (CSV) of bench, and print the changes.",
    ),
]


def bench(
    collective: CollectiveName,
    ranks: RanksList = None,
    sizes: Sizes = None,
    algorithms: Algorithms = None,
    distribution: DistributionOption = None,
    device: DeviceOption = None,
    paper: Paper = False,
    baseline: Baseline = "all",
    highlight: Highlight = None,
    repetitions: Repetitions = None,
    warmup: Warmup = 10,
    limit: Limit = 10,
    no_validate: NoValidate = False,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    metric: MetricOption = MetricName.median,
    details: Details = False,
    csv: CsvFile = None,
    json_: JsonFile = None,
    heatmap: HeatmapFile = None,
    scaling: ScalingFile = None,
    compare: OldTable = None,
) -> None:
    """Measure the algorithms of a collective on this machine, compared with the MPI library's own.

    Runs the benchmark once per number of ranks, and interleaves the calls of all algorithms in that
    run. Prints a table, and writes CSV, JSON and a heat map to results/ by default.

    Min, average and max are those of the ranks' mean times, as in the OSU benchmarks. The median is
    over the repetitions; ± is half the interquartile range. If a time does not fit the neighbouring
    sizes, this size is measured again. `!` marks a time that still does not fit.

    An algorithm wins only if its interquartile range does not overlap that of the second best. In
    the heat map, a cell has the colour of the winner. If the highlighted algorithm wins, the shade
    of blue shows its gain over the second best. The number in the cell is the time of the MPI
    library's own choice, divided by the winner's.

    After Ctrl-C or a failed run, the files contain the results so far, marked as incomplete. The
    exit code is 1 if a run fails or receives wrong data. To measure messages over several links of
    a node, use `toccata bench links`.

    Examples:

    - `toccata bench allgather`
    - `toccata bench allgather --ranks 2,4 --sizes 1:64K --repetitions 1000 --details`
    - `toccata bench allgather --algorithms native,sparbit,sparbit:messages=per_block --mpi mpich`
    - `toccata bench allgather --ranks 8:256:8 --launcher-args "--hostfile hosts"`
    - `toccata bench allgather --highlight bruck --baseline native --heatmap bruck.png`
    - `toccata bench allgather --compare results/yesterday.csv`
    - `toccata bench alltoall --paper`
    - `toccata bench alltoallv --distribution power_law --scaling scaling.png`
    """
    request = Request(
        collective, ranks, sizes, algorithms, distribution and distribution.value,
        device and device.value, alltoall_tables.PAPER if paper else None, repetitions, warmup,
        limit, not no_validate, baseline, highlight, metric.value,
    )  # fmt: skip
    written = csv, json_, heatmap, scaling
    _run(request, mpi, words(launcher_args), written, compare, details)


def _run(
    request: Request,
    mpi: str,
    more: Sequence[str],
    written: tuple[Path | None, Path | None, Path | None, Path | None],
    compare: Path | None,
    details: bool,
) -> None:
    plans, shown = request.plans(), Comparison.of(request)
    starter = launcher.find(mpi)
    stem = Path("results") / f"{request.name}-{starter.family}"
    files = Files.of(stem, *written, paper=request.paper is not None)
    session.commands_for(plans, starter, more)  # reports errors before any work
    files.check(reads=[compare, *outside.files_of(*request.names)])
    before = read_csv(compare) if compare is not None else None
    with progress() as bar:
        watch = _watch(bar, plans, shown, details)
        results = session.measure(plans, starter, more, files, watch)
    _conclude(request, results, shown, before, files)


def _watch(
    bar: Progress, plans: Mapping[int, Plan], shown: Comparison, details: bool
) -> session.Watch:
    """Shows the progress bar, and prints the tables of each run."""
    cells = sum(len(each.algorithms) * len(each.sizes) for each in plans.values())
    task = bar.add_task("", total=cells)

    def arrived(measurement: Measurement) -> None:
        size = q.show_bytes(measurement.bytes)
        what = f"{q.plural('rank', measurement.ranks)}, {measurement.algorithm}, {size}"
        bar.update(task, advance=1, description=what)

    def ended(run: Run, sizes: int, results: Results) -> None:
        bar.advance(task, len(run.impossible) * sizes)
        if run.measurements:
            print_whole(
                tables.overview(results, run.ranks, shown.metric, shown.marked, shown.compared)
            )
            if details:
                print_whole(tables.details(results, run.ranks))
        print_without(run.ranks, run.impossible)

    return session.Watch(
        starts=lambda p: bar.update(task, description=f"{q.plural('rank', p)}, starting"),
        arrived=arrived,
        more=lambda cells: bar.update(task, total=(bar.tasks[task].total or 0) + cells),
        ended=ended,
    )


def _conclude(
    request: Request, results: Results, shown: Comparison, before: Results | None, files: Files
) -> None:
    """Writes and prints the results of all runs."""
    # First: the reader of the output may have closed it.
    files.write_results(results)
    swept, sizes_of = results, ""
    if request.paper:
        of_paper, sizes_of = alltoall_tables.as_the_paper(results), alltoall_tables.SIZES_OF
        swept = alltoall_tables.scaled(of_paper)
    grid = winners.grid(swept, shown.marked, shown.compared, shown.metric)
    grid = replace(grid, sizes_of=sizes_of)
    what = " ".join(request.name.split("-"))
    title = f"{what}, {results.all[0].mpi}: {shown.metric} time"
    if files.heatmap or files.scaling:
        from toccata.drawing import heatmap, pictures, scaling  # matplotlib takes a second to load

        if files.heatmap:
            pictures.write(heatmap.draw(grid, title), files.heatmap)
        if files.scaling:
            pictures.write(scaling.draw(swept, shown.metric, title, sizes_of), files.scaling)
    if request.paper:
        print_whole(alltoall_tables.tables(of_paper))
    if shown.marked and grid.measured:
        say(f"\n{winners.summary(grid)}")
    if before is not None:
        print_whole(tables.changes(before, results, shown.metric))
    written = [files.csv, files.json, files.heatmap, *([files.scaling] if files.scaling else [])]
    say(outputs.wrote(*written))
