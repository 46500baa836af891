"""Plans for the benchmark program."""

from toccata.measuring import benchmark


def test_a_barrier_has_one_size() -> None:
    assert benchmark.sizes_of("barrier", [8, 64]) == [1]
    assert benchmark.sizes_of("bcast", [8, 64]) == [8, 64]
