#pragma once

#include <cstddef>
#include <cstdint>

namespace toccata::test {

// Whether buffers must be in the memory of a substitute for a GPU runtime (cuda.c, hip.c or
// level_zero.c). The variable DEVICES names the substitute, which is loaded after MPI and the
// library.
bool has_devices();

// Initialises the substitute. The first DeviceMemory does so, too.
void begin_devices();

// Memory of a device, with a copy of some bytes.
class DeviceMemory {
 public:
  DeviceMemory(const void* bytes, std::size_t size);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* address() const { return reinterpret_cast<void*>(address_); }
  void read(void* into) const;
  void write(const void* bytes) const;

 private:
  std::uint64_t address_ = 0;
  std::size_t size_;
};

// The number of copies between host and device in this process.
int device_transfers();
// The number of queries in this process whether some memory is on a device.
int device_queries();

}  // namespace toccata::test
