"""The calls of toccata.mpi; tests/python_mpi compares this list with the module."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any, Protocol

from mpi4py.MPI import Comm

class Request:
    def Wait(self) -> bool: ...
    def Test(self) -> bool: ...
    def Start(self) -> None: ...
    def Run(self) -> None: ...
    def Free(self) -> None: ...
    @staticmethod
    def Waitall(requests: Sequence[Request]) -> bool: ...
    @staticmethod
    def Testall(requests: Sequence[Request]) -> bool: ...
    @staticmethod
    def Waitany(requests: Sequence[Request]) -> int | None: ...
    @staticmethod
    def Testany(requests: Sequence[Request]) -> tuple[int | None, bool]: ...

class _Blocking(Protocol):
    def __call__(
        self, comm: Comm, /, *args: Any, algorithm: str | None = None, **kwargs: Any
    ) -> None: ...

class _Starting(Protocol):
    def __call__(
        self, comm: Comm, /, *args: Any, algorithm: str | None = None, **kwargs: Any
    ) -> Request: ...

Name: _Blocking
Allgather: _Blocking
Allgatherv: _Blocking
Alltoall: _Blocking
Alltoallv: _Blocking
Alltoallw: _Blocking
Bcast: _Blocking
Gather: _Blocking
Gatherv: _Blocking
Scatter: _Blocking
Scatterv: _Blocking
Reduce: _Blocking
Allreduce: _Blocking
Reduce_scatter_block: _Blocking
Reduce_scatter: _Blocking
Scan: _Blocking
Exscan: _Blocking
Neighbor_allgather: _Blocking
Neighbor_allgatherv: _Blocking
Neighbor_alltoall: _Blocking
Neighbor_alltoallv: _Blocking
Neighbor_alltoallw: _Blocking
Barrier: _Blocking

Iname: _Starting
Iallgather: _Starting
Iallgatherv: _Starting
Ialltoall: _Starting
Ialltoallv: _Starting
Ialltoallw: _Starting
Ibcast: _Starting
Igather: _Starting
Igatherv: _Starting
Iscatter: _Starting
Iscatterv: _Starting
Ireduce: _Starting
Iallreduce: _Starting
Ireduce_scatter_block: _Starting
Ireduce_scatter: _Starting
Iscan: _Starting
Iexscan: _Starting
Ineighbor_allgather: _Starting
Ineighbor_allgatherv: _Starting
Ineighbor_alltoall: _Starting
Ineighbor_alltoallv: _Starting
Ineighbor_alltoallw: _Starting
Ibarrier: _Starting

Name_init: _Starting
Allgather_init: _Starting
Allgatherv_init: _Starting
Alltoall_init: _Starting
Alltoallv_init: _Starting
Alltoallw_init: _Starting
Bcast_init: _Starting
Gather_init: _Starting
Gatherv_init: _Starting
Scatter_init: _Starting
Scatterv_init: _Starting
Reduce_init: _Starting
Allreduce_init: _Starting
Reduce_scatter_block_init: _Starting
Reduce_scatter_init: _Starting
Scan_init: _Starting
Exscan_init: _Starting
Neighbor_allgather_init: _Starting
Neighbor_allgatherv_init: _Starting
Neighbor_alltoall_init: _Starting
Neighbor_alltoallv_init: _Starting
Neighbor_alltoallw_init: _Starting
Barrier_init: _Starting

def mpi_library_file(mpi4py: str) -> str: ...
def is_preloaded() -> bool: ...
def connect(mpi: ModuleType, library: str, info_null: int) -> None: ...
