#include "mpi/reduce.h"

#include "api/requests.h"

using toccata::Allreduce;
using toccata::guarded;
using toccata::make_request;
using toccata::Reduce;
using toccata::ReduceScatter;

extern "C" {

int toccata_reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                   int root, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Reduce(sendbuf, recvbuf, count, datatype, op, root), comm, algorithm);
  });
}

int toccata_allreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                      MPI_Op op, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(Allreduce(sendbuf, recvbuf, count, datatype, op), comm, algorithm);
  });
}

int toccata_reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                 MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                 const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(ReduceScatter(sendbuf, recvbuf, recvcount, datatype, op), comm, algorithm);
  });
}

int toccata_reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                           MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, const char* algorithm) {
  return guarded(comm, [&] {
    return toccata::run(ReduceScatter(sendbuf, recvbuf, recvcounts, datatype, op), comm, algorithm);
  });
}

int toccata_ireduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                    int root, MPI_Comm comm, const char* algorithm, toccata_request* request) {
  return make_request<Reduce>(comm, algorithm, false, request, sendbuf, recvbuf, count, datatype,
                              op, root);
}

int toccata_iallreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                       MPI_Op op, MPI_Comm comm, const char* algorithm, toccata_request* request) {
  return make_request<Allreduce>(comm, algorithm, false, request, sendbuf, recvbuf, count, datatype,
                                 op);
}

int toccata_ireduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                  MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
                                  const char* algorithm, toccata_request* request) {
  return make_request<ReduceScatter>(comm, algorithm, false, request, sendbuf, recvbuf, recvcount,
                                     datatype, op);
}

int toccata_ireduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                            MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, const char* algorithm,
                            toccata_request* request) {
  return make_request<ReduceScatter>(comm, algorithm, false, request, sendbuf, recvbuf, recvcounts,
                                     datatype, op);
}

int toccata_reduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                        MPI_Op op, int root, MPI_Comm comm, MPI_Info, const char* algorithm,
                        toccata_request* request) {
  return make_request<Reduce>(comm, algorithm, true, request, sendbuf, recvbuf, count, datatype, op,
                              root);
}

int toccata_allreduce_init(const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype,
                           MPI_Op op, MPI_Comm comm, MPI_Info, const char* algorithm,
                           toccata_request* request) {
  return make_request<Allreduce>(comm, algorithm, true, request, sendbuf, recvbuf, count, datatype,
                                 op);
}

int toccata_reduce_scatter_block_init(const void* sendbuf, void* recvbuf, int recvcount,
                                      MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info,
                                      const char* algorithm, toccata_request* request) {
  return make_request<ReduceScatter>(comm, algorithm, true, request, sendbuf, recvbuf, recvcount,
                                     datatype, op);
}

int toccata_reduce_scatter_init(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info,
                                const char* algorithm, toccata_request* request) {
  return make_request<ReduceScatter>(comm, algorithm, true, request, sendbuf, recvbuf, recvcounts,
                                     datatype, op);
}

}  // extern "C"
