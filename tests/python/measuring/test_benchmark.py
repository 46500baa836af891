"""Plans for the benchmark program."""

import runpy

from conftest import ROOT
from toccata.measuring import benchmark


def test_a_barrier_has_one_size() -> None:
    assert benchmark.sizes_of("barrier", [8, 64]) == [1]
    assert benchmark.sizes_of("bcast", [8, 64]) == [8, 64]


def test_sizes_on_emulated_hosts_are_those_that_are_sent() -> None:
    """A block has at least one byte, so 16 ranks send at least 16 bytes each."""
    names = runpy.run_path(str(ROOT / "bench/cluster/measure.py"))
    blocks = names["blocks"]
    assert blocks("alltoall", "8,1K", "16") == {"1": "16", "64": "1024"}
    assert blocks("alltoallv", "8,100", "32") == {"1": "32", "3": "96"}
    assert blocks("allgather", "8,1K", "16") == {"8": "8", "1024": "1024"}
