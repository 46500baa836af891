#pragma once

#include <atomic>

namespace toccata {

// Work that must continue while a blocking call waits: nonblocking collectives of this process.
class Background {
 public:
  virtual ~Background() = default;
  // Open MPI asks several times in every waiting call, so this must cost next to nothing.
  bool busy() const { return active_count_.load(std::memory_order_relaxed) > 0; }
  // Returns the number of collectives that ended.
  virtual int progress() = 0;

 protected:
  std::atomic<int> active_count_{0};
};

}  // namespace toccata
