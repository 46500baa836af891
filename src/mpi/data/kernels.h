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

  // `this` must stay valid. Most operations on numbers need no call of MPI, because the standard
  // prescribes their result. For maxima and minima of real numbers, see reduce_local.
  node::Operator combines();
};

// Reduces elements side by side like MPI_Reduce_local: into = from ∘ into. Returns an MPI error
// code.
//
// The order of the operands of a maximum or minimum matters if one is NaN, or if both are zeros.
// Open MPI's vector instructions prefer one operand, its loop for the last elements the other. So
// the result would depend on the number of elements. Here, `from` is always the result, unless
// `into` is greater (less).
int reduce_local(const void* from, void* into, int elements, MPI_Datatype type, MPI_Op operation);

// Whether the functions above can combine such elements. Open MPI 5.0 has no
// MPI_Reduce_local without MPI_Init: there, programs that use sessions only need our loops.
bool can_reduce_locally(MPI_Datatype type, MPI_Op operation);

}  // namespace toccata
