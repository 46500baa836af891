// The MPI functions that an application calls, in Fortran, where c.cpp does not see them: Open
// MPI's mpif.h, mpi and mpi_f08 call PMPI_* directly. MPICH's call the C functions, all but
// mpi_f08's MPI_Finalize.
//
// All arguments are addresses, whichever interface is used: an mpi_f08 handle is a structure of one
// integer, and an optional ierror that is absent is null. Character and descriptor arguments, which
// differ, do not occur in Open MPI's collectives.

#include <mpi.h>

#include <initializer_list>
#include <vector>

#include "mpi/communicator.h"
#include "mpi/process.h"
#include "toccata/toccata.h"

// The names under which compilers know a Fortran function: of mpif.h and mpi, then of mpi_f08.
#define TOCCATA_ALIAS(name, function) \
  extern "C" TOCCATA_PUBLIC decltype(function) name __attribute__((alias(#function)))
#define TOCCATA_FORTRAN(name, NAME)                      \
  TOCCATA_ALIAS(mpi_##name, toccata_fortran_##name);     \
  TOCCATA_ALIAS(mpi_##name##_, toccata_fortran_##name);  \
  TOCCATA_ALIAS(mpi_##name##__, toccata_fortran_##name); \
  TOCCATA_ALIAS(MPI_##NAME, toccata_fortran_##name);     \
  TOCCATA_ALIAS(mpi_##name##_f08_, toccata_fortran_##name)

static void set(MPI_Fint* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

extern "C" {

static void toccata_fortran_finalize(MPI_Fint* ierror) {
  toccata::report_at_finalize();
  set(ierror, PMPI_Finalize());
}

}  // extern "C"

TOCCATA_FORTRAN(finalize, FINALIZE);

#ifdef OPEN_MPI

// Counts and displacements are handed on as they are, as arrays too.
static_assert(sizeof(MPI_Fint) == sizeof(int), "a default INTEGER must be an int");

// MPI_IN_PLACE and MPI_BOTTOM of Fortran are addresses of common blocks, whose names depend on the
// Fortran compiler that this MPI was built with. One of each is there; the others are null.
#define TOCCATA_COMMON(name, NAME) \
  extern "C" __attribute__((weak)) int name, name##_, name##__, NAME
TOCCATA_COMMON(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE);
TOCCATA_COMMON(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM);
#define TOCCATA_IS_COMMON(address, name, NAME) \
  is_one_of(address, {&name, &name##_, &name##__, &NAME})

namespace {

bool is_one_of(const void* address, std::initializer_list<const void*> commons) {
  for (const void* each : commons)
    if (each != nullptr && each == address) return true;
  return false;
}

void* buffer(void* address) {
  if (TOCCATA_IS_COMMON(address, mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)) return MPI_IN_PLACE;
  if (TOCCATA_IS_COMMON(address, mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)) return MPI_BOTTOM;
  return address;
}

MPI_Datatype datatype(const MPI_Fint* handle) { return PMPI_Type_f2c(*handle); }
MPI_Op operation(const MPI_Fint* handle) { return PMPI_Op_f2c(*handle); }
MPI_Comm communicator(const MPI_Fint* handle) { return PMPI_Comm_f2c(*handle); }

using Datatypes = std::vector<MPI_Datatype>;

Datatypes datatypes(const MPI_Fint* handles, std::size_t count) {
  Datatypes result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = datatype(handles + i);
  return result;
}

}  // namespace

extern "C" {

static void toccata_fortran_allgather(void* sendbuf, const MPI_Fint* sendcount,
                                      const MPI_Fint* sendtype, void* recvbuf,
                                      const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                                      const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_allgather(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf),
                                *recvcount, datatype(recvtype), communicator(comm), nullptr));
}

static void toccata_fortran_allgatherv(void* sendbuf, const MPI_Fint* sendcount,
                                       const MPI_Fint* sendtype, void* recvbuf,
                                       const MPI_Fint* recvcounts, const MPI_Fint* displs,
                                       const MPI_Fint* recvtype, const MPI_Fint* comm,
                                       MPI_Fint* ierror) {
  set(ierror,
      toccata_allgatherv(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf),
                         recvcounts, displs, datatype(recvtype), communicator(comm), nullptr));
}

static void toccata_fortran_alltoall(void* sendbuf, const MPI_Fint* sendcount,
                                     const MPI_Fint* sendtype, void* recvbuf,
                                     const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                                     const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_alltoall(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf),
                               *recvcount, datatype(recvtype), communicator(comm), nullptr));
}

static void toccata_fortran_alltoallv(void* sendbuf, const MPI_Fint* sendcounts,
                                      const MPI_Fint* sdispls, const MPI_Fint* sendtype,
                                      void* recvbuf, const MPI_Fint* recvcounts,
                                      const MPI_Fint* rdispls, const MPI_Fint* recvtype,
                                      const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror,
      toccata_alltoallv(buffer(sendbuf), sendcounts, sdispls, datatype(sendtype), buffer(recvbuf),
                        recvcounts, rdispls, datatype(recvtype), communicator(comm), nullptr));
}

static void toccata_fortran_alltoallw(void* sendbuf, const MPI_Fint* sendcounts,
                                      const MPI_Fint* sdispls, const MPI_Fint* sendtypes,
                                      void* recvbuf, const MPI_Fint* recvcounts,
                                      const MPI_Fint* rdispls, const MPI_Fint* recvtypes,
                                      const MPI_Fint* comm, MPI_Fint* ierror) {
  void* const sent = buffer(sendbuf);
  const auto peers = static_cast<std::size_t>(toccata::peers_in(communicator(comm)));
  const auto send_types = sent == MPI_IN_PLACE ? Datatypes() : datatypes(sendtypes, peers);
  const auto recv_types = datatypes(recvtypes, peers);
  set(ierror,
      toccata_alltoallw(sent, sendcounts, sdispls, send_types.data(), buffer(recvbuf), recvcounts,
                        rdispls, recv_types.data(), communicator(comm), nullptr));
}

static void toccata_fortran_bcast(void* message, const MPI_Fint* count, const MPI_Fint* type,
                                  const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror,
      toccata_bcast(buffer(message), *count, datatype(type), *root, communicator(comm), nullptr));
}

static void toccata_fortran_gather(void* sendbuf, const MPI_Fint* sendcount,
                                   const MPI_Fint* sendtype, void* recvbuf,
                                   const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                                   const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_gather(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf),
                             *recvcount, datatype(recvtype), *root, communicator(comm), nullptr));
}

static void toccata_fortran_gatherv(void* sendbuf, const MPI_Fint* sendcount,
                                    const MPI_Fint* sendtype, void* recvbuf,
                                    const MPI_Fint* recvcounts, const MPI_Fint* displs,
                                    const MPI_Fint* recvtype, const MPI_Fint* root,
                                    const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror,
      toccata_gatherv(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf), recvcounts,
                      displs, datatype(recvtype), *root, communicator(comm), nullptr));
}

static void toccata_fortran_scatter(void* sendbuf, const MPI_Fint* sendcount,
                                    const MPI_Fint* sendtype, void* recvbuf,
                                    const MPI_Fint* recvcount, const MPI_Fint* recvtype,
                                    const MPI_Fint* root, const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_scatter(buffer(sendbuf), *sendcount, datatype(sendtype), buffer(recvbuf),
                              *recvcount, datatype(recvtype), *root, communicator(comm), nullptr));
}

static void toccata_fortran_scatterv(void* sendbuf, const MPI_Fint* sendcounts,
                                     const MPI_Fint* displs, const MPI_Fint* sendtype,
                                     void* recvbuf, const MPI_Fint* recvcount,
                                     const MPI_Fint* recvtype, const MPI_Fint* root,
                                     const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror,
      toccata_scatterv(buffer(sendbuf), sendcounts, displs, datatype(sendtype), buffer(recvbuf),
                       *recvcount, datatype(recvtype), *root, communicator(comm), nullptr));
}

static void toccata_fortran_reduce(void* sendbuf, void* recvbuf, const MPI_Fint* count,
                                   const MPI_Fint* type, const MPI_Fint* op, const MPI_Fint* root,
                                   const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_reduce(buffer(sendbuf), buffer(recvbuf), *count, datatype(type),
                             operation(op), *root, communicator(comm), nullptr));
}

static void toccata_fortran_allreduce(void* sendbuf, void* recvbuf, const MPI_Fint* count,
                                      const MPI_Fint* type, const MPI_Fint* op,
                                      const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_allreduce(buffer(sendbuf), buffer(recvbuf), *count, datatype(type),
                                operation(op), communicator(comm), nullptr));
}

static void toccata_fortran_reduce_scatter_block(void* sendbuf, void* recvbuf,
                                                 const MPI_Fint* recvcount, const MPI_Fint* type,
                                                 const MPI_Fint* op, const MPI_Fint* comm,
                                                 MPI_Fint* ierror) {
  set(ierror,
      toccata_reduce_scatter_block(buffer(sendbuf), buffer(recvbuf), *recvcount, datatype(type),
                                   operation(op), communicator(comm), nullptr));
}

static void toccata_fortran_reduce_scatter(void* sendbuf, void* recvbuf, const MPI_Fint* recvcounts,
                                           const MPI_Fint* type, const MPI_Fint* op,
                                           const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, toccata_reduce_scatter(buffer(sendbuf), buffer(recvbuf), recvcounts, datatype(type),
                                     operation(op), communicator(comm), nullptr));
}

}  // extern "C"

TOCCATA_FORTRAN(allgather, ALLGATHER);
TOCCATA_FORTRAN(allgatherv, ALLGATHERV);
TOCCATA_FORTRAN(alltoall, ALLTOALL);
TOCCATA_FORTRAN(alltoallv, ALLTOALLV);
TOCCATA_FORTRAN(alltoallw, ALLTOALLW);
TOCCATA_FORTRAN(bcast, BCAST);
TOCCATA_FORTRAN(gather, GATHER);
TOCCATA_FORTRAN(gatherv, GATHERV);
TOCCATA_FORTRAN(scatter, SCATTER);
TOCCATA_FORTRAN(scatterv, SCATTERV);
TOCCATA_FORTRAN(reduce, REDUCE);
TOCCATA_FORTRAN(allreduce, ALLREDUCE);
TOCCATA_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK);
TOCCATA_FORTRAN(reduce_scatter, REDUCE_SCATTER);

#endif  // OPEN_MPI
