#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "node/board.h"

namespace toccata::node {

// The memory that the ranks of a node share: a number of parts per rank. It has no name in any file
// system, so nothing remains after a crash. It takes no pages until a rank reserves a part. The
// first part of a rank has room for large slots.
class Segment {
 public:
  Segment() = default;
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  // One rank calls this. The others open the segment with the returned path in /proc, which
  // contains our process ID. Empty if the system refuses.
  std::string create(int ranks, int parts_per_rank, std::uint64_t nonce);
  // The other ranks call this. False if the system refuses, or the nonce shows that it belongs to
  // another process.
  bool open(const std::string& path, int ranks, int parts_per_rank, std::uint64_t nonce);

  bool is_open() const { return memory_ != nullptr; }

  Part* part(int rank, int number) const;
  // Reserves memory for one of our own parts, with slots of that many bytes, near this process;
  // null if there is none. Without this, touching a missing page would end the process.
  Part* reserve(int rank, int number, std::uint32_t slot_bytes);

 private:
  bool map(int ranks, int parts_per_rank);
  void close();

  int file_ = -1;
  char* memory_ = nullptr;
  std::size_t size_ = 0;
  int parts_per_rank_ = 0;
};

}  // namespace toccata::node
