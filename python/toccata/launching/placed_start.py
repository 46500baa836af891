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


_OPENMPI = "--map-by --rank-by --rankfile --npernode --ppr --cpu-set -rf -N"
_HOSTS = "--host --hostfile --machinefile --default-hostfile --bind-to -H"
WAYS = {
    "openmpi-4": Way("openmpi", "openmpi", "--rankfile FILE", _OPENMPI),
    "openmpi": Way("openmpi", "openmpi", "--map-by rankfile:file=FILE", _OPENMPI),
    # Without --bind-to, Open MPI 5.0.11 starts no rank on hosts with fewer cores than ranks.
    "openmpi-hosts": Way(
        "openmpi",
        "openmpi-hosts",
        "--map-by seq --hostfile FILE --bind-to none",
        f"{_OPENMPI} {_HOSTS}",
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
}


def command(words: Sequence[str], seats: Sequence[Seat], file: Path) -> list[str]:
    """The same command, whose launcher reads `file`. Writes the file: rank i gets `seats[i]`.

    Raises InputError if the launcher cannot place ranks, or if the command already does so.
    """
    at = commandline.unwrapped(words)
    word = words[at] if at < len(words) else " ".join(words)
    kind = commandline.kind_of(word)
    if kind in ("openmpi", "hydra", "mpiexec"):
        own = launcher.identify(word)
        kind = _openmpi(own.version, seats) if own.family == "openmpi" else "hydra"
    if kind not in WAYS:
        raise InputError(
            f"--place: '{word}' is not a launcher that reads a file of places; use mpirun, mpiexec "
            "or srun, or write a file with toccata place --rankfile"
        )
    way = WAYS[kind]
    _check(words[at + 1 :], way)
    file.write_text(start_files.text(seats, range(len(seats)), way.format))
    options = [each.replace("FILE", str(file.absolute())) for each in way.options.split()]
    return [*words[: at + 1], *options, *words[at + 1 :]]


def _openmpi(version: str, seats: Sequence[Seat]) -> str:
    if any(each.core < 0 for each in seats) or len(set(seats)) < len(seats):
        return "openmpi-hosts"
    return "openmpi-4" if re.match(r"[1-4]\.", version) else "openmpi"


def _check(arguments: Sequence[str], way: Way) -> None:
    others = way.others.split()
    for start, end in commandline.sections(arguments, way.kind):
        program = commandline.start_of_command(arguments[:end], way.kind, start)
        for word in arguments[start:program]:
            name = word.split("=", 1)[0]
            long = f"--{name.lstrip('-')}" if len(name.lstrip("-")) > 1 else name
            if name in others or long in others:
                raise InputError(f"--place: '{word}' places ranks, too; leave out one of the two")


def plan(seats: Sequence[Seat]) -> dict[str, str]:
    """The setting with which the library compares the hosts; empty if hosts have no names, or if
    the text would be too long for a variable."""
    runs = [(host, len(list(group))) for host, group in groupby(each.host for each in seats)]
    text = ",".join(host if number == 1 else f"{host}*{number}" for host, number in runs)
    return {VARIABLE: text} if all(host for host, _ in runs) and len(text) < MOST_BYTES else {}
