#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "arrivals/series.h"
#include "mpi/process/clocks.h"

namespace toccata {

// The calls of this process whose arrivals are kept until MPI_Finalize, if all ranks report. Until
// then, no message is necessary.
class ArrivalLog {
 public:
  ~ArrivalLog() { on_ = false; }

  // Whether calls are kept.
  static bool is_on() { return on_.load(std::memory_order_relaxed); }
  // Collective over `comm`, which has all ranks of MPI_COMM_WORLD. Calls are kept from now on.
  void begin(MPI_Comm comm);

  // The number of the communicator among those with the same ranks of MPI_COMM_WORLD.
  int next_order(std::uint64_t group);
  // The samples of a collective on a communicator; null if there are too many. Their address does
  // not change.
  Samples* add(const Collective& collective, std::uint64_t group, int order, int p, int rank);

  // For rank 0: the host of this process, and all series.
  std::string text() const;
  Clocks& clocks() { return clocks_; }

 private:
  static inline std::atomic<bool> on_ = false;

  Clocks clocks_;
  std::size_t most_samples_ = 0;  // per series
  mutable std::mutex mutex_;      // guards the following members
  std::map<std::uint64_t, int> orders_;
  std::deque<Series> series_;
};

}  // namespace toccata
