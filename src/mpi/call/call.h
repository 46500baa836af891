#pragma once

#include <mpi.h>

#include <memory>
#include <vector>

#include "mpi/call/functions.h"
#include "mpi/data/datatype.h"
#include "mpi/data/operation.h"

namespace toccata {

// A stored call of one of MPI's functions: its arguments, the operation that they describe, and the
// native way to serve it.
class Call {
 public:
  virtual ~Call() = default;
  virtual Operation operation() const = 0;
  virtual int start_native(MPI_Comm comm, MPI_Request* request) const = 0;
  // Keeps the datatypes as long as `held` lives, even if the user frees the handles. In an
  // intercommunicator, the rank is no_rank, and p is the number of ranks in the other group.
  virtual int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) = 0;

  // For a neighbourhood call, as in Operation.
  std::shared_ptr<const Neighborhood> neighborhood;

 protected:
  // Copies of the user's arrays, which the user may change or free.
  std::vector<MPI_Datatype> own_types_in_, own_types_out_;
};

// The operation of a call of MPI_<name>.
namespace operations {

#define TOCCATA_OPERATION(Name, name, collective_)                                        \
  inline Operation name(TOCCATA_ARGUMENTS_##name(TOCCATA_PARAMETER) MPI_Comm) {           \
    Operation call{.collective = toccata::collective_};                                   \
    TOCCATA_ARGUMENTS_##name(TOCCATA_FILL) return call;                                   \
  }                                                                                       \
  inline Operation name##_c(TOCCATA_ARGUMENTS_##name(TOCCATA_LARGE_PARAMETER) MPI_Comm) { \
    Operation call{.collective = toccata::collective_};                                   \
    TOCCATA_ARGUMENTS_##name(TOCCATA_FILL) return call;                                   \
  }
TOCCATA_FUNCTIONS(TOCCATA_OPERATION)
#undef TOCCATA_OPERATION

}  // namespace operations

// The call of MPI_<name>, with its arguments.
namespace calls {

int hold_types(const MPI_Datatype*& types, const Side& side, int blocks,
               std::vector<MPI_Datatype>& own, std::vector<OwnedDatatype>& held);

#define TOCCATA_HOLD(kind, name) TOCCATA_HOLD_##kind(name)
#define TOCCATA_HOLD_BUFFER_IN(name)
#define TOCCATA_HOLD_BUFFER_OUT(name)
#define TOCCATA_HOLD_COUNT_IN(name)
#define TOCCATA_HOLD_COUNT_OUT(name)
#define TOCCATA_HOLD_COUNTS_IN(name)
#define TOCCATA_HOLD_COUNTS_OUT(name)
#define TOCCATA_HOLD_PLACES_IN(name)
#define TOCCATA_HOLD_PLACES_OUT(name)
#define TOCCATA_HOLD_OFFSETS_IN(name)
#define TOCCATA_HOLD_OFFSETS_OUT(name)
#define TOCCATA_HOLD_OPERATION(name)
#define TOCCATA_HOLD_ROOT(name)
#define TOCCATA_HOLD_TYPE_IN(name) \
  if (code == MPI_SUCCESS && call.has_type_in(rank, p)) code = hold_datatype(name, held);
#define TOCCATA_HOLD_TYPE_OUT(name)                      \
  if (code == MPI_SUCCESS && call.has_type_out(rank, p)) \
    code = call.collective.reduces ? keep_datatype(name, held) : hold_datatype(name, held);
#define TOCCATA_HOLD_TYPES_IN(name)                     \
  if (code == MPI_SUCCESS && call.has_type_in(rank, p)) \
    code = hold_types(name, call.send, call.seat(rank, p).sends, own_types_in_, held);
#define TOCCATA_HOLD_TYPES_OUT(name)                     \
  if (code == MPI_SUCCESS && call.has_type_out(rank, p)) \
    code = hold_types(name, call.recv, call.seat(rank, p).receives, own_types_out_, held);

// `form` is the name of the function, with _c for large counts.
#define TOCCATA_CALL_OF(name, form, member)                                                        \
  struct form final : Call {                                                                       \
    TOCCATA_ARGUMENTS_##name(member) Operation operation() const override {                        \
      Operation call = operations::form(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) MPI_COMM_NULL); \
      call.neighborhood = neighborhood;                                                            \
      return call;                                                                                 \
    }                                                                                              \
    int start_native(MPI_Comm comm, MPI_Request* request) const override {                         \
      return PMPI_I##form(TOCCATA_ARGUMENTS_##name(TOCCATA_ARGUMENT) comm, request);               \
    }                                                                                              \
    int hold_datatypes([[maybe_unused]] std::vector<OwnedDatatype>& held,                          \
                       [[maybe_unused]] int rank, [[maybe_unused]] int p) override {               \
      [[maybe_unused]] const Operation call = operation();                                         \
      int code = MPI_SUCCESS;                                                                      \
      TOCCATA_ARGUMENTS_##name(TOCCATA_HOLD) return code;                                          \
    }                                                                                              \
  };
#define TOCCATA_CALL(Name, name, collective) TOCCATA_CALL_OF(name, name, TOCCATA_MEMBER)
TOCCATA_FUNCTIONS(TOCCATA_CALL)
#if MPI_VERSION >= 4
#define TOCCATA_LARGE_CALL(Name, name, collective) \
  TOCCATA_CALL_OF(name, name##_c, TOCCATA_LARGE_MEMBER)
TOCCATA_FUNCTIONS_OF_DATA(TOCCATA_LARGE_CALL)
#undef TOCCATA_LARGE_CALL
#endif
#undef TOCCATA_CALL
#undef TOCCATA_CALL_OF

}  // namespace calls

}  // namespace toccata
