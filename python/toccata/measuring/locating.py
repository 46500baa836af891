"""Finds a machine: this one, a named one, or that on which a launcher starts ranks."""

import json
import os
import socket
from collections.abc import Sequence

from toccata import _core
from toccata.errors import Failure, InputError
from toccata.launching import launcher as mpi
from toccata.launching import maps
from toccata.measuring import benchmark
from toccata.quantities import plural
from toccata.topology import machines

Located = tuple[_core.Machine, _core.Placement | None]


def here() -> Located:
    """This machine, without ranks."""
    inside = _core.this_machine().text
    name = _core.fold_hosts([socket.gethostname() or "localhost"])
    return _core.read_saved(f"machine node:1 {inside}\nlabels node {name}\n", "hwloc"), None


def named(machine: str, ranks: int | None, placement: str | None) -> Located:
    """A machine as text or file, with ranks on it if requested."""
    there = machines.named(machine)
    if ranks is None:
        if placement is not None:
            raise InputError(f"--placement {placement} has no effect without --ranks")
        return there, None
    return there, maps.placed(there, ranks, placement)


def launched(starter: mpi.Launcher, ranks: int, more: Sequence[str]) -> Located:
    """The places where a launcher starts its ranks, as reported by the ranks.

    Raises Failure if the run fails.
    """
    # Hydra passes the environment to all hosts without options.
    named = [name for name in os.environ if mpi.is_setting(name)]
    exports = [word for name in named for word in ("-x", name)]
    handed = exports if starter.family == "openmpi" else []
    program = [str(mpi.locator(starter.family))]
    command = mpi.start(starter, ranks, [*handed, *more], program)
    with benchmark.started(command, ranks) as lines:
        told = [line for line in lines if line.startswith('{"event":"where"')]
    if not told:
        raise Failure(
            f"the run with {plural('rank', ranks)} did not report their locations: "
            f"{' '.join(command)}"
        )
    found = json.loads(told[-1])
    machine = _core.read_saved(found["machine"], "toccata_where")
    return machine, _core.Placement(machine, found["ranks"], found["placement"])
