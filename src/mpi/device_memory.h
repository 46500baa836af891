#pragma once

#include <cstddef>
#include <span>

namespace toccata {

// Copies `rows` pieces of `bytes` each, which lie so far apart; one of both sides may be the memory
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
  // Whether the host cannot touch the memory at an address. Managed and pinned memory it can.
  virtual bool is_device(const void* address) const = 0;
  // Makes copies from or to the device that has memory at `device`, and waits for these alone.
  // False if the runtime refuses.
  virtual bool copy(std::span<const DeviceCopy> copies, const void* device) const = 0;
  // Host memory that the device copies fastest from and to; null if there is none to be had. It
  // stays with the process.
  virtual void* take_pinned(std::size_t bytes, const void* device) const = 0;
  virtual void give_back_pinned(void* memory) const = 0;
};

// Whether any runtime is loaded. A program may load one at any time, so each call asks; that takes
// a few nanoseconds.
bool has_device_runtime();

// The runtime whose memory an address is in; null for the host's.
const DeviceRuntime* device_runtime_of(const void* address);

// The runtimes found so far, as "CUDA"; "" if there are none.
const char* device_runtime_names();

}  // namespace toccata
