#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace toccata {

// A copy of `rows` pieces at equal distances, of `bytes` each. One or both sides may be in the
// memory of a GPU.
struct DeviceCopy {
  char* into;
  const char* from;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t into_stride = 0, from_stride = 0;
};

// A GPU runtime that the program has loaded into this process. Toccata neither links nor loads it,
// and looks up its functions once.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  // "CUDA"
  virtual const char* name() const = 0;
  // Its names in MPI libraries: functions that return whether MPI accepts its pointers, the number
  // for MPIX_GPU_query_support, and the kind in mpi_memory_alloc_kinds.
  struct InMpi {
    std::array<const char*, 2> queries;
    int number;
    std::string_view kind;
  };
  virtual InMpi in_mpi() const = 0;
  // Whether a buffer can be in its memory: the program has initialised the runtime, and there is a
  // device. MPI libraries load runtimes on machines without any. Never initialises the runtime,
  // because that takes long, starts threads, and does not survive a fork.
  virtual bool has_device() const = 0;
  // Initialises the runtime, as a program with device memory does.
  virtual void begin() const = 0;
  // Whether the host cannot touch the memory at an address. It can touch managed and pinned memory.
  virtual bool is_device(const void* address) const = 0;
  // Makes copies from or to the device with memory at `device`, and waits for these copies only.
  // Returns false if the runtime fails.
  virtual bool copy(std::span<const DeviceCopy> copies, const void* device) const = 0;
  // Host memory with the fastest copies from and to the device; null if it cannot be allocated. The
  // process keeps it.
  virtual void* take_pinned(std::size_t bytes, const void* device) const = 0;
  virtual void give_back_pinned(void* memory) const = 0;

  // A 128-bit number that identifies the device with memory at `device`; zeros if there is no such
  // number.
  using Identity = std::array<unsigned char, 16>;
  virtual Identity identity(const void* device) const = 0;
  // Makes that device the current one, calls launch(stream) with the stream of our copies, and
  // waits for the launched work. Returns false if `launch` or the runtime fails.
  virtual bool on_stream(const void* device, const std::function<bool(void*)>& launch) const = 0;

  // Memory of the current device, otherwise of the first, for tests and benchmarks; null if it
  // cannot be allocated.
  virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const = 0;
};

}  // namespace toccata
