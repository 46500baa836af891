#pragma once

#include <cstddef>
#include <cstdint>

namespace toccata::test {

// Memory that a runtime manages, and that the host may access as well.
class ManagedMemory {
 public:
  explicit ManagedMemory(std::size_t bytes);
  ~ManagedMemory();
  ManagedMemory(const ManagedMemory&) = delete;
  ManagedMemory& operator=(const ManagedMemory&) = delete;

  void* address() const { return address_; }

 private:
  void* address_;
};

// Counts of messages by the substitute for an MPI library that accepts GPU memory (aware.c). With
// another library, `known` is false.
struct Messages {
  bool known = false;
  long long number = 0, from_devices = 0;
  std::uint64_t digest = 0;  // of peers, tags and bytes; the order does not matter
};
Messages messages_so_far();

}  // namespace toccata::test
