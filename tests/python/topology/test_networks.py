"""Networks with their links, including dead and slow ones, and the lower bounds on them."""

from pathlib import Path

import pytest

from toccata.errors import InputError
from toccata.simulating import platforms
from toccata.topology import network_bounds, networks

DATA = Path(__file__).parents[2] / "data"


def bound(text: str, collective: str, links: str = "", root: int = 0) -> network_bounds.Bound:
    network = platforms.network(text, links)
    return network_bounds.find(network, [1] * network.nodes, collective, root, 1.0)


@pytest.mark.parametrize(
    ("text", "links", "collective", "free"),
    [
        ("torus:8x8x8", "", "bcast", 1 / 6),
        ("torus:4x4", "", "alltoall", 8 / 256),  # k p / 8 blocks, not p / 8
        ("torus:3x5", "", "alltoall", 9 / 225),
        ("torus:5x3x2", "", "allgather", 29 / 30 / 5),
        ("torus:4x4", "0.0-0.1=0", "bcast", 1 / 3),
        ("torus:4x4", "0.0-0.1=0", "allgather", 15 / 16 / 3),
        ("torus:4x4", "0.0-0.1=0", "allreduce", 30 / 62),
        ("torus:4x4", "0.0-0.1=0", "alltoall", 64 / 7 / 256),
        ("torus:4x4", "0.0-0.1=1/2", "bcast", 2 / 7),
        ("leaf:4 node:4", "leaf=1/2", "bcast", 1),
        ("leaf:4 node:4", "leaf=1/8", "bcast", 2),
        ("leaf:4 node:4", "leaf=1/8", "allgather", 12 / 16 * 2),
        ("leaf:4 node:4", "leaf3=1/8", "scatter", 15 / 16),
        ("leaf:4 node:4", "leaf3=1/16", "scatter", 1),
        ("leaf:4 node:4", "leaf=1/2", "alltoall", 4 * 12 / 2 / 256),
        ("leaf:4 node:4", "node1-leaf0=1/4", "bcast", 4),
        ("gpc", "", "alltoall", 30 * 510 / 6 / 540**2),
        # One slow node of 8: it limits all only if its own data take longer than everything.
        ("leaf:1 node:8", "", "allreduce", 14 / 8),
        ("leaf:1 node:8", "node0=3/5", "allreduce", 14 / 7.6),
        ("leaf:1 node:8", "node0=1/2", "allreduce", 2),
        ("leaf:1 node:8", "node0=1/10", "allreduce", 10),
        # Leaves exchange over links of half a node's: 2 (4 - 1) messages over 4 such links.
        ("leaf:4 node:4", "leaf=1/8", "allreduce", 3),
        ("leaf:4 node:4", "leaf=1/2", "allreduce", 30 / 16),
    ],
)
def test_bounds_by_any_routes(text: str, links: str, collective: str, free: float) -> None:
    assert bound(text, collective, links).free == pytest.approx(free)


def test_fixed_routes_give_no_less() -> None:
    for collective in network_bounds.COLLECTIVES:
        for text, links in (("torus:3x4", ""), ("torus:4x4", "0.0-0.1=0"), ("mesh:3x3", "")):
            found = bound(text, collective, links, root=4)
            assert found.fixed is not None
            assert found.fixed >= found.free * (1 - 1e-6), (collective, text)
    # If links join neighbours directly, messages between neighbours use these links.
    assert bound("torus:4x4", "bcast").fixed == pytest.approx(1 / 4)
    # With the shortest routes, the missing cable costs more than necessary.
    straight = bound("torus:4x4", "alltoall", "0.0-0.1=0")
    assert straight.fixed == pytest.approx(0.03932, rel=1e-3)


def test_ibnetdiscover_tells_all_cables() -> None:
    network = networks.of(str(DATA / "ibnetdiscover.txt"))
    assert (network.nodes, len(network.names)) == (12, 12 + 10)
    assert network.names[0] == "cn01"
    assert network.rate == 25e9
    assert not network.is_tree
    at = {name: number for number, name in enumerate(network.names)}
    assert network.links[at["cn12"], at["leaf1"]] == network.links[at["cn12"], at["leaf4"]] == 1
    assert (at["leaf1"], at["spine2"]) in network.links
    # leaf1 has its own hosts and one host of leaf4: three hosts are behind two cables.
    slow = network.changed("leaf2-spine1=0, leaf2-spine2=1/4")
    weights = [1] * 12
    found = network_bounds.find(slow, weights, "bcast", 0, 1.0)
    assert found.free == pytest.approx(4)
    assert found.why == "into 3 of 12 nodes"


def test_cables_of_groups_and_routers() -> None:
    network = networks.of(str(DATA / "ibnetdiscover-grouped.txt"))
    assert network.names == ("hosta", "hostb", "hostc", "spine", "leaf", "leafb")
    assert (network.nodes, len(network.links)) == (3, 10)
    assert set(network.links.values()) == {1}
    assert network.rate == 12.5e9


def test_cables_of_adapters_without_names() -> None:
    network = networks.of(str(DATA / "ibnetdiscover-same-names.txt"))
    assert network.names[2:] == ("H-a100000000000021", "edge-1", "edge-2")
    assert (network.nodes, len(network.links), network.rate) == (3, 8, 50e9)


def test_slurm_names_may_be_used() -> None:
    network = networks.of(str(DATA / "topology-tree.conf"), "leaf3=1/16, cn001=1/2")
    weights = [1] * network.nodes
    assert network_bounds.find(network, weights, "bcast", 1, 1.0).free == pytest.approx(2)
    assert network_bounds.find(network, weights, "alltoall", 0, 1.0).why != ""


@pytest.mark.parametrize(
    ("text", "links", "complaint"),
    [
        ("torus:4x4", "0.0-2.2=0", "no cable joins"),
        ("torus:4x4", "0.0-0.1=-1", "expected WHAT=FACTOR"),
        ("torus:4x4", "0.0-0.1", "expected WHAT=FACTOR"),
        ("leaf:2 node:2", f"leaf={'9' * 21}", "or from 1e-06 to 1000000"),
        ("leaf:2 node:2", "leaf=1e9999999", "or from 1e-06 to 1000000"),
        ("leaf:2 node:2", "leaf=1e-10", "or from 1e-06 to 1000000"),
        ("leaf:2 node:2", "leaf=1e-4, leaf=1e-4", "or from 1e-06 to 1000000"),
        ("torus:4x4", "9.9=0", "there is no vertex, cable or level"),
        ("socket:4 core:2", "", "it needs a level called node"),
    ],
)
def test_complaints(text: str, links: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as caught:
        networks.of(text, links)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_the_limits_of_factors_are_exact(factor: float) -> None:
    assert bound("leaf:2 node:2", "bcast", f"leaf={factor}").free == max(1, 0.5 / factor)


@pytest.mark.parametrize("collective", network_bounds.COLLECTIVES)
def test_disconnected_networks_give_one_line(collective: str) -> None:
    with pytest.raises(InputError, match="disconnected") as caught:
        bound("leaf:2 node:2", collective, "leaf1=0")
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="disconnected"):
        bound("torus:3x3", collective, "1.1=0")
