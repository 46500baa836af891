"""Files that tell a launcher where to start each rank."""

import re
import shlex
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata import _core, outputs
from toccata.errors import InputError
from toccata.launching import launcher as mpi
from toccata.topology import machines

NOT_TEXT = "\ufffd"  # replaces bytes that are not UTF-8


@dataclass(frozen=True)
class Seat:
    """A place for a rank: its node, the name of that host ("" if unknown), and the number of the
    core there (-1 if any)."""

    node: int
    host: str
    core: int


def seats(placement: _core.Placement, cores: Sequence[int] | None = None) -> list[Seat]:
    """The seats of a placement's ranks. `cores` are their cores, if the machine contains only the
    cores that they use."""
    machine = placement.machine
    levels = machine.levels
    node = levels.index("node") if "node" in levels else 0
    cores_at = levels.index("core") if "core" in levels else len(levels) - 1
    names = machine.labels(node)
    host_of, core_of = machines.around(machine, node), machines.around(machine, cores_at)
    first_core: dict[int, int] = {}
    for core in range(machine.objects(cores_at)):
        first_core.setdefault(host_of(cores_at, core), core)
    found = []
    for rank, (level, number) in enumerate(placement.places):
        host = host_of(level, number)
        if cores is not None:
            core = cores[rank]
        elif level >= cores_at:  # a rank on a processing unit uses its core
            core = core_of(level, number) - first_core[host]
        else:
            core = -1
        found.append(Seat(host, names[host] if names else "", core))
    return found


def _openmpi(taken: Sequence[Seat]) -> list[str]:
    if any(each.core < 0 for each in taken):
        raise InputError(
            "a rankfile for openmpi needs the core of each rank; bind ranks to cores, for example "
            "with mpirun --bind-to core, or place ranks by hosts with openmpi-hosts"
        )
    return [
        f"rank {rank}={each.host or f'+n{each.node}'} slot={each.core}"
        for rank, each in enumerate(taken)
    ]


def _hosts(taken: Sequence[Seat]) -> list[str]:
    return [each.host for each in taken]


def _mpich(taken: Sequence[Seat]) -> list[str]:
    return [f"{each.host}:1" for each in taken]


def _cray(taken: Sequence[Seat]) -> list[str]:
    """The ranks of each node. Without this file, Cray's launcher fills one node after the other."""
    on_node: dict[int, list[int]] = defaultdict(list)
    for rank, each in enumerate(taken):
        on_node[each.node].append(rank)
    return [",".join(map(str, on_node[node])) for node in sorted(on_node)]


@dataclass(frozen=True)
class Format:
    """A kind of file: how to write it, and how to start ranks with FILE."""

    lines: Callable[[Sequence[Seat]], list[str]]
    start: str
    needs_hosts: bool = True


FORMATS = {
    "openmpi": Format(
        _openmpi,
        "mpirun --rankfile FILE (Open MPI 4), mpirun --map-by rankfile:file=FILE (Open MPI 5)",
        needs_hosts=False,
    ),
    "openmpi-hosts": Format(_hosts, "mpirun --map-by seq --hostfile FILE --bind-to none"),
    "slurm": Format(_hosts, "srun --distribution=arbitrary --nodelist=FILE"),
    "mpich": Format(_mpich, "mpiexec -f FILE (MPICH, Intel MPI)"),
    "cray": Format(
        _cray,
        "Cray MPICH: copy FILE to MPICH_RANK_ORDER, and set MPICH_RANK_REORDER_METHOD=3",
        needs_hosts=False,
    ),
    "flux": Format(_hosts, "flux run --taskmap=hostfile:FILE"),
}


def text(all_: Sequence[Seat], players: Sequence[int], launcher: str) -> str:
    """The file in which rank i gets the seat `players[i]`.

    Only Open MPI's file names cores. Raises InputError if the launcher is unknown, or if the file
    needs names of hosts or cores that are unknown or not text.
    """
    if launcher not in FORMATS:
        raise InputError(f"--launcher {launcher}: expected one of {', '.join(FORMATS)}")
    if broken := next((each.host for each in all_ if NOT_TEXT in each.host), ""):
        raise InputError(f"the host name '{broken}' is not text; write the machine's file in UTF-8")
    if FORMATS[launcher].needs_hosts and not all(each.host for each in all_):
        raise InputError(
            f"a host list for {launcher} needs names of hosts; give a --machine file with names"
        )
    return "\n".join(FORMATS[launcher].lines([all_[each] for each in players])) + "\n"


def write(file: Path | None, all_: Sequence[Seat], players: Sequence[int], launcher: str) -> None:
    """Writes that text; without a file, only raises its errors."""
    contents = text(all_, players, launcher)
    if file is not None:
        outputs.write(file, contents)


def how_to_start(file: str, launcher: str) -> str:
    """A phrase for the user: the command that reads the file, for the Open MPI at hand."""
    start = FORMATS[launcher].start
    versions = {each.version for each in mpi.launchers() if each.family == launcher}
    if launcher == "openmpi" and len(versions) == 1:
        older = re.match(r"[1-4]\.", versions.pop())
        start = start.split(", ")[0 if older else 1]
    if launcher == "slurm" and "/" not in file:
        file = f"./{file}"  # srun takes a name without a slash for a host
    return start.replace("FILE", shlex.quote(file))
