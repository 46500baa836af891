#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "node/xpmem.h"

namespace toccata::node {

// How a process reads and writes the memory of the other processes of its node, which have numbers.
class PeerMemory {
 public:
  virtual ~PeerMemory() = default;
  // Copies. False if it cannot read all of it.
  virtual bool read(int peer, const char* from, char* into, std::int64_t bytes) = 0;
  // The same in the other direction: `into` is the other process's memory.
  virtual bool write(int peer, const char* from, char* into, std::int64_t bytes) = 0;
  // The same memory in our own address space, as long as the result exists. Null if that is
  // impossible.
  virtual std::shared_ptr<const char> map(int peer, const char* from, std::int64_t bytes) = 0;
};

// How a rank reads and writes the memory of the other ranks of its board.
struct DirectReading {
  // The numbers of the ranks in `memory`, by rank of the board; empty if the system does not allow
  // it.
  std::vector<int> peers = {};
  PeerMemory* memory = nullptr;
  // The shortest message that may be published directly, in bytes: in any collective, and in
  // reductions if slots are large.
  std::int64_t least = 0, least_reduced = 0;
  // Messages of up to this many bytes that fit a slot are not published directly. The same on all
  // ranks.
  std::int64_t most_in_slot = 0;
  // Whether all of these messages are published directly, not only those for which this is faster.
  bool always = false;
};

// Copies memory from, or to, another process of this machine: one copy by the kernel. False if the
// system does not permit it or the memory cannot be used, for example because it belongs to a
// device.
bool read_of_process(int process, const char* from, char* into, std::int64_t bytes);
bool write_to_process(int process, const char* from, char* into, std::int64_t bytes);

// The memory of the processes of this node: in place by XPMEM, or by copies of the kernel.
class ProcessMemory final : public PeerMemory {
 public:
  // Process IDs; empty if the kernel makes no copies. XPMEM knows the processes by the same
  // numbers.
  ProcessMemory(std::vector<int> processes, std::unique_ptr<Xpmem> xpmem)
      : processes_(std::move(processes)), xpmem_(std::move(xpmem)) {}

  bool read(int peer, const char* from, char* into, std::int64_t bytes) final;
  bool write(int peer, const char* from, char* into, std::int64_t bytes) final {
    return copies() && write_to_process(processes_[peer], from, into, bytes);
  }
  std::shared_ptr<const char> map(int peer, const char* from, std::int64_t bytes) final {
    return xpmem_ != nullptr ? xpmem_->map(peer, from, bytes) : nullptr;
  }
  bool copies() const { return !processes_.empty(); }
  bool maps() const { return xpmem_ != nullptr; }

 private:
  std::vector<int> processes_;
  std::unique_ptr<Xpmem> xpmem_;
};

}  // namespace toccata::node
