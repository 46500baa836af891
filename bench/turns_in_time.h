#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <vector>

namespace toccata::bench {

// Compares two forms of a call, native and ours, in turns. Each sample starts at a common time,
// because all ranks of a machine have the same clock. Its time is that of the slowest rank.
class TurnsInTime {
 public:
  using Calls = std::function<void()>;

  // Microseconds per call: the median and the quartiles.
  struct Times {
    std::array<double, 3> native, ours;
  };

  // `milliseconds`: about the time of a cell, for each side. Collective, as measure().
  explicit TurnsInTime(double milliseconds) : budget_(milliseconds * 1e3) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &p_);
    crowded_ = p_ > sysconf(_SC_NPROCESSORS_ONLN);
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  }

  // Nothing on other ranks than 0, or if ranks were late in all samples.
  std::optional<Times> measure(const Calls& native_calls, const Calls& our_calls) {
    Side native(native_calls), ours(our_calls);
    const double lead = 30.0 * p_;

    // The typical time, and the number of calls per sample. It is one, unless ranks share cores.
    double typical = 0;
    for (int i = 0; i < 2; ++i)
      for (Side* side : {&native, &ours}) {
        const double start = begin_together(lead);
        wait_until(start);
        constexpr int calls = 8;
        measure(*side, calls, now() + 1, 0, 1);
        double mine = (now() - start) / calls;
        PMPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        settle(*side, false);
        if (i == 1) typical = std::max(typical, mine);
      }
    const int calls = crowded_ ? std::clamp(static_cast<int>(400 / typical), 1, 200) : 1;
    double period = crowded_ ? calls * typical * 1.5 + 150 : typical * 1.3 + 1;

    const int turns = typical > 2e3 ? 2 : 8;  // fewer turns if the MPI library does not yield
    for (int attempt = 0; attempt < 4; ++attempt, period *= 2) {
      const int samples =
          std::clamp(static_cast<int>(budget_ / turns / period), crowded_ ? 3 : 6, 200);
      double late = 0;
      for (int turn = 0; turn < turns; ++turn)
        for (Side* side : turn % 2 == 0 ? std::array{&native, &ours} : std::array{&ours, &native}) {
          // Warm up caches and branch predictions for this side.
          measure(*side, 1, begin_together(lead), period, crowded_ ? 1 : 4);
          settle(*side, false);
          measure(*side, calls, begin_together(lead), period, samples);
          late += settle(*side, true) / (2 * turns);
        }
      int enough = late < 0.3 ? 1 : 0;
      PMPI_Bcast(&enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (enough != 0) break;
      if (attempt < 3) native.slowest.clear(), ours.slowest.clear();
    }
    if (rank_ != 0 || native.slowest.empty() || ours.slowest.empty()) return {};
    return Times{quartiles(native.slowest), quartiles(ours.slowest)};
  }

 private:
  struct Side {
    explicit Side(const Calls& made) : call(made) {}
    const Calls& call;
    std::vector<double> times, slowest;
  };

  static double now() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
  }

  // All ranks begin at this time. If ranks share cores, they sleep until then.
  void wait_until(double start) const {
    if (crowded_ && start - now() > 5) {
      const auto nanoseconds = static_cast<std::int64_t>(start * 1e3);
      const timespec time{nanoseconds / 1000000000, nanoseconds % 1000000000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    }
    while (now() < start) {
    }
  }

  static double begin_together(double after) {
    double first = now() + after;
    PMPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return first;
  }

  // Returns when the last of the samples has ended on this rank.
  void measure(Side& side, int calls, double first, double period, int samples) const {
    for (int i = 0; i < samples; ++i) {
      const double start = first + i * period;
      const bool late = now() > start;
      wait_until(start);
      for (int j = 0; j < calls; ++j) side.call();
      side.times.push_back(late ? 1e12 : (now() - start) / calls);
    }
  }

  // Takes the slowest rank's time of each sample, and discards samples with a late rank. Returns
  // the share of discarded samples.
  static double settle(Side& side, bool keeps) {
    std::vector<double> slowest(side.times.size());
    PMPI_Allreduce(side.times.data(), slowest.data(), static_cast<int>(side.times.size()),
                   MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    std::erase_if(slowest, [](double each) { return each > 1e11; });
    const double late =
        1 - static_cast<double>(slowest.size()) / static_cast<double>(side.times.size());
    side.times.clear();
    if (keeps) side.slowest.insert(side.slowest.end(), slowest.begin(), slowest.end());
    return late;
  }

  static std::array<double, 3> quartiles(std::vector<double>& values) {
    std::array<double, 3> result{};
    for (std::size_t i = 0; i < 3; ++i) {
      constexpr std::array q{0.5, 0.25, 0.75};
      const auto at =
          static_cast<std::ptrdiff_t>(q[i] * static_cast<double>(values.size() - 1) + 0.5);
      std::ranges::nth_element(values, values.begin() + at);
      result[i] = values[at];
    }
    return result;
  }

  double budget_;  // microseconds
  int rank_ = 0, p_ = 1;
  bool crowded_ = false;  // more ranks than cores
};

}  // namespace toccata::bench
