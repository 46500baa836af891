"""Every rank gets one number from each rank, by an algorithm of Toccata; the Python interface."""

import numpy as np
from mpi4py import MPI

from toccata import mpi

comm = MPI.COMM_WORLD
every = np.empty(comm.size, dtype="i")
mpi.Iallgather(comm, np.array([comm.rank], dtype="i"), every, algorithm="sparbit").Wait()
if comm.rank == 0:
    print("the last of", comm.size, "is", every[-1])
