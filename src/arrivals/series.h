#pragma once

#include <cstdint>
#include <iosfwd>
#include <vector>

#include "arrivals/samples.h"
#include "collectives/collective.h"

namespace toccata {

// The kept calls of one collective on one communicator, as one rank saw them.
struct Series {
  const Collective* collective;
  std::uint64_t group;  // a digest of the ranks of MPI_COMM_WORLD in the communicator
  int order;            // among the communicators with these ranks
  int p, rank;          // in the communicator
  Samples samples;
};

// As text, for a message to rank 0.
void write(std::ostream& out, const Series& series);
// All series until the end of the text, or until the first line that is not valid.
std::vector<Series> read_series(std::istream& in);

}  // namespace toccata
