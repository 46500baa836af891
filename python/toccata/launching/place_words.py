"""`toccata run --place compact`: a user's command whose launcher places the ranks as a word says.

Each rank gets cores of its own, as many as it has threads.
"""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from pathlib import Path

from toccata.errors import InputError
from toccata.launching import commandline, launcher, placed_start

# What complaint() compares for each word, on several hosts.
WORDS = {
    "compact": "consecutive ranks share a host",
    "balanced": "hosts have equally many ranks, and consecutive ranks share a host",
    "spread": "hosts have equally many ranks, and consecutive ranks are on different hosts",
}
MOST_THREADS = 4096


@dataclass(frozen=True)
class Row:
    """The options of a launcher for each word: T stands for the cores of a rank, K for the ranks of
    a node. `others`: its options that place or bind ranks, too."""

    kind: str  # of command lines
    words: Mapping[str, str]
    others: str


_INTEL = (
    "-genv I_MPI_PIN on -genv I_MPI_PIN_CELL core -genv I_MPI_PIN_DOMAIN T:compact "
    "-genv I_MPI_PIN_ORDER"
)
_HYDRA = "--ppn --perhost --map-by --bind-to --membind"
_SRUN = "--cpus-per-task=T --cpu-bind=cores"
_FLUX = "--cores-per-task=T -o cpu-affinity=per-task"
ROWS = {
    # Open MPI 4 counts a slot per rank, so only `ppr` leaves room for the threads.
    "openmpi-4": Row(
        "openmpi",
        {
            "compact": "--map-by ppr:K:node:PE=T --bind-to core",
            "balanced": "--map-by socket:PE=T,SPAN --bind-to core",
            "spread": "--map-by socket:PE=T,SPAN --rank-by node --bind-to core",
        },
        f"{placed_start.OPENMPI} --bind-to",
    ),
    "openmpi": Row(
        "openmpi",
        {
            "compact": "--map-by slot:PE=T --bind-to core",
            "balanced": "--map-by package:PE=T:SPAN --rank-by fill --bind-to core",
            "spread": "--map-by package:PE=T:SPAN --rank-by node --bind-to core",
        },
        f"{placed_start.OPENMPI} --bind-to",
    ),
    "mpich": Row(
        "hydra",
        {
            "compact": "-ppn K -bind-to core:T",
            "balanced": "-ppn K -bind-to core:T",
            "spread": "-ppn 1 -bind-to core:T -map-by socket",
        },
        _HYDRA,
    ),
    "intelmpi": Row(
        "hydra",
        {
            "compact": f"-ppn K {_INTEL} compact",
            "balanced": f"-ppn K {_INTEL} bunch",
            "spread": f"-ppn 1 {_INTEL} scatter",
        },
        _HYDRA,
    ),
    "srun": Row(
        "srun",
        {
            "compact": f"--distribution=block:block,Pack {_SRUN}",
            "balanced": f"--distribution=block:block,NoPack {_SRUN}",
            "spread": f"--distribution=cyclic:cyclic {_SRUN}",
        },
        "-m --distribution -c --cpus-per-task --cpu-bind --ntasks-per-node",
    ),
    # Flux packs the tasks, unless --nodes says otherwise.
    "flux": Row(
        "flux",
        {"compact": f"--taskmap=block {_FLUX}", "spread": f"--taskmap=cyclic {_FLUX}"},
        "--taskmap -c --cores-per-task --tasks-per-node --tasks-per-core",
    ),
}


def command(words: Sequence[str], word: str, threads: int) -> list[str]:
    """The same command, whose launcher places the ranks as the word says.

    Raises InputError if the launcher cannot, or if the command already places them.
    """
    at, starter = placed_start.starter(words)
    row = ROWS.get(starter)
    if row is None:
        raise InputError(
            f"--place {word}: '{words[min(at, len(words) - 1)]}' is not a launcher with options "
            "for it; use mpirun, mpiexec, srun or flux run"
        )
    if word not in row.words:
        known = " or ".join(row.words)
        raise InputError(f"--place {word}: {starter} has no option for it; use {known}")
    arguments = words[at + 1 :]
    placed_start.check(arguments, row.kind, row.others)
    options = row.words[word]
    if re.search(r"\bK\b", options):
        number = _per_node(arguments, row.kind, word, threads)
        options = re.sub(r"\bK\b", str(number), options)
    return placed_start.with_options(words, at, re.sub(r"\bT\b", str(threads), options).split())


def _per_node(arguments: Sequence[str], kind: str, word: str, threads: int) -> int:
    """The ranks of a node; nodes have as many cores as this one."""
    if word == "compact":
        if threads > launcher.cores():
            raise InputError(f"--threads {threads}: this host has only {launcher.cores()} cores")
        return launcher.cores() // threads
    ranks = 0
    for option, value in _options(arguments, kind):
        if option in ("-n", "-np", "--n", "--np"):
            ranks += int(value) if value.isdecimal() else 0
    if ranks == 0:
        raise InputError(f"--place {word}: the number of ranks is missing; give -n to the launcher")
    return -(-ranks // hosts(arguments, kind, os.environ))


def _options(arguments: Sequence[str], kind: str) -> list[tuple[str, str]]:
    """The launcher's options that may have a value, each with the next word."""
    found = []
    for start, end in commandline.sections(arguments, kind):
        program = commandline.start_of_command(arguments[:end], kind, start)
        found += list(pairwise([*arguments[start:program], ""]))
    return found


def hosts(arguments: Sequence[str], kind: str, environment: Mapping[str, str]) -> int:
    """The number of hosts that the command names, or else the batch system; 1 without both."""
    for option, value in _options(arguments, kind):
        name = option.lstrip("-")
        if name in ("host", "hosts", "hostlist", "H"):
            return len({each.split(":")[0] for each in value.split(",")})
        if name in ("f", "hostfile", "machinefile"):
            return _lines(value, option)
    for name in ("SLURM_JOB_NUM_NODES", "SLURM_NNODES"):
        if environment.get(name, "").isdecimal():
            return int(environment[name])
    for name in ("PBS_NODEFILE", "PE_HOSTFILE", "LSB_DJOB_HOSTFILE"):
        if name in environment:
            return _lines(environment[name], name)
    return 1


def _lines(file: str, option: str) -> int:
    """The number of different hosts in a file."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{option} {file}: cannot be read: {error}") from None
    names = [line.split("#")[0].split() for line in text.splitlines()]
    return max(1, len({each[0].split(":")[0] for each in names if each}))


def complaint(word: str, of: Sequence[int]) -> str:
    """Why the host of each rank is not as the word says; "" if it is."""
    runs = len(list(groupby(of)))
    number = Counter(of)
    even = max(number.values()) - min(number.values()) <= 1
    if word != "spread" and runs > len(number):
        return "consecutive ranks do not share a host"
    if word == "spread" and len(number) > 1 and runs < len(of):
        return "consecutive ranks share a host"
    if word != "compact" and not even:
        return f"hosts have {min(number.values())} to {max(number.values())} ranks"
    return ""
