#pragma once

#include <mpi.h>

#include <climits>
#include <cstdint>
#include <vector>

#include "collectives/collective.h"
#include "mpi/binding.h"
#include "mpi/datatype.h"

namespace toccata {

// Stands for a rank that is nobody's root.
inline constexpr int no_rank = INT_MIN;

// One call of a collective with its arguments, as the user gave them. What a new collective adds to
// src/mpi is a class of this kind; everything else is shared.
class Operation {
 public:
  virtual ~Operation() = default;

  virtual const Collective& collective() const = 0;

  // The MPI error class of arguments that make no sense; MPI_SUCCESS if they do. What the MPI
  // library serves it judges itself. Here as below, what MPI does not want of `rank` is not read.
  virtual int fault(int rank, int p) const = 0;

  // Of a collective that has one; perhaps no rank, which fault() then says.
  virtual int root() const { return 0; }

  // Whether an algorithm can serve the call, of those that keep the order of the ranks (`ordered`)
  // or the others: what a reduction's operation says, which is the same on every rank.
  virtual bool allows(bool /*ordered*/, const DatatypeTable&) const { return true; }

  // The MPI library's own.
  virtual int native(MPI_Comm comm) const = 0;
  virtual int native_nonblocking(MPI_Comm comm, MPI_Request* request) const = 0;

  // Bytes of the whole vector, as far as `rank` knows, for the report.
  virtual std::int64_t bytes(int rank, int p) const = 0;

  // Whether, as every rank can see, there is no data in a bound call, and so nothing to do.
  virtual bool empty(const Binding& binding) const = 0;

  // Keeps the datatypes for as long as `held` lives, whatever the user does with the handles. The
  // rank is no_rank, and p those of the other group, in an intercommunicator.
  virtual int hold_datatypes(std::vector<OwnedDatatype>& held, int rank, int p) = 0;

  // Gives binding.send and binding.recv their memory, which also where a rank has no blocks have
  // the size of other ranks', if these are alike. Returns an MPI error code.
  virtual int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const = 0;
};

}  // namespace toccata
