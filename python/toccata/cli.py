"""The commands; what they do lies in the other modules."""

import json
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from typer.core import TyperGroup
from typer.exceptions import TyperException

from toccata import (
    _core,
    alltoall_paper,
    bounds,
    catalogue,
    counting,
    launcher,
    locating,
    machines,
    measuring,
    proving,
    show,
    tables,
)
from toccata import quantities as q
from toccata import topo as tree
from toccata.errors import CommandError, Failure, InputError
from toccata.machines import MachineOption, PlacementOption
from toccata.results import Measurement, Metric, Results, write_csv, write_json

# Piped output is for programs and files: nothing is cut to the width of a terminal.
console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
# One console where both are the same terminal, or the bar would be in the way of the text.
progress_console = console if console.is_terminal else Console(stderr=True)

STANDARD_HIGHLIGHT = "sparbit"
STANDARD_RANKS = "2,4,8"
STANDARD_SIZES = "1:1M"
STANDARD_REPETITIONS = 100


class OneLineErrors(TyperGroup):
    """Says in one line on stderr what was wrong, whatever it was, and exits with 1 or 2."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except CommandError as error:
            _complain(str(error), error.exit_code)
        except TyperException as error:
            _complain(f"{error.format_message()}  (see {_help_of(error)})", 2)
        except _core.RequestError as error:
            _complain(str(error), 2)
        except BrokenPipeError:  # whoever read our output has enough of it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            _complain(f"{where}{error.strerror or error}", 2)
        except typer.Abort:
            sys.exit(130)
        sys.exit(code if isinstance(code, int) else 0)


def _complain(message: str, code: int) -> None:
    print(f"toccata: {message}", file=sys.stderr)
    sys.exit(code)


def _help_of(error: TyperException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'toccata'} --help"


app = typer.Typer(
    cls=OneLineErrors,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"toccata {_core.__version__}")
        raise typer.Exit


@app.callback()
def toccata(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Say which it is."),
    ] = False,
) -> None:
    """Topology-aware MPI collectives: prove, count, draw, measure and use their algorithms.

    Algorithms are named as `allgather/sparbit`, or `sparbit` where that is clear,
    with parameters as in `sparbit:messages=per_block`. `toccata list` tells all of
    them.
    """


def _count(what: str, least: int = 1) -> Callable[[str], int]:
    """For options: what is no whole number of at least `least` is named in the complaint."""
    return lambda text: q.parse_count(str(text), what, least)  # defaults come here as well


_ranks = _count("number of ranks")
Ranks = Annotated[
    int, typer.Option("-p", "--ranks", metavar="P", parser=_ranks, help="Number of ranks.")
]
ServerOption = Annotated[
    str | None,
    typer.Option(metavar="ALGORITHM", help="The same for the MPI call of that name."),
]
RootOption = Annotated[
    int,
    typer.Option("--root", metavar="R", parser=_count("rank", least=0), help="Of a rooted one."),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Algorithms or collectives; all if none is given."),
]


@app.command("list")
def list_(
    collective: Annotated[
        str | None, typer.Argument(metavar="[COLLECTIVE]", help="Only of this collective.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="An array of objects.")] = False,
) -> None:
    """List the algorithms, their parameters and what they need.

    Examples:

    - `toccata list`
    - `toccata list allgather --json`
    """
    chosen = catalogue.of_collective(collective) if collective else _core.algorithms()
    if as_json:
        print(
            json.dumps([catalogue.as_json(each) for each in chosen], indent=2, ensure_ascii=False)
        )
    else:
        console.print(catalogue.as_table(chosen))


@app.command("show")
def show_(
    algorithm: Annotated[
        str, typer.Argument(metavar="ALGORITHM", help="As sparbit or bcast/binomial.")
    ],
    p: Ranks,
    rank: Annotated[
        int | None,
        typer.Option(
            "--rank",
            metavar="R",
            parser=_count("rank", least=0),
            help="All rounds of this rank alone.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw it: .png, .svg or .pdf."),
    ] = None,
    root: RootOption = 0,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Show who sends what to whom in each round, as text or as a picture.

    Blocks are named by their place in the buffer; recv, where results end up, is not mentioned. In
    the picture a column is a rank, and what it received in the round is grey.

    Examples:

    - `toccata show sparbit -p 5`
    - `toccata show allgather/bruck:rotation=none -p 1000 --rank 17`
    - `toccata show sparbit -p 8 --output sparbit.png`
    - `toccata show reduce/binomial -p 6 --root 4`
    - `toccata show allgather/ring -p 8 --machine "node:2 core:4" --placement cyclic`
    - `toccata show bcast/torus_mst -p 16 --machine torus:4x4 --output tree.png`
    """
    choice = catalogue.find(algorithm)
    shape = machines.shape(p, machine, placement, root)
    choice.cost(shape)  # says so if it is impossible
    if output is None:
        narrator = show.Narrator(choice, shape)
        console.print(narrator.all_ranks() if rank is None else narrator.one_rank(rank))
        return
    from toccata import drawing, grids  # matplotlib takes a second to load

    if rank is not None:
        raise InputError("--rank and --output exclude each other: a picture shows all ranks")
    drawing.check_output(output)
    draw = grids.draw if grids.draws(choice, shape) else drawing.draw
    drawing.write(draw(choice, shape), output)
    console.print(f"wrote {output}")


def _subjects(names: Sequence[str] | None) -> list[_core.Algorithm | _core.Choice]:
    """Algorithms, or single choices where a name says its parameters."""
    collectives = [each.name for each in _core.collectives() if each.regular == each.name]
    subjects: list[_core.Algorithm | _core.Choice] = []
    for name in names or collectives:
        if name in collectives:
            subjects += catalogue.of_collective(name)
            continue
        choice = catalogue.find(name)
        assert choice.algorithm is not None
        subjects.append(choice if ":" in name else choice.algorithm)
    return subjects


@app.command()
def verify(
    names: Names = None,
    max_p: Annotated[
        int,
        typer.Option(
            "--max-p", metavar="P", parser=_ranks, help="Every number of ranks up to this."
        ),
    ] = 128,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Prove algorithms right, in every setting of their parameters, in place and not.

    Follows every block from its origin: nothing deadlocks, nothing undefined is sent, no two writes
    overlap, every rank ends with what the collective promises, and the declared numbers of rounds,
    messages and blocks are true. For 1 to --max-p ranks, and for some large and awkward numbers
    where that takes about a second; for algorithms that go by where ranks run, on several kinds of
    machines, or up to --max-p ranks on the one that is named. Exit code 1 if anything is wrong.

    Examples:

    - `toccata verify`
    - `toccata verify sparbit --max-p 699`
    - `toccata verify allgather/bruck:rotation=none`
    """
    machines.shape(max_p if machine else 1, machine, placement)  # says so if it is impossible
    ranks = range(1, max_p + 1) if machine else proving.numbers_of_ranks(max_p)
    known = partial(machines.shape, machine=machine, placement=placement) if machine else None
    work = {_label(each): list(proving.cases(each, ranks, known)) for each in _subjects(names)}
    width = max(map(len, work))
    failed = 0
    with _progress() as bar:
        task = bar.add_task("", total=sum(map(len, work.values())))
        for label, verdict in proving.prove(
            work, lambda label: bar.update(task, advance=1, description=label)
        ):
            if verdict.error:
                failed += 1
                line = f"[cyan]{label:{width}}[/]  [bold red]wrong[/]  {escape(verdict.error)}"
            else:
                line = (
                    f"[cyan]{label:{width}}[/]  [green]proved[/]  "
                    f"{verdict.proofs} proofs, up to {verdict.largest} ranks"
                )
            console.print(line)
    if failed:
        raise Failure(f"{failed} of {len(work)} algorithms are wrong")


def _label(subject: _core.Algorithm | _core.Choice) -> str:
    return subject.path if isinstance(subject, _core.Algorithm) else catalogue.path_of(subject)


def _progress() -> Progress:
    """A bar that goes away when done, and does not appear where nobody watches."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=progress_console,
        transient=True,
        disable=not progress_console.is_terminal,
    )


@app.command()
def traffic(
    p: Ranks,
    names: Names = None,
    size: Annotated[
        str, typer.Option("--bytes", metavar="N", help="Size of a block, as 64 or 4K.")
    ] = "1",
    root: RootOption = 0,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Count rounds, messages and blocks, and set them beside the declared closed forms.

    Every number is the largest over the ranks. What is declared stands in brackets; it stands alone
    where counting would take too long. With --machine, a second table tells what crosses each of
    its levels, that is, goes between ranks in different nodes, sockets, ...: the most that a rank
    sends, the most that leaves a region, and all of it.

    Examples:

    - `toccata traffic -p 64`
    - `toccata traffic bruck locality_bruck -p 16 --machine "node:4 core:4"`
    - `toccata traffic sparbit bruck -p 1000 --bytes 4K`
    """
    block_bytes = q.parse_bytes(size)
    choices: list[_core.Choice] = []
    for subject in _subjects(names):
        if isinstance(subject, _core.Choice):
            choices.append(subject)
        else:
            choices += subject.variants(p) or [catalogue.find(subject.path)]
    shape = machines.shape(p, machine, placement, root)
    console.print(counting.as_table(choices, shape, block_bytes))
    if (crossings := counting.crossings_table(choices, shape, block_bytes)) is not None:
        console.print()
        console.print(crossings)


@app.command()
def topo(
    machine: Annotated[
        str | None,
        typer.Argument(
            metavar="[MACHINE]",
            help='As "leaf:2 node:8 socket:2 core:8" or "torus:8x8 core:2"; or a file: Slurm\'s '
            "topology.conf, what ibnetdiscover prints, hwloc's XML, or what --save wrote.",
        ),
    ] = None,
    p: Annotated[
        int | None,
        typer.Option(
            "-p",
            "--ranks",
            metavar="P",
            parser=_ranks,
            help="So many ranks: on MACHINE, or started here.",
        ),
    ] = None,
    placement: PlacementOption = None,
    mpi: Annotated[str, typer.Option(metavar="MPI", help="openmpi, mpich or auto.")] = "auto",
    launcher_args: Annotated[
        str, typer.Option(metavar="ARGS", help='More for mpirun, as "--bind-to core".')
    ] = "",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw it: .png, .svg or .pdf."),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Save the machine, for TOCCATA_TOPOLOGY=FILE or --machine FILE."
        ),
    ] = None,
) -> None:
    """Show a machine and where ranks are on it, as a tree or as a picture.

    Without MACHINE, it is this one as hwloc sees it; with --ranks, so many are started by mpirun
    and find out where they run as the library's algorithms do, TOCCATA_TOPOLOGY included. Objects
    that are alike are told of once where there are many.

    Examples:

    - `toccata topo`
    - `toccata topo --ranks 8 --mpi openmpi --launcher-args "--bind-to core" --save machine.txt`
    - `toccata topo "leaf:2 node:8 socket:2 core:8" --ranks 64 --placement cyclic-scatter`
    - `toccata topo topology.conf --output cluster.png`
    """
    if machine is not None:
        if mpi != "auto" or launcher_args:
            raise InputError("--mpi and --launcher-args start ranks here; leave out MACHINE")
        there, ranks = locating.named(machine, p, placement)
    elif placement is not None:
        raise InputError(f"--placement {placement} is of no use without MACHINE")
    elif p is not None:
        there, ranks = locating.launched(launcher.find(mpi), p, shlex.split(launcher_args))
    elif mpi != "auto" or launcher_args:
        raise InputError("--mpi and --launcher-args are of no use without --ranks")
    else:
        there, ranks = locating.here()
    if save is not None:
        save.write_text(there.saved)
    if output is None:
        console.print(tree.Narrator(there, ranks).tree())
    else:
        from toccata import drawing, topo_drawing  # matplotlib takes a second to load

        drawing.check_output(output)
        drawing.write(topo_drawing.draw(there, ranks), output)
        console.print(f"wrote {output}")
    if save is not None:
        console.print(f"wrote {save}")


@app.command("bounds")
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
            parser=_ranks,
            help="All the machine's cores if not given.",
        ),
    ] = None,
    placement: PlacementOption = None,
    root: Annotated[
        int, typer.Option(metavar="R", parser=_count("rank", least=0), help="Of a rooted one.")
    ] = 0,
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
    console.print(bounds.as_table(collective, choices, shape, q.parse_bytes(size)))


@app.command()
def predict(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Algorithms of one collective, or a collective."),
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME", help="lassen, quartz-like, gigabit, or a file.")
    ],
    machine: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="As for traffic; several are set beside each other."),
    ] = None,
    placement: PlacementOption = None,
    ranks: Annotated[
        str, typer.Option(metavar="LIST", help="Numbers of ranks: 2,4,8 or FIRST:LAST:STEP.")
    ] = "64",
    nodes: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Instead: numbers of nodes, a rank on each core."),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Bytes of a block or message: 1,4K, or doubling from 1:1M."
        ),
    ] = "1:1M:4",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Plot it: .png, .svg or .pdf."),
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="All times as plain data.")
    ] = None,
) -> None:
    """Predict how long algorithms take on a machine, beside what any of them takes at least.

    The schedules of all ranks are walked, each rank with a clock of its own, by the model's
    parameters for each level of the machine. A model is one that comes with us, or a file, as
    `toccata calibrate` writes it; docs/models.md says what is in it and where it comes from.

    Examples:

    - `toccata predict allgather --model gigabit --machine "node:16 socket:2 core:4" --ranks 128`
    - `toccata predict allgather/bruck locality_bruck --model lassen --sizes 4:64K
      --machine "node:1024 socket:1 core:16" --nodes 1024 -o figure8.png`
    """
    from toccata import drawing, predicting  # matplotlib takes a second to load

    if output is not None:
        drawing.check_output(output)
    choices = _predicted(names)
    parameters = predicting.read_model(model)
    numbers, chosen = q.parse_ranks(ranks), q.parse_ranks(nodes) if nodes else []
    all_ = []
    texts: list[str | None] = [*machine] if machine else [None]
    for text in texts:
        for setting in predicting.settings(text, placement, numbers, chosen):
            all_.append(predicting.predict(choices, setting, q.parse_sizes(sizes), parameters))
            console.print(predicting.as_table(all_[-1], parameters))
    if json_ is not None:
        json_.write_text(json.dumps(predicting.as_rows(all_), indent=1) + "\n")
        console.print(f"wrote {json_}")
    if output is not None:
        from toccata import prediction_plot

        drawing.write(prediction_plot.draw(all_, parameters.name), output)
        console.print(f"wrote {output}")


@app.command()
def calibrate(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where the model goes: .json.")
    ],
    ranks: Annotated[
        int, typer.Option(metavar="P", parser=_count("number of ranks", least=2), help="How many.")
    ] = 2,
    sizes: Annotated[
        str, typer.Option(metavar="LIST", help="Bytes a message, as 1:4M (doubling).")
    ] = "1:4M",
    repetitions: Annotated[
        int, typer.Option(metavar="N", parser=_count("number of messages", least=5), help="Each.")
    ] = 200,
    node: Annotated[
        int,
        typer.Option(
            metavar="P",
            parser=_count("number of ranks", least=0),
            help="Take so many ranks for a node; 0: those that share memory.",
        ),
    ] = 0,
    mpi: Annotated[str, typer.Option(metavar="MPI", help="openmpi, mpich or auto.")] = "auto",
    launcher_args: Annotated[
        str, typer.Option(metavar="ARGS", help='More for mpirun, as "--hostfile hosts".')
    ] = "",
) -> None:
    """Measure messages on this machine, level by level, and fit a model for `predict` to them.

    A pair of ranks of each level of the machine that there are two ranks of plays ping-pong and
    sends bursts of messages; where there are several nodes, more and more pairs do at once. Give
    so many ranks, and the launcher such arguments, that all levels occur. Prints the parameters and
    how far they are from what was measured.

    Examples:

    - `toccata calibrate -o here.json`
    - `toccata calibrate --ranks 64 --launcher-args "--hostfile hosts --map-by core" -o ours.json`
    - `toccata predict allgather --model ./here.json --ranks 2,4`
    """
    from toccata import calibrating

    started = launcher.find(mpi)
    program = [
        str(launcher.calibration(started.family)),
        "--sizes", ",".join(map(str, q.parse_sizes(sizes))),
        "--repetitions", str(repetitions),
        "--node", str(node),
    ]  # fmt: skip
    measured = calibrating.measure(
        launcher.start(started, ranks, shlex.split(launcher_args), program)
    )
    model, lines = calibrating.fit(measured, output.stem)
    console.print(calibrating.report(measured, model, lines))
    output.write_text(model.json)
    console.print(f"wrote {output}")


def _predicted(names: Sequence[str]) -> list[tuple[str, _core.Choice]]:
    """What is to be predicted, by the name it is shown by.

    Raises InputError where they are of several collectives, which mean different things by a size.
    """
    choices = []
    for each in _subjects(names):
        choice = each if isinstance(each, _core.Choice) else catalogue.find(each.path)
        assert choice.algorithm is not None
        choices.append((choice.text, choice))
    collectives = {c.algorithm.collective for _, c in choices if c.algorithm is not None}
    if len(collectives) > 1:
        raise InputError(f"{', '.join(sorted(collectives))} are several collectives; predict one")
    return choices


class MetricName(StrEnum):
    """Which of a benchmark's times is shown."""

    median = "median"
    average = "average"
    min = "min"
    max = "max"


class DistributionName(StrEnum):
    """How the bytes of a vector form are spread over its blocks."""

    even = "even"
    uniform = "uniform"
    power_law = "power_law"
    silent = "silent"


@app.command()
def bench(
    collective: Annotated[str, typer.Argument(metavar="COLLECTIVE", help="As allgather.")],
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help=f"{STANDARD_RANKS}, or others, or a range FIRST:LAST:STEP."
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help=f"Bytes a rank contributes: {STANDARD_SIZES} (doubling), or others as 1,64,4K.",
        ),
    ] = None,
    algorithms: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="all, variants (every setting), or ring,sparbit:..."),
    ] = None,
    distribution: Annotated[
        DistributionName | None,
        typer.Option(help="Of the bytes over the blocks of a vector form; uniform unless told."),
    ] = None,
    paper: Annotated[
        bool,
        typer.Option(
            "--paper",
            help="alltoall as the paper on it has it: its ranks, sizes, algorithms and repetitions "
            "where no others are given, and its tables.",
        ),
    ] = False,
    baseline: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Whom the highlighted one is compared with: all others, or some, as native.",
        ),
    ] = "all",
    highlight: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"The algorithm in question; {STANDARD_HIGHLIGHT} if it is measured.",
        ),
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            parser=_count("number of calls"),
            help=f"Timed calls a size; {STANDARD_REPETITIONS} unless told.",
        ),
    ] = None,
    warmup: Annotated[
        int,
        typer.Option(
            metavar="N", parser=_count("number of calls", least=0), help="Calls before those."
        ),
    ] = 10,
    limit: Annotated[
        int,
        typer.Option(
            metavar="SECONDS",
            parser=_count("number of seconds"),
            help="About as long for one size: fewer repetitions where calls are slow.",
        ),
    ] = 10,
    no_validate: Annotated[
        bool, typer.Option("--no-validate", help="Do not check the data received.")
    ] = False,
    mpi: Annotated[str, typer.Option(metavar="MPI", help="openmpi, mpich or auto.")] = "auto",
    launcher_args: Annotated[
        str, typer.Option(metavar="ARGS", help='More for mpirun, as "--hostfile hosts".')
    ] = "",
    metric: Annotated[
        MetricName, typer.Option(help="The time in the table and the heat map.")
    ] = MetricName.median,
    details: Annotated[
        bool, typer.Option("--details", help="Also all times, as the OSU benchmarks print them.")
    ] = False,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Where the table goes.")] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The same as JSON.")
    ] = None,
    heatmap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The heat map: .png, .svg or .pdf.")
    ] = None,
    scaling: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A picture of the times over the ranks (weak scaling)."),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help='Of links alone: the mesh of the ranks, as "torus:4x4".'),
    ] = None,
) -> None:
    """Measure a collective's algorithms on this machine, beside the MPI library's own.

    Starts the benchmark once for every number of ranks; all algorithms are measured in the same
    run. Prints a table, and writes CSV, JSON and a heat map to results/ unless told otherwise. Min,
    average and max are over the ranks' mean times, as the OSU benchmarks report; the median is over
    the repetitions. Exit code 1 if a run fails or receives wrong data.

    In the heat map a cell has the colour of the fastest algorithm, or, where that is the
    highlighted one, a shade of blue that says by how much of the second best's time it is faster.

    In place of a collective, `links` measures messages over several links of a node at once: every
    second rank of a mesh, or without one rank 0, sends to its neighbours, receives from them, and
    exchanges with them. Prints the times, and α, β and τ of (α + nβ)(1 + (l − 1)τ) for each range
    of sizes; the picture is as in the paper (Chan et al., 2006).

    Examples:

    - `toccata bench allgather`
    - `toccata bench allgather --ranks 2,4 --sizes 1:64K --repetitions 1000 --details`
    - `toccata bench allgather --algorithms native,sparbit,sparbit:messages=per_block --mpi mpich`
    - `toccata bench allgather --ranks 8:256:8 --launcher-args "--hostfile hosts"`
    - `toccata bench allgather --highlight bruck --baseline native --heatmap bruck.png`
    - `toccata bench alltoall --paper`
    - `toccata bench links --ranks 5 --heatmap links.png`
    - `toccata bench alltoallv --distribution power_law --scaling scaling.png`
    """
    from toccata import drawing  # matplotlib takes a second to load
    from toccata import heatmap as map_
    from toccata import scaling as scaling_

    if collective == "links":
        _bench_links(ranks, sizes, repetitions, warmup, mpi, launcher_args, machine, csv, heatmap)
        return
    if machine:
        raise InputError(f"--machine is for bench links, not for {collective}")
    if paper and collective != "alltoall":
        raise InputError(f"--paper is of the paper on alltoall, not on {collective}")
    names = _measured(collective, algorithms or (alltoall_paper.ALGORITHMS if paper else "all"))
    if distribution and catalogue.is_regular(collective):
        raise InputError("--distribution is for the vector forms, as alltoallv")
    plan = measuring.Plan(
        collective,
        names,
        q.parse_sizes(sizes or (alltoall_paper.SIZES if paper else STANDARD_SIZES)),
        repetitions or (alltoall_paper.REPETITIONS if paper else STANDARD_REPETITIONS),
        warmup,
        limit,
        not no_validate,
        distribution.value if distribution else None,
    )
    numbers_of_ranks = q.parse_ranks(ranks or (alltoall_paper.RANKS if paper else STANDARD_RANKS))
    plans = dict.fromkeys(numbers_of_ranks, plan)
    if paper and not ranks:
        plans[alltoall_paper.CAP_RANKS] = replace(plan, sizes=[alltoall_paper.CAP_BYTES])
    chosen = _normalised(collective, highlight) if highlight else STANDARD_HIGHLIGHT
    if highlight and chosen not in names:
        raise InputError(f"--highlight {highlight} is not measured; add it to --algorithms")
    marked = chosen if chosen in names else None
    compared = None if baseline == "all" else _measured(collective, baseline)
    for name in compared or []:
        if name not in names:
            raise InputError(f"--baseline {name} is not measured; add it to --algorithms")
    starter = launcher.find(mpi)
    what = "-".join(
        [collective, *([distribution.value] if distribution else []), *(["paper"] * paper)]
    )
    stem = Path("results") / f"{what}-{starter.family}"
    csv, json_, heatmap = (
        given or stem.with_suffix(suffix)
        for given, suffix in ((csv, ".csv"), (json_, ".json"), (heatmap, ".png"))
    )
    if paper and scaling is None:
        scaling = stem.with_name(f"{stem.name}-scaling.png")
    pictures = [heatmap, *([scaling] if scaling else [])]
    for picture in pictures:
        drawing.check_output(picture)
    more = shlex.split(launcher_args)
    commands = {p: measuring.command_for(each, starter, p, more) for p, each in plans.items()}

    measured: list[Measurement] = []
    which: Metric = metric.value
    with _progress() as bar:
        cells = sum(len(names) * len(each.sizes) for each in plans.values())
        task = bar.add_task("", total=cells)

        def told(measurement: Measurement) -> None:
            size = q.show_bytes(measurement.bytes)
            what = f"{measurement.ranks} ranks, {measurement.algorithm}, {size}"
            bar.update(task, advance=1, description=what)

        for p, command in commands.items():
            bar.update(task, description=f"{p} ranks, starting")
            run = measuring.measure(plans[p], command, p, told)
            bar.advance(task, len(run.impossible) * len(plans[p].sizes))
            measured += run.measurements
            results = Results(measured)
            if run.measurements:
                _print_whole(tables.overview(results, p, which, marked, compared))
                if details:
                    _print_whole(tables.details(results, p))
            for name, why in run.impossible.items():
                console.print(f"[dim]{p} ranks: without {name}, which {why}[/]")
    if not measured:
        raise Failure("nothing could be measured: no algorithm is possible with these ranks")
    swept = alltoall_paper.scaled(results) if paper else results
    if paper:
        _print_whole(alltoall_paper.tables(results))
    grid = map_.grid(swept, marked, compared, which)
    if marked and grid.measured:
        console.print(f"\n{map_.summary(grid)}")
    write_csv(results, csv)
    write_json(results, json_)
    title = f"{' '.join(what.split('-'))}, {measured[0].mpi}: {which} time"
    drawing.write(map_.draw(grid, title), heatmap)
    if scaling:
        drawing.write(scaling_.draw(swept, which, title), scaling)
    console.print(f"wrote {', '.join(map(str, [csv, json_, *pictures]))}")


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
    from toccata import drawing, links

    p = q.parse_count(ranks or links.STANDARD_RANKS, "number of ranks", least=2)
    starter = launcher.find(mpi)
    stem = Path("results") / f"links-{starter.family}"
    csv, picture = csv or stem.with_suffix(".csv"), picture or stem.with_suffix(".png")
    drawing.check_output(picture)
    program = [str(launcher.benchmark(starter.family, "links"))]
    program += ["--sizes", ",".join(map(str, q.parse_sizes(sizes or links.STANDARD_SIZES)))]
    program += ["--repetitions", str(repetitions or STANDARD_REPETITIONS), "--warmup", str(warmup)]
    program += ["--machine", machine] if machine else []
    command = launcher.start(starter, p, shlex.split(launcher_args), program)
    library, timings = links.measure(command, p)
    found = links.fits(timings)
    for way in links.WAYS:
        _print_whole(links.times_table(timings, way))
    _print_whole(links.fit_table(found))
    links.write_csv(timings, csv)
    where = machine or "rank 0 and its neighbours"
    drawing.write(links.draw(timings, found, f"{library}, {p} ranks, {where}"), picture)
    console.print(f"wrote {csv}, {picture}")


def _print_whole(tables: RenderableType) -> None:
    """Rather lets the terminal wrap a wide table than cuts off digits."""
    console.print(tables, width=max(console.width, 400), crop=False)


def _normalised(collective: str, text: str) -> str:
    return _core.parse_choice(collective, text).text


def _measured(collective: str, text: str) -> list[str]:
    """The choices of a list, as the benchmark program reports them."""
    known = catalogue.of_collective(collective)
    if text == "all":
        return ["native", *(each.name for each in known)]
    if text == "variants":
        # 64 ranks are possible for every algorithm and setting, so none is left out.
        return ["native", *(choice.text for each in known for choice in each.variants(64))]
    names = [_normalised(collective, each) for each in catalogue.split_choices(text)]
    if not names:
        raise InputError(f"'{text}' names no algorithm; give some, as native,ring, or all")
    return list(dict.fromkeys(names))


class Split(StrEnum):
    """What a fit does not see."""

    sizes = "sizes"
    collectives = "collectives"


@app.command("fit")
def fit_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A table of recorded times, CSV.")],
    machine: Annotated[
        list[str] | None,
        typer.Option("--machine", "-m", metavar="NAME", help="Only this one; may be repeated."),
    ] = None,
    nodes: Annotated[
        list[str] | None,
        typer.Option("--nodes", metavar="NODES", help="Only jobs of so many, as 32 or 4x4x4."),
    ] = None,
    split: Annotated[
        Split,
        typer.Option(help="Fit to every other size, or to all collectives but one in turn."),
    ] = Split.sizes,
    save: Annotated[
        Path | None,
        typer.Option(metavar="MODEL.json", help="Write the machine's model, for predict."),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw predicted over measured times: .png, .svg, .pdf."),
    ] = None,
    curves: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw times over sizes, of the job with most of them."),
    ] = None,
) -> None:
    """Fit a cost model's parameters to recorded times, and judge it by the others.

    FILE has times of single algorithms on other machines, as the PICO benchmark records them. Those
    that are ours are walked; the model's parameters are fitted to one part of the times, and the
    rest shows how good it is: the median error of the predicted times; how many pairs of algorithms
    whose times differ by more than 20% are in the right order; and the regret, the time of the
    algorithm predicted to be best over that of the real best.

    Examples:

    - `toccata fit collectives.csv`
    - `toccata fit collectives.csv -m lumi --save lumi.json`
    - `toccata fit collectives.csv -m mare_nostrum --nodes 32 --curves curves.png`
    - `toccata fit collectives.csv --split collectives`
    """
    from toccata import drawing, fit_command, fit_drawing, fit_report, fitting  # scipy takes time

    for picture in (plot, curves):
        if picture is not None:
            drawing.check_output(picture)
    found = fit_command.load(file, machine or [], nodes or [])
    if save is not None and len(found.machines) > 1:
        raise InputError(
            f"--save writes one model; say --machine with one of {', '.join(found.machines)}"
        )
    by_machine = {
        name: [each for each in found.cases if each.machine == name] for name in found.machines
    }
    collectives = split == Split.collectives
    fitted: list[fit_command.Fitted] = []
    with _progress() as bar:
        task = bar.add_task(
            "", total=sum(fit_command.turns(cases, collectives) for cases in by_machine.values())
        )
        for name, cases in by_machine.items():
            bar.update(task, description=name)
            way = fit_command.by_collectives if collectives else fit_command.by_sizes
            fitted.append(way(cases, fitting.Walks(), lambda: bar.advance(task)))
    for each in fitted:
        _print_whole(fit_report.scores(each.judged))
        console.print()
        _print_whole(fit_report.parameters(each.model))
        console.print()
    _print_whole(fit_report.verdict([each.judged for each in fitted]))
    for line in found.left_out:
        console.print(f"[dim]left out: {escape(line)}[/]")
    if save is not None:
        save.parent.mkdir(parents=True, exist_ok=True)
        origin = f"toccata fit, {file.name}"
        save.write_text(fitted[0].model.model(found.machines[0], origin).json)
        console.print(f"wrote {save}")
    if plot is not None:
        every = [
            (case, seconds, chosen)
            for each in fitted
            for case, seconds, chosen in zip(each.cases, each.predicted, each.fitted, strict=True)
        ]
        drawing.write(fit_drawing.predicted_over_measured(*zip(*every, strict=True)), plot)
        console.print(f"wrote {plot}")
    if curves is not None:
        drawing.write(fit_drawing.over_sizes(*fit_command.largest_job(fitted)), curves)
        console.print(f"wrote {curves}")


@app.command(context_settings={"allow_interspersed_args": False})
def run(
    command: Annotated[list[str], typer.Argument(metavar="-- mpirun ARGS...")],
    allgather: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="What serves MPI_Allgather and MPI_Allgatherv; "
            "otherwise TOCCATA_ALLGATHER says it.",
        ),
    ] = None,
    alltoall: Annotated[
        str | None,
        typer.Option(metavar="ALGORITHM", help="The same for MPI_Alltoall."),
    ] = None,
    alltoallv: Annotated[
        str | None,
        typer.Option(metavar="ALGORITHM", help="The same for MPI_Alltoallv and MPI_Alltoallw."),
    ] = None,
    allreduce: ServerOption = None,
    bcast: ServerOption = None,
    gather: ServerOption = None,
    gatherv: ServerOption = None,
    reduce: ServerOption = None,
    reduce_scatter: Annotated[
        str | None,
        typer.Option(
            metavar="ALGORITHM",
            help="The same for MPI_Reduce_scatter and MPI_Reduce_scatter_block.",
        ),
    ] = None,
    scatter: ServerOption = None,
    scatterv: ServerOption = None,
    report: Annotated[
        bool, typer.Option("--report", help="At its end, rank 0 tells what ran.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the command instead.")] = False,
) -> None:
    """Run an MPI program, unchanged, with our collectives.

    Finds out whose mpirun it is, preloads the library built for that MPI into all ranks, and hands
    them every TOCCATA_* variable. The exit code is the program's.

    Examples:

    - `toccata run --allgather sparbit --report -- mpirun -n 4 ./app`
    - `TOCCATA_ALLGATHER=bruck toccata run -- mpiexec.mpich -n 4 ./app`
    - `toccata run --dry-run -- mpirun -n 4 ./app`
    """
    settings = {}
    asked = {
        "allgather": allgather, "allreduce": allreduce, "alltoall": alltoall,
        "alltoallv": alltoallv, "bcast": bcast, "gather": gather, "gatherv": gatherv,
        "reduce": reduce, "reduce_scatter": reduce_scatter, "scatter": scatter,
        "scatterv": scatterv,
    }  # fmt: skip
    for each in _core.collectives():
        if (text := asked.get(each.name)) is not None:
            settings[each.variable] = _normalised(each.name, text)
    if report:
        settings["TOCCATA_REPORT"] = "1"
    starter = launcher.identify(command[0])
    whole = launcher.preload(starter, command[1:], settings, os.environ)
    if dry_run:
        print(shlex.join(whole))
        return
    sys.stdout.flush()
    os.execv(whole[0], whole)  # signals and the exit code are then the launcher's own


def main() -> None:
    """The program."""
    app(prog_name="toccata")
