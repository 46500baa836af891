"""Predictions of the algorithms that go around slow links."""

import re

import pytest

from toccata import _core
from toccata.checking import around
from toccata.topology import networks, packing

OPEN_MPI = "Open MPI v4.1.4"


def predictor(links: str, machine: str = "leaf:2 node:2 core:2") -> around.Predictor:
    """100 Mbit/s and a millisecond."""
    network = networks.of_machine(_core.Machine(machine)).changed(links)
    trees = packing.with_trees(network, packing.pack(network, range(network.nodes)))
    return around.Predictor(network, trees, 1e-3, 12.5e6)


def test_a_host_that_only_receives_gains_most_in_allgathers() -> None:
    """In a ring, the slow cable carries three of four blocks in each direction; along the trees,
    three in, one out."""
    slow = predictor("node3=1/4")
    n = 64 << 20
    ring = 3 * (1 + around.BOTH_WAYS) * n / 4 * 4 / 12.5e6
    trees = (3 + around.BOTH_WAYS) * n / 4 * 4 / 12.5e6
    assert slow.seconds("allgather", "ring", n) == pytest.approx(ring, rel=0.01)
    assert slow.seconds("allgather", "forestcoll:segments=128", n) == pytest.approx(trees, rel=0.05)


def test_long_broadcasts_and_allgathers_have_choices_if_a_link_is_slow() -> None:
    found = around.choices(predictor("node3=1/4"), OPEN_MPI)
    assert set(found) == {"bcast", "allgather"}
    for text in found.values():
        assert re.search(r"forestcoll:segments=(8|16|32)$", text), text


def test_equal_links_and_unknown_libraries_need_no_choices() -> None:
    assert "allgather" not in around.choices(predictor(""), OPEN_MPI)
    assert "bcast" not in around.choices(predictor("node3=1/4"), "another MPI")
