#pragma once

#include <mpi.h>

#include <cstdint>

#include "node/exchange.h"

namespace toccata {

// Combines the elements of a reduction, by the MPI library or by a faster loop.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  std::int64_t size = 1;  // bytes of an element

  // `this` must stay valid. Sums and products of numbers need no call of MPI, because the standard
  // prescribes their result.
  node::Operator combines();
};

}  // namespace toccata
