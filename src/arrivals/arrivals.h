#pragma once

#include <cstdint>
#include <vector>

#include "arrivals/node_clock.h"
#include "arrivals/series.h"

namespace toccata {

// The arrivals at the calls of one row of the report. Sums over the kept calls, each multiplied by
// the number of calls that it represents; times in seconds. Lists are by rank of MPI_COMM_WORLD.
struct RowArrivals {
  std::int64_t sampled = 0;         // kept calls
  double calls = 0;                 // represented calls
  double waiting = 0, working = 0;  // of all ranks together
  std::vector<double> taking_part;  // represented calls with this rank
  std::vector<double> after_first;  // time from the first rank's arrival to that of this rank
  std::vector<double> last;         // calls in which most was waited for this rank
  std::vector<double> awaited;      // time for which other ranks waited for this rank
};

// The arrivals of a run.
struct Arrivals {
  std::vector<RowArrivals> rows;  // by number of the row
  std::vector<double> waiting, working;
  std::int64_t left_out = 0;  // calls with times that contradict each other
  double clock_error = 0;     // seconds
};

// Finds the calls that all ranks have kept. `series` and `clocks` are by rank of MPI_COMM_WORLD;
// rows of samples are numbers from 0 to `rows` - 1.
Arrivals match(const std::vector<std::vector<Series>>& series, const std::vector<NodeClock>& clocks,
               int rows);

}  // namespace toccata
