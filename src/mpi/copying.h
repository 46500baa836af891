#pragma once

#include <mpi.h>

#include <vector>

#include "mpi/binding.h"
#include "mpi/datatype.h"

namespace toccata {

// Copies the data of `from` into `into`, each a sequence of runs whose borders and datatypes need
// not agree. What memcpy cannot translate goes as a message to ourselves, `rank` of `comm`, with
// `tag`. Returns an MPI error code.
int copy_runs(const std::vector<Run>& from, const std::vector<Run>& into, MPI_Comm comm, int rank,
              int tag);

// Copies `blocks` blocks that have the same sizes on both sides.
int copy_blocks(const Layout& from, const Layout& into, int blocks, MPI_Comm comm, int rank,
                int tag);

std::int64_t total_bytes(const std::vector<Run>& runs);
bool all_plain(const std::vector<Run>& runs);

}  // namespace toccata
