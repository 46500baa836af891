#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <memory>

#include "collectives/collective.h"
#include "mpi/data/binding.h"
#include "mpi/data/datatype.h"
#include "mpi/data/integers.h"

namespace toccata {

// The rank of a process in an intercommunicator, where roots are specified differently.
inline constexpr int no_rank = INT_MIN;

// The locations of the blocks of send or recv. Blocks are equal and contiguous, or each has its own
// count, and perhaps its own place and datatype.
struct Side {
  void* buffer = nullptr;
  std::int64_t count = 0;  // elements of a block
  bool counted = false;    // instead, each block has its own of counts
  Integers counts = {};
  bool placed = false;  // each block has its own of places, in extents; in bytes if typed
  Integers places = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool typed = false;  // each block has its own of types
  const MPI_Datatype* types = nullptr;

  void set_counts(Integers values) {
    counted = true;
    counts = values;
  }
  void set_places(Integers values) {
    placed = true;
    places = values;
  }
  void set_types(const MPI_Datatype* values) {
    typed = true;
    types = values;
  }
  bool in_place() const { return buffer == MPI_IN_PLACE; }
  std::int64_t elements(int block) const { return counted ? counts[block] : count; }
  // For an empty block, some programs pass a null datatype, and some MPIs accept it.
  MPI_Datatype type_of(int block) const {
    return !typed ? type : counts[block] == 0 ? MPI_BYTE : types[block];
  }
};

// The position of a caller: its rank, the number of ranks, and its number of blocks per buffer.
struct Seat {
  int rank, p;
  int sends = 0, receives = 0;
};

// One call of a collective with the user's arguments; the pointers must stay valid as long as MPI
// demands. If a rank has no blocks in a buffer, the arguments of that buffer are not read, as in
// MPI.
struct Operation {
  const Collective& collective;
  Side send = {}, recv = {};
  int root = 0;                    // of a rooted collective; fault() reports invalid ranks
  MPI_Op operation = MPI_OP_NULL;  // of one that reduces
  // For a neighbourhood collective: the neighbours that this rank knows; null without a topology.
  std::shared_ptr<const Neighborhood> neighborhood = {};

  Seat seat(int rank, int p) const;

  // An MPI error class for invalid arguments; MPI_SUCCESS for valid ones.
  int fault(const Seat& seat, const DatatypeTable& datatypes) const;

  // Whether the call can be served by algorithms that keep the order of the ranks (`ordered`), or
  // by others. The operation and datatype of a reduction decide this, the same on every rank.
  bool allows(bool ordered, const DatatypeTable& datatypes) const {
    return operation == MPI_OP_NULL || allows_reduction(ordered, datatypes);
  }

  // For the report: bytes of the whole vector, as far as that rank knows.
  std::int64_t bytes(const Seat& seat) const;

  // Bytes of a contribution or of the message. If contributions differ but every rank knows all of
  // them, their mean; -1 if a rank knows only its own.
  std::int64_t unit(int rank, int p) const;
  // Whether unit() is the size of a sent block, not of a received one.
  bool is_sized_by_sent(int rank) const;
  // The same for a vector form, from the blocks that this rank knows: its own.
  double own_unit(const Seat& seat) const;

  // Whether the bits of the result can depend on the order of combining the operands of p ranks. An
  // example is a sum of floating-point numbers, or their maximum if there are NaNs.
  bool is_inexact(int p) const;
  // Whether the operation is user-defined.
  bool runs_users_code() const;
  // Whether equal calls could change their result when another library or algorithm serves them:
  // extremes, and sums of integers of 8 and 16 bits.
  bool is_sensitive() const;

  // Whether a bound call has no data, so that there is nothing to do. Every rank can see this.
  bool empty(const Binding& binding) const;

  // Gives binding.send and binding.recv their memory. If this rank has no blocks, and all blocks
  // are equal, the two get the block size of the other ranks. Returns an MPI error code.
  int bind(const Seat& seat, const DatatypeTable& datatypes, Binding& binding) const;

  // Whether MPI requires the datatype of each buffer; also for no_rank.
  bool has_type_in(const Seat& seat) const;
  bool has_type_out(const Seat& seat) const;

 private:
  int fault_of_reduction(const Seat& seat, const DatatypeTable& datatypes) const;
  bool is_aliased(const Seat& seat) const;
  bool allows_reduction(bool ordered, const DatatypeTable& datatypes) const;
  bool sends_from_root() const { return collective.recv_is_in_send; }
  static int bind_nothing(Binding& binding);
  int bind_reduction(const Seat& seat, const DatatypeTable& datatypes, Binding& binding) const;
};

}  // namespace toccata
