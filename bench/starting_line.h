#pragma once

#include <mpi.h>

#include <span>

#ifdef TOCCATA_SIMULATED
#include <simgrid/actor.h>

#include "simulator/meeting.h"
#else
#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <sched.h>
#include <vector>
#endif

namespace toccata::bench {

#ifdef TOCCATA_SIMULATED

// Lets all ranks of MPI_COMM_WORLD begin at the same time. After a barrier made of messages, some
// ranks would start earlier than others.
class StartingLine {
 public:
  void synchronize() {}
  double line_up() {
    meet<double>({}, {});
    return now();
  }
  static double now() { return MPI_Wtime(); }
  static void wait_until(double time) {
    if (time > now()) sg_actor_sleep_for(time - now());
  }
};

// Replaces each value, none below 0, by its maximum over all ranks.
inline void find_largest(std::span<double> values) { meet<double>(values, values); }

#else

// Lets all ranks of MPI_COMM_WORLD begin together, as far as possible.
//
// On one node, after a barrier. Between nodes, ranks leave a barrier up to a latency apart, and a
// broadcast whose root leaves first would seem to take no time. So ranks on several nodes agree on
// a time at which all begin, by the clock of rank 0. All ranks of a node have the same clock, so
// its first rank compares it with that of rank 0:
//
//     first rank of a node   10.000 ---.       .--> 10.004     its clock reads 10.002 when that
//     rank 0                            '-> 12.502             of rank 0 reads 12.502
//
// The fastest of several exchanges counts, because its way out and back are most alike.
class StartingLine {
 public:
  StartingLine() {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node_);
    int place = 0, size = 0, world = 0;
    MPI_Comm_rank(node_, &place);
    MPI_Comm_size(node_, &size);
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    crowded_ = size > count_cores();
    by_clock_ = size < world;  // several nodes
    if (by_clock_) MPI_Comm_split(MPI_COMM_WORLD, place == 0 ? 0 : MPI_UNDEFINED, 0, &firsts_);
    synchronize();
  }
  ~StartingLine() {
    if (firsts_ != MPI_COMM_NULL) MPI_Comm_free(&firsts_);
    MPI_Comm_free(&node_);
  }
  StartingLine(const StartingLine&) = delete;
  StartingLine& operator=(const StartingLine&) = delete;

  // Compares the clocks again, because their rates differ. Collective.
  void synchronize() {
    if (!by_clock_) return;
    if (firsts_ != MPI_COMM_NULL) compare_clocks();
    MPI_Bcast(&offset_, 1, MPI_DOUBLE, 0, node_);
    // The time that the agreement on a start takes. One long pause of the machine must not
    // prolong every sample.
    std::vector<double> times;
    for (int i = 0; i < exchanges; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      double sent = now();
      MPI_Bcast(&sent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      times.push_back(now() - sent);
    }
    const auto long_one = times.end() - 2;
    std::nth_element(times.begin(), long_one, times.end());
    lead_ = 1.5 * *long_one;
    MPI_Allreduce(MPI_IN_PLACE, &lead_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }

  // Waits until all ranks have ended their earlier calls, then until the common start. Returns the
  // time of the start, by now(); on one node, that of this rank.
  double line_up() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (!by_clock_) return now();
    double start = now() + lead_;
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    wait_until(start);
    return start;
  }

  // Seconds, by the clock of rank 0.
  double now() const { return own_clock() + offset_; }

  // Ranks sleep, because waiting ones would delay others that share their core. If no rank does,
  // they wake up earlier, because waking up takes some time.
  void wait_until(double start) const {
    const double wakes = start - (crowded_ ? 0 : time_to_wake);
    if (wakes > now()) {
      const auto nanoseconds = static_cast<std::int64_t>((wakes - offset_) * 1e9);
      const timespec time{nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    }
    while (now() < start) {
    }
  }

 private:
  static constexpr int exchanges = 10, tag = 0;
  static constexpr double time_to_wake = 200e-6;

  static double own_clock() {
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  // The cores that any rank of the node may use.
  int count_cores() const {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    sched_getaffinity(0, sizeof cores, &cores);
    MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, node_);
    return CPU_COUNT(&cores);
  }

  void compare_clocks() {
    int place = 0, nodes = 0;
    MPI_Comm_rank(firsts_, &place);
    MPI_Comm_size(firsts_, &nodes);
    if (place == 0) {
      for (int node = 1; node < nodes; ++node)
        for (int i = 0; i < exchanges; ++i) {
          MPI_Recv(nullptr, 0, MPI_DOUBLE, node, tag, firsts_, MPI_STATUS_IGNORE);
          const double mine = own_clock();
          MPI_Send(&mine, 1, MPI_DOUBLE, node, tag, firsts_);
        }
      return;
    }
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i < exchanges; ++i) {
      double first_ranks = 0;
      const double sent = own_clock();
      MPI_Send(nullptr, 0, MPI_DOUBLE, 0, tag, firsts_);
      MPI_Recv(&first_ranks, 1, MPI_DOUBLE, 0, tag, firsts_, MPI_STATUS_IGNORE);
      const double received = own_clock();
      if (received - sent >= fastest) continue;
      fastest = received - sent;
      offset_ = first_ranks - (sent + received) / 2;
    }
  }

  MPI_Comm node_ = MPI_COMM_NULL, firsts_ = MPI_COMM_NULL;  // the first ranks of all nodes
  bool by_clock_ = false, crowded_ = false;
  double offset_ = 0;  // clock of rank 0 - own clock
  double lead_ = 0;
};

// Replaces each value, none below 0, by its maximum over all ranks.
inline void find_largest(std::span<double> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
}

#endif

}  // namespace toccata::bench
