// The MPI functions that an application calls, in C. MPICH's Fortran interfaces call these too.

#include <mpi.h>

#include "mpi/process.h"
#include "toccata/toccata.h"

#define TOCCATA_INTERPOSED extern "C" TOCCATA_PUBLIC

TOCCATA_INTERPOSED int MPI_Allgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                     void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                     MPI_Comm comm) {
  return toccata_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                           nullptr);
}

TOCCATA_INTERPOSED int MPI_Allgatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                      void* recvbuf, const int recvcounts[], const int displs[],
                                      MPI_Datatype recvtype, MPI_Comm comm) {
  return toccata_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                            comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                    void* recvbuf, int recvcount, MPI_Datatype recvtype,
                                    MPI_Comm comm) {
  return toccata_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm,
                          nullptr);
}

TOCCATA_INTERPOSED int MPI_Alltoallv(const void* sendbuf, const int sendcounts[],
                                     const int sdispls[], MPI_Datatype sendtype, void* recvbuf,
                                     const int recvcounts[], const int rdispls[],
                                     MPI_Datatype recvtype, MPI_Comm comm) {
  return toccata_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                           recvtype, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Alltoallw(const void* sendbuf, const int sendcounts[],
                                     const int sdispls[], const MPI_Datatype sendtypes[],
                                     void* recvbuf, const int recvcounts[], const int rdispls[],
                                     const MPI_Datatype recvtypes[], MPI_Comm comm) {
  return toccata_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,
                           recvtypes, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Bcast(void* buffer, int count, MPI_Datatype datatype, int root,
                                 MPI_Comm comm) {
  return toccata_bcast(buffer, count, datatype, root, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                  void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                  MPI_Comm comm) {
  return toccata_gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                        nullptr);
}

TOCCATA_INTERPOSED int MPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, const int recvcounts[], const int displs[],
                                   MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return toccata_gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root,
                         comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                                   void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                                   MPI_Comm comm) {
  return toccata_scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm,
                         nullptr);
}

TOCCATA_INTERPOSED int MPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                                    MPI_Datatype sendtype, void* recvbuf, int recvcount,
                                    MPI_Datatype recvtype, int root, MPI_Comm comm) {
  return toccata_scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root,
                          comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Reduce(const void* sendbuf, void* recvbuf, int count,
                                  MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm) {
  return toccata_reduce(sendbuf, recvbuf, count, datatype, op, root, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Allreduce(const void* sendbuf, void* recvbuf, int count,
                                     MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return toccata_allreduce(sendbuf, recvbuf, count, datatype, op, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm) {
  return toccata_reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Reduce_scatter(const void* sendbuf, void* recvbuf,
                                          const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
                                          MPI_Comm comm) {
  return toccata_reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, nullptr);
}

TOCCATA_INTERPOSED int MPI_Finalize() {
  toccata::report_at_finalize();
  return PMPI_Finalize();
}
