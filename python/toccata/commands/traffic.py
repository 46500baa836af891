"""`toccata traffic`."""

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue, counting
from toccata.commands.common import (
    BlockBytes,
    MachineOption,
    Names,
    PlacementOption,
    Ranks,
    RootOption,
    console,
    print_whole,
    print_without,
    subjects,
)
from toccata.topology import machines


def traffic(
    p: Ranks,
    names: Names = None,
    size: BlockBytes = "1",
    root: RootOption = 0,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Count rounds, messages and blocks, and compare them with the literature.

    Every number is the maximum over the ranks. If a paper gives a formula, its value is in
    brackets. If counting all ranks would take too long, a sample of the ranks is counted.

    With --machine, a second table shows the bytes between different nodes, different sockets, and
    so on: the maximum per rank, the maximum per node or socket, and the total.

    Examples:

    - `toccata traffic -p 64`
    - `toccata traffic allgather/bruck locality_bruck -p 16 --machine "node:4 core:4"`
    - `toccata traffic sparbit allgather/bruck -p 1000 --bytes 4K`
    """
    bytes_ = q.parse_bytes(size)
    choices: list[_core.Choice] = []
    for subject in subjects(names):
        if isinstance(subject, _core.Choice):
            choices.append(subject)
        else:
            choices += subject.variants(p) or [catalogue.standard(subject)]
    shape = machines.shape(p, machine, placement, root)
    [left_out] = catalogue.impossible({catalogue.path_of(each): each for each in choices}, [shape])
    print_whole(counting.as_table(choices, shape, bytes_))
    if (crossings := counting.crossings_table(choices, shape, bytes_)) is not None:
        console.print()
        print_whole(crossings)
    print_without(p, left_out)
