#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "collectives/collective.h"
#include "mpi/binding.h"
#include "mpi/datatype.h"

namespace toccata {

// One call of a collective with its arguments, as the user gave them. What a new collective adds to
// src/mpi is a class of this kind; everything else is shared.
class Operation {
 public:
  virtual ~Operation() = default;

  virtual const Collective& collective() const = 0;

  // The MPI error class of arguments that make no sense; MPI_SUCCESS if they do. What the MPI
  // library serves it judges itself.
  virtual int fault(int p) const = 0;

  // The MPI library's own.
  virtual int native(MPI_Comm comm) const = 0;
  virtual int native_nonblocking(MPI_Comm comm, MPI_Request* request) const = 0;

  // Bytes of the whole vector, for the report.
  virtual std::int64_t bytes(int p) const = 0;

  // Whether, as every rank can see, there is no data in a bound call, and so nothing to do.
  virtual bool empty(const Binding& binding) const = 0;

  // Keeps the datatypes for as long as `held` lives, whatever the user does with the handles.
  virtual int hold_datatypes(std::vector<OwnedDatatype>& held, int p) = 0;

  // Gives binding.send and binding.recv their memory. Returns an MPI error code.
  virtual int bind(int rank, int p, const DatatypeTable& datatypes, Binding& binding) const = 0;
};

}  // namespace toccata
