"""The cost of a call of toccata.mpi, compared with mpi4py's own method, for 8 bytes.

python_calls.py [ROUNDS]: run it under mpirun, two ranks. The calls alternate in each round. Prints
the fastest and the median of all rounds, in ns per call.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from mpi4py import MPI

from toccata import mpi

CALLS = 1000
ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 200

comm = MPI.COMM_WORLD
mine, total, every = np.ones(1), np.empty(1), np.empty(comm.size)


def seconds(call: Callable[[], object]) -> float:
    comm.Barrier()
    start = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - start) / CALLS


variants: dict[str, Callable[[], object]] = {
    "allreduce, mpi4py": lambda: comm.Allreduce(mine, total),
    "allreduce, toccata.mpi, native": lambda: mpi.Allreduce(comm, mine, total, algorithm="native"),
    "allreduce, toccata.mpi, no name": lambda: mpi.Allreduce(comm, mine, total),
    "allreduce, recursive_doubling": lambda: mpi.Allreduce(
        comm, mine, total, algorithm="recursive_doubling"
    ),
    "allgather, mpi4py": lambda: comm.Allgather(mine, every),
    "allgather, toccata.mpi, native": lambda: mpi.Allgather(comm, mine, every, algorithm="native"),
    "allgather, toccata.mpi, no name": lambda: mpi.Allgather(comm, mine, every),
    "allgather, ring": lambda: mpi.Allgather(comm, mine, every, algorithm="ring"),
}
times: dict[str, list[float]] = {name: [] for name in variants}
for _ in range(ROUNDS):
    for name, call in variants.items():
        times[name].append(seconds(call) * 1e9)
if comm.rank == 0:
    print(MPI.Get_library_version().split(",")[0].split("\n")[0], comm.size, "ranks")
    for name, found in times.items():
        print(f"{name:34}{min(found):8.0f}{statistics.median(found):8.0f}")
