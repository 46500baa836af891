#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace toccata {

// A copy of `rows` pieces of `bytes` each at equal distances; one or both sides may be in the
// memory of a GPU.
struct DeviceCopy {
  char* into;
  const char* from;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t into_stride = 0, from_stride = 0;
};

// A GPU runtime that is loaded in this process, in any way. Toccata neither links nor loads it, and
// looks up its functions once.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  // "CUDA"
  virtual const char* name() const = 0;
  // The names that MPI libraries use for it: functions that return whether they accept its
  // pointers, the number for MPIX_GPU_query_support, and the kind in mpi_memory_alloc_kinds.
  struct InMpi {
    std::array<const char*, 2> queries;
    int number;
    std::string_view kind;
  };
  virtual InMpi in_mpi() const = 0;
  // Whether the host cannot touch the memory at an address. It can touch managed and pinned memory.
  virtual bool is_device(const void* address) const = 0;
  // Makes copies from or to the device that has memory at `device`, and waits for these only.
  // False if the runtime fails.
  virtual bool copy(std::span<const DeviceCopy> copies, const void* device) const = 0;
  // Host memory from and to which the device copies fastest; null if it cannot be allocated. The
  // process keeps it.
  virtual void* take_pinned(std::size_t bytes, const void* device) const = 0;
  virtual void give_back_pinned(void* memory) const = 0;

  // A number of 128 bits that distinguishes the device with memory at `device` from all others;
  // zeros if there is none.
  using Identity = std::array<unsigned char, 16>;
  virtual Identity identity(const void* device) const = 0;
  // Makes that device the current one, calls launch(stream) with the stream of our copies, and
  // waits for the launched work. False if `launch` or the runtime fails.
  virtual bool on_stream(const void* device, const std::function<bool(void*)>& launch) const = 0;

  // Memory of a device (the current one, otherwise the first), for tests and benchmarks; null if it
  // cannot be allocated. Initialises the runtime if the program has not.
  virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const = 0;
};

}  // namespace toccata
