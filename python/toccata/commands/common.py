"""Options and output that several commands have in common."""

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.errors import InputError
from toccata.launching import launcher, place_words, start_files
from toccata.models import predicting, traffic

# Programs read piped output, so it is not limited to the width of a terminal.
console = Console(width=None if sys.stdout.isatty() else 200, highlight=False)
# If both are the same terminal, they share one console; otherwise the bar would overwrite text.
progress_console = console if console.is_terminal else Console(stderr=True)


def count(what: str, least: int = 1, most: int = q.MOST_COUNT) -> Callable[[str], int]:
    """A parser for options that accepts integers from `least` to `most`."""
    return lambda text: q.parse_count(str(text), what, least, most)  # defaults may be numbers


def seconds(text: str) -> float:
    """The parser for options with a time."""
    return q.parse_seconds(str(text))


def phase(text: str) -> int:
    """The parser for options with a phase of a recorded program."""
    if text == "others":
        return 0
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number == 0 or not -(2**31) <= number < 2**31:
        raise InputError(
            f"--phase {text}: expected a number passed to MPI_Pcontrol, or the word others"
        )
    return number


def of_phase(phase: int | None) -> str:
    """For titles."""
    return "" if phase is None else f", phase {traffic.phase_name(phase)}"


def collective_names() -> list[str]:
    """The names that completion of a collective shows."""
    return [each.name for each in _core.collectives()]


def algorithm_names() -> list[str]:
    """The names that completion of an algorithm shows: full names, and unique short names."""
    known = _core.algorithms()
    times = Counter(each.name for each in known)
    return [*(each.path for each in known), *(name for name in times if times[name] == 1)]


number_of_ranks = count("number of ranks", most=q.MOST_RANKS)
rank_number = count("rank", least=0, most=q.MOST_RANKS - 1)
Ranks = Annotated[
    int, typer.Option("-p", "--ranks", metavar="P", parser=number_of_ranks, help="Number of ranks.")
]
RootOption = Annotated[
    int,
    typer.Option(
        "--root",
        metavar="R",
        parser=rank_number,
        help="Root rank of collectives such as bcast or gather.",
    ),
]
MpiOption = Annotated[
    str,
    typer.Option(
        metavar="MPI",
        autocompletion=lambda: ["auto", *launcher.LAUNCHED],
        help="MPI to use: openmpi, mpich, intelmpi, or auto (the first in PATH for which Toccata "
        "was built).",
    ),
]
LauncherArgs = Annotated[
    str,
    typer.Option(
        metavar="ARGS", help='Additional arguments for mpirun, such as "--hostfile hosts".'
    ),
]
MachineOption = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='Machine of the ranks, such as "node:4 socket:2 core:8" or "torus:8x8 core:2".',
    ),
]
PlacementOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        autocompletion=lambda: ["sequential", "cyclic", "block-scatter", "cyclic-scatter"],
        help="Placement of the ranks on the machine: sequential (default), cyclic, "
        "block-scatter, cyclic-scatter, random:SEED, a list of cores, or a launcher's command "
        'such as "mpirun --map-by node", whose mapping is used.',
    ),
]
NoValidate = Annotated[bool, typer.Option("--no-validate", help="Do not check the received data.")]


CollectiveName = Annotated[
    str,
    typer.Argument(
        metavar="COLLECTIVE",
        autocompletion=collective_names,
        help="Collective, such as allgather.",
    ),
]


class DistributionName(StrEnum):
    """The distribution of the bytes of a vector form over its blocks."""

    even = "even"
    uniform = "uniform"
    power_law = "power_law"
    silent = "silent"


DistributionOption = Annotated[
    DistributionName | None,
    typer.Option(
        help="Distribution of the bytes over the blocks of a vector form: even, uniform (0 to "
        "twice the mean; the default), power_law (few large blocks), or silent (uniform, but the "
        "last rank sends nothing)."
    ),
]
CsvFile = Annotated[Path | None, typer.Option(metavar="FILE", help="CSV file to write.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="JSON file to write.")
]
ModelOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        autocompletion=predicting.model_names,
        help="Cost model of messages: lassen, quartz-like, gigabit, gpc, usual, or a file.",
    ),
]
LateOption = Annotated[
    str | None,
    typer.Option(
        metavar="RANK:TIME",
        help="Ranks that arrive late, such as 3:1ms or 0:50us,7:2ms. Times then begin at the "
        "last arrival.",
    ),
]
ThreadsOption = Annotated[
    int | None,
    typer.Option(
        metavar="T",
        parser=count("number of threads", most=place_words.MOST_THREADS),
        help="Cores per rank with --place compact, balanced or spread. Also sets OMP_NUM_THREADS, "
        "unless it is set already.  [default: 1]",
    ),
]
BlockBytes = Annotated[
    str, typer.Option("--bytes", metavar="N", help="Bytes per block, or of the message.")
]
PictureFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Draw a figure: .png, .svg or .pdf."),
]
HeatmapFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw a heat map: .png, .svg or .pdf.")
]


PhaseOption = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        parser=phase,
        help="Only this phase: a number passed to MPI_Pcontrol, or the word others.",
    ),
]
LauncherFormat = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        autocompletion=lambda: list(start_files.FORMATS),
        help=f"Format of --rankfile: {', '.join(start_files.FORMATS)}.",
    ),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        autocompletion=lambda: [*collective_names(), *algorithm_names()],
        help="Algorithms, collectives, or mine.py:ring from a file; all by default.",
    ),
]


def subjects(names: Sequence[str] | None) -> list[_core.Algorithm | _core.Choice]:
    """Algorithms, or single choices if a name contains parameters."""
    collectives = [each.name for each in _core.collectives() if each.regular == each.name]
    chosen: list[_core.Algorithm | _core.Choice] = []
    for name in names or collectives:
        if name in collectives:
            chosen += catalogue.of_collective(name)
            continue
        for each in outside.all_in(name):
            choice = catalogue.find(each)
            assert choice.algorithm is not None
            said = choice.text != choice.algorithm.name or (
                ":" in name and not outside.is_file(name)
            )
            chosen.append(choice if said else choice.algorithm)
    return chosen


def name_of(subject: _core.Algorithm | _core.Choice) -> str:
    return subject.path if isinstance(subject, _core.Algorithm) else catalogue.path_of(subject)


def without_effect(given: typer.Context, names: Collection[str], why: str) -> None:
    """InputError if one of these parameters is given; `why` is such as "without --machine"."""
    for each in given.command.params:
        name = each.name or ""
        source = given.get_parameter_source(name)
        if name in names and source is not None and source.name == "COMMANDLINE":
            option = max(each.opts, key=len) if each.opts[0].startswith("-") else each.metavar
            raise InputError(f"{option} has no effect {why}")


def write_rankfile(
    file: Path, seats: Sequence[start_files.Seat], players: Sequence[int], format_: str
) -> str:
    """Writes the file in which rank i gets the seat `players[i]`; a line that tells its use."""
    start_files.write(file, seats, players, format_)
    return f"wrote {file}, for {start_files.how_to_start(str(file), format_)}"


def known_mpi(mpi: str | None, known: Collection[str] = launcher.FAMILIES) -> str | None:
    """The MPI of --mpi. InputError if it is not one of these."""
    if mpi is not None and mpi not in known:
        raise InputError(f"--mpi {mpi} is not a known MPI; expected one of {', '.join(known)}")
    return mpi


def words(launcher_args: str) -> list[str]:
    """The launcher's arguments, split as a shell splits them."""
    try:
        return shlex.split(launcher_args)
    except ValueError as error:  # "No closing quotation"
        raise InputError(f"--launcher-args {launcher_args}: {str(error).lower()}") from None


def print_without(p: int, left_out: Mapping[str, str]) -> None:
    """Prints a line for each algorithm that has no times or counts, with the reason."""
    for name, why in left_out.items():
        aside(f"{q.plural('rank', p)}: without {name}, which {why}")


def time_left(total: float, done: float, took: float) -> float:
    """The remaining seconds of work with an estimated time of `total` seconds.

    The finished work had an estimate of `done` seconds, and took `took` seconds. The ratio of both
    corrects the estimate of the rest. It includes a fictitious tenth of the work, for which the
    estimate was right.
    """
    trusted = total / 10
    return (total - done) * (took + trusted) / (done + trusted)


class TimeLeft(ProgressColumn):
    """The remaining time of a bar whose total is seconds. It counts down between two advances."""

    def __init__(self) -> None:
        super().__init__()
        self._last = 0.0, 0.0  # finished seconds of the total, and the time of that advance

    def render(self, task: Task) -> Text:
        now = task.elapsed or 0.0
        if task.completed != self._last[0]:
            self._last = task.completed, now
        done, took = self._last
        left = time_left(task.total or 0.0, done, took) - (now - took)
        return Text(str(timedelta(seconds=max(0, round(left)))), style="progress.remaining")


def progress(remaining: bool = False, counted: bool = True, estimated: bool = False) -> Progress:
    """A progress bar, which disappears at the end. Without a terminal, it does not appear.

    It shows the elapsed time, or the `remaining` time. If `counted`, it shows the number of
    finished steps. The remaining time follows from the pace so far, and, if the total is
    `estimated` seconds, from this estimate as well.
    """
    return Progress(
        TextColumn("{task.description}", markup=False),  # may contain names of files
        BarColumn(),
        *([MofNCompleteColumn()] if counted else []),
        TimeLeft() if estimated else TimeRemainingColumn() if remaining else TimeElapsedColumn(),
        *([TextColumn("left")] if remaining else []),
        console=progress_console,
        transient=True,
        disable=not progress_console.is_terminal,
    )


def say(line: str, style: str = "") -> None:
    """Prints a line unchanged: names of files and algorithms are neither markup nor wrapped."""
    console.print(line, style=style, markup=False, soft_wrap=True)


def aside(line: str) -> None:
    """The same for a remark, which is dim."""
    say(line, "dim")


def print_whole(tables: RenderableType) -> None:
    """Prints without truncation; PlainTable adapts to the width of the terminal itself."""
    console.print(tables, crop=False)


def by_word(command: list[str], word: str | None, threads: int | None) -> list[str]:
    """The command whose launcher places the ranks as a word says; the same without a word."""
    if word is None and threads is not None:
        raise InputError(f"--threads {threads} has no effect without --place")
    if word is None:
        return command
    if word not in place_words.WORDS:
        raise InputError(f"--place {word}: expected {', '.join(place_words.WORDS)}")
    return place_words.command(command, word, threads or 1)
