"""The machine and the placement that a user names."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from toccata import _core, documents
from toccata.errors import InputError

STANDARD_PLACEMENT = "sequential"


@cache
def named(text: str) -> _core.Machine:
    """A machine from a user's text or file. Levels that no algorithm uses, and the remark of a
    reader, are reported once.

    Raises ChoiceError if it is invalid, InputError if it is empty.
    """
    if not text.strip():
        raise InputError('the machine is empty; expected a text such as "node:4 core:8", or a file')
    with suppress(OSError):  # the text cannot be a path
        if Path(text).exists():
            documents.check(Path(text))
    machine = _core.Machine(text)
    if machine.remark:
        print(f"toccata: {machine.remark}", file=sys.stderr)
    if complaint := unknown_levels(machine):
        print(f"toccata: '{text}': {complaint}", file=sys.stderr)
    return machine


def of_environment() -> str:
    """The machine that TOCCATA_TOPOLOGY names, perhaps a file; "" if it names none."""
    return _core.parse_topology_setting(os.environ.get("TOCCATA_TOPOLOGY", "")).machine


def unknown_levels(machine: _core.Machine) -> str:
    """A sentence, if a machine has levels with unknown names; otherwise "".

    Most often, their names are misspelled.
    """
    unknown = " or ".join(_core.unknown_levels(machine))
    remedy = "rename it, for example to leaf, node, socket, numa, l3 or core"
    return f"unknown level {unknown}; {remedy}" if unknown else ""


def places(machine: str | None, most: int) -> int:
    """The number of places of a machine, or `most` if that is smaller or there is no machine."""
    if machine is None:
        return most
    there = named(machine)
    return min(most, cores(there))


def nodes(placement: _core.Placement) -> int:
    """The number of nodes with ranks; cells of the network if no level has that name."""
    machine = placement.machine
    if "node" not in machine.levels and not machine.dims:
        return 1
    node = machine.levels.index("node") if "node" in machine.levels else 0
    of = around(machine, node)
    return len({of(level, number) for level, number in placement.places})


def cores(machine: _core.Machine) -> int:
    """The number of innermost objects."""
    return machine.objects(len(machine.levels) - 1)


def around(machine: _core.Machine, outer: int) -> Callable[[int, int], int]:
    """A function that takes the level and number of an object, and returns the number of the object
    of level `outer` that contains it."""
    outers = [machine.outers(level) for level in range(len(machine.levels))]

    def of(level: int, number: int) -> int:
        for each in range(level, outer, -1):
            number = outers[each][number]
        return number

    return of
