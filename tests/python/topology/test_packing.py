"""Packed trees, compared with linear programs solved by HiGHS; and their files."""

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from running import invoke
from toccata import _core
from toccata.algorithms import bounds
from toccata.algorithms.catalogue import find
from toccata.errors import InputError
from toccata.simulating import platforms
from toccata.topology import network_bounds, networks, packing

Links = list[tuple[int, int, int]]


def random_graph(seed: int) -> tuple[int, Links]:
    """Random networks; some of them are disconnected."""
    draw = random.Random(seed)
    nodes = draw.randint(2, 7)
    links = [
        (a, b, draw.randint(1, 4))
        for a in range(nodes)
        for b in range(nodes)
        if a != b and draw.random() < 0.5
    ]
    return nodes, links


def by_program(nodes: int, links: Links, share: np.ndarray | None) -> float:
    """The maximum number of trees, as a fraction: the largest K for which K can flow to every node.
    The roots supply K in total, in these shares (None: any shares).
    """
    many = len(links)
    free = share is None
    supplies = nodes if free else 0
    # Variables: the flows to each node over links, then from supplies to nodes, then the supplies,
    # and K.
    a_flow = many + nodes
    size = nodes * a_flow + supplies + 1
    equal, values, upper, limits = [], [], [], []
    for sink in range(nodes):
        first = sink * a_flow
        for node in range(nodes):
            row = np.zeros(size)
            for i, (a, b, _) in enumerate(links):
                row[first + i] += (b == node) - (a == node)
            row[first + many + node] = 1
            if node == sink:
                row[-1] = -1
            equal.append(row)
            values.append(0.0)
            row = np.zeros(size)
            row[first + many + node] = 1
            row[nodes * a_flow + node if free else -1] = -1 if share is None else -share[node]
            upper.append(row)
            limits.append(0.0)
        for i, (_, _, capacity) in enumerate(links):
            row = np.zeros(size)
            row[first + i] = 1
            upper.append(row)
            limits.append(capacity)
    if free:
        row = np.zeros(size)
        row[nodes * a_flow : nodes * a_flow + nodes] = 1
        row[-1] = -1
        equal.append(row)
        values.append(0.0)
    cost = np.zeros(size)
    cost[-1] = -1
    found = linprog(cost, A_ub=np.array(upper), b_ub=limits, A_eq=np.array(equal), b_eq=values)
    assert found.status == 0
    return -float(found.fun)


def test_packings_match_a_linear_program() -> None:
    disconnected = 0
    for seed in range(200):
        nodes, links = random_graph(seed)
        core = _core.Network(nodes, nodes, links)
        root = seed % nodes
        best = by_program(nodes, links, np.eye(nodes)[root])
        if best < 1e-9:
            disconnected += 1
            with pytest.raises(ValueError, match="disconnected") as caught:
                core.broadcast_cut([1] * nodes, root)
            assert "\n" not in str(caught.value)
            with pytest.raises(ValueError, match="disconnected") as caught:
                _core.pack_trees(core, [int(i == root) for i in range(nodes)])
            assert "\n" not in str(caught.value)
            continue
        count = core.broadcast_cut([1] * nodes, root).capacity
        assert count == pytest.approx(best)
        roots = [count if i == root else 0 for i in range(nodes)]
        trees = _core.pack_trees(core, roots)
        assert _core.why_wrong(core, roots, trees) == ""
        roots[root] += 1
        with pytest.raises(ValueError, match="must leave nodes"):
            _core.pack_trees(core, roots)
    assert 20 < disconnected < 100


def test_packings_from_all_nodes_match_a_linear_program() -> None:
    checked = 0
    for seed in range(0, 200, 4):
        nodes, links = random_graph(seed)
        core = _core.Network(nodes, nodes, links)
        evenly = by_program(nodes, links, np.ones(nodes) / nodes)
        if evenly > 1e-9:
            cut = core.allgather_cut([1] * nodes)
            assert nodes / cut.ratio == pytest.approx(evenly)
            wide = _core.Network(nodes, nodes, [(a, b, c * cut.demand) for a, b, c in links])
            roots = [cut.capacity] * nodes
            assert _core.why_wrong(wide, roots, _core.pack_trees(wide, roots)) == ""
            checked += 1
        best = by_program(nodes, links, None)
        count = 0
        while _core.balanced_roots(core, count + 1) is not None:
            count += 1
        assert count == int(best + 1e-6)
        if count > 0:
            balanced = _core.balanced_roots(core, count)
            assert balanced is not None
            assert _core.why_wrong(core, balanced, _core.pack_trees(core, balanced)) == ""
    assert checked > 10


@pytest.mark.parametrize(
    ("text", "links"),
    [("torus:5x3x2", ""), ("torus:16x4", ""), ("torus:16x4", "0.0-0.1=0"),
     ("torus:5x3x2", "0.0.0-1.0.0=0"), ("torus:4x4", "1.1-1.2=1/2"), ("fattree64", ""),
     ("leaf:2 node:4", "leaf=1/8")],
)  # fmt: skip
def test_trees_come_close_to_the_bound(text: str, links: str) -> None:
    network = platforms.network(text, links)
    weights = [1] * network.nodes
    for each in packing.pack(network, [1]):
        n = network.nodes if each.collective == "allgather" else 1
        bound = network_bounds.find(network, weights, each.collective, 1, n, False).free
        loose = {("leaf:2 node:4", "allgather"): 1.76, ("leaf:2 node:4", "allreduce"): 2.3}
        most = loose.get((text, each.collective), 1.05)
        assert 1 - 1e-9 <= each.busiest(network) / bound <= most, each.collective
        assert each.seconds < 20  # usually below 1


@pytest.mark.parametrize(
    "links", ["0.0.0-1.0.0=0", "1.2.3-1.2.2=1/2", "0.0.0-1.0.0=0,0.0.0-0.1.0=0,3.3.3-3.3.2=0"]
)
def test_large_tori_with_changed_links_have_trees_for_allgathers(links: str) -> None:
    network = networks.of("torus:8x8x4", links)
    [*_, allgather] = packing.pack(network, [0])
    assert allgather.collective == "allgather"
    roots = [allgather.pieces] * network.nodes
    wide = _core.Network(network.nodes, network.nodes, [(a, b, 10**6) for a, b in network.links])
    assert _core.why_wrong(wide, roots, allgather.trees) == ""
    into = [Fraction(0)] * network.nodes
    for (_, to), capacity in network.links.items():
        into[to] += capacity
    # Every node receives the blocks of all others.
    assert 1 <= allgather.busiest(network) / float((network.nodes - 1) / min(into)) <= 1.02
    assert allgather.depth <= 30  # without changes: 7 + 7 + 3
    assert allgather.seconds < 20  # usually below 1


def test_whole_tori_need_no_trees_for_allgathers() -> None:
    packed = packing.pack(networks.of("torus:8x8x4", ""), [0])
    assert [each.collective for each in packed] == ["bcast", "allreduce"]


@pytest.mark.parametrize(
    ("machine", "links", "algorithm", "most"),
    [("torus:8x8x8", "", "torus_multiport", 1.001),
     ("torus:8x8x8", "0.0.0-1.0.0=0", "torus_multiport", 1.05),
     ("leaf:18 node:30 core:1", "leaf=1/5", "ring", 1.001),
     ("group:8 router:8 node:4 core:1", "group=1/4", "ring", 1.001)],
)  # fmt: skip
def test_without_trees_other_algorithms_come_close_to_the_bound(
    machine: str, links: str, algorithm: str, most: float
) -> None:
    """On the machines without changed links, the command packs no trees for allgathers."""
    on = bounds.On(networks.of(machine, links), None)
    assert on.network.nodes > packing.MOST_OF_ALL
    for collective in ("allgather", "reduce_scatter"):
        n = 8.0 * on.network.nodes
        ratio = on.busiest(find(f"{collective}/{algorithm}"), n) / on.bound(collective, n).free
        assert 1 - 1e-9 <= ratio <= most


def test_behind_switches_two_binary_trees_replace_a_chain() -> None:
    for machine, links, root in ("gpc", "", 100), ("fattree64", "", 0), ("dragonfly", "", 255):
        network = platforms.network(machine, links)
        bcast, allreduce = packing.pack(network, [root], of_all=False)
        assert bcast.depth == allreduce.depth == 1 + (network.nodes - 1).bit_length() - 1
        assert [parents.index(-1) for _, parents in bcast.trees] == [root, root]
        assert bcast.busiest(network) == pytest.approx(1)
    # Here a leaf switch's uplink has room for one edge only.
    narrow = networks.of("leaf:2 node:4", "leaf=1/8")
    assert all(each.depth == 7 for each in packing.pack(narrow, [0]))


def test_nodes_with_slow_links_forward_nothing() -> None:
    network = platforms.network("leaf:2 node:4", "node2=1/4")
    *rooted, allgather = packing.pack(network, [0, 2])
    for each in rooted:
        for _, parents in each.trees:
            assert 2 not in parents or each.root == 2
            assert parents.count(-1) == 1
        assert each.busiest(network) == pytest.approx(4)
    for root, (_, parents) in enumerate(allgather.trees):
        assert parents.index(-1) == root
        assert parents.count(2) == (root == 2)
    assert allgather.busiest(network) == pytest.approx(7 * 4)


@pytest.mark.parametrize(
    ("machine", "links"),
    [("node:4", "node2=1/2"), ("node:4", "node2=1/10"), ("node:2", "node1=1/2"),
     ("fattree64", "node5=1/2"), ("fattree64", "node5=3/4"), ("fattree64", "node0=9/10"),
     ("fattree64", "node5=1/10"), ("fattree64", "node5=1/2, node77=1/10"),
     ("dragonfly", "node5=1/2"), ("dragonfly", "node255=1/10"), ("torus:8x8x8", "3.4.5=1/2"),
     ("torus:8x8x8", "3.4.5=1/10"), ("torus:8x8x8", "3.4.5-3.4.6=0")],
)  # fmt: skip
def test_allreduces_come_close_to_the_bound_of_slow_nodes(machine: str, links: str) -> None:
    network = platforms.network(machine, links)
    [allreduce] = packing.pack(network, [], of_all=False)
    bound = network_bounds.find(network, [1] * network.nodes, "allreduce", 0, 1.0, False).free
    assert 1 - 1e-9 <= allreduce.busiest(network) / bound <= 1.03
    assert allreduce.depth <= 18
    for weight, parents in allreduce.trees:
        assert weight > 0
        assert parents.count(-1) == 1


def test_a_node_that_is_a_little_slow_forwards_a_part() -> None:
    [allreduce] = packing.pack(networks.of("node:4", "node2=3/4"), [])[:1]
    # Inner node of one of the first two trees, leaf of the others: 1.5 messages in 2 / 0.75.
    assert [weight for weight, _ in allreduce.trees] == [1, 1, 1, 1]
    assert [2 in parents for _, parents in allreduce.trees] == [True, False, False, False]


@pytest.mark.parametrize(
    ("machine", "links", "complaint"),
    [("node:1 core:2", "", "node:1 core:2: trees need at least two nodes"),
     ("node:4", "node2=0", "no route leads from node 1 to node 2"),
     ("torus:3x3", "1.1=0", "the network is disconnected")],
)  # fmt: skip
def test_networks_without_trees_are_told(machine: str, links: str, complaint: str) -> None:
    for roots in [], [0]:
        with pytest.raises(InputError, match=complaint) as caught:
            packing.pack(networks.of(machine, links), roots)
        assert "\n" not in str(caught.value)


def test_files_serve_the_algorithms(tmp_path: Path) -> None:
    file = tmp_path / "torus.txt"
    done = invoke("topo", "torus:4x4", "--links", "0.0-0.1=0", "--trees", "0,2.1", "--save",
                  str(file))  # fmt: skip
    assert done[0] == 0
    assert "bcast from 2.1" in done[1]
    on = bounds.On(networks.of(str(file), "0.0-0.1=0"), None, root=9)
    assert [weight for weight, _ in _core.trees_of(on.network.machine, "bcast")] == [1] * 6
    for path in ("bcast/forestcoll", "reduce/forestcoll"):
        assert find(path).verify(on.shape) == ""
        assert on.busiest(find(path), 1.0) == pytest.approx(1 / 3)
    assert on.busiest(find("allgather/forestcoll"), 1.0) == pytest.approx(5 / 16)
    assert on.busiest(find("allreduce/forestcoll"), 1.0) <= 1.05 * 30 / 62
    for arguments, complaint in (
        (("topo", "torus:4x4", "--links", "0.0-0.1=0"), "no effect without --trees"),
        (("topo", "torus:4x4", "--trees", "0"), "requires MACHINE and --save FILE"),
        (("topo", "torus:4x4", "--trees", "99", "--save", str(file)), "'99' is not a node"),
    ):
        code, _, said = invoke(*arguments)
        assert code != 0
        assert complaint in said


@pytest.mark.parametrize("machine", ["torus:3x4", "torus:5", "leaf:2 node:3", "torus:3x3x3"])
def test_trees_are_drawn(machine: str, tmp_path: Path) -> None:
    picture = tmp_path / "trees.svg"
    done = invoke("topo", machine, "--trees", "0", "--save", str(tmp_path / "m.txt"), "-o",
                  str(picture))  # fmt: skip
    assert done[0] == 0
    nodes = networks.of(machine).nodes
    text = picture.read_text()
    assert text.count("<path") > 3 * (nodes - 1)  # one tree in each of three panels
