#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string_view>

namespace toccata {

// Copies `rows` pieces of `bytes` each, which lie so far apart; one or both sides may be the memory
// of a GPU.
struct DeviceCopy {
  char* into;
  const char* from;
  std::size_t bytes;
  std::size_t rows = 1;
  std::size_t into_stride = 0, from_stride = 0;
};

// A GPU runtime that is loaded in this process, however it was. Nothing is linked or loaded for it,
// and its functions are looked up once.
class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;

  // "CUDA"
  virtual const char* name() const = 0;
  // How MPI libraries call it: functions of extensions that say whether they accept its pointers,
  // the number of MPIX_GPU_query_support, and the kind of memory in mpi_memory_alloc_kinds.
  struct InMpi {
    std::array<const char*, 2> queries;
    int number;
    std::string_view kind;
  };
  virtual InMpi in_mpi() const = 0;
  // Whether the host cannot touch the memory at an address. Managed and pinned memory it can.
  virtual bool is_device(const void* address) const = 0;
  // Makes copies from or to the device that has memory at `device`, and waits for these alone.
  // False if the runtime refuses.
  virtual bool copy(std::span<const DeviceCopy> copies, const void* device) const = 0;
  // Host memory that the device copies fastest from and to; null if there is none to be had. It
  // stays with the process.
  virtual void* take_pinned(std::size_t bytes, const void* device) const = 0;
  virtual void give_back_pinned(void* memory) const = 0;

  // A number of 128 bits that tells the device with memory at `device` from all others; zeros if
  // there is none.
  using Identity = std::array<unsigned char, 16>;
  virtual Identity identity(const void* device) const = 0;
  // Calls launch(stream) where that device is the current one, on the stream of our copies, and
  // waits for what was launched. False if it or the runtime refuses.
  virtual bool on_stream(const void* device, const std::function<bool(void*)>& launch) const = 0;

  // Memory of a device, the current one or else the first, for tests and benchmarks; null if there
  // is none to be had. It begins to use the runtime if the program has not.
  virtual void* allocate(std::size_t bytes) const = 0;
  virtual void release(void* memory) const = 0;
};

}  // namespace toccata
