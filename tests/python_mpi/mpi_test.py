"""toccata.mpi compared with mpi4py: the same calls give the same results, on every rank."""

import gc
import re
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from mpi4py import MPI

from toccata import mpi

WORLD = MPI.COMM_WORLD
P, RANK = WORLD.size, WORLD.rank
# The neighbours of a rank are those on a ring. No edge occurs twice, because the order of such
# edges differs between MPIs.
NEIGHBORS = sorted({(RANK - 1) % P, (RANK + 1) % P})
N = len(NEIGHBORS)
# MPICH 4.0 cannot store the text of an error, so the library prints it.
KEEPS_TEXTS = not re.search(r"MPICH Version:\s*4\.0", MPI.Get_library_version())
UNKNOWN = r"there is no .* algorithm 'rong'; expected one of native" if KEEPS_TEXTS else "argument"

Arguments = tuple[list[Any], list[np.ndarray]]  # the arguments of a call, and its result buffers


def mine(count: int, kind: str = "d") -> np.ndarray:
    """The contribution of this rank: integers, so that sums do not depend on the order."""
    return np.arange(count, dtype=kind) + 100 * (RANK + 1)


def blank(count: int, kind: str = "d") -> np.ndarray:
    return np.full(count, -1, dtype=kind)


def _blocks() -> Arguments:
    received = blank(3 * P)
    return [mine(3), received], [received]


def _uneven_blocks() -> Arguments:
    counts = [1 + rank % 3 for rank in range(P)]
    received = blank(sum(counts))
    return [mine(counts[RANK]), [received, counts, MPI.DOUBLE]], [received]


def _to_each() -> Arguments:
    received = blank(2 * P)
    return [mine(2 * P), received], [received]


def _uneven_to_each() -> Arguments:
    received = blank(3 * P)
    counts = [3] * P
    places = [3 * (P - 1 - rank) for rank in range(P)]
    return [[mine(3 * P), counts], [received, (counts, places), MPI.DOUBLE]], [received]


def _typed_to_each() -> Arguments:
    received = blank(2 * P)
    places = [16 * rank for rank in range(P)]
    spec = [[2] * P, places, [MPI.DOUBLE] * P]
    return [[mine(2 * P), *spec], [received, *spec]], [received]


def _message() -> Arguments:
    buffer = mine(5, "i") if RANK == P - 1 else blank(5, "i")
    return [[buffer, 5, MPI.INT], P - 1], [buffer]


def _to_root() -> Arguments:
    received = blank(3 * P)
    return [mine(3), received if RANK == P - 1 else None, P - 1], [received]


def _uneven_to_root() -> Arguments:
    arguments, buffers = _uneven_blocks()
    return [arguments[0], arguments[1] if RANK == 0 else None, 0], buffers


def _from_root() -> Arguments:
    received = blank(3)
    return [mine(3 * P) if RANK == 0 else None, received, 0], [received]


def _uneven_from_root() -> Arguments:
    counts = [1 + rank % 3 for rank in range(P)]
    received = blank(counts[RANK])
    sent = [mine(sum(counts)), counts, MPI.DOUBLE] if RANK == 0 else None
    return [sent, received, 0], [received]


def _sum() -> Arguments:
    received = blank(4)
    return [mine(4), received, MPI.SUM], [received]


def _sum_at_root() -> Arguments:
    received = blank(4)
    return [mine(4), received if RANK == P - 1 else None, MPI.MAX, P - 1], [received]


def _scattered_sum() -> Arguments:
    received = blank(2)
    return [mine(2 * P), received], [received]


def _unevenly_scattered_sum() -> Arguments:
    counts = [1 + rank % 2 for rank in range(P)]
    received = blank(counts[RANK])
    return [mine(sum(counts)), received, counts, MPI.SUM], [received]


def _earlier_sum() -> Arguments:
    received = np.zeros(4)  # rank 0 of an exclusive scan receives nothing
    return [mine(4), received, MPI.SUM], [received]


def _neighbors() -> Arguments:
    received = blank(2 * N)
    return [mine(2), received], [received]


def _uneven_neighbors() -> Arguments:
    received = blank(2 * N)
    backwards = [2 * (N - 1 - i) for i in range(N)]
    return [mine(2), [received, [2] * N, backwards, MPI.DOUBLE]], [received]


def _to_neighbors() -> Arguments:
    received = blank(2 * N)
    return [mine(2 * N), received], [received]


def _uneven_to_neighbors() -> Arguments:
    received = blank(2 * N)
    backwards = [2 * (N - 1 - i) for i in range(N)]
    return [[mine(2 * N), [2] * N], [received, ([2] * N, backwards), MPI.DOUBLE]], [received]


def _typed_to_neighbors() -> Arguments:
    received = blank(2 * N)
    spec = [[2] * N, [16 * i for i in range(N)], [MPI.DOUBLE] * N]
    return [[mine(2 * N), *spec], [received, *spec]], [received]


def _nothing() -> Arguments:
    return [], []


CALLS: dict[str, tuple[Callable[[], Arguments], str]] = {
    "Allgather": (_blocks, "ring"),
    "Allgatherv": (_uneven_blocks, "ring"),
    "Alltoall": (_to_each, "pairwise"),
    "Alltoallv": (_uneven_to_each, "pairwise"),
    "Alltoallw": (_typed_to_each, "linear"),
    "Bcast": (_message, "binomial"),
    "Gather": (_to_root, "binomial"),
    "Gatherv": (_uneven_to_root, "linear"),
    "Scatter": (_from_root, "binomial"),
    "Scatterv": (_uneven_from_root, "linear"),
    "Reduce": (_sum_at_root, "binomial"),
    "Allreduce": (_sum, "ring"),
    "Reduce_scatter_block": (_scattered_sum, "ring"),
    "Reduce_scatter": (_unevenly_scattered_sum, "ring"),
    "Scan": (_sum, "linear"),
    "Exscan": (_earlier_sum, "linear"),
    "Barrier": (_nothing, "dissemination"),
    "Neighbor_allgather": (_neighbors, "direct"),
    "Neighbor_allgatherv": (_uneven_neighbors, "direct"),
    "Neighbor_alltoall": (_to_neighbors, "direct"),
    "Neighbor_alltoallv": (_uneven_to_neighbors, "direct"),
    "Neighbor_alltoallw": (_typed_to_neighbors, "direct"),
}


@pytest.fixture(scope="module")
def ring() -> Any:
    """A communicator of all ranks with neighbours, usable for every function."""
    return WORLD.Create_dist_graph_adjacent(NEIGHBORS, NEIGHBORS)


def expected(name: str, comm: MPI.Comm) -> list[np.ndarray]:
    """The result of the method of mpi4py."""
    arguments, buffers = CALLS[name][0]()
    getattr(comm, name)(*arguments)
    return buffers


def same(buffers: Sequence[np.ndarray], others: Sequence[np.ndarray]) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(buffers, others, strict=True))


def test_every_collective_is_here() -> None:
    functions = {name for name in mpi.__all__ if name != "Request"}
    assert functions == {*CALLS, *(f"I{name.lower()}" for name in CALLS)} | {
        f"{name}_init" for name in CALLS
    }
    for name in functions:  # each is a method of mpi4py, with a docstring
        assert getattr(mpi, name).__doc__.split()[-1].startswith("MPI_")
        assert hasattr(MPI.Comm, name) or hasattr(MPI.Intracomm, name) or "eighbor" in name


@pytest.mark.parametrize("algorithm", ["its own", "native", None])
@pytest.mark.parametrize("name", CALLS)
def test_blocking(ring: Any, name: str, algorithm: str | None) -> None:
    make, own = CALLS[name]
    arguments, buffers = make()
    named = own if algorithm == "its own" else algorithm
    assert getattr(mpi, name)(ring, *arguments, algorithm=named) is None
    assert same(buffers, expected(name, ring))


@pytest.mark.parametrize("name", CALLS)
def test_nonblocking(ring: Any, name: str) -> None:
    make, algorithm = CALLS[name]
    arguments, buffers = make()
    request = getattr(mpi, f"I{name.lower()}")(ring, *arguments, algorithm=algorithm)
    assert request.Wait() is True
    assert request.Test() is True  # the request is null now
    assert same(buffers, expected(name, ring))


@pytest.mark.parametrize("name", CALLS)
def test_persistent(ring: Any, name: str) -> None:
    make, algorithm = CALLS[name]
    arguments, buffers = make()
    before = [buffer.copy() for buffer in buffers]
    request = getattr(mpi, f"{name}_init")(ring, *arguments, algorithm=algorithm)
    del arguments  # the request keeps the buffers
    gc.collect()
    wanted = expected(name, ring)
    for how in ("Start", "Run", "Start"):
        for buffer, old in zip(buffers, before, strict=True):
            buffer[:] = old
        getattr(request, how)()
        if how == "Start":
            while not request.Test():
                pass
        assert same(buffers, wanted)
    request.Free()
    with pytest.raises(MPI.Exception) as error:
        request.Start()
    assert error.value.Get_error_class() == MPI.ERR_REQUEST


@pytest.mark.parametrize("form", ["{}", "I{}", "{}_init"])
@pytest.mark.parametrize("name", CALLS)
def test_the_library_gets_the_algorithm(ring: Any, name: str, form: str) -> None:
    arguments, _ = CALLS[name][0]()
    function = form.format(name.lower() if form == "I{}" else name)
    with pytest.raises(MPI.Exception, match=UNKNOWN) as e:
        getattr(mpi, function)(ring, *arguments, algorithm="rong")
    assert e.value.Get_error_class() == MPI.ERR_ARG
    assert "\n" not in e.value.Get_error_string()
    assert same(expected(name, ring), expected(name, ring))  # mpi4py's own calls still work


def test_an_algorithm_is_for_one_call(ring: Any) -> None:
    with pytest.raises(MPI.Exception):
        mpi.Allgather(ring, *_blocks()[0], algorithm="rong")
    with pytest.raises(TypeError):
        mpi.Allgather(ring, "no buffer", "none", algorithm="rong")  # mpi4py rejects this call
    arguments, buffers = _blocks()
    ring.Allgather(*arguments)
    ring.Iallgather(*arguments).Wait()
    assert same(buffers, expected("Allgather", ring))


def test_in_place_and_keywords(ring: Any) -> None:
    buffer = np.zeros(2 * P)
    buffer[2 * RANK : 2 * RANK + 2] = mine(2)
    mpi.Allgather(ring, MPI.IN_PLACE, recvbuf=buffer, algorithm="bruck")
    assert buffer.tolist() == [100 * (rank + 1) + i for rank in range(P) for i in range(2)]
    sums = np.full(3, RANK)
    mpi.Allreduce(ring, MPI.IN_PLACE, sums, algorithm="recursive_doubling", op=MPI.SUM)
    assert sums.tolist() == [P * (P - 1) // 2] * 3
    mpi.Bcast(comm := ring, algorithm="binomial", buf=sums, root=0)
    assert comm is ring


def test_buffers_of_all_kinds() -> None:
    words = bytearray(P)
    mpi.Allgather(WORLD, bytes([RANK + 1]), words, algorithm="ring")
    assert list(words) == [rank + 1 for rank in range(P)]
    columns = MPI.DOUBLE.Create_vector(4, 1, 2).Commit()  # every second number
    square = np.arange(8.0) + 10 * RANK
    received = blank(4 * P)
    mpi.Allgather(WORLD, [square, 1, columns], [received, 4, MPI.DOUBLE], algorithm="sparbit")
    assert received.tolist() == [10 * rank + 2.0 * i for rank in range(P) for i in range(4)]
    columns.Free()
    total = np.zeros(1, "complex128")
    mpi.Allreduce(WORLD, np.array([1 + RANK * 1j]), total, algorithm="recursive_doubling")
    assert total[0] == P + P * (P - 1) / 2 * 1j


def test_several_requests() -> None:
    comms = [WORLD.Dup() for _ in range(3)]
    received = [blank(P, "i") for _ in comms]
    sent = [np.array([RANK + 10 * i], "i") for i in range(3)]

    def start() -> list[mpi.Request]:
        return [
            mpi.Iallgather(comm, one, every, algorithm="ring")
            for comm, one, every in zip(comms, sent, received, strict=True)
        ]

    def right() -> bool:
        return all(
            buffer.tolist() == [rank + 10 * i for rank in range(P)]
            for i, buffer in enumerate(received)
        )

    assert mpi.Request.Waitall(start()) is True
    assert right()
    requests = start()
    while not mpi.Request.Testall(requests):
        pass
    requests = start()
    assert {mpi.Request.Waitany(requests) for _ in requests} == {0, 1, 2}
    assert mpi.Request.Waitany(requests) is None
    requests = start()
    found: list[int] = []
    while len(found) < 3:
        position, flag = mpi.Request.Testany(requests)
        assert flag == (position is not None)
        found += [] if position is None else [position]
    assert sorted(found) == [0, 1, 2]
    assert mpi.Request.Testany(requests) == (None, True)
    assert right()
    for comm in comms:
        comm.Free()


def test_a_forgotten_request_keeps_its_buffers() -> None:
    comm = WORLD.Dup()
    received = blank(P)
    request = mpi.Iallgather(comm, np.array([float(RANK)]), received, algorithm="ring")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del request
        gc.collect()
    assert [each.category for each in caught] == [ResourceWarning]
    for _ in range(50):  # their waits advance the forgotten request
        mpi.Barrier(comm, algorithm="dissemination")
    assert received.tolist() == list(range(P))


def test_the_algorithm_of_another_thread() -> None:
    """The name of an algorithm affects one call, not the process."""
    errors = []

    def call() -> None:
        for _ in range(200):
            total = np.zeros(1)
            MPI.COMM_SELF.Allreduce(np.ones(1), total)
            errors.extend([total[0]] if total[0] != 1 else [])

    other = threading.Thread(target=call)
    if MPI.Query_thread() != MPI.THREAD_MULTIPLE:
        pytest.skip("this MPI was not started with MPI_THREAD_MULTIPLE")
    comm = MPI.COMM_SELF.Dup()
    other.start()
    for _ in range(200):
        with pytest.raises(MPI.Exception):
            mpi.Allreduce(comm, np.ones(1), np.zeros(1), algorithm="rong")
    other.join()
    assert not errors


@pytest.mark.parametrize("form", ["{}", "I{}", "{}_init"])
def test_communicators_that_are_none(form: str) -> None:
    freed = WORLD.Dup()
    freed.Free()
    for name in ("Allgather", "Barrier", "Allreduce"):
        function = getattr(mpi, form.format(name.lower() if form == "I{}" else name))
        arguments, _ = CALLS[name][0]()
        for comm in (MPI.COMM_NULL, freed):
            with pytest.raises(MPI.Exception) as error:
                function(comm, *arguments, algorithm=CALLS[name][1])
            assert error.value.Get_error_class() == MPI.ERR_COMM
            assert "\n" not in error.value.Get_error_string()
        for other in (None, 1, "MPI_COMM_WORLD"):
            with pytest.raises(TypeError, match="not a communicator of mpi4py"):
                function(other, *arguments)
        with pytest.raises(TypeError, match="not a communicator of mpi4py"):
            function()


@pytest.mark.skipif(P < 2, reason="an intercommunicator needs two ranks")
def test_intercommunicators() -> None:
    half = WORLD.Split(RANK % 2)
    between = MPI.Intracomm(half).Create_intercomm(0, WORLD, 1 - RANK % 2)
    received = blank(between.remote_size)
    with pytest.raises(ValueError, match="is an intercommunicator; call mpi4py's own Allgather"):
        mpi.Allgather(between, mine(1), received, algorithm="ring")
    with pytest.raises(ValueError, match="is an intercommunicator; call mpi4py's own Ibarrier"):
        mpi.Ibarrier(between)
    between.Allgather(mine(1), received)  # the same as in mpi4py
    assert received.tolist() == [100.0 * (rank + 1) for rank in range(P) if rank % 2 != RANK % 2]
    between.Free()
    half.Free()


@pytest.mark.parametrize("algorithm", [1, b"ring", ["ring"]])
def test_algorithms_that_are_no_text(algorithm: Any) -> None:
    with pytest.raises(TypeError, match="the algorithm is not a string or None"):
        mpi.Barrier(WORLD, algorithm=algorithm)
