"""`toccata run`."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from toccata import _core, outputs
from toccata.algorithms import catalogue, outside
from toccata.commands import checks
from toccata.commands.common import (
    ModelOption,
    ThreadsOption,
    by_word,
    known_mpi,
    without_effect,
)
from toccata.errors import InputError
from toccata.launching import (
    commandline,
    launcher,
    place_words,
    placed_start,
    start_files,
    starting,
)
from toccata.models import placing, predicting
from toccata.models import traffic as recorded

REPORT_ON = "1"
OFF_OR_ON = ("0", REPORT_ON)
# Options of run that take no value.
ALONE = ("--dry-run", "--help", "-h", "--learn-sums", "--no-learn")


def with_report(words: Sequence[str]) -> list[str]:
    """The words after `run`, with a value added to a --report without one.

    The word after --report is its value if it ends in .json.
    """
    result = list(words)
    at = 0
    while at < len(result) and result[at].startswith("-") and result[at] != "--":
        if result[at] != "--report":
            at += 1 if "=" in result[at] or result[at] in ALONE else 2
            continue
        value = result[at + 1] if at + 1 < len(result) else ""
        if not value.endswith(".json") and result[at + 2 : at + 3] == ["--"] and value[:1] != "-":
            _json("report", value)  # raises
        if value.endswith(".json"):
            result[at : at + 2] = [f"--report={value}"]
        else:
            result[at] = f"--report={REPORT_ON}"
        at += 1
    return result


def _environment(command: Sequence[str]) -> dict[str, str]:
    """Our environment, with the variables that the command sets for its ranks."""
    return {**os.environ, **commandline.variables(command)}


def _learning(sums: bool, off: bool, command: Sequence[str]) -> dict[str, str]:
    """The settings for learning. An option has precedence over the environment and configuration
    files; without any of them, the run learns."""
    if sums and off:
        raise InputError("--learn-sums and --no-learn exclude each other")
    library = next((str(each) for each in launcher.libraries().values()), "")
    mode = checks.configuration(_environment(command), library).value("TOCCATA")
    learns = mode if mode.startswith("learn") else ""
    if off:
        return {"TOCCATA": "auto"} if learns else {}
    if sums:
        return {"TOCCATA": learns or "learn", "TOCCATA_SUMS": "learn"}
    return {} if mode else {"TOCCATA": "learn"}


def _says_learning(sums: bool) -> str:
    which = "also" if sums else "but not"
    remedy = "" if sums else "--learn-sums includes these, "
    return (
        f"the next run uses the results of this run, {which} for floating-point sums "
        f"({remedy}--no-learn turns learning off)"
    )


def _served(collective: str, help_: str = "Algorithm for the MPI function of that name.") -> Any:
    """The option that names the algorithm of a collective."""

    def names() -> list[str]:
        return ["auto", "native", *(each.name for each in catalogue.of_collective(collective))]

    return typer.Option(metavar="ALGORITHM", autocompletion=names, help=help_)


Command = Annotated[
    list[str],
    typer.Argument(metavar="COMMAND", help="Command after --, such as mpirun -n 4 ./app."),
]
Allgather = Annotated[
    str | None,
    _served(
        "allgather", "Algorithm for MPI_Allgather and MPI_Allgatherv; overrides TOCCATA_ALLGATHER."
    ),
]
Alltoall = Annotated[str | None, _served("alltoall", "Algorithm for MPI_Alltoall.")]
Alltoallv = Annotated[
    str | None, _served("alltoallv", "Algorithm for MPI_Alltoallv and MPI_Alltoallw.")
]
NeighborAlltoallv = Annotated[
    str | None,
    _served(
        "neighbor_alltoallv",
        "Algorithm for MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw.",
    ),
]
ReduceScatter = Annotated[
    str | None,
    _served("reduce_scatter", "Algorithm for MPI_Reduce_scatter and MPI_Reduce_scatter_block."),
]
MpiName = Annotated[
    str | None,
    typer.Option(
        metavar="MPI",
        autocompletion=lambda: list(launcher.FAMILIES),
        help="MPI of the command, if it cannot be detected: openmpi, mpich, intelmpi or abi.",
    ),
]
Report = Annotated[
    str | None,
    typer.Option(
        metavar="[FILE.json]",
        help="At the end, print which algorithms ran, or write a report for toccata explain.",
    ),
]
Record = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.json",
        help="Record the messages and bytes between ranks, for toccata traffic and toccata place.",
    ),
]
Place = Annotated[
    str | None,
    typer.Option(
        metavar="FILE.json|WORD",
        help="FILE.json from --record: place ranks as toccata place proposes (see --model). WORD: "
        "compact (fill node after node), balanced (equally many ranks per node) or spread "
        "(consecutive ranks on different nodes).",
    ),
]
LearnSums = Annotated[
    bool,
    typer.Option(
        "--learn-sums",
        help="Learn for floating-point sums, too; the next run may give different bits.",
    ),
]
NoLearn = Annotated[
    bool,
    typer.Option(
        "--no-learn", help="Neither use results of earlier runs nor save those of this run."
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the command without running it.")]


def run(
    given: typer.Context,  # the options by name
    command: Command,
    allgather: Allgather = None,
    alltoall: Alltoall = None,
    alltoallv: Alltoallv = None,
    allreduce: Annotated[str | None, _served("allreduce")] = None,
    barrier: Annotated[str | None, _served("barrier")] = None,
    bcast: Annotated[str | None, _served("bcast")] = None,
    exscan: Annotated[str | None, _served("exscan")] = None,
    gather: Annotated[str | None, _served("gather")] = None,
    gatherv: Annotated[str | None, _served("gatherv")] = None,
    neighbor_allgather: Annotated[str | None, _served("neighbor_allgather")] = None,
    neighbor_allgatherv: Annotated[str | None, _served("neighbor_allgatherv")] = None,
    neighbor_alltoall: Annotated[str | None, _served("neighbor_alltoall")] = None,
    neighbor_alltoallv: NeighborAlltoallv = None,
    reduce: Annotated[str | None, _served("reduce")] = None,
    reduce_scatter: ReduceScatter = None,
    scan: Annotated[str | None, _served("scan")] = None,
    scatter: Annotated[str | None, _served("scatter")] = None,
    scatterv: Annotated[str | None, _served("scatterv")] = None,
    mpi: MpiName = None,
    report: Report = None,
    record: Record = None,
    place: Place = None,
    threads: ThreadsOption = None,
    model: ModelOption = "usual",
    learn_sums: LearnSums = False,
    no_learn: NoLearn = False,
    dry_run: DryRun = False,
) -> None:
    """Run an MPI program, unchanged, with Toccata's collectives.

    Detects the MPI of the program, preloads the library for it into all ranks, and passes every
    TOCCATA_* variable to all hosts. The launcher may be mpirun or mpiexec of a supported MPI,
    orterun, prterun, srun, jsrun, aprun or flux run. env, timeout, nice, numactl or time may
    precede it, and a shell script may contain it. The exit code is that of the program, or 2 if
    Toccata cannot start the command.

    Each run saves its results for the next run on nodes of the same kind (TOCCATA=learn).
    --no-learn or TOCCATA=auto turns that off.

    Examples:

    - `toccata run --report -- mpirun -n 4 ./app`
    - `toccata run --allgather sparbit -- mpirun -n 4 ./app`
    - `TOCCATA_ALLGATHER=bruck toccata run -- mpiexec.mpich -n 4 ./app`
    - `toccata run --bcast binomial -- srun -n 64 numactl --localalloc ./app`
    - `toccata run --report run.json -- mpirun -n 4 ./app`, then `toccata explain run.json`
    - `toccata run --record traffic.json -- mpirun -n 4 ./app`, then `toccata place traffic.json`
    - `toccata run --place traffic.json -- mpirun -n 4 ./app`, or `--place spread --threads 4`
    """
    settings = _algorithms(given.params) | _files(report, record, [place, model], dry_run)
    learning = _learning(learn_sums, no_learn, command)
    command, placed = _placed(given, command, threads, model)
    start = starting.prepare(command, settings | placed | learning, os.environ, known_mpi(mpi))
    starting.say(start.remarks)
    if not dry_run and learning and not no_learn:
        starting.say([_says_learning(learn_sums)])
    _execute(start, dry_run)


def _algorithms(given: Mapping[str, Any]) -> dict[str, str]:
    """The settings of all collectives. InputError if a setting is not an algorithm."""
    settings = {}
    for each in _core.collectives():
        if (text := given.get(each.name)) is not None:
            if text != "auto":
                outside.load_named(text)
                _core.parse_sized_choice(each.name, text)  # raises an error if it is invalid
            settings[each.variable] = text
    return settings


def _json(what: str, given: str | Path | None) -> Path | None:
    """The file of --report or --record; None without a file."""
    if given is None or (what == "report" and given in OFF_OR_ON):
        return None
    if Path(given).suffix != ".json":
        switch = ", or 0 or 1" if what == "report" else ""
        raise InputError(f"--{what} {given}: a {what} is a file named *.json{switch}")
    return Path(given)


def _files(
    report: str | None, record: Path | None, reads: Sequence[str | None], dry_run: bool
) -> dict[str, str]:
    """The settings of --report and --record; checks their files, without writing in a dry run."""
    files = {"TOCCATA_REPORT": _json("report", report), "TOCCATA_RECORD": _json("record", record)}
    (outputs.distinct if dry_run else outputs.check)(*files.values(), reads=reads)
    named = {name: str(each.absolute()) for name, each in files.items() if each is not None}
    return named | ({"TOCCATA_REPORT": report} if report in OFF_OR_ON else {})


def _placed(
    options: typer.Context, command: list[str], threads: int | None, model: str
) -> tuple[list[str], dict[str, str]]:
    """The command and its settings, with which the ranks start where --place says. The same command
    without --place, or if the ranks should stay where they are; then prints the reason."""
    place = options.params["place"]
    if place is None or place in place_words.WORDS:
        without_effect(options, ["model"], "without --place FILE.json")
        sets = threads is not None and "OMP_NUM_THREADS" not in _environment(command)
        settings = {"OMP_NUM_THREADS": str(threads)} if sets else {}
        return by_word(command, place, threads), settings
    file = Path(place)
    if file.suffix != ".json":
        raise InputError(
            f"--place {file}: expected {', '.join(place_words.WORDS)}, or a file *.json of "
            "toccata run --record"
        )
    if threads is not None:
        raise InputError(f"--threads {threads} has no effect with --place {file}")
    record = recorded.read(file)
    placement = record.placed(file)
    proposal = placing.propose(record, placement, predicting.read_model(model), scotch=False)
    starting.say([proposal.sentence])
    if not proposal.pays:
        return command, {}
    seats = start_files.seats(placement, record.cores)
    mapped = [seats[each] for each in proposal.mapped.players]
    words = placed_start.command(
        command, mapped, file.with_suffix(".places"), options.params["dry_run"]
    )
    return words, placed_start.plan(mapped)


def _execute(start: starting.Start, dry_run: bool) -> None:
    """Replaces this process by the launcher, which then gets all signals and sets the exit code."""
    if dry_run:
        said = [f"{name}={value}" for name, value in start.environment.items()]
        print(shlex.join([*(["env"] if said else []), *said, *start.words]))
        return
    sys.stdout.flush()
    os.execvpe(start.words[0], start.words, {**os.environ, **start.environment})
