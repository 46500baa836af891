"""The library under SimGrid: every algorithm with real data, at 2 to 64 ranks."""

import json
import subprocess
from pathlib import Path

import pytest

from toccata import _core
from toccata.algorithms import catalogue, outside
from toccata.errors import Failure
from toccata.launching import launcher
from toccata.simulating import model_beside, platforms, searching, simulation
from toccata.topology import machines, network_bounds, packing

LIMIT = 120  # seconds per run
COLLECTIVES = [each.name for each in _core.collectives()]
# Powers of two and other numbers; one node and several; full nodes and others.
RANKS = {2: "node:2", 3: "node:2 core:2", 5: "torus:2x2x2", 8: "torus:2x2x2",
         13: "leaf:2 node:2 core:4", 32: "node:4 socket:2 core:4",
         64: "leaf:2 node:4 socket:2 core:4"}  # fmt: skip
SIZES = "1,4096"  # with uneven blocks, only some messages wait for their receivers
SIZES_OF_MANY = "1,200"  # SimGrid takes a minute for 4096 messages of 4 KiB at a time
LARGE = "70000"  # bytes: above the limits of eager messages and of packing


def run(
    directory: Path, p: int, machine: str, placement: str, collective: str, *arguments: str,
    repetitions: int = 1,
) -> list[dict]:  # fmt: skip
    """The output of the benchmark program, which must succeed."""
    platform = platforms.find(machine)
    words, environment = simulation.command(
        platform, p, placement, directory,
        ["--collective", collective, *arguments,
         "--warmup", "0", "--repetitions", str(repetitions)],
        simulation.options_of(collective),
    )  # fmt: skip
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:] + done.stdout[-2000:]
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert events[-1]["event"] == "done"
    return events


@pytest.mark.parametrize("collective", COLLECTIVES)
@pytest.mark.parametrize("p", RANKS)
def test_every_algorithm_gives_the_right_data(tmp_path: Path, collective: str, p: int) -> None:
    known = [each.name for each in catalogue.of_collective(collective)]
    events = run(
        tmp_path, p, RANKS[p], "cyclic" if p % 2 else "sequential",
        collective, "--algorithms", ";".join(["native", *known]),
        "--sizes", SIZES if p < 64 else SIZES_OF_MANY,
    )  # fmt: skip
    results = [each for each in events if each["event"] == "result"]
    impossible = {each["algorithm"] for each in events if each["event"] == "impossible"}
    assert ("native" in impossible) == collective.startswith("neighbor")
    assert {each["algorithm"] for each in results} == {"native", *known} - impossible
    assert all(each["valid"] for each in results)
    assert all(each["max"] > 0 for each in results)


def test_whether_an_algorithm_can_run_is_asked_where_the_ranks_are(tmp_path: Path) -> None:
    """On four nodes of three, the number of nodes is a power of two; that of ranks is not."""
    name = "multi_lane:exchange=recursive_doubling"
    for machine, possible in (("node:4 core:3", True), ("node:3 core:4", False)):
        events = run(
            tmp_path, 12, machine, "sequential",
            "allgather", "--algorithms", name, "--sizes", "8",
        )  # fmt: skip
        assert any(each["event"] == "result" for each in events) == possible
        assert any(each["event"] == "impossible" for each in events) != possible


@pytest.mark.parametrize("collective", COLLECTIVES)
def test_large_messages_arrive_whole(tmp_path: Path, collective: str) -> None:
    known = [each.name for each in catalogue.of_collective(collective)]
    # On a torus of 3 x 2, a rank has two edges to one peer: see docs/simulation.md.
    p, machine = (9, "node:3 core:3") if collective.startswith("neighbor") else (6, "node:3 core:2")
    run(
        tmp_path, p, machine, "sequential",
        collective, "--algorithms", ";".join(known), "--sizes", LARGE,
    )  # fmt: skip


def times(directory: Path, *arguments: str, repetitions: int = 1) -> dict[str, float]:
    events = run(directory, 24, "node:3 core:8", "sequential", *arguments,
                 repetitions=repetitions)  # fmt: skip
    return {each["algorithm"]: each["max"] for each in events if each["event"] == "result"}


@pytest.mark.parametrize(
    ("collective", "algorithms"),
    [
        ("allgather", "ring;sparbit;bruck;hierarchical"),
        ("bcast", "binomial;scatter_allgather;pipeline:segments=4"),
    ],
)
def test_times_are_the_same_in_every_run_and_without_data(
    tmp_path: Path, collective: str, algorithms: str
) -> None:
    arguments = [collective, "--algorithms", algorithms, "--sizes", "100000"]
    first = times(tmp_path, *arguments)
    assert times(tmp_path, *arguments) == first
    assert times(tmp_path, *arguments, "--no-validate") == pytest.approx(first, rel=1e-6)


@pytest.mark.parametrize("collective", ["allgather", "neighbor_allgather", "reduce_scatter"])
def test_a_first_call_that_is_timed_takes_no_longer_than_the_next(
    tmp_path: Path, collective: str
) -> None:
    known = ";".join(each.name for each in catalogue.of_collective(collective))
    arguments = [collective, "--algorithms", known, "--sizes", "4096"]
    both = times(tmp_path, *arguments, repetitions=2)
    assert times(tmp_path, *arguments) == pytest.approx(both, rel=1e-6)


def test_a_message_takes_what_the_model_says(tmp_path: Path) -> None:
    """Two ranks on two nodes send to each other: α + nβ, and o at either end."""
    model = json.loads((platforms.directory() / "yahoo.json").read_text())
    network = model["levels"][0]["eager"]
    cell = simulation.Cell("allgather", "ring", 2, 1000, "cyclic")
    platform = platforms.find("yahoo")
    words, environment = simulation.command(
        platform, 2, cell.placement, tmp_path,
        ["--collective", "allgather", "--algorithms", "ring", "--sizes", "1000",
         "--repetitions", "1", "--warmup", "0"],
    )  # fmt: skip
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    event = next(json.loads(line) for line in done.stdout.splitlines() if '"result"' in line)
    envelope = 16  # bytes that SMPI adds
    expected = network["alpha"] + (1000 + envelope) * network["beta"] + 2 * network["o"]
    assert event["max"] == pytest.approx(expected, rel=0.01)


def test_pieces_of_a_chain_go_one_behind_the_other() -> None:
    platform = platforms.find("yahoo")
    cell = simulation.Cell(
        "bcast", "hierarchical:between=pipeline,segments=64", 24, 1 << 20, "cyclic"
    )
    outcomes = simulation.run(platform, [cell])
    predicted = model_beside.predictions(platform, outcomes)[cell]
    assert outcomes[cell].seconds == pytest.approx(predicted, rel=0.2)


def test_a_deadlock_of_the_simulator_is_told_from_ours() -> None:
    """With uneven blocks, only some messages wait for their receivers; all must work."""
    algorithm = "direct:travel=per_block"
    cell = simulation.Cell("neighbor_alltoallv", algorithm, 8, 1 << 17, "cyclic")
    assert simulation.run(platforms.find("yahoo"), [cell])[cell].why_not == simulation.LOST_COUNT


def test_the_model_is_near_the_simulation() -> None:
    platform = platforms.find("yahoo")
    wanted = [
        simulation.Cell("alltoall", each.name, 16, size, "sequential")
        for each in catalogue.of_collective("alltoall")
        for size in (64, 16384)
    ]
    outcomes = simulation.run(platform, wanted)
    found = model_beside.scored(platform, outcomes, model_beside.predictions(platform, outcomes))
    assert found.error < 0.1
    assert found.in_order >= 0.9 * found.pairs > 0
    assert found.regret < 1.05


@pytest.mark.parametrize(
    ("machine", "links", "collective", "algorithm"),
    [("torus:5x3x2", "", "bcast", "forestcoll:segments=256"),
     ("torus:5x3x2", "", "allgather", "forestcoll:segments=64"),
     ("torus:16x4", "", "reduce_scatter", "forestcoll:segments=128"),
     ("leaf:8 node:16", "", "allreduce", "forestcoll:segments=256"),
     ("torus:5x3x2", "0.0.0-1.0.0=0", "allreduce", "forestcoll:segments=256"),
     ("torus:5x3x2", "0.0.0-1.0.0=0", "allgather", "forestcoll:segments=64"),
     ("torus:16x4", "0.0-0.1=0", "bcast", "forestcoll:segments=256"),
     ("torus:8x8x4", "0.0.0-1.0.0=0", "allgather", "forestcoll:segments=16"),
     ("torus:8x8x8", "", "allgather", "torus_multiport"),
     ("group:8 router:8 node:4", "", "reduce_scatter", "ring")],
)  # fmt: skip
def test_long_messages_come_close_to_the_bound(
    tmp_path: Path, machine: str, links: str, collective: str, algorithm: str
) -> None:
    """1 GiB in total; on a torus, with links of a node that do not delay each other."""
    network = platforms.network(machine, links)
    trees = tmp_path / "trees.txt"
    packed = packing.pack(network, [0]) if "forestcoll" in algorithm else []
    trees.write_text(packing.with_trees(network, packed).saved)
    models = {"leaf:8 node:16": "fattree64", "group:8 router:8 node:4": "dragonfly"}
    fields = json.loads(platforms.find(models.get(machine, machine)).text)
    for protocol in ("eager", "rendezvous"):
        if "torus" in machine:
            fields["levels"][0][protocol]["tau"] = 0
    file = tmp_path / "platform.json"
    file.write_text(json.dumps(fields | {"machine": str(trees)}))
    total, p = 1 << 30, network.nodes
    per_rank = collective in ("allgather", "reduce_scatter")
    size = total // p // 8 * 8 if per_rank else total
    bound = network_bounds.find(
        network, [1] * p, collective, 0, float(size * p if per_rank else size), False
    ).free
    beta = min(each["beta"] for each in fields["levels"][0].values() if isinstance(each, dict))
    cell = simulation.Cell(collective, algorithm, p, size, "sequential")
    platform = platforms.find(str(file)).with_links(links)
    seconds = simulation.run(platform, [cell])[cell].seconds
    assert 1 <= seconds / (bound * beta) <= 1.15


@pytest.mark.parametrize("collective", ["allreduce", "bcast", "reduce"])
def test_4_gib_take_4_times_as_long_as_1_gib(collective: str) -> None:
    platform = platforms.find("torus:2x2x2")
    one, four = (
        simulation.Cell(collective, "torus_trees:segments=16", 8, size, "sequential")
        for size in (1 << 30, 1 << 32)
    )
    outcomes = simulation.run(platform, [one, four])
    assert outcomes[four].seconds == pytest.approx(4 * outcomes[one].seconds, rel=1e-2)


@pytest.mark.parametrize(
    ("machine", "unchanged", "slower", "collective", "algorithm"),
    [("torus:5x3x2", "0.0.0-1.0.0=1", "0.0.0-1.0.0=0", "bcast", "torus_trees"),
     ("torus:4x4", "1.1=1", "0.0-0.1=1/4", "bcast", "torus_trees"),
     ("leaf:2 node:4 core:2", "leaf0=1", "leaf=1/4", "alltoall", "pairwise")],
)  # fmt: skip
def test_links_one_by_one_are_as_fast_as_a_torus_or_a_tree(
    machine: str, unchanged: str, slower: str, collective: str, algorithm: str
) -> None:
    platform = platforms.find(machine)
    if "torus" in machine:  # with a model in which the links of a node delay each other little
        platform = platforms.find("bluegene").on(machine)
    p = machines.cores(_core.Machine(machine))
    cell = simulation.Cell(collective, algorithm, p, 1 << 16, "sequential")
    own, same, slow = (
        simulation.run(each, [cell])[cell].seconds
        for each in (platform, platform.with_links(unchanged), platform.with_links(slower))
    )
    assert own == pytest.approx(same, rel=1e-9)
    assert slow > 1.05 * own


def test_a_mesh_has_no_links_around() -> None:
    cell = simulation.Cell("alltoall", "linear", 6, 1 << 16, "sequential")
    ring, line = (
        simulation.run(platforms.find(each), [cell])[cell].seconds for each in ("torus:6", "mesh:6")
    )
    assert line > ring
    with pytest.raises(Failure, match="no links lead from node 0 to node 1"):
        simulation.run(platforms.find("mesh:6").with_links("0-1=0"), [cell])


def test_sparse_exchanges(tmp_path: Path) -> None:
    """The program checks its data. On 4 nodes, counts to all ranks take as long as a barrier."""
    words, environment = simulation.command(
        platforms.find("gpc"), 32, "sequential", tmp_path, ["1", "1024"], simulation.POLLING,
        launcher.benchmark(simulation.FAMILY, "sparse"),
    )  # fmt: skip
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = [list(map(float, line.split())) for line in done.stdout.splitlines()[1:]]
    assert [row[:2] for row in rows] == [[k, n] for k in (1, 3, 8) for n in (8, 1024)]
    for _, _, native, nbx, by_node in rows:
        assert nbx == pytest.approx(native, rel=0.1)
        assert nbx < by_node < 1.5 * nbx


def test_a_search_finds_what_is_as_quick_as_the_librarys_best(tmp_path: Path) -> None:
    """On a torus, with packed trees; and with narrow links of leaf switches."""
    for machine, collective in (("torus:3x2x2", "allgather"), ("leaf:2 node:4", "allreduce")):
        there = platforms.find(machine)
        p = searching.nodes_of(there)
        task = searching.Task(collective, there, p, "sequential", 1 << 16, 6, 1)
        found = searching.run(task, lambda what, effort: None)
        assert found.best_of_ours is not None
        assert found.bound <= found.best.simulated <= found.best_of_ours.simulated
        if machine.startswith("torus"):
            assert any(each.candidate.label.endswith("packed trees") for each in found.simulated)
        best = found.best.candidate
        outside.as_checked_file(best.choice, [best.shape], tmp_path / "best.json")
        assert catalogue.find(str(tmp_path / "best.json")).verify(best.shape) == ""
