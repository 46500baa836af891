"""`toccata tune`."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.commands.common import (
    LauncherArgs,
    MpiOption,
    NoValidate,
    PlacementOption,
    console,
    count,
    print_whole,
    progress,
    say,
    seconds,
    without_effect,
    words,
)
from toccata.errors import Failure, InputError
from toccata.launching import launcher, reports
from toccata.models import predicting
from toccata.tuning import late_ranks, overview, racing, tuning_file
from toccata.tuning.session import Request

STANDARD_RANKS = "2,3,4,6,8"
STANDARD_SIZES = "8:1M:4"

Collectives = Annotated[
    list[str] | None,
    typer.Argument(metavar="COLLECTIVE", help="Collectives, such as allgather; all by default."),
]
RanksList = Annotated[
    str, typer.Option(metavar="LIST", help="Numbers of ranks, or a range FIRST:LAST:STEP.")
]
PerNode = Annotated[
    str | None, typer.Option(metavar="LIST", help="Ranks per node; the launcher's by default.")
]
Sizes = Annotated[str, typer.Option(metavar="LIST", help="Bytes per block, or of the message.")]
Algorithms = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help="all (every algorithm with its default parameters), variants (also with other "
        "parameters), or a list such as ring,sparbit.",
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="File to write; results/tuning-*.json by default."
    ),
]
Again = Annotated[bool, typer.Option("--again", help="Repeat measurements that the file contains.")]
Repetitions = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=count("number of calls"),
        help="Maximum number of timed calls per number of ranks and size.",
    ),
]
Limit = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        parser=seconds,
        help="Approximate time limit per number of ranks and size.",
    ),
]
Figure = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Figure to write; next to the file by default."),
]
ByModel = Annotated[
    str | None,
    typer.Option(
        metavar="MODEL",
        help="Predict instead of measuring, with this model: lassen, gigabit, usual, or a file.",
    ),
]
MachineText = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help='Machine for --by-model, such as "node:4 socket:2 core:8".'),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Report of a run. Instead of measuring, choose algorithms for a rank that was late in "
        "most calls; --by-model names the model.",
    ),
]
Show = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Only print and draw an existing file.")
]


# Options that concern measurements.
MEASURING = ("algorithms", "per_node", "mpi", "launcher_args", "again", "limit", "repetitions",
             "no_validate")  # fmt: skip


def tune(
    given: typer.Context,
    collectives: Collectives = None,
    ranks: RanksList = STANDARD_RANKS,
    per_node: PerNode = None,
    sizes: Sizes = STANDARD_SIZES,
    algorithms: Algorithms = "variants",
    output: Output = None,
    again: Again = False,
    repetitions: Repetitions = 200,
    limit: Limit = 3,
    no_validate: NoValidate = False,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    heatmap: Figure = None,
    by_model: ByModel = None,
    machine: MachineText = None,
    placement: PlacementOption = None,
    report: Report = None,
    show: Show = None,
) -> None:
    """Find the best algorithm for each number of ranks and size, and write a tuning file.

    Runs every algorithm, with every setting of its parameters, interleaved with the native one. A
    sign test compares the interleaved calls of each candidate with those of the candidate with the
    lowest median (significance level 5% for all comparisons together). Significantly slower ones
    are dropped; those that take three times as long in the first calls are dropped at once. At the
    end, the candidate with the lowest median runs against native again. If it is significantly
    faster in these calls, it wins. Otherwise, an algorithm that was significantly faster than
    native in the earlier calls wins. If there is none, native wins.

    The file is updated after each result. You can interrupt the command; the same command continues
    it. With TOCCATA_TUNING=FILE, the library uses the file. Near a measured point, it takes the
    choice of that point; elsewhere, it chooses as without a file.

    Examples:

    - `toccata tune`
    - `toccata tune allgather allreduce --ranks 16,32,48 --per-node 4,8 --launcher-args
      "--hostfile hosts" -o ours.json`
    - `toccata tune --report run.json -o late.json`
    - `toccata tune --show ours.json --heatmap ours.png`
    - `toccata tune --by-model lassen --machine "node:64 socket:2 core:16" --ranks 256,1024
      -o lassen.json`
    """
    outputs.check(output, pictures=[heatmap], reads=[report, show, by_model, machine])
    _check_effects(given, show, report, by_model)
    if show is not None:
        _show(tuning_file.read(show), heatmap)
        return
    if report is not None:
        _for_late_ranks(report, by_model, machine or placement, output, heatmap)
        return
    request = Request(
        collectives, ranks, per_node, sizes, algorithms, repetitions, limit, not no_validate
    )
    if by_model is not None:
        _by_model(request, by_model, (machine, placement), output, heatmap)
        return
    _tune(request, mpi, words(launcher_args), output, heatmap, again)


def _check_effects(
    given: typer.Context, show: Path | None, report: Path | None, by_model: str | None
) -> None:
    """InputError if an option has no effect with the others."""
    if show is not None:
        without_effect(given, set(given.params) - {"show", "heatmap"}, "with --show")
    elif report is not None:
        without_effect(given, ["collectives", "ranks", "sizes", *MEASURING], "with --report")
    elif by_model is not None:
        without_effect(given, MEASURING, "with --by-model, which does not measure")
    else:
        without_effect(given, ["machine", "placement"], "without --by-model")


def _by_model(
    request: Request,
    model: str,
    where: tuple[str | None, str | None],
    output: Path | None,
    heatmap: Path | None,
) -> None:
    """Makes a tuning file from predictions. `where` is the machine and the placement."""
    output = output or Path("results/tuning-model.json")
    _existing(output, "predicted")
    found = request.by_model(model, *where)
    found.write(output)
    _conclude(found, output, heatmap)


def _for_late_ranks(
    report: Path,
    model: str | None,
    where: str | None,
    output: Path | None,
    heatmap: Path | None,
) -> None:
    """Makes a tuning file from the arrivals of a run."""
    if where is not None:
        raise InputError("leave out --machine and --placement: --report contains the hosts")
    output = output or Path("results/tuning-late.json")
    _existing(output, "predicted")
    run = reports.read(report)
    if run.arrivals is None:
        raise Failure(f"{report} contains no arrivals; set TOCCATA_REPORT on all ranks")
    if run.ranks > late_ranks.MOST_RANKS:
        raise Failure(
            f"{report} is of {run.ranks} ranks; expected at most {late_ranks.MOST_RANKS}, because "
            "predictions for more take minutes"
        )
    found = late_ranks.tuning(run, predicting.read_model(model or "usual"))
    if not found.points:
        raise Failure(
            f"{report}: no call has a late rank for which allreduce/late is predicted to be faster"
        )
    found.write(output)
    _conclude(found, output, heatmap)


def _tune(
    request: Request,
    mpi: str,
    more: Sequence[str],
    output: Path | None,
    heatmap: Path | None,
    again: bool,
) -> None:
    """Makes a tuning file from measurements."""
    plans = request.plans()
    starter = launcher.find(mpi)
    output = output or Path(f"results/tuning-{starter.family}.json")
    heatmap = outputs.picture(heatmap, output.with_suffix(".png"))
    outputs.check(pictures=[heatmap])
    found = _existing(output, "measured")
    done = set() if again else found.done
    ranks = q.parse_ranks(request.ranks)
    jobs = racing.jobs(plans, ranks, request.placed, starter, more, done)
    if jobs:
        _measure(jobs, output)
        found = tuning_file.read(output)
    else:
        say(f"{output} contains all results; --again repeats the measurements")
        if found.partial:  # an earlier version does not name missing results
            found = tuning_file.update(output, _complete)
    _conclude(found, output, heatmap, written=bool(jobs))
    if found.points:
        folders = _core.tuning_folders(str(launcher.library(starter.family, starter.version)))
        say(
            f"to use it in all runs with {found.mpi} on nodes of this kind: "
            f"mkdir -p {shlex.quote(folders[0])} && "
            + shlex.join(["cp", str(output), folders[0]])
            + "".join(f" (all users: {each})" for each in folders[1:])
        )


def _existing(output: Path, origin: str) -> tuning_file.Tuning:
    """The contents of the file to write. InputError if its times have another origin: "measured" or
    "predicted"."""
    outputs.check(output)
    found = tuning_file.read(output) if output.exists() else tuning_file.Tuning()
    if (found.points or found.model) and found.origin != origin:
        raise InputError(
            f"{output} has {found.origin} times, not {origin} ones; give another --output"
        )
    return found


def _complete(found: tuning_file.Tuning) -> None:
    found.partial = bool(found.missing)


def _measure(jobs: Sequence[racing.Job], output: Path) -> None:
    """Measures with a progress bar; if interrupted, prints how to continue."""
    total = sum(len(each.plan.sizes) for each in jobs)
    with progress(remaining=True) as bar:
        task = bar.add_task("starting", total=total)

        def told(job: racing.Job, size: int) -> None:
            what = f"{job.plan.collective}, {q.plural('rank', job.ranks)}, {q.show_bytes(size)}"
            bar.update(task, advance=1, description=what)

        try:
            racing.run(jobs, output, told)
        except KeyboardInterrupt:
            bar.stop()
            number = len(tuning_file.read(output).points) if output.exists() else 0
            say(
                f"interrupted; {output} has {q.plural('point', number)}, "
                "and the same command continues"
            )
            raise


def _conclude(
    found: tuning_file.Tuning, output: Path, heatmap: Path | None, written: bool = True
) -> None:
    _show(found, heatmap)
    done = f"wrote {output}; to" if written else "to"
    setting = f"TOCCATA_TUNING={shlex.quote(str(output))}"
    say(f"{done} use {'it' if written else output}, set {setting}")


def _show(found: tuning_file.Tuning, heatmap: Path | None) -> None:
    print_whole(overview.tables(found))
    if found.partial:
        console.print("the file is incomplete: repeat the command that wrote it to continue")
    if not found.points:
        return
    say(f"\n{overview.summary(found)}")
    if heatmap is not None:
        from toccata.drawing import pictures, tunings  # matplotlib takes a second to load

        by = f"by the model {found.model}" if found.model else found.mpi
        title = f"Best algorithms: {by}"
        pictures.write(tunings.draw(found, title), heatmap)
        say(f"wrote {heatmap}")
