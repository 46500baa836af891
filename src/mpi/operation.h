#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <memory>

#include "collectives/collective.h"
#include "mpi/binding.h"
#include "mpi/datatype.h"
#include "mpi/integers.h"

namespace toccata {

// Stands for a rank of an intercommunicator, where roots are named in another way.
inline constexpr int no_rank = INT_MIN;

// Where the blocks of send or of recv lie: alike and side by side, or each with its own count, and
// then perhaps its own place and datatype.
struct Side {
  void* buffer = nullptr;
  std::int64_t count = 0;  // elements of a block
  bool counted = false;    // ... or as many as counts says
  Integers counts = {};
  bool placed = false;  // ... from where places says, in extents, or in bytes where there are types
  Integers places = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool typed = false;  // ... each block with its own of types
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
  // Of a block that is empty, programs leave the datatype null, and some MPIs let them.
  MPI_Datatype type_of(int block) const {
    return !typed ? type : counts[block] == 0 ? MPI_BYTE : types[block];
  }
};

// Where a call is made: by which rank of how many, and how many blocks that one has of each buffer.
struct Seat {
  int rank, p;
  int sends, receives;
};

// One call of a collective with its arguments, as the user gave them; the pointers must stay valid
// for as long as MPI demands. What a rank has no blocks of, MPI does not require and no code reads.
struct Operation {
  const Collective& collective;
  Side send = {}, recv = {};
  int root = 0;  // of a collective that has one; perhaps no rank, which fault() then says
  MPI_Op operation = MPI_OP_NULL;  // of one that reduces
  // Of one among neighbours, what this rank knows of its own; null without a topology.
  std::shared_ptr<const Neighborhood> neighborhood = {};

  Seat seat(int rank, int p) const;

  // An MPI error class where the arguments make no sense; MPI_SUCCESS where they do.
  int fault(const Seat& seat, const DatatypeTable& datatypes) const;

  // Whether an algorithm can serve the call, of those that keep the order of the ranks (`ordered`)
  // or the others: what a reduction's operation and datatype say, the same on every rank.
  bool allows(bool ordered, const DatatypeTable& datatypes) const {
    return operation == MPI_OP_NULL || allows_reduction(ordered, datatypes);
  }

  // Bytes of the whole vector, as far as that rank knows, for the report.
  std::int64_t bytes(const Seat& seat) const;

  // Bytes that a rank contributes, or of the message, which every rank knows; where they differ,
  // their mean; -1 where a rank knows its own alone.
  std::int64_t unit(int rank, int p) const;
  // Whether that is the size of a block sent, as opposed to received.
  bool is_sized_by_sent(int rank) const;
  // The same as far as this rank knows, of a vector form: its own.
  double own_unit(const Seat& seat) const;

  // Whether the result depends on the order in which the operands of p ranks are combined, as that
  // of a sum of floating-point numbers does.
  bool is_inexact(int p) const;
  // Whether the operation is the program's own.
  bool runs_users_code() const;

  // Whether, as every rank can see, there is no data in a bound call, and so nothing to do.
  bool empty(const Binding& binding) const;

  // Gives binding.send and binding.recv their memory, which also where a rank has no blocks have
  // the size of other ranks', if these are alike. Returns an MPI error code.
  int bind(const Seat& seat, const DatatypeTable& datatypes, Binding& binding) const;

  // Whether MPI wants the datatype of each buffer; of no_rank as well.
  bool has_type_in(int rank, int p) const;
  bool has_type_out(int rank, int p) const;

 private:
  int fault_of_reduction(const Seat& seat, const DatatypeTable& datatypes) const;
  bool is_aliased(int rank) const;
  bool allows_reduction(bool ordered, const DatatypeTable& datatypes) const;
  bool sends_from_root() const { return &collective.regular() == &scatter; }
  static int bind_nothing(Binding& binding);
  int bind_reduction(const Seat& seat, const DatatypeTable& datatypes, Binding& binding) const;
};

}  // namespace toccata
