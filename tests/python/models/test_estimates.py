"""Estimated messages of recorded collectives."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest

from conftest import Toccata
from recorded_programs import ring, write
from toccata import _core
from toccata.models import estimates, expansions, open_mpi_forms
from toccata.models import traffic as recorded
from toccata.models.estimates import Calls, Run

OPEN_MPI, MPICH = "Open MPI v4.1.4, package: Debian OpenMPI", "MPICH Version: 4.0.2"
OPEN_MPI_5 = "Open MPI v5.0.11, package: Open MPI"
ONE_NODE = _core.Placement(_core.Machine("node:1 core:64"), 64)
Ends = dict[tuple[int, int], tuple[int, int]]


def expanded(
    collective: Any, size: int, root: int = 0, mpi: str = MPICH, calls: int = 1,
    runs: tuple[tuple[int, int, int], ...] = ((0, 4, 1),), world: _core.Placement = ONE_NODE,
    form: Literal["blocking", "nonblocking"] = "blocking", algorithm: str = "",
    kind: estimates.Kind = "estimated",
) -> Ends:  # fmt: skip
    entry = Calls(collective, 0, size, root, calls, form, 1, algorithm)
    found, _, left_out = estimates.pairs(mpi, [[Run(*each) for each in runs]], [entry], world)
    assert left_out == 0 and {each.kind for each in found} <= {kind}
    return {(each.sender, each.receiver): (each.messages, each.bytes) for each in found}


def both(ends: Ends) -> Ends:
    return ends | {(b, a): counts for (a, b), counts in ends.items()}


def test_allreduce_by_recursive_doubling() -> None:
    ends = [(0, 1), (2, 3), (0, 2), (1, 3)]
    for mpi in (OPEN_MPI, MPICH):
        found = expanded("allreduce", 8, mpi=mpi, calls=1000)
        assert found == both(dict.fromkeys(ends, (1000, 8000)))


def test_long_allreduce_by_halving_and_doubling() -> None:
    near, far = [(0, 1), (2, 3)], [(0, 2), (1, 3)]
    one, two = (both(dict.fromkeys(near + far, (2, 2000)) | dict.fromkeys(ends, (2, 4000)))
                for ends in (near, far))  # fmt: skip
    assert expanded("allreduce", 4000) in (one, two)


def test_binomial_trees_of_open_mpi() -> None:
    """On four hosts, each host's link carried these bytes (docs/placing.md)."""
    runs = ((0, 8, 1),)
    found = expanded("bcast", 4096, root=1, mpi=OPEN_MPI_5, runs=runs)
    from_root = {(0, 1), (0, 2), (1, 3), (0, 4), (1, 5), (2, 6), (3, 7)}
    assert set(found) == {((a + 1) % 8, (b + 1) % 8) for a, b in from_root}
    found = expanded("reduce", 2**18, root=2, mpi=OPEN_MPI, runs=((0, 16, 1),))
    to_root = {(rank, rank & (rank - 1)) for rank in range(1, 16)}
    assert set(found) == {((a + 2) % 16, (b + 2) % 16) for a, b in to_root}
    assert {each for each, _ in found.values()} == {1}


def test_long_broadcasts_count_ranks_from_the_root() -> None:
    """Halves, quarters, ... of the message go to ranks from the root, which then exchange all."""
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    for away in (1, 2, 4, 8):
        for rank in range(16):
            number = 2 if rank % (2 * away) == 0 else 1  # the scatter has the same edges
            pair = (rank + 5) % 16, ((rank ^ away) + 5) % 16
            ends[pair] = number, number * away * 2**16
    for mpi, size in ((OPEN_MPI, 2**20), (MPICH, 2**18)):
        found = expanded("bcast", size, root=5, mpi=mpi, runs=((0, 16, 1),))
        assert found == {pair: (n, each * size // 2**20) for pair, (n, each) in ends.items()}
    found = expanded("bcast", 2**20, root=5, mpi=MPICH, runs=((0, 16, 1),))  # by a ring
    assert found[4, 5] == (15, 15 * 2**16)


def test_reduce_scatter_halves_with_far_ranks_first() -> None:
    found = expanded("reduce_scatter", 10, mpi=OPEN_MPI, runs=((0, 8, 1),))
    assert found == {
        (rank, rank ^ away): (1, 10 * away) for rank in range(8) for away in (1, 2, 4)
    }  # fmt: skip
    # Rank 0 takes part through rank 1, which has both blocks.
    found = expanded("reduce_scatter", 10, runs=((0, 5, 1),))
    assert found == {
        (0, 1): (1, 50), (1, 3): (1, 20), (3, 1): (1, 30), (2, 4): (1, 20), (4, 2): (1, 30),
        (1, 2): (1, 10), (2, 1): (1, 20), (3, 4): (1, 10), (4, 3): (1, 10), (1, 0): (1, 10),
    }  # fmt: skip


def test_messages_follow_the_nodes_where_the_library_does() -> None:
    """`han` of Open MPI 5: a reduction and a broadcast inside each node, and between leaders."""
    nodes = _core.Machine("node:2 core:2")
    in_order = both(dict.fromkeys([(0, 1), (0, 2), (2, 3)], (7, 56)))
    cyclic = both(dict.fromkeys([(0, 2), (0, 1), (1, 3)], (7, 56)))
    flat = both(dict.fromkeys([(0, 1), (2, 3), (0, 2), (1, 3)], (7, 56)))
    for rule, expected in (("sequential", in_order), ("cyclic", cyclic)):
        world = _core.Placement(nodes, 4, rule)
        assert expanded("allreduce", 8, mpi=OPEN_MPI_5, calls=7, world=world) == expected
        assert expanded("allreduce", 8, mpi=OPEN_MPI, calls=7, world=world) == flat
    one = _core.Placement(_core.Machine("node:1 core:4"), 4)
    assert expanded("allreduce", 8, mpi=OPEN_MPI_5, calls=7, world=one) == flat


def test_long_reductions_of_mpich_end_at_rank_0_first() -> None:
    """Counted on the links of four hosts (bench/cluster/estimates.py --mpi mpich-5.0)."""
    world, runs = _core.Placement(_core.Machine("node:4 core:2"), 8), ((0, 8, 1),)
    to_0, to_5 = (expanded("reduce", 4096, root=root, world=world, runs=runs) for root in (0, 5))
    assert to_5 == to_0 | {(0, 5): (1, 4096)}
    assert len(expanded("reduce", 2048, root=5, world=world, runs=runs)) == 7  # a tree
    of_open_mpi = expanded("reduce", 4096, root=5, world=world, runs=runs, mpi=OPEN_MPI_5)
    of_toccata = expanded("reduce", 4096, root=5, world=world, runs=runs, kind="served",
                          algorithm=estimates.LEADERS_REDUCE)  # fmt: skip
    assert of_toccata == of_open_mpi != to_5


def test_leaders_of_open_mpi_5() -> None:
    """By host as counted on four hosts (bench/cluster/estimates.py --mpi openmpi-5.0)."""
    world, runs = _core.Placement(_core.Machine("node:4 core:4"), 16), ((0, 16, 1),)
    for collective, size, root, expected in (
        ("bcast", 4096, 5, [0, 2, 1, 0]),
        ("bcast", 65536, 9, [0, 0, 3, 0]),
        ("reduce", 65536, 0, [0.75, 1.25, 1, 1]),
        ("reduce", 65536, 5, [1.25, 0.75, 1, 1]),
        ("reduce", 65536, 9, [1, 1, 0.75, 1.25]),
        ("allreduce", 4096, 0, [3.75, 1.25, 1, 1]),
        ("allreduce", 65536, 5, [3.75, 1.25, 1, 1]),
        ("allreduce", 8, 0, [2, 1, 2, 1]),
    ):
        sent = [0.0] * 4
        found = expanded(collective, size, root=root, mpi=OPEN_MPI_5, world=world, runs=runs)
        for (a, b), (_, number) in found.items():
            if a // 4 != b // 4:
                sent[a // 4] += number / size
        assert sent == expected


def test_nonblocking_calls_have_algorithms_of_their_own() -> None:
    """Open MPI's libnbc reduces to rank 0 and broadcasts, on any nodes; MPICH does as usual."""
    tree = both(dict.fromkeys([(1, 0), (3, 2), (2, 0)], (1, 8)))
    nodes = _core.Placement(_core.Machine("node:2 core:2"), 4, "cyclic")
    for mpi in (OPEN_MPI, OPEN_MPI_5):
        assert expanded("allreduce", 8, mpi=mpi, world=nodes, form="nonblocking") == tree
    assert expanded("allreduce", 8, form="nonblocking") == expanded("allreduce", 8)


def test_each_communicator_has_its_own_nodes() -> None:
    """Ranks 0 to 3 and 8 to 11 are on two nodes, ranks 4 to 7 on one; roots and places differ."""
    world = _core.Placement(_core.Machine("node:4 core:4"), 12, "0 1 4 5 8 9 10 11 14 15 2 3")
    runs = [[Run(0, 4, 1)], [Run(4, 4, 1)], [Run(8, 4, 1)], [Run(11, 4, -1)]]
    entries = [
        Calls("bcast", each, 8, root, 1, "blocking") for each, root in enumerate((0, 0, 0, 1))
    ]
    found, _, _ = estimates.pairs(OPEN_MPI_5, runs, entries, world)
    assert sorted((each.sender, each.receiver, each.messages) for each in found) == [
        (0, 1, 1), (0, 2, 1), (2, 3, 1),
        (4, 5, 1), (4, 6, 1), (5, 7, 1),
        (8, 9, 1), (8, 10, 1), (9, 8, 1), (10, 9, 1), (10, 11, 2),
    ]  # fmt: skip
    kept, _, _ = estimates.pairs(OPEN_MPI_5, runs, entries, world, following=False)
    assert sorted({each.sender for each in kept}) == [4, 5]


def test_trees_begin_at_the_root() -> None:
    assert expanded("bcast", 10, root=1) == {(1, 3): (1, 10), (1, 2): (1, 10), (3, 0): (1, 10)}
    gathered = {(0, 3): (1, 6), (3, 1): (1, 12), (2, 1): (1, 6)}
    assert expanded("gather", 6, root=1) == gathered
    assert expanded("reduce", 6) == dict.fromkeys([(1, 0), (3, 2), (2, 0)], (1, 6))
    assert expanded("scatter", 6, root=1) == {(b, a): n for (a, b), n in gathered.items()}


def test_blocks_of_all_ranks() -> None:
    near = both(dict.fromkeys([(0, 1), (2, 3)], (2, 24)))
    far = both(dict.fromkeys([(0, 2), (1, 3)], (2, 48)))
    assert expanded("allgather", 12, mpi=OPEN_MPI, calls=2) == near | far
    everyone = {(a, b): (3, 15) for a in range(4) for b in range(4) if a != b}
    assert expanded("alltoall", 5, mpi=OPEN_MPI, calls=3) == everyone


def test_ranks_of_a_communicator_are_those_of_the_world() -> None:
    reverse = expanded("bcast", 10, root=1, runs=((6, 4, -2),))  # ranks 6, 4, 2, 0
    assert reverse == {(4, 0): (1, 10), (4, 2): (1, 10), (0, 6): (1, 10)}
    assert expanded("bcast", 10, runs=((9, 1, 1), (2, 1, 1))) == {(9, 2): (1, 10)}
    assert expanded("bcast", 10, runs=((9, 1, 1),)) == {}


def test_without_bytes_only_barriers_send() -> None:
    assert expanded("allreduce", 0) == {}
    found = expanded("barrier", 0)
    assert set(found.values()) == {(1, 0)} and {a for a, _ in found} == set(range(4))


@pytest.mark.parametrize("mpi", [OPEN_MPI, MPICH, "Cray MPI", ""])
@pytest.mark.parametrize("p", [2, 3, 5, 7, 12, 33, 64])
def test_every_collective_reaches_every_rank(mpi: str, p: int) -> None:
    for collective in estimates.Collective.__args__:  # type: ignore[attr-defined]
        for size in (1, 1000, 10**6):
            found = expanded(collective, size, root=p - 1, mpi=mpi, runs=((0, p, 1),))
            assert {rank for ends in found for rank in ends} == set(range(p))


def test_calls_that_toccata_served_have_its_messages() -> None:
    """Open MPI's binomial trees connect other ranks; algorithms by nodes follow the placement."""
    tree = {(0, 2): (3, 24), (0, 1): (3, 24), (2, 3): (3, 24)}
    found = expanded("bcast", 8, mpi=OPEN_MPI, calls=3, algorithm="binomial", kind="served")
    assert found == tree
    nodes = _core.Machine("node:2 core:2")
    for rule, leaders in (("sequential", (0, 2)), ("cyclic", (0, 1))):
        world = _core.Placement(nodes, 4, rule)
        found = expanded("allreduce", 64, world=world, algorithm="hierarchical", kind="served")
        between = {ends for ends in found if nodes_of(world, ends[0]) != nodes_of(world, ends[1])}
        assert between == {leaders, leaders[::-1]}
    # Their blocks have different sizes, so a mean is an estimate.
    ring = {(rank, (rank + 1) % 4): (3, 30) for rank in range(4)}
    assert expanded("allgather", 10, algorithm="ring", kind="served") == ring
    assert expanded("allgatherv", 10, algorithm="ring") == ring


def nodes_of(world: _core.Placement, rank: int) -> int:
    return world.regions(0)[rank]


def test_native_serves_where_the_algorithm_cannot_run() -> None:
    three = ((0, 3, 1),)
    found = expanded("allgather", 10, mpi=OPEN_MPI, algorithm="neighbor_exchange", runs=three)
    assert found == expanded("allgather", 10, mpi=OPEN_MPI, runs=three)
    # Algorithms from outside are in files that only the run has read.
    for unknown in ("mine", "ring:colour=red", "native", "ring\n"):
        found = expanded("allgather", 10, mpi=OPEN_MPI, algorithm=unknown)
        assert found == expanded("allgather", 10, mpi=OPEN_MPI)


def test_functions_of_open_mpi_with_algorithms_of_their_own() -> None:
    """Counted on the links of four hosts (bench/cluster/estimates.py)."""
    runs = ((0, 16, 1),)
    for mpi in (OPEN_MPI, OPEN_MPI_5):
        found = expanded("reduce_scatter_block", 2**16, mpi=mpi, runs=runs)
        assert found == {
            (rank, rank ^ away): (1, 2**16 * away) for rank in range(16) for away in (1, 2, 4, 8)
        }  # fmt: skip
        near = expanded("reduce_scatter_block", 2**23, mpi=mpi, runs=runs)
        assert near[0, 1] == (1, 8 * 2**23) and near[0, 8] == (1, 2**23)
        found = expanded("reduce_scatter_block", 2**20, mpi=mpi, runs=runs)
        reduce = expanded("reduce", 2**24, mpi=mpi, runs=runs)
        scatter = expanded("scatter", 2**20, mpi=mpi, runs=runs)
        assert sum(each[1] for each in found.values()) == sum(
            each[1] for part in (reduce, scatter) for each in part.values()
        )
        found = expanded("allgatherv", 2**16, mpi=mpi, runs=runs)
        assert found == expanded("allgather", 2**16, algorithm="bruck", kind="served", runs=runs)
    # MPICH's are those of the collective.
    for function, collective in estimates.ALGORITHMS.items():
        assert expanded(function, 2**16, runs=runs) == expanded(collective, 2**16, runs=runs)


def test_every_size_of_a_form_has_an_algorithm() -> None:
    for function, rows in open_mpi_forms.FORMS.items():
        leasts = [least for least, _ in rows]
        assert leasts == sorted(leasts, reverse=True) and leasts[-1] == 2
        for least, row in rows:
            sizes = [most for _, most in row]
            assert sizes == sorted(sizes) and sizes[-1] == float("inf")
            for p in (least, least + 1):
                for size in (1, 100, 10**4, 10**5, 10**7):
                    assert open_mpi_forms.find(function, p, size)
    assert open_mpi_forms.find("allgather", 4, 8) == ""


def test_too_many_messages_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(expansions, "MOST_MESSAGES", 20)
    runs = [[Run(0, 4, 1)], [Run(0, 6, 1)]]
    entries = [
        Calls("alltoall", 0, 10**6, 0, 2, "blocking"),
        Calls("bcast", 0, 8, 0, 7, "blocking"),
        Calls("alltoall", 1, 100, 0, 5, "blocking"),
    ]
    found, _, left_out = estimates.pairs("", runs, entries, ONE_NODE)
    assert left_out == 5 and sum(each.messages for each in found) == 2 * 12 + 7 * 3


def with_collectives(file: Path, entries: list[list[Any]], runs: list[list[list[int]]]) -> Path:
    more = {"toccata_traffic": 2, "mpi": MPICH, "communicators": runs, "collectives": entries,
            "left_out": 3}  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | more))
    return file


def test_files_contain_both(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", ring(4, 10), "node:2 core:2")
    old = recorded.read(file)
    assert not old.has_collectives and {each.kind for each in old.pairs} == {"point-to-point"}
    entries = [["bcast", 0, 10, 0, 5, "blocking"]]
    record = recorded.read(with_collectives(file, entries, [[[3, 4, -1]]]))
    found = record.traffic(record.placed(file))
    assert record.has_collectives and found.left_out == 3
    assert (found.messages, found.bytes) == (4 + 3 * 5, 40 + 3 * 50)
    assert dict(found.flows.row(3)) == {0: 10, 1: 50, 2: 50}


def test_command_lines(toccata: Toccata, tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", ring(8, 1), "node:4 core:2", "cyclic")
    said = toccata("traffic", str(file))
    assert "this file has no collectives" in said.stdout
    # Pairs of consecutive ranks, which run on different nodes.
    entries = [["alltoall", each, 1000, 0, 9000, "blocking"] for each in range(4)]
    with_collectives(file, entries, [[[2 * each, 2, 1]] for each in range(4)])
    said = toccata("traffic", str(file))
    assert said.returncode == 0, said.stderr
    assert "lacks" not in said.stdout
    assert re.search(r"collective \(estimated\) +72,000 +68\.7 MiB +100\.0%", said.stdout)
    assert "without 3 collective calls above the limit" in said.stdout
    said = toccata("place", str(file), "--no-scotch", "--seconds", "0.1")
    assert said.returncode == 0 and "Map the ranks: this saves" in said.stdout, said.stdout
