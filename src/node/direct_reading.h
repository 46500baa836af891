#pragma once

#include <cstdint>
#include <vector>

namespace toccata::node {

// How a rank reads the memory of the other ranks of its board.
struct DirectReading {
  // False if it cannot read all of it.
  using Read = bool (*)(int process, const char* from, char* into, std::int64_t bytes);

  // The process IDs of the ranks, by rank of the board; empty if the system does not allow it.
  std::vector<int> processes = {};
  Read read = nullptr;
  // The shortest message that may be published directly, in bytes.
  std::int64_t least = 0;
  // Whether all of these messages are published directly, not only those for which this is faster.
  bool always = false;
};

// Copies memory from another process of this machine: one copy by the kernel. False if the system
// does not permit it or the memory cannot be read, for example because it belongs to a device.
bool read_of_process(int process, const char* from, char* into, std::int64_t bytes);

}  // namespace toccata::node
