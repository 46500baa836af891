"""Lower bounds of ranks on a network, and the load that algorithms reach."""

import pytest

from running import invoke
from toccata import _core
from toccata.algorithms import bounds
from toccata.algorithms.catalogue import find
from toccata.topology import network_bounds, networks


def test_what_algorithms_put_on_links() -> None:
    tree = bounds.On(networks.of("leaf:2 node:4 core:2", "leaf=1/2"), None)
    assert tree.weights == [2] * 8
    # A chain through all ranks crosses every cable once in each direction.
    assert tree.busiest(find("bcast/pipeline"), 1.0) == pytest.approx(1)
    assert tree.bound("bcast", 1.0).free == pytest.approx(1)
    # Each node has two of 16 ranks, and therefore sends 2 * 14 of 256 blocks.
    assert tree.bound("alltoall", 1.0).free == pytest.approx(8 * 8 / 2 / 256)
    assert tree.busiest(find("alltoall/linear"), 1.0) == pytest.approx(8 * 8 / 2 / 256)
    dead = bounds.On(networks.of("torus:4x4", "0.0-0.1=0"), None)
    assert dead.busiest(find("allgather/ring"), 1.0) >= dead.bound("allgather", 1.0).free


def test_uneven_nodes_count_their_ranks() -> None:
    on = bounds.On(networks.of("leaf:2 node:2 core:4", "leaf=1/4"), 6)  # ranks on nodes 4, 2, 0, 0
    assert on.weights == [4, 2, 0, 0]
    assert on.bound("allgather", 6.0).free == pytest.approx(4)
    assert on.bound("alltoall", 36.0).free == pytest.approx(8)
    assert on.bound("bcast", 1.0).rounds == 1


def test_bounds_are_reached_by_multiport() -> None:
    on = bounds.On(networks.of("torus:4x4"), None)
    assert on.shape.p == 16
    least = on.bound("allgather", 1 << 20)
    found = _core.link_traffic(find("allgather/torus_multiport"), on.shape, 1 << 20)
    assert least.rounds == 2
    assert found.largest == pytest.approx(least.free)
    assert max(found.conflicts) == 1


def test_command() -> None:
    text = invoke("bounds", "--machine", "torus:8x8x8")[1]
    assert [line.split()[0] for line in text.splitlines()[2:]] == list(network_bounds.COLLECTIVES)
    text = invoke("bounds", "bcast", "--machine", "torus:4x4", "--links", "0.0-0.1=0")[1]
    assert "349525" in text
    text = invoke("bounds", "--machine", "gpc", "--bytes", "1M")[1]
    assert "327.68" in text
