#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <simgrid/barrier.h>
#include <span>
#include <vector>

namespace toccata {

// All ranks of the simulation meet here, and find the maximum of each value. Values are at least 0.
// All ranks share one memory and one thread, so this takes no messages and no simulated time. With
// messages, it would take most of the time of a simulation of thousands of ranks.
template <typename Value>
void meet(std::span<const Value> mine, std::span<Value> largest) {
  // Used in turn: some ranks may go on to the next meeting while others read the result of this
  // one.
  static std::array<std::vector<Value>, 2> values;
  static unsigned turn = 0;
  static int arrived = 0, p = 0;
  static sg_bar_t all_ranks = nullptr;
  if (all_ranks == nullptr) {
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    all_ranks = sg_barrier_init(static_cast<unsigned>(p));
  }
  std::vector<Value>& here = values[turn];
  here.resize(std::max(here.size(), mine.size()));
  for (std::size_t i = 0; i < mine.size(); ++i) here[i] = std::max(here[i], mine[i]);
  if (++arrived == p) {
    arrived = 0;
    turn ^= 1;
    values[turn].clear();
  }
  sg_barrier_wait(all_ranks);
  std::copy_n(here.begin(), largest.size(), largest.begin());
}

}  // namespace toccata
