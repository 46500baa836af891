// The functions of MPI that the library serves: their names, their collective, and their arguments
// before the communicator. From these lists come the definitions of the C interface and of its
// forms for large counts, the preloaded functions for C and Fortran, and the operation of a call.
//
// These files also list every function: include/toccata/toccata.h, large.h and toccata.hpp, and
// preload/fortran.cpp for the names of Fortran.
//
//   X(Name, name, collective)   MPI_Name, toccata_name and mpi_name_
//   _(KIND, argument)           one argument
//
// Kinds of arguments: BUFFER; COUNT, of elements; COUNTS and PLACES, arrays of counts and of
// displacements; OFFSETS, displacements that are addresses, of any integer type; TYPE; TYPES, an
// array of datatypes; and OPERATION and ROOT. Datatypes have the suffix of their buffer.
#pragma once

#define TOCCATA_FUNCTIONS(X)   \
  TOCCATA_FUNCTIONS_OF_DATA(X) \
  X(Barrier, barrier, barrier)

// Those that have a form for large counts.
#define TOCCATA_FUNCTIONS_OF_DATA(X)                               \
  X(Allgather, allgather, allgather)                               \
  X(Allgatherv, allgatherv, allgather)                             \
  X(Alltoall, alltoall, alltoall)                                  \
  X(Alltoallv, alltoallv, alltoallv)                               \
  X(Alltoallw, alltoallw, alltoallv)                               \
  X(Bcast, bcast, bcast)                                           \
  X(Gather, gather, gather)                                        \
  X(Gatherv, gatherv, gatherv)                                     \
  X(Scatter, scatter, scatter)                                     \
  X(Scatterv, scatterv, scatterv)                                  \
  X(Reduce, reduce, reduce)                                        \
  X(Allreduce, allreduce, allreduce)                               \
  X(Reduce_scatter_block, reduce_scatter_block, reduce_scatter)    \
  X(Reduce_scatter, reduce_scatter, reduce_scatter)                \
  X(Scan, scan, scan)                                              \
  X(Exscan, exscan, exscan)                                        \
  X(Neighbor_allgather, neighbor_allgather, neighbor_allgather)    \
  X(Neighbor_allgatherv, neighbor_allgatherv, neighbor_allgatherv) \
  X(Neighbor_alltoall, neighbor_alltoall, neighbor_alltoall)       \
  X(Neighbor_alltoallv, neighbor_alltoallv, neighbor_alltoallv)    \
  X(Neighbor_alltoallw, neighbor_alltoallw, neighbor_alltoallv)

// clang-format off
#define TOCCATA_ARGUMENTS_allgather(_)                                      \
  _(BUFFER_IN, sendbuf) _(COUNT_IN, sendcount) _(TYPE_IN, sendtype)         \
  _(BUFFER_OUT, recvbuf) _(COUNT_OUT, recvcount) _(TYPE_OUT, recvtype)

#define TOCCATA_ARGUMENTS_allgatherv(_)                                     \
  _(BUFFER_IN, sendbuf) _(COUNT_IN, sendcount) _(TYPE_IN, sendtype)         \
  _(BUFFER_OUT, recvbuf) _(COUNTS_OUT, recvcounts) _(PLACES_OUT, displs) _(TYPE_OUT, recvtype)

#define TOCCATA_ARGUMENTS_alltoall(_) TOCCATA_ARGUMENTS_allgather(_)

#define TOCCATA_ARGUMENTS_alltoallv(_)                                                      \
  _(BUFFER_IN, sendbuf) _(COUNTS_IN, sendcounts) _(PLACES_IN, sdispls) _(TYPE_IN, sendtype) \
  _(BUFFER_OUT, recvbuf) _(COUNTS_OUT, recvcounts) _(PLACES_OUT, rdispls) _(TYPE_OUT, recvtype)

#define TOCCATA_ARGUMENTS_alltoallw(_)                                                        \
  _(BUFFER_IN, sendbuf) _(COUNTS_IN, sendcounts) _(PLACES_IN, sdispls) _(TYPES_IN, sendtypes) \
  _(BUFFER_OUT, recvbuf) _(COUNTS_OUT, recvcounts) _(PLACES_OUT, rdispls) _(TYPES_OUT, recvtypes)

#define TOCCATA_ARGUMENTS_neighbor_allgather(_) TOCCATA_ARGUMENTS_allgather(_)
#define TOCCATA_ARGUMENTS_neighbor_allgatherv(_) TOCCATA_ARGUMENTS_allgatherv(_)
#define TOCCATA_ARGUMENTS_neighbor_alltoall(_) TOCCATA_ARGUMENTS_alltoall(_)
#define TOCCATA_ARGUMENTS_neighbor_alltoallv(_) TOCCATA_ARGUMENTS_alltoallv(_)

#define TOCCATA_ARGUMENTS_neighbor_alltoallw(_)                                                \
  _(BUFFER_IN, sendbuf) _(COUNTS_IN, sendcounts) _(OFFSETS_IN, sdispls) _(TYPES_IN, sendtypes) \
  _(BUFFER_OUT, recvbuf) _(COUNTS_OUT, recvcounts) _(OFFSETS_OUT, rdispls)                     \
  _(TYPES_OUT, recvtypes)

#define TOCCATA_ARGUMENTS_bcast(_) \
  _(BUFFER_OUT, buffer) _(COUNT_OUT, count) _(TYPE_OUT, datatype) _(ROOT, root)

#define TOCCATA_ARGUMENTS_gather(_) TOCCATA_ARGUMENTS_allgather(_) _(ROOT, root)
#define TOCCATA_ARGUMENTS_gatherv(_) TOCCATA_ARGUMENTS_allgatherv(_) _(ROOT, root)
#define TOCCATA_ARGUMENTS_scatter(_) TOCCATA_ARGUMENTS_allgather(_) _(ROOT, root)

#define TOCCATA_ARGUMENTS_scatterv(_)                                                      \
  _(BUFFER_IN, sendbuf) _(COUNTS_IN, sendcounts) _(PLACES_IN, displs) _(TYPE_IN, sendtype) \
  _(BUFFER_OUT, recvbuf) _(COUNT_OUT, recvcount) _(TYPE_OUT, recvtype) _(ROOT, root)

#define TOCCATA_ARGUMENTS_allreduce(_)                                                     \
  _(BUFFER_IN, sendbuf) _(BUFFER_OUT, recvbuf) _(COUNT_OUT, count) _(TYPE_OUT, datatype)   \
  _(OPERATION, op)

#define TOCCATA_ARGUMENTS_scan(_) TOCCATA_ARGUMENTS_allreduce(_)
#define TOCCATA_ARGUMENTS_exscan(_) TOCCATA_ARGUMENTS_allreduce(_)
#define TOCCATA_ARGUMENTS_barrier(_)
#define TOCCATA_ARGUMENTS_reduce(_) TOCCATA_ARGUMENTS_allreduce(_) _(ROOT, root)

#define TOCCATA_ARGUMENTS_reduce_scatter_block(_)                                              \
  _(BUFFER_IN, sendbuf) _(BUFFER_OUT, recvbuf) _(COUNT_OUT, recvcount) _(TYPE_OUT, datatype)   \
  _(OPERATION, op)

#define TOCCATA_ARGUMENTS_reduce_scatter(_)                                                      \
  _(BUFFER_IN, sendbuf) _(BUFFER_OUT, recvbuf) _(COUNTS_OUT, recvcounts) _(TYPE_OUT, datatype)   \
  _(OPERATION, op)
// clang-format on

// An argument in a list of parameters, in a list of members, and in a call.
#define TOCCATA_PARAMETER(kind, name) TOCCATA_C_##kind name,
#define TOCCATA_MEMBER(kind, name) TOCCATA_C_##kind name;
#define TOCCATA_ARGUMENT(kind, name) name,
#define TOCCATA_C_BUFFER_IN const void*
#define TOCCATA_C_BUFFER_OUT void*
#define TOCCATA_C_COUNT_IN int
#define TOCCATA_C_COUNT_OUT int
#define TOCCATA_C_COUNTS_IN const int*
#define TOCCATA_C_COUNTS_OUT const int*
#define TOCCATA_C_PLACES_IN const int*
#define TOCCATA_C_PLACES_OUT const int*
#define TOCCATA_C_OFFSETS_IN const MPI_Aint*
#define TOCCATA_C_OFFSETS_OUT const MPI_Aint*
#define TOCCATA_C_TYPE_IN MPI_Datatype
#define TOCCATA_C_TYPE_OUT MPI_Datatype
#define TOCCATA_C_TYPES_IN const MPI_Datatype*
#define TOCCATA_C_TYPES_OUT const MPI_Datatype*
#define TOCCATA_C_OPERATION MPI_Op
#define TOCCATA_C_ROOT int

// A parameter of the functions for large counts, which end in _c [MPI 4.0, section 2.5.8].
#define TOCCATA_LARGE_PARAMETER(kind, name) TOCCATA_LARGE_##kind name,
#define TOCCATA_LARGE_MEMBER(kind, name) TOCCATA_LARGE_##kind name;
#define TOCCATA_LARGE_BUFFER_IN TOCCATA_C_BUFFER_IN
#define TOCCATA_LARGE_BUFFER_OUT TOCCATA_C_BUFFER_OUT
#define TOCCATA_LARGE_COUNT_IN MPI_Count
#define TOCCATA_LARGE_COUNT_OUT MPI_Count
#define TOCCATA_LARGE_COUNTS_IN const MPI_Count*
#define TOCCATA_LARGE_COUNTS_OUT const MPI_Count*
#define TOCCATA_LARGE_PLACES_IN const MPI_Aint*
#define TOCCATA_LARGE_PLACES_OUT const MPI_Aint*
#define TOCCATA_LARGE_OFFSETS_IN TOCCATA_C_OFFSETS_IN
#define TOCCATA_LARGE_OFFSETS_OUT TOCCATA_C_OFFSETS_OUT
#define TOCCATA_LARGE_TYPE_IN TOCCATA_C_TYPE_IN
#define TOCCATA_LARGE_TYPE_OUT TOCCATA_C_TYPE_OUT
#define TOCCATA_LARGE_TYPES_IN TOCCATA_C_TYPES_IN
#define TOCCATA_LARGE_TYPES_OUT TOCCATA_C_TYPES_OUT
#define TOCCATA_LARGE_OPERATION TOCCATA_C_OPERATION
#define TOCCATA_LARGE_ROOT TOCCATA_C_ROOT

// Stores an argument in its member of the Operation `call`.
#define TOCCATA_FILL(kind, name) TOCCATA_FILL_##kind(name);
#define TOCCATA_FILL_BUFFER_IN(name) call.send.buffer = const_cast<void*>(name)
#define TOCCATA_FILL_BUFFER_OUT(name) call.recv.buffer = name
#define TOCCATA_FILL_COUNT_IN(name) call.send.count = name
#define TOCCATA_FILL_COUNT_OUT(name) call.recv.count = name
#define TOCCATA_FILL_COUNTS_IN(name) call.send.set_counts(name)
#define TOCCATA_FILL_COUNTS_OUT(name) call.recv.set_counts(name)
#define TOCCATA_FILL_PLACES_IN(name) call.send.set_places(name)
#define TOCCATA_FILL_PLACES_OUT(name) call.recv.set_places(name)
#define TOCCATA_FILL_OFFSETS_IN(name) call.send.set_places(name)
#define TOCCATA_FILL_OFFSETS_OUT(name) call.recv.set_places(name)
#define TOCCATA_FILL_TYPE_IN(name) call.send.type = name
#define TOCCATA_FILL_TYPE_OUT(name) call.recv.type = name
#define TOCCATA_FILL_TYPES_IN(name) call.send.set_types(name)
#define TOCCATA_FILL_TYPES_OUT(name) call.recv.set_types(name)
#define TOCCATA_FILL_OPERATION(name) call.operation = name
#define TOCCATA_FILL_ROOT(name) call.root = name
