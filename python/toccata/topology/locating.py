"""Which machine a user means: this one, one that is named, or where ranks of a launcher run."""

import json
import os
import socket
from collections.abc import Sequence

from toccata import _core
from toccata.errors import Failure, InputError
from toccata.launching import launcher as mpi
from toccata.measuring import benchmark
from toccata.topology import machines

Located = tuple[_core.Machine, _core.Placement | None]


def here() -> Located:
    """This machine, without ranks."""
    inside = _core.this_machine().text
    name = _core.fold_hosts([socket.gethostname() or "localhost"])
    return _core.read_saved(f"machine node:1 {inside}\nlabels node {name}\n", "hwloc"), None


def named(machine: str, ranks: int | None, placement: str | None) -> Located:
    """A machine as text or file, and ranks on it if there are to be some."""
    there = machines.named(machine)
    if ranks is None:
        if placement is not None:
            raise InputError(f"--placement {placement} has no effect without --ranks")
        return there, None
    return there, _core.Placement(there, ranks, placement or machines.STANDARD_PLACEMENT)


def launched(starter: mpi.Launcher, ranks: int, more: Sequence[str]) -> Located:
    """Where a launcher starts its ranks, as they find out themselves.

    Raises Failure if the run fails.
    """
    # Hydra hands the environment to all hosts by itself.
    named = [name for name in os.environ if mpi.is_setting(name)]
    exports = [word for name in named for word in ("-x", name)]
    handed = exports if starter.family == "openmpi" else []
    program = [str(mpi.locator(starter.family))]
    command = mpi.start(starter, ranks, [*handed, *more], program)
    with benchmark.started(command, ranks) as lines:
        told = [line for line in lines if line.startswith('{"event":"where"')]
    if not told:
        raise Failure(f"the run with {ranks} ranks did not say where they are: {' '.join(command)}")
    found = json.loads(told[-1])
    machine = _core.read_saved(found["machine"], "toccata_where")
    return machine, _core.Placement(machine, found["ranks"], found["placement"])
