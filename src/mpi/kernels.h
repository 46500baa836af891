#pragma once

#include <mpi.h>

#include <cstdint>

#include "node/exchange.h"

namespace toccata {

// The elements that a reduction combines, by the MPI library or quicker.
struct Reduction {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Op operation = MPI_OP_NULL;
  std::int64_t size = 1;  // bytes of an element

  // `this` has to stay. Sums and products of numbers, of which the standard leaves no choice, need
  // no call of MPI.
  node::Operator combines();
};

}  // namespace toccata
