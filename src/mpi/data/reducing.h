#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/data/datatype.h"

namespace toccata {

// Reduces the elements of `from` into those of `into`: into = from ∘ into. Both are sequences of
// runs of the same datatype, whose borders may differ. Returns an MPI error code.
int reduce_runs(const std::vector<Run>& from, const std::vector<Run>& into, MPI_Op operation);

// Whether the MPI standard defines a predefined operation for a datatype [MPI 4.0, section 6.9.2];
// true for a user-defined operation. For extensions of an MPI, only that MPI can decide.
bool is_defined(MPI_Op operation, MPI_Datatype type, const DatatypeTable& datatypes);

// Whether the order of the operands does not matter.
bool commutes(MPI_Op operation);

}  // namespace toccata
