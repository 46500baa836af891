#include "devices.h"

#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace toccata::test {

namespace {

void* runtime() {
  static void* const handle = [] {
    const char* const path = std::getenv("DEVICES");
    return path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }();
  return handle;
}

template <typename... Arguments>
int call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(runtime(), name));
  if (function == nullptr) throw std::runtime_error(name);
  return function(arguments...);
}

}  // namespace

bool has_devices() { return runtime() != nullptr; }

DeviceMemory::DeviceMemory(const void* bytes, std::size_t size) : size_(size) {
  if (call("cuMemAlloc_v2", &address_, size) != 0) throw std::bad_alloc();
  write(bytes);
}

DeviceMemory::~DeviceMemory() { call("cuMemFree_v2", address_); }

void DeviceMemory::read(void* into) const { call("cuMemcpyDtoH_v2", into, address_, size_); }

void DeviceMemory::write(const void* bytes) const {
  call("cuMemcpyHtoD_v2", address_, bytes, size_);
}

int device_transfers() { return call("stand_in_transfers"); }

}  // namespace toccata::test
