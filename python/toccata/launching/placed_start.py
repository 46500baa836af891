"""`toccata run --place`: a user's command whose launcher reads a file of places for the ranks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from toccata.errors import InputError
from toccata.launching import commandline, launcher, start_files
from toccata.launching.start_files import Seat

# The variable of the preloaded library that compares the hosts in MPI_Init.
VARIABLE = "TOCCATA_PLACED"
MOST_BYTES = 100_000  # of the variable; Linux permits 128 KiB


@dataclass(frozen=True)
class Way:
    """The options with which a launcher reads a file of places. `others`: its options that place
    ranks, too; it would reject them, or ignore the file."""

    kind: str  # of command lines
    format: str
    options: str
    others: str


OPENMPI = "--map-by --rank-by --rankfile --npernode --ppr --cpu-set -rf -N"
_HOSTS = "--host --hostfile --machinefile --default-hostfile --bind-to -H"
WAYS = {
    "openmpi-4": Way("openmpi", "openmpi", "--rankfile FILE", OPENMPI),
    "openmpi": Way("openmpi", "openmpi", "--map-by rankfile:file=FILE", OPENMPI),
    # Without --bind-to, Open MPI 5.0.11 starts no rank on hosts with fewer cores than ranks.
    "openmpi-hosts": Way(
        "openmpi",
        "openmpi-hosts",
        "--map-by seq --hostfile FILE --bind-to none",
        f"{OPENMPI} {_HOSTS}",
    ),
    "hydra": Way(
        "hydra",
        "mpich",
        "-f FILE",
        "-f --hosts --host --hostfile --machinefile --ppn --perhost --map-by --hostlist",
    ),
    "srun": Way(
        "srun",
        "slurm",
        "--distribution=arbitrary --nodelist=FILE",
        "-m --distribution --ntasks-per-node -w --nodelist",
    ),
    "flux": Way(
        "flux",
        "flux",
        "--taskmap=hostfile:FILE",
        "--taskmap --tasks-per-node --tasks-per-core",
    ),
}


def command(
    words: Sequence[str], seats: Sequence[Seat], file: Path, dry_run: bool = False
) -> list[str]:
    """The same command, whose launcher reads `file`. Writes the file, unless it is a dry run: rank
    i gets `seats[i]`.

    Raises InputError if the launcher cannot place ranks, or if the command already does so.
    """
    at, kind = starter(words)
    if kind in ("openmpi-4", "openmpi") and _shared(seats):
        kind = "openmpi-hosts"
    way = WAYS.get("hydra" if kind in ("mpich", "intelmpi") else kind)
    if way is None:
        raise InputError(
            f"--place: '{words[min(at, len(words) - 1)]}' is not a launcher that reads a file of "
            "places; use mpirun, mpiexec, srun or flux run, or write a file with toccata place "
            "--rankfile"
        )
    check(words[at + 1 :], way.kind, way.others)
    start_files.write(None if dry_run else file, seats, range(len(seats)), way.format)
    options = [each.replace("FILE", str(file.absolute())) for each in way.options.split()]
    return with_options(words, at, options)


def starter(words: Sequence[str]) -> tuple[int, str]:
    """The index of the launcher in a command, and its name in our tables; "" for another word."""
    at = commandline.unwrapped(words)
    if at == len(words):
        return at, ""
    kind = commandline.kind_of(words[at])
    if kind not in ("openmpi", "hydra", "mpiexec"):
        return at, kind
    own = launcher.identify(words[at])
    older = own.family == "openmpi" and re.match(r"[1-4]\.", own.version)
    return at, "openmpi-4" if older else own.family


def with_options(words: Sequence[str], at: int, options: Sequence[str]) -> list[str]:
    """The command with more options of the launcher at that index."""
    first = at + 1 + commandline.start_of_options(words[at + 1 :], commandline.kind_of(words[at]))
    return [*words[:first], *options, *words[first:]]


def check(arguments: Sequence[str], kind: str, others: str) -> None:
    """InputError if the launcher's arguments contain one of the options `others`."""
    for start, end in commandline.sections(arguments, kind):
        for option in commandline.options(arguments[:end], kind, start):
            long = [f"-{name}" for name in option.names if len(name) > 2]  # -host is --host
            if not set(others.split()).isdisjoint([*option.names, *long]):
                word = arguments[option.start]
                raise InputError(f"--place: '{word}' places ranks, too; leave out one of the two")


def _shared(seats: Sequence[Seat]) -> bool:
    """Whether not all ranks have a core of their own."""
    return any(each.core < 0 for each in seats) or len(set(seats)) < len(seats)


def plan(seats: Sequence[Seat]) -> dict[str, str]:
    """The setting with which the library compares the hosts; empty if hosts have no names, or if
    the text would be too long for a variable."""
    runs = [(host, len(list(group))) for host, group in groupby(each.host for each in seats)]
    text = ",".join(host if number == 1 else f"{host}*{number}" for host, number in runs)
    return {VARIABLE: text} if all(host for host, _ in runs) and len(text) < MOST_BYTES else {}
