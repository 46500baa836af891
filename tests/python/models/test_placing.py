"""`toccata place`: mappings of recorded programs, their quality, and what is proposed."""

import json
import math
import random
from pathlib import Path

import pytest

from conftest import ROOT, Toccata
from recorded_programs import Pairs, ring, stencil, write
from toccata import _core
from toccata.models import placing, predicting
from toccata.models import traffic as recorded

MODEL = predicting.read_model("usual")
HOSTS = predicting.read_model(str(ROOT / "bench/cluster/hosts.json"))
PROGRAMS = {
    "ring": ring(64, 65536),
    "2-D": stencil((8, 8), 65536),
    "2-D with corners": stencil((16, 4), 65536, corners=True),
    "3-D": stencil((4, 4, 4), 65536),
    "3-D with corners": stencil((4, 4, 4), 65536, corners=True),
}
MACHINES = ("node:4 socket:2 core:8", "leaf:2 node:4 core:8", "torus:4x4x2 core:2")


def distances(shape: _core.Shape) -> list[list[float]]:
    """Between the cores of two ranks."""
    p = shape.p
    one = _core.Flows([[(1, 1.0)], *([] for _ in range(p - 1))])
    return [
        [
            _core.hop_bytes(shape, one, [a, b, *(i for i in range(p) if i not in (a, b))])
            if a != b else 0.0
            for b in range(p)
        ]
        for a in range(p)
    ]  # fmt: skip


def annealed(shape: _core.Shape, pairs: Pairs, steps: int) -> float:
    """The hop-bytes after a simulated annealing by exchanges of two ranks."""
    far, chance, players = distances(shape), random.Random(1), list(range(shape.p))
    peers: list[dict[int, float]] = [{} for _ in players]
    for a, b, _, _, size in pairs:
        for one, other in ((a, b), (b, a)):
            peers[one][other] = peers[one].get(other, 0.0) + size

    def cost(rank: int, core: int, without: int) -> float:
        return sum(size * far[core][players[peer]]
                   for peer, size in peers[rank].items() if peer != without)  # fmt: skip

    hot = max(max(each.values(), default=0.0) for each in peers)
    for step in range(steps):
        a, b = chance.sample(range(shape.p), 2)
        before = cost(a, players[a], b) + cost(b, players[b], a)
        more = cost(a, players[b], b) + cost(b, players[a], a) - before
        if more <= 0 or chance.random() < math.exp(-more / (hot * (1 - step / steps) ** 2 + 1)):
            players[a], players[b] = players[b], players[a]
    return float(sum(size * far[players[a]][players[b]] for a, b, _, _, size in pairs))


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_quality(program: str, machine: str, tmp_path: Path) -> None:
    """As good as Scotch and an annealing."""
    file = write(tmp_path / "a.json", PROGRAMS[program], machine, "random:1")
    found = recorded.read(file)
    placed = found.placed(file)
    proposal = placing.propose(found, placed, MODEL, 1.0)
    assert sorted(proposal.mapped.players) == list(range(64))
    others = [annealed(_core.Shape(placed), PROGRAMS[program], 30_000)]
    if proposal.scotch is not None:
        others.append(proposal.scotch.hop_bytes)
    assert proposal.mapped.hop_bytes <= 1.03 * min(others)


# Tori on themselves, where one link per neighbour is possible, and the largest permitted multiple.
ON_THEMSELVES = {(3, 3): 1.0, (4, 4): 1.0, (6, 6): 1.2, (8, 8): 1.3, (4, 4, 4): 1.2}


@pytest.mark.parametrize("dims", ON_THEMSELVES)
def test_the_optimum_of_tori_is_known(dims: tuple[int, ...], tmp_path: Path) -> None:
    """Scotch misses it on some of them (3 x 3, 8 x 8)."""
    torus = f"torus:{'x'.join(map(str, dims))}"
    program = stencil(dims, 65536)
    found = recorded.read(write(tmp_path / "a.json", program, torus, "random:1"))
    proposal = placing.propose(found, found.placed(tmp_path / "a.json"), MODEL, 2.0)
    least = float(sum(size for *_, size in program))
    assert proposal.least == least
    assert proposal.mapped.hop_bytes <= ON_THEMSELVES[dims] * least
    if proposal.scotch is not None:
        assert proposal.scotch.hop_bytes >= least
    assert proposal.beside_bound.startswith("Lower bound: ")
    found = recorded.read(write(tmp_path / "b.json", program, torus, "sequential"))
    kept = placing.propose(found, found.placed(tmp_path / "b.json"), MODEL)
    assert kept.mapped.hop_bytes == kept.least


def test_proposes_nothing_without_a_gain(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", ring(16, 65536), "node:4 core:4")
    found = recorded.read(file)
    proposal = placing.propose(found, found.placed(file), MODEL, 1.0, scotch=False)
    assert not proposal.pays and proposal.scotch is None
    assert proposal.sentence == (
        "Leave the ranks where they are: the best mapping found saves 0% of the predicted "
        "communication time, less than 5%."
    )


MIXED = "node:1,1,3,2,1,3,0,2,0,3,0,2,2,0,3,1"  # of 16 ranks


def collectives(
    file: Path, mpi: str, machine: str, rule: str, calls: list[list[object]], pairs: Pairs
) -> tuple[recorded.Record, _core.Placement]:
    """A record of all ranks' collectives, and its placement."""
    found = json.loads(write(file, pairs, machine, rule).read_text())
    more = {"toccata_traffic": 2, "mpi": mpi, "communicators": [[[0, found["ranks"], 1]]]}
    file.write_text(json.dumps(found | more | {"collectives": calls}))
    record = recorded.read(file)
    return record, record.placed(file)


@pytest.mark.parametrize(
    ("mpi", "rule", "gain"),
    [
        ("Open MPI v4.1.4, package: Debian OpenMPI", "sequential", 0.30),
        ("Open MPI v4.1.4, package: Debian OpenMPI", "cyclic", 0.0),
        ("Open MPI v4.1.4, package: Debian OpenMPI", MIXED, 0.56),
        ("Open MPI v5.0.11, package: Open MPI", "sequential", 0.0),
        ("Open MPI v5.0.11, package: Open MPI", "cyclic", 0.0),
        ("Open MPI v5.0.11, package: Open MPI", MIXED, 0.0),
    ],
)
def test_n_body_gains_only_if_its_allgather_ignores_the_nodes(
    tmp_path: Path, mpi: str, rule: str, gain: float
) -> None:
    """Measured on four hosts: 35, 0 and 46% of the program's time under 4.1; 1, 0 and 2% under 5.0
    (docs/placing.md)."""
    calls: list[list[object]] = [["allgather", 0, 1536, 0, 300, "blocking"]]
    record, placed = collectives(tmp_path / "a.json", mpi, "node:4 core:4", rule, calls, [])
    proposal = placing.propose(record, placed, HOSTS, 1.0, scotch=False)
    assert max(proposal.gain, 0) == pytest.approx(gain, abs=0.005)
    assert proposal.pays == (gain > 0)


@pytest.mark.parametrize(("mpi", "gain"), [("Open MPI v4.1.4", 0.42), ("Open MPI v5.0.11", 0.01)])
def test_all_ranks_wait_for_sums(tmp_path: Path, mpi: str, gain: float) -> None:
    """A mesh: 300 halos, whose messages overlap, and 600 sums. Measured on four hosts: 38 and 6% of
    the program's time, because only Open MPI 4.1's sums depend on the placement."""
    pairs = [[a, (a + step) % 16, "point-to-point", 300, 300_000]
             for a in range(16) for step in (1, 2, 14, 15)]  # fmt: skip
    calls: list[list[object]] = [["allreduce", 0, 8, 0, 600, "blocking"]]
    record, placed = collectives(tmp_path / "a.json", mpi, "node:4 core:4", MIXED, calls, pairs)
    proposal = placing.propose(record, placed, HOSTS, 1.0, scotch=False)
    assert max(proposal.gain, 0) == pytest.approx(gain, abs=0.03)


def test_messages_that_follow_the_nodes_do_not_hide_the_others(tmp_path: Path) -> None:
    """The broadcasts of `han` go along with any mapping, so the ring of small blocks decides."""
    calls: list[list[object]] = [["bcast", 0, 2**20, 0, 5, "blocking"]]
    record, placed = collectives(
        tmp_path / "a.json", "Open MPI v5.0.11", "node:4 core:4", "cyclic", calls, ring(16, 2**22)
    )
    proposal = placing.propose(record, placed, HOSTS, 1.0, scotch=False)
    between_nodes = [each.crossings[0][1] for each in (proposal.placed, proposal.mapped)]
    assert between_nodes == [16 * 2**22 + 15 * 2**20, 4 * 2**22 + 15 * 2**20]
    assert proposal.pays and proposal.least is None


def test_no_traffic_is_no_reason_to_move(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", [], "node:4 core:4")
    found = recorded.read(file)
    assert not placing.propose(found, found.placed(file), MODEL).pays


def test_command_line(toccata: Toccata, tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", ring(16, 65536), "node:4 core:4", "cyclic")
    ranks = tmp_path / "ranks.txt"
    said = toccata("place", str(file), "--rankfile", str(ranks), "--launcher", "cray")
    assert said.returncode == 0, said.stderr
    assert "Map the ranks: this saves" in said.stdout
    assert "256 KiB instead of 1 MiB across nodes" in said.stdout
    assert "MPICH_RANK_REORDER_METHOD=3" in said.stdout
    on_nodes = [[int(each) for each in line.split(",")] for line in ranks.read_text().splitlines()]
    assert sorted(rank for each in on_nodes for rank in each) == list(range(16))
    for each in on_nodes:  # neighbours of the ring
        assert sum((rank + 1) % 16 in each for rank in each) == 3

    in_order = toccata("place", str(file), "--machine", "node:4 core:4", "--rankfile", "no.txt")
    assert "Leave the ranks where they are" in in_order.stdout
    assert not (tmp_path / "no.txt").exists()


def test_wrong_input_is_one_line(toccata: Toccata, tmp_path: Path) -> None:
    file = str(write(tmp_path / "a.json", ring(8, 10), "node:4 core:2", "cyclic"))
    (tmp_path / "b.json").write_text(json.dumps({"version": 1}))
    for arguments, complaint in {
        ("missing.json",): "cannot be read",
        ("b.json",): "is not a record of traffic; `toccata run --record",
        (file, "--rankfile", file): "is also the input; name another file",
        (file, "--placement", "cyclic"): "has no effect without --machine",
        (file, "--machine", "node:2 core:2"): "8",
        (file, "--launcher", "lsf", "--rankfile", "r"): "openmpi, openmpi-hosts, slurm, mpich",
        (file, "--launcher", "slurm", "--rankfile", "r"): "needs names of hosts",
    }.items():
        said = toccata("place", *arguments)
        assert said.returncode == 2 and complaint in said.stderr, said.stderr
        assert len(said.stderr.splitlines()) == 1
