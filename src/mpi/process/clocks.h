#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "arrivals/node_clock.h"

namespace toccata {

// Nanoseconds of this node's clock, which all its processes share.
std::int64_t time_of_node();
// Processes with the same name share a clock. Throws std::filesystem::filesystem_error.
std::uint64_t name_of_clock();

// The clocks of the nodes relative to that of rank 0, measured with messages at the begin and the
// end of a run.
class Clocks {
 public:
  // Collective over `comm`, which has all ranks of MPI_COMM_WORLD.
  void begin(MPI_Comm comm);
  // The same. Rank 0 gets the clocks by rank; if some ranks do not take part in time, none.
  std::vector<NodeClock> end(MPI_Comm comm);

 private:
  std::vector<Offset> measure(MPI_Comm comm) const;

  std::vector<int> lowest_;    // for each rank, the lowest rank with the same clock
  std::vector<Offset> first_;  // on rank 0, by rank
};

}  // namespace toccata
