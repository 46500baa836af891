"""The algorithm that an MPI library selects by itself, as far as its decision functions are
published.

Open MPI's functions are those of its component `tuned` since version 4.1, for operations that
commute. Their differences for short messages among a few ranks are left out. MPICH's functions are
those of [thakur2005]. If we do not have an algorithm, our nearest one represents it: the ring a
segmented ring, recursive halving the butterfly, reduce_bcast a reduction followed by a broadcast.
"""

from bisect import bisect_right
from enum import StrEnum

from toccata.models.recorded import IN_BLOCKS, Case


class Library(StrEnum):
    """An MPI library, with its decision function."""

    open_mpi = "Open MPI"
    mpich = "MPICH"
    unknown = "unknown"


# The names under which a benchmark recorded a library's own choice.
OF_DEFAULT: dict[str, Library] = {"default_ompi": Library.open_mpi, "default_mpich": Library.mpich}

K, M = 1 << 10, 1 << 20

# By collective: the least number of ranks; for these, the least number of bytes, and the algorithm.
# Bytes are those of a block for allgather, alltoall, gather and scatter, otherwise of the vector.
Steps = tuple[tuple[int, str], ...]
RD = "recursive_doubling"
SYNC = "linear"  # in windows of a few messages
OPEN_MPI: dict[str, tuple[tuple[int, Steps], ...]] = {
    "allgather": (
        (2, ((0, RD),)),
        (32, ((0, RD), (1 * K, "neighbor_exchange"), (64 * K, "ring"))),
        (64, ((0, RD), (512, "neighbor_exchange"), (64 * K, "ring"))),
        (128, (
            (0, RD), (512, "neighbor_exchange"), (128 * K, "ring"), (512 * K, "neighbor_exchange"),
            (1 * M, "ring"),
        )),
        (256, (
            (0, RD), (32, "bruck"), (128, RD), (1 * K, "neighbor_exchange"), (128 * K, "ring"),
            (512 * K, "neighbor_exchange"), (1 * M, "ring"),
        )),
        (512, ((0, RD), (64, "bruck"), (256, RD), (2 * K, "neighbor_exchange"))),
        (1024, ((0, RD), (256, "bruck"), (512, RD), (4 * K, "neighbor_exchange"))),
        (2048, ((0, "bruck"), (32, RD), (128, "bruck"), (512, RD), (4 * K, "neighbor_exchange"))),
        (4096, ((0, RD), (16, "bruck"), (512, RD), (4 * K, "neighbor_exchange"))),
    ),
    "allreduce": (
        (2, ((0, RD), (256 * K, "rabenseifner"))),
        (4, ((0, RD), (8 * K, "rabenseifner"))),
        (16, ((0, RD), (4 * K, "rabenseifner"))),
        (32, ((0, "ring"), (128, "rabenseifner"))),
        (64, ((0, RD), (256 * K, "rabenseifner"))),
        (128, ((0, "reduce_bcast"), (128 * K, RD), (256 * K, "rabenseifner"))),
        (256, ((0, "reduce_bcast"), (4 * K, "rabenseifner"))),
        (512, ((0, "reduce_bcast"), (2 * K, RD), (16 * K, "rabenseifner"))),
        (2048, ((0, "reduce_bcast"), (2 * K, "ring"), (4 * K, RD), (16 * K, "rabenseifner"))),
        (4096, ((0, "reduce_bcast"), (2 * K, "ring"), (16 * K, RD), (32 * K, "rabenseifner"))),
    ),
    "alltoall": (
        (2, ((0, SYNC),)),
        (16, ((0, SYNC), (4, "bruck"), (512, SYNC))),
        (32, ((0, "bruck"), (512, "linear"))),
        (64, ((0, "bruck"), (1 * K, "linear"), (256 * K, "pairwise"))),
        (256, ((0, "bruck"), (1 * K, SYNC), (32 * K, "pairwise"))),
        (512, ((0, "bruck"), (512, SYNC), (256 * K, "pairwise"))),
        (1024, ((0, "bruck"), (512, SYNC))),
        (2048, ((0, "bruck"), (1 * K, SYNC))),
        (4096, ((0, "bruck"), (2 * K, SYNC))),
    ),
    "bcast": (
        (2, ((0, "binomial"),)),
        (8, ((0, "knomial"), (4 * K, "binomial"), (32 * K, "linear"))),
        (16, (
            (0, "knomial"), (4 * K, "binomial"),
            (1 * M, "scatter_allgather:allgather=recursive_doubling"),
        )),
        (32, ((0, "binomial"), (2 * K, "knomial"))),
        (64, ((0, "knomial"),)),
        (1024, ((0, "knomial"), (512 * K, "scatter_allgather:allgather=recursive_doubling"))),
        (2048, ((0, "knomial"), (256 * K, "scatter_allgather:allgather=recursive_doubling"))),
    ),
    "gather": ((2, ((0, "binomial"),)),),
    "reduce": ((2, ((0, "binomial"),)),),
    "reduce_scatter": (
        (2, ((0, "ring"),)),
        (4, ((0, "recursive_halving"), (256 * K, "ring"))),
        (32, ((0, "recursive_halving"), (512 * K, "ring"))),
        (64, ((0, "recursive_halving"),)),
    ),
    "scatter": (
        (2, ((0, "linear"),)),
        (4, ((0, "binomial"), (2 * K, "linear"), (4 * K, "binomial"), (8 * K, "linear"))),
        (8, ((0, "binomial"), (16 * K, "linear"))),
        (32, ((0, "binomial"), (512, "linear"), (8 * K, "binomial"), (16 * K, "linear"))),
        (64, ((0, "binomial"), (512, "linear"))),
    ),
}  # fmt: skip
MPICH: dict[str, tuple[tuple[int, Steps], ...]] = {
    "allreduce": ((2, ((0, RD), (2 * K + 1, "rabenseifner"))),),
    "alltoall": ((2, ((0, "linear"), (32 * K + 1, "pairwise"))),
                 (8, ((0, "bruck"), (257, "linear"), (32 * K + 1, "pairwise")))),
    "bcast": (
        (2, ((0, "binomial"),)),
        (8, ((0, "binomial"), (12 * K, "scatter_allgather:allgather=recursive_doubling"),
             (512 * K, "scatter_allgather:allgather=ring"))),
    ),
    "gather": ((2, ((0, "binomial"),)),),
    "reduce": ((2, ((0, "binomial"), (2 * K + 1, "reduce_scatter_gather"))),),
    "reduce_scatter": ((2, ((0, "recursive_halving"), (512 * K, "pairwise"))),),
    "scatter": ((2, ((0, "binomial"),)),),
}  # fmt: skip


def _at(table: tuple[tuple[int, Steps], ...], p: int, size: int) -> str:
    steps = table[max(0, bisect_right([ranks for ranks, _ in table], p) - 1)][1]
    return steps[bisect_right([least for least, _ in steps], size) - 1][1]


def algorithm(library: Library, collective: str, p: int, total_bytes: int) -> str | None:
    """Our algorithm that corresponds to the library's choice; None if that is unknown."""
    is_power = p & (p - 1) == 0
    if library == Library.mpich and collective == "allgather":
        if is_power and total_bytes < 512 * K:
            return RD
        return "bruck" if total_bytes <= 80 * K else "ring"
    tables = {Library.open_mpi: OPEN_MPI, Library.mpich: MPICH}.get(library)
    if tables is None or collective not in tables:
        return None
    in_blocks = collective in IN_BLOCKS and collective != "reduce_scatter"
    found = _at(tables[collective], p, total_bytes // p if in_blocks else total_bytes)
    # Open MPI runs Bruck's algorithm instead if the number of ranks is not a power of two.
    return "bruck" if collective == "allgather" and found == RD and not is_power else found


def of(library: Library, case: Case) -> str | None:
    """The same for the setting of a recorded time."""
    return algorithm(library, case.collective, case.p, case.total_bytes)
