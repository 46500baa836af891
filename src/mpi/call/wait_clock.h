#pragma once

#include <mpi.h>

#include <mutex>

namespace toccata {

// The time that this process has spent in MPI_Wait, MPI_Test and similar functions. The report
// calculates the overlap from it. The clock runs only if there is a report.
class WaitClock {
 public:
  // Seconds so far, including the current wait.
  static double seconds() {
    WaitClock& clock = mine();
    const std::lock_guard lock(clock.mutex_);
    return clock.total_ + (clock.depth_ > 0 ? PMPI_Wtime() - clock.since_ : 0);
  }

  // Lives during a call of such a function. Threads that wait at the same time count once.
  class Span {
   public:
    Span() {
      WaitClock& clock = mine();
      const std::lock_guard lock(clock.mutex_);
      if (clock.depth_++ == 0) clock.since_ = PMPI_Wtime();
    }
    ~Span() {
      WaitClock& clock = mine();
      const std::lock_guard lock(clock.mutex_);
      if (--clock.depth_ == 0) clock.total_ += PMPI_Wtime() - clock.since_;
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
  };

 private:
  static WaitClock& mine() {
    static WaitClock clock;
    return clock;
  }

  std::mutex mutex_;
  int depth_ = 0;
  double total_ = 0, since_ = 0;
};

}  // namespace toccata
