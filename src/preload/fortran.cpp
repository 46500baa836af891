// The MPI functions that an application calls in Fortran and that c.cpp does not intercept. Open
// MPI's mpif.h, mpi and mpi_f08 call PMPI_* directly. MPICH's interfaces call the C functions,
// except for functions without buffers in mpi_f08, which call PMPI_*, too.
//
// All arguments are addresses, in every interface: an mpi_f08 handle is a structure of one integer,
// and an absent optional ierror is null. Character and descriptor arguments, which differ, do not
// occur in Open MPI's collectives.

#include <mpi.h>

#ifndef MPI_ABI  // with the standard ABI, Fortran has separate libraries

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "api/guard.h"
#include "mpi/agreement/neighbors.h"
#include "mpi/call/call.h"
#include "mpi/call/next.h"
#include "mpi/call/repeats.h"
#include "mpi/call/serve.h"
#include "mpi/call/shortcuts.h"
#include "mpi/call/wait_clock.h"
#include "preload/begin.h"
#include "preload/duplicates.h"
#include "preload/requests.h"
#include "toccata/toccata.h"

// The names that compilers give to a Fortran function: one of four in mpif.h and mpi, and one in
// mpi_f08.
#define TOCCATA_ALIAS(name, function) \
  extern "C" TOCCATA_PUBLIC decltype(function) name __attribute__((alias(#function)))
#define TOCCATA_FORTRAN(name, NAME, function) \
  TOCCATA_ALIAS(mpi_##name, function);        \
  TOCCATA_ALIAS(mpi_##name##_, function);     \
  TOCCATA_ALIAS(mpi_##name##__, function);    \
  TOCCATA_ALIAS(MPI_##NAME, function)
#define TOCCATA_F08(name, function) TOCCATA_ALIAS(mpi_##name##_f08_, function)

namespace {

void set(MPI_Fint* ierror, int code) {
  if (ierror != nullptr) *ierror = code;
}

}  // namespace

#define TOCCATA_INITS(suffix, tail)                                                             \
  extern "C" {                                                                                  \
  static void toccata_fortran_init##suffix(MPI_Fint* ierror) {                                  \
    static const auto next = toccata::next_definition<void(MPI_Fint*)>(                         \
        "mpi_init" tail, [](MPI_Fint* code) { set(code, PMPI_Init(nullptr, nullptr)); });       \
    MPI_Fint code = MPI_SUCCESS;                                                                \
    toccata::enter();                                                                           \
    next(&code);                                                                                \
    if (code == MPI_SUCCESS) toccata::begin();                                                  \
    set(ierror, code);                                                                          \
  }                                                                                             \
  static void toccata_fortran_init_thread##suffix(const MPI_Fint* required, MPI_Fint* provided, \
                                                  MPI_Fint* ierror) {                           \
    static const auto next =                                                                    \
        toccata::next_definition<void(const MPI_Fint*, MPI_Fint*, MPI_Fint*)>(                  \
            "mpi_init_thread" tail, [](const MPI_Fint* wanted, MPI_Fint* got, MPI_Fint* code) { \
              set(code, PMPI_Init_thread(nullptr, nullptr, *wanted, got));                      \
            });                                                                                 \
    MPI_Fint code = MPI_SUCCESS;                                                                \
    toccata::enter();                                                                           \
    next(required, provided, &code);                                                            \
    if (code == MPI_SUCCESS) toccata::begin();                                                  \
    set(ierror, code);                                                                          \
  }                                                                                             \
  }

TOCCATA_INITS(_f08, "_f08_")
TOCCATA_F08(init, toccata_fortran_init_f08);
TOCCATA_F08(init_thread, toccata_fortran_init_thread_f08);

// In Fortran, MPI_IN_PLACE and similar constants are addresses of common blocks or module
// variables. Their names depend on the Fortran compiler with which this MPI was built. One of each
// exists; the others are null.
#define TOCCATA_COMMON(name, NAME) \
  extern "C" __attribute__((weak)) int name, name##_, name##__, NAME
#define TOCCATA_COMMONS(name, NAME) \
  Addresses { &name, &name##_, &name##__, &NAME }

namespace {

using Addresses = std::initializer_list<const void*>;

bool is_one_of(const void* address, Addresses commons) {
  for (const void* each : commons)
    if (each != nullptr && each == address) return true;
  return false;
}

MPI_Comm c_communicator(const MPI_Fint* handle) { return PMPI_Comm_f2c(*handle); }

}  // namespace

#ifndef OPEN_MPI
// MPICH's mpi_f08 calls the C functions only of collectives that have buffers, so not MPI_Barrier.
extern "C" {
static void toccata_fortran_barrier_f08(const MPI_Fint* comm, MPI_Fint* ierror) {
  set(ierror, MPI_Barrier(MPI_Comm_f2c(*comm)));
}
static void toccata_fortran_finalize_f08(MPI_Fint* ierror) { set(ierror, MPI_Finalize()); }
static void toccata_fortran_cancel_f08(const MPI_Fint* request, MPI_Fint* ierror) {
  MPI_Request handle = MPI_Request_f2c(*request);
  set(ierror, MPI_Cancel(&handle));
}
static void toccata_fortran_ibarrier_f08(const MPI_Fint* comm, MPI_Fint* request,
                                         MPI_Fint* ierror) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(MPI_Comm_f2c(*comm), &made);
  if (code == MPI_SUCCESS) *request = MPI_Request_c2f(made);
  set(ierror, code);
}
#if MPI_VERSION >= 4
static void toccata_fortran_barrier_init_f08(const MPI_Fint* comm, const MPI_Fint* info,
                                             MPI_Fint* request, MPI_Fint* ierror) {
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = MPI_Barrier_init(MPI_Comm_f2c(*comm), MPI_Info_f2c(*info), &made);
  if (code == MPI_SUCCESS) *request = MPI_Request_c2f(made);
  set(ierror, code);
}
#endif
}
TOCCATA_F08(barrier, toccata_fortran_barrier_f08);
TOCCATA_F08(ibarrier, toccata_fortran_ibarrier_f08);
TOCCATA_F08(finalize, toccata_fortran_finalize_f08);
TOCCATA_F08(cancel, toccata_fortran_cancel_f08);
#if MPI_VERSION >= 4
TOCCATA_F08(barrier_init, toccata_fortran_barrier_init_f08);
#endif
#endif

#ifdef OPEN_MPI

TOCCATA_INITS(, "_")
TOCCATA_FORTRAN(init, INIT, toccata_fortran_init);
TOCCATA_FORTRAN(init_thread, INIT_THREAD, toccata_fortran_init_thread);

// Counts and displacements, including arrays, are passed on unchanged.
static_assert(sizeof(MPI_Fint) == sizeof(int), "a default INTEGER must be an int");

TOCCATA_COMMON(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE);
TOCCATA_COMMON(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM);

namespace {

void* c_buffer(void* address) {
  if (is_one_of(address, TOCCATA_COMMONS(mpi_fortran_in_place, MPI_FORTRAN_IN_PLACE)))
    return MPI_IN_PLACE;
  if (is_one_of(address, TOCCATA_COMMONS(mpi_fortran_bottom, MPI_FORTRAN_BOTTOM)))
    return MPI_BOTTOM;
  return address;
}

MPI_Datatype c_datatype(const MPI_Fint* handle) { return PMPI_Type_f2c(*handle); }
MPI_Op c_operation(const MPI_Fint* handle) { return PMPI_Op_f2c(*handle); }

using Datatypes = std::vector<MPI_Datatype>;

Datatypes c_datatypes(const MPI_Fint* handles, std::size_t count) {
  Datatypes result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = c_datatype(handles + i);
  return result;
}

}  // namespace

// An argument in its Fortran form, and in its C form.
#define TOCCATA_FORTRAN_PARAMETER(kind, name) TOCCATA_FORTRAN_##kind name,
#define TOCCATA_FORTRAN_BUFFER_IN void*
#define TOCCATA_FORTRAN_BUFFER_OUT void*
#define TOCCATA_FORTRAN_COUNT_IN const MPI_Fint*
#define TOCCATA_FORTRAN_COUNT_OUT const MPI_Fint*
#define TOCCATA_FORTRAN_COUNTS_IN const MPI_Fint*
#define TOCCATA_FORTRAN_COUNTS_OUT const MPI_Fint*
#define TOCCATA_FORTRAN_PLACES_IN const MPI_Fint*
#define TOCCATA_FORTRAN_PLACES_OUT const MPI_Fint*
#define TOCCATA_FORTRAN_OFFSETS_IN const MPI_Aint*
#define TOCCATA_FORTRAN_OFFSETS_OUT const MPI_Aint*
#define TOCCATA_FORTRAN_TYPE_IN const MPI_Fint*
#define TOCCATA_FORTRAN_TYPE_OUT const MPI_Fint*
#define TOCCATA_FORTRAN_TYPES_IN const MPI_Fint*
#define TOCCATA_FORTRAN_TYPES_OUT const MPI_Fint*
#define TOCCATA_FORTRAN_OPERATION const MPI_Fint*
#define TOCCATA_FORTRAN_ROOT const MPI_Fint*

#define TOCCATA_C_ARGUMENT(kind, name) TOCCATA_TO_C_##kind(name),
#define TOCCATA_TO_C_BUFFER_IN(name) c_buffer(name)
#define TOCCATA_TO_C_BUFFER_OUT(name) c_buffer(name)
#define TOCCATA_TO_C_COUNT_IN(name) *name
#define TOCCATA_TO_C_COUNT_OUT(name) *name
#define TOCCATA_TO_C_COUNTS_IN(name) name
#define TOCCATA_TO_C_COUNTS_OUT(name) name
#define TOCCATA_TO_C_PLACES_IN(name) name
#define TOCCATA_TO_C_PLACES_OUT(name) name
#define TOCCATA_TO_C_OFFSETS_IN(name) name
#define TOCCATA_TO_C_OFFSETS_OUT(name) name
#define TOCCATA_TO_C_TYPE_IN(name) c_datatype(name)
#define TOCCATA_TO_C_TYPE_OUT(name) c_datatype(name)
#define TOCCATA_TO_C_TYPES_IN(name) \
  c_datatypes(name, c_buffer(sendbuf) == MPI_IN_PLACE ? 0 : peers.out).data()
#define TOCCATA_TO_C_TYPES_OUT(name) c_datatypes(name, peers.in).data()
#define TOCCATA_TO_C_OPERATION(name) c_operation(name)
#define TOCCATA_TO_C_ROOT(name) *name

// An argument for a Said. Conversions that take time are left out.
#define TOCCATA_SAID_ARGUMENT(kind, name) TOCCATA_SAID_##kind(name),
#define TOCCATA_SAID_BUFFER_IN(name) nullptr
#define TOCCATA_SAID_BUFFER_OUT(name) nullptr
#define TOCCATA_SAID_COUNT_IN(name) *name
#define TOCCATA_SAID_COUNT_OUT(name) *name
#define TOCCATA_SAID_COUNTS_IN(name) nullptr
#define TOCCATA_SAID_COUNTS_OUT(name) nullptr
#define TOCCATA_SAID_PLACES_IN(name) nullptr
#define TOCCATA_SAID_PLACES_OUT(name) nullptr
#define TOCCATA_SAID_OFFSETS_IN(name) nullptr
#define TOCCATA_SAID_OFFSETS_OUT(name) nullptr
#define TOCCATA_SAID_TYPE_IN(name) c_datatype(name)
#define TOCCATA_SAID_TYPE_OUT(name) c_datatype(name)
#define TOCCATA_SAID_TYPES_IN(name) nullptr
#define TOCCATA_SAID_TYPES_OUT(name) nullptr
#define TOCCATA_SAID_OPERATION(name) c_operation(name)
#define TOCCATA_SAID_ROOT(name) *name

// The arrays of datatypes that are created here live until the call has ended.
#define TOCCATA_INTERPOSE_FORTRAN(Name, name, collective_, suffix, tail)                           \
  extern "C" {                                                                                     \
  static void toccata_fortran_c_##name##suffix(TOCCATA_ARGUMENTS_##name(TOCCATA_FORTRAN_PARAMETER) \
                                                   const MPI_Fint* comm,                           \
                                               MPI_Fint* ierror) {                                 \
    set(ierror, toccata::guarded(c_communicator(comm), [&] {                                       \
          [[maybe_unused]] const toccata::Peers peers =                                            \
              toccata::peers_of(toccata::collective_, c_communicator(comm));                       \
          return PMPI_##Name(TOCCATA_ARGUMENTS_##name(TOCCATA_C_ARGUMENT) c_communicator(comm));   \
        }));                                                                                       \
  }                                                                                                \
  static void toccata_fortran_##name##suffix(TOCCATA_ARGUMENTS_##name(TOCCATA_FORTRAN_PARAMETER)   \
                                                 const MPI_Fint* comm,                             \
                                             MPI_Fint* ierror) {                                   \
    static const auto next =                                                                       \
        toccata::next_definition("mpi_" #name tail, &toccata_fortran_c_##name##suffix);            \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);           \
    if (!concerns) return next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm, ierror);           \
    const auto native = [&] {                                                                      \
      MPI_Fint code = MPI_SUCCESS;                                                                 \
      next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm, &code);                                \
      return code;                                                                                 \
    };                                                                                             \
    const MPI_Comm c_comm = c_communicator(comm);                                                  \
    const toccata::Said said =                                                                     \
        toccata::said::name(TOCCATA_ARGUMENTS_##name(TOCCATA_SAID_ARGUMENT) c_comm);               \
    if (toccata::Repeats::is_one_more(said)) return set(ierror, native());                         \
    if (c_comm == MPI_COMM_NULL) return set(ierror, native());                                     \
    set(ierror, toccata::guarded_collective(c_comm, [&] {                                          \
          [[maybe_unused]] const toccata::Peers peers =                                            \
              toccata::peers_of(toccata::collective_, c_comm);                                     \
          return toccata::run(                                                                     \
              said,                                                                                \
              toccata::operations::name(TOCCATA_ARGUMENTS_##name(TOCCATA_C_ARGUMENT) c_comm),      \
              nullptr, native);                                                                    \
        }));                                                                                       \
  }                                                                                                \
  }

#define TOCCATA_INTERPOSE_MPIF(Name, name, collective) \
  TOCCATA_INTERPOSE_FORTRAN(Name, name, collective, , "_")
#define TOCCATA_INTERPOSE_F08(Name, name, collective)              \
  TOCCATA_INTERPOSE_FORTRAN(Name, name, collective, _f08, "_f08_") \
  TOCCATA_F08(name, toccata_fortran_##name##_f08);
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_MPIF)
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_F08)

TOCCATA_FORTRAN(allgather, ALLGATHER, toccata_fortran_allgather);
TOCCATA_FORTRAN(allgatherv, ALLGATHERV, toccata_fortran_allgatherv);
TOCCATA_FORTRAN(alltoall, ALLTOALL, toccata_fortran_alltoall);
TOCCATA_FORTRAN(alltoallv, ALLTOALLV, toccata_fortran_alltoallv);
TOCCATA_FORTRAN(alltoallw, ALLTOALLW, toccata_fortran_alltoallw);
TOCCATA_FORTRAN(bcast, BCAST, toccata_fortran_bcast);
TOCCATA_FORTRAN(gather, GATHER, toccata_fortran_gather);
TOCCATA_FORTRAN(gatherv, GATHERV, toccata_fortran_gatherv);
TOCCATA_FORTRAN(scatter, SCATTER, toccata_fortran_scatter);
TOCCATA_FORTRAN(scatterv, SCATTERV, toccata_fortran_scatterv);
TOCCATA_FORTRAN(reduce, REDUCE, toccata_fortran_reduce);
TOCCATA_FORTRAN(allreduce, ALLREDUCE, toccata_fortran_allreduce);
TOCCATA_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK, toccata_fortran_reduce_scatter_block);
TOCCATA_FORTRAN(reduce_scatter, REDUCE_SCATTER, toccata_fortran_reduce_scatter);
TOCCATA_FORTRAN(scan, SCAN, toccata_fortran_scan);
TOCCATA_FORTRAN(exscan, EXSCAN, toccata_fortran_exscan);
TOCCATA_FORTRAN(barrier, BARRIER, toccata_fortran_barrier);
TOCCATA_FORTRAN(neighbor_allgather, NEIGHBOR_ALLGATHER, toccata_fortran_neighbor_allgather);
TOCCATA_FORTRAN(neighbor_allgatherv, NEIGHBOR_ALLGATHERV, toccata_fortran_neighbor_allgatherv);
TOCCATA_FORTRAN(neighbor_alltoall, NEIGHBOR_ALLTOALL, toccata_fortran_neighbor_alltoall);
TOCCATA_FORTRAN(neighbor_alltoallv, NEIGHBOR_ALLTOALLV, toccata_fortran_neighbor_alltoallv);
TOCCATA_FORTRAN(neighbor_alltoallw, NEIGHBOR_ALLTOALLW, toccata_fortran_neighbor_alltoallw);

// ---- Nonblocking and persistent calls

#define TOCCATA_FORTRAN_INFO_nonblocking
#define TOCCATA_FORTRAN_INFO_persistent const MPI_Fint *info,

// `known_as` is the name in mpif.h.
#define TOCCATA_INTERPOSE_FORTRAN_REQUEST(function, known_as, name, collective_, kind_)            \
  extern "C" {                                                                                     \
  static void function(TOCCATA_ARGUMENTS_##name(TOCCATA_FORTRAN_PARAMETER) const MPI_Fint* comm,   \
                       TOCCATA_FORTRAN_INFO_##kind_ MPI_Fint* request, MPI_Fint* ierror) {         \
    static const auto next =                                                                       \
        toccata::next_definition<decltype(function)>(known_as, static_cast<void*>(nullptr));       \
    static const bool concerns = toccata::Settings::get().concern(toccata::collective_);           \
    const auto native = [&](MPI_Fint* code) {                                                      \
      next(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm, TOCCATA_INFO_ARGUMENT_##kind_ request, \
           code);                                                                                  \
    };                                                                                             \
    const MPI_Comm c_comm = c_communicator(comm);                                                  \
    toccata::Said said =                                                                           \
        toccata::said::name(TOCCATA_ARGUMENTS_##name(TOCCATA_SAID_ARGUMENT) c_comm);               \
    if (!concerns || !toccata::Served::are_possible() || c_comm == MPI_COMM_NULL ||                \
        toccata::requests::is_one_more(said, toccata::Form::kind_))                                \
      return native(ierror);                                                                       \
    MPI_Request made = MPI_REQUEST_NULL, theirs = MPI_REQUEST_NULL;                                \
    const int result = toccata::guarded_collective(c_comm, [&] {                                   \
      [[maybe_unused]] const toccata::Peers peers =                                                \
          toccata::peers_of(toccata::collective_, c_comm);                                         \
      return toccata::requests::name(TOCCATA_ARGUMENTS_##name(TOCCATA_C_ARGUMENT) said,            \
                                     toccata::Form::kind_, &made, [&] {                            \
                                       MPI_Fint code = MPI_SUCCESS;                                \
                                       native(&code);                                              \
                                       if (code == MPI_SUCCESS)                                    \
                                         made = theirs = PMPI_Request_f2c(*request);               \
                                       return code;                                                \
                                     });                                                           \
    });                                                                                            \
    if (made != theirs) *request = PMPI_Request_c2f(made);                                         \
    set(ierror, result);                                                                           \
  }                                                                                                \
  }

#if OMPI_MAJOR_VERSION >= 5
#define TOCCATA_PERSISTENT_FORTRAN "mpi_"
#define TOCCATA_PERSISTENT_NAME(name) mpi_##name
#define TOCCATA_PERSISTENT_CAPITALS(NAME) MPI_##NAME
#else  // names from before MPI 4
#define TOCCATA_PERSISTENT_FORTRAN "mpix_"
#define TOCCATA_PERSISTENT_NAME(name) mpix_##name
#define TOCCATA_PERSISTENT_CAPITALS(NAME) MPIX_##NAME
#endif

#define TOCCATA_INTERPOSE_FORTRAN_REQUESTS(Name, name, collective)                                \
  TOCCATA_INTERPOSE_FORTRAN_REQUEST(toccata_fortran_i##name, "mpi_i" #name "_", name, collective, \
                                    nonblocking)                                                  \
  TOCCATA_INTERPOSE_FORTRAN_REQUEST(toccata_fortran_i##name##_f08, "mpi_i" #name "_f08_", name,   \
                                    collective, nonblocking)                                      \
  TOCCATA_F08(i##name, toccata_fortran_i##name##_f08);                                            \
  TOCCATA_INTERPOSE_FORTRAN_REQUEST(toccata_fortran_##name##_init,                                \
                                    TOCCATA_PERSISTENT_FORTRAN #name "_init_", name, collective,  \
                                    persistent)                                                   \
  TOCCATA_INTERPOSE_FORTRAN_REQUEST(toccata_fortran_##name##_init_f08,                            \
                                    TOCCATA_PERSISTENT_FORTRAN #name "_init_f08_", name,          \
                                    collective, persistent)                                       \
  TOCCATA_ALIAS(TOCCATA_PERSISTENT_NAME(name##_init_f08_), toccata_fortran_##name##_init_f08);
TOCCATA_FUNCTIONS(TOCCATA_INTERPOSE_FORTRAN_REQUESTS)

#define TOCCATA_FORTRAN_REQUESTS(name, NAME)                                            \
  TOCCATA_FORTRAN(i##name, I##NAME, toccata_fortran_i##name);                           \
  TOCCATA_ALIAS(TOCCATA_PERSISTENT_NAME(name##_init), toccata_fortran_##name##_init);   \
  TOCCATA_ALIAS(TOCCATA_PERSISTENT_NAME(name##_init_), toccata_fortran_##name##_init);  \
  TOCCATA_ALIAS(TOCCATA_PERSISTENT_NAME(name##_init__), toccata_fortran_##name##_init); \
  TOCCATA_ALIAS(TOCCATA_PERSISTENT_CAPITALS(NAME##_INIT), toccata_fortran_##name##_init)
TOCCATA_FORTRAN_REQUESTS(allgather, ALLGATHER);
TOCCATA_FORTRAN_REQUESTS(allgatherv, ALLGATHERV);
TOCCATA_FORTRAN_REQUESTS(alltoall, ALLTOALL);
TOCCATA_FORTRAN_REQUESTS(alltoallv, ALLTOALLV);
TOCCATA_FORTRAN_REQUESTS(alltoallw, ALLTOALLW);
TOCCATA_FORTRAN_REQUESTS(bcast, BCAST);
TOCCATA_FORTRAN_REQUESTS(gather, GATHER);
TOCCATA_FORTRAN_REQUESTS(gatherv, GATHERV);
TOCCATA_FORTRAN_REQUESTS(scatter, SCATTER);
TOCCATA_FORTRAN_REQUESTS(scatterv, SCATTERV);
TOCCATA_FORTRAN_REQUESTS(reduce, REDUCE);
TOCCATA_FORTRAN_REQUESTS(allreduce, ALLREDUCE);
TOCCATA_FORTRAN_REQUESTS(reduce_scatter_block, REDUCE_SCATTER_BLOCK);
TOCCATA_FORTRAN_REQUESTS(reduce_scatter, REDUCE_SCATTER);
TOCCATA_FORTRAN_REQUESTS(scan, SCAN);
TOCCATA_FORTRAN_REQUESTS(exscan, EXSCAN);
TOCCATA_FORTRAN_REQUESTS(barrier, BARRIER);
TOCCATA_FORTRAN_REQUESTS(neighbor_allgather, NEIGHBOR_ALLGATHER);
TOCCATA_FORTRAN_REQUESTS(neighbor_allgatherv, NEIGHBOR_ALLGATHERV);
TOCCATA_FORTRAN_REQUESTS(neighbor_alltoall, NEIGHBOR_ALLTOALL);
TOCCATA_FORTRAN_REQUESTS(neighbor_alltoallv, NEIGHBOR_ALLTOALLV);
TOCCATA_FORTRAN_REQUESTS(neighbor_alltoallw, NEIGHBOR_ALLTOALLW);

#endif  // OPEN_MPI

#ifdef OPEN_MPI

#define TOCCATA_IDUPS(suffix, tail)                                                                \
  extern "C" {                                                                                     \
  static void toccata_fortran_comm_idup##suffix(MPI_Fint* comm, MPI_Fint* made, MPI_Fint* request, \
                                                MPI_Fint* ierror) {                                \
    toccata::pass_on_idup<void>("mpi_comm_idup" tail, PMPI_Comm_f2c(*comm), comm, made, request,   \
                                ierror);                                                           \
  }                                                                                                \
  static void toccata_fortran_comm_idup_with_info##suffix(MPI_Fint* comm, MPI_Fint* info,          \
                                                          MPI_Fint* made, MPI_Fint* request,       \
                                                          MPI_Fint* ierror) {                      \
    toccata::pass_on_idup<void>("mpi_comm_idup_with_info" tail, PMPI_Comm_f2c(*comm), comm, info,  \
                                made, request, ierror);                                            \
  }                                                                                                \
  }
TOCCATA_IDUPS(, "_")
TOCCATA_IDUPS(_f08, "_f08_")
TOCCATA_FORTRAN(comm_idup, COMM_IDUP, toccata_fortran_comm_idup);
TOCCATA_FORTRAN(comm_idup_with_info, COMM_IDUP_WITH_INFO, toccata_fortran_comm_idup_with_info);
TOCCATA_F08(comm_idup, toccata_fortran_comm_idup_f08);
TOCCATA_F08(comm_idup_with_info, toccata_fortran_comm_idup_with_info_f08);

#endif  // OPEN_MPI

#ifdef TOCCATA_SERVES_REQUESTS

// A persistent request keeps its Fortran handle in all functions.
#define TOCCATA_STARTS(suffix, tail)                                                            \
  extern "C" {                                                                                  \
  static void toccata_fortran_start##suffix(MPI_Fint* request, MPI_Fint* ierror) {              \
    static const auto next = toccata::next_definition<void(MPI_Fint*, MPI_Fint*)>(              \
        "mpi_start" tail, static_cast<void*>(nullptr));                                         \
    if (!toccata::Served::are_persistent()) return next(request, ierror);                       \
    MPI_Fint code = MPI_SUCCESS;                                                                \
    next(request, &code);                                                                       \
    set(ierror,                                                                                 \
        toccata::requests::started(code, 1, [&](int) { return PMPI_Request_f2c(*request); }));  \
  }                                                                                             \
  static void toccata_fortran_startall##suffix(const MPI_Fint* count, MPI_Fint* array,          \
                                               MPI_Fint* ierror) {                              \
    static const auto next =                                                                    \
        toccata::next_definition<void(const MPI_Fint*, MPI_Fint*, MPI_Fint*)>(                  \
            "mpi_startall" tail, static_cast<void*>(nullptr));                                  \
    if (!toccata::Served::are_persistent()) return next(count, array, ierror);                  \
    MPI_Fint code = MPI_SUCCESS;                                                                \
    next(count, array, &code);                                                                  \
    set(ierror, toccata::requests::started(code, *count,                                        \
                                           [&](int i) { return PMPI_Request_f2c(array[i]); })); \
  }                                                                                             \
  static void toccata_fortran_request_free##suffix(MPI_Fint* request, MPI_Fint* ierror) {       \
    static const auto next = toccata::next_definition<void(MPI_Fint*, MPI_Fint*)>(              \
        "mpi_request_free" tail, static_cast<void*>(nullptr));                                  \
    if (toccata::Served::are_persistent()) toccata::Served::freed(PMPI_Request_f2c(*request));  \
    next(request, ierror);                                                                      \
  }                                                                                             \
  }

#ifdef OPEN_MPI
TOCCATA_STARTS(, "_")
TOCCATA_FORTRAN(start, START, toccata_fortran_start);
TOCCATA_FORTRAN(startall, STARTALL, toccata_fortran_startall);
TOCCATA_FORTRAN(request_free, REQUEST_FREE, toccata_fortran_request_free);
#endif
TOCCATA_STARTS(_f08, "_f08_")
TOCCATA_F08(start, toccata_fortran_start_f08);
TOCCATA_F08(startall, toccata_fortran_startall_f08);
TOCCATA_F08(request_free, toccata_fortran_request_free_f08);

// These functions measure the overlap for the report. Without a report, they only pass on their
// arguments, which are all addresses.
#define TOCCATA_WAIT(name, suffix, tail, parameters, arguments)                                  \
  extern "C" {                                                                                   \
  static void toccata_fortran_##name##suffix parameters {                                        \
    static const auto next = toccata::next_definition<decltype(toccata_fortran_##name##suffix)>( \
        "mpi_" #name tail, static_cast<void*>(nullptr));                                         \
    static const bool reports = toccata::Settings::get().reporting();                            \
    if (!reports) return next arguments;                                                         \
    const toccata::WaitClock::Span span;                                                         \
    next arguments;                                                                              \
  }                                                                                              \
  }
#ifdef OPEN_MPI
#define TOCCATA_WAITS(name, NAME, parameters, arguments)   \
  TOCCATA_WAIT(name, , "_", parameters, arguments)         \
  TOCCATA_WAIT(name, _f08, "_f08_", parameters, arguments) \
  TOCCATA_FORTRAN(name, NAME, toccata_fortran_##name);     \
  TOCCATA_F08(name, toccata_fortran_##name##_f08)
#else
#define TOCCATA_WAITS(name, NAME, parameters, arguments)   \
  TOCCATA_WAIT(name, _f08, "_f08_", parameters, arguments) \
  TOCCATA_F08(name, toccata_fortran_##name##_f08)
#endif
#define TOCCATA_WAITS_OF_3(name, NAME) \
  TOCCATA_WAITS(name, NAME, (void* a, void* b, void* c), (a, b, c))
#define TOCCATA_WAITS_OF_4(name, NAME) \
  TOCCATA_WAITS(name, NAME, (void* a, void* b, void* c, void* d), (a, b, c, d))
#define TOCCATA_WAITS_OF_5(name, NAME) \
  TOCCATA_WAITS(name, NAME, (void* a, void* b, void* c, void* d, void* e), (a, b, c, d, e))
#define TOCCATA_WAITS_OF_6(name, NAME)                                              \
  TOCCATA_WAITS(name, NAME, (void* a, void* b, void* c, void* d, void* e, void* f), \
                (a, b, c, d, e, f))
TOCCATA_WAITS_OF_3(wait, WAIT);
TOCCATA_WAITS_OF_4(test, TEST);
TOCCATA_WAITS_OF_4(waitall, WAITALL);
TOCCATA_WAITS_OF_5(testall, TESTALL);
TOCCATA_WAITS_OF_5(waitany, WAITANY);
TOCCATA_WAITS_OF_6(testany, TESTANY);
TOCCATA_WAITS_OF_6(waitsome, WAITSOME);
TOCCATA_WAITS_OF_6(testsome, TESTSOME);

#endif  // TOCCATA_SERVES_REQUESTS

// ---- Topologies: calls that we serve use the C functions of topologies.cpp.

#ifdef OPEN_MPI
TOCCATA_COMMON(mpi_fortran_unweighted, MPI_FORTRAN_UNWEIGHTED);
TOCCATA_COMMON(mpi_fortran_weights_empty, MPI_FORTRAN_WEIGHTS_EMPTY);
#define TOCCATA_UNWEIGHTED TOCCATA_COMMONS(mpi_fortran_unweighted, MPI_FORTRAN_UNWEIGHTED)
#define TOCCATA_WEIGHTS_EMPTY TOCCATA_COMMONS(mpi_fortran_weights_empty, MPI_FORTRAN_WEIGHTS_EMPTY)
#else  // variables of MPICH's module mpi_f08, as gfortran and Intel's compilers name them
extern "C" __attribute__((weak)) int __mpi_f08_link_constants_MOD_mpi_unweighted,
    mpi_f08_link_constants_mp_mpi_unweighted_, __mpi_f08_link_constants_MOD_mpi_weights_empty,
    mpi_f08_link_constants_mp_mpi_weights_empty_;
#define TOCCATA_UNWEIGHTED                                                                   \
  Addresses {                                                                                \
    &__mpi_f08_link_constants_MOD_mpi_unweighted, &mpi_f08_link_constants_mp_mpi_unweighted_ \
  }
#define TOCCATA_WEIGHTS_EMPTY                                                                      \
  Addresses {                                                                                      \
    &__mpi_f08_link_constants_MOD_mpi_weights_empty, &mpi_f08_link_constants_mp_mpi_weights_empty_ \
  }
#endif

namespace {

// Whether the address that represents "no weights" is known, under the name of this MPI's compiler.
bool knows_weights() {
  return std::ranges::any_of(TOCCATA_UNWEIGHTED, [](const void* each) { return each != nullptr; });
}

int* c_weights(MPI_Fint* weights) {
  if (is_one_of(weights, TOCCATA_UNWEIGHTED)) return MPI_UNWEIGHTED;
  if (is_one_of(weights, TOCCATA_WEIGHTS_EMPTY)) return MPI_WEIGHTS_EMPTY;
  return weights;
}

// Calls the Fortran function `next`, unless we serve the call, or there is no next function.
template <typename Next, typename Native, typename Ours>
void topology(Next next, const MPI_Fint* reorder, MPI_Fint* made, MPI_Fint* ierror, Native&& native,
              Ours&& ours) {
  if (next != nullptr &&
      (*reorder == 0 || !toccata::Settings::get().reorder_topologies() || !knows_weights()))
    return native();
  MPI_Comm comm = MPI_COMM_NULL;
  const int code = toccata::guarded(MPI_COMM_WORLD, [&] { return ours(&comm); });
  if (code == MPI_SUCCESS) *made = PMPI_Comm_c2f(comm);
  set(ierror, code);
}

}  // namespace

#define TOCCATA_NEXT_TOPOLOGY(name, tail, ...) \
  static const auto next =                     \
      toccata::next_definition<void(__VA_ARGS__)>("mpi_" #name tail, static_cast<void*>(nullptr))

using Fint = MPI_Fint;

#define TOCCATA_TOPOLOGIES(suffix, tail)                                                           \
  extern "C" {                                                                                     \
  static void toccata_fortran_cart_create##suffix(Fint* comm, Fint* ndims, Fint* dims,             \
                                                  Fint* periods, Fint* reorder, Fint* made,        \
                                                  Fint* ierror) {                                  \
    TOCCATA_NEXT_TOPOLOGY(cart_create, tail, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*);     \
    topology(                                                                                      \
        next, reorder, made, ierror,                                                               \
        [&] { next(comm, ndims, dims, periods, reorder, made, ierror); },                          \
        [&](MPI_Comm* cart) {                                                                      \
          std::vector<int> periodic(periods, periods + *ndims);                                    \
          for (int& each : periodic) each = each != 0 ? 1 : 0;                                     \
          return MPI_Cart_create(c_communicator(comm), *ndims, dims, periodic.data(),              \
                                 *reorder != 0, cart);                                             \
        });                                                                                        \
  }                                                                                                \
  static void toccata_fortran_graph_create##suffix(Fint* comm, Fint* nodes, Fint* index,           \
                                                   Fint* edges, Fint* reorder, Fint* made,         \
                                                   Fint* ierror) {                                 \
    TOCCATA_NEXT_TOPOLOGY(graph_create, tail, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*);    \
    topology(                                                                                      \
        next, reorder, made, ierror,                                                               \
        [&] { next(comm, nodes, index, edges, reorder, made, ierror); },                           \
        [&](MPI_Comm* graph) {                                                                     \
          return MPI_Graph_create(c_communicator(comm), *nodes, index, edges, *reorder != 0,       \
                                  graph);                                                          \
        });                                                                                        \
  }                                                                                                \
  static void toccata_fortran_dist_graph_create##suffix(Fint* comm, Fint* n, Fint* sources,        \
                                                        Fint* degrees, Fint* destinations,         \
                                                        Fint* weights, Fint* info, Fint* reorder,  \
                                                        Fint* made, Fint* ierror) {                \
    TOCCATA_NEXT_TOPOLOGY(dist_graph_create, tail, Fint*, Fint*, Fint*, Fint*, Fint*, Fint*,       \
                          Fint*, Fint*, Fint*, Fint*);                                             \
    topology(                                                                                      \
        next, reorder, made, ierror,                                                               \
        [&] {                                                                                      \
          next(comm, n, sources, degrees, destinations, weights, info, reorder, made, ierror);     \
        },                                                                                         \
        [&](MPI_Comm* graph) {                                                                     \
          return MPI_Dist_graph_create(c_communicator(comm), *n, sources, degrees, destinations,   \
                                       c_weights(weights), PMPI_Info_f2c(*info), *reorder != 0,    \
                                       graph);                                                     \
        });                                                                                        \
  }                                                                                                \
  static void toccata_fortran_dist_graph_create_adjacent##suffix(                                  \
      Fint* comm, Fint* indegree, Fint* sources, Fint* sourceweights, Fint* outdegree,             \
      Fint* destinations, Fint* destweights, Fint* info, Fint* reorder, Fint* made,                \
      Fint* ierror) {                                                                              \
    TOCCATA_NEXT_TOPOLOGY(dist_graph_create_adjacent, tail, Fint*, Fint*, Fint*, Fint*, Fint*,     \
                          Fint*, Fint*, Fint*, Fint*, Fint*, Fint*);                               \
    topology(                                                                                      \
        next, reorder, made, ierror,                                                               \
        [&] {                                                                                      \
          next(comm, indegree, sources, sourceweights, outdegree, destinations, destweights, info, \
               reorder, made, ierror);                                                             \
        },                                                                                         \
        [&](MPI_Comm* graph) {                                                                     \
          return MPI_Dist_graph_create_adjacent(                                                   \
              c_communicator(comm), *indegree, sources, c_weights(sourceweights), *outdegree,      \
              destinations, c_weights(destweights), PMPI_Info_f2c(*info), *reorder != 0, graph);   \
        });                                                                                        \
  }                                                                                                \
  }

TOCCATA_TOPOLOGIES(_f08, "_f08_")
TOCCATA_F08(cart_create, toccata_fortran_cart_create_f08);
TOCCATA_F08(graph_create, toccata_fortran_graph_create_f08);
TOCCATA_F08(dist_graph_create, toccata_fortran_dist_graph_create_f08);
TOCCATA_F08(dist_graph_create_adjacent, toccata_fortran_dist_graph_create_adjacent_f08);

#ifdef OPEN_MPI
TOCCATA_TOPOLOGIES(, "_")
TOCCATA_FORTRAN(cart_create, CART_CREATE, toccata_fortran_cart_create);
TOCCATA_FORTRAN(graph_create, GRAPH_CREATE, toccata_fortran_graph_create);
TOCCATA_FORTRAN(dist_graph_create, DIST_GRAPH_CREATE, toccata_fortran_dist_graph_create);
TOCCATA_FORTRAN(dist_graph_create_adjacent, DIST_GRAPH_CREATE_ADJACENT,
                toccata_fortran_dist_graph_create_adjacent);
#endif

#endif  // MPI_ABI
