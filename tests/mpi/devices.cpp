#include "devices.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <optional>
#include <stdexcept>

#include "aware.h"

namespace toccata::test {

namespace {

void* runtime() {
  static void* const handle = [] {
    const char* const path = std::getenv("DEVICES");
    return path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }();
  return handle;
}

template <typename Result = int, typename... Arguments>
Result call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<Result (*)(Arguments...)>(dlsym(runtime(), name));
  if (function == nullptr) throw std::runtime_error(name);
  return function(arguments...);
}

void copy(void* into, const void* from, std::size_t bytes) {
  call("stand_in_copy", into, from, bytes);
}

}  // namespace

bool has_devices() { return runtime() != nullptr; }

void begin_devices() { call("stand_in_begin"); }

DeviceMemory::DeviceMemory(const void* bytes, std::size_t size)
    : address_(reinterpret_cast<std::uintptr_t>(call<void*>("stand_in_allocate", size, 0))),
      size_(size) {
  if (address_ == 0) throw std::bad_alloc();
  write(bytes);
}

DeviceMemory::~DeviceMemory() { call("stand_in_free", address()); }

void DeviceMemory::read(void* into) const { copy(into, address(), size_); }

void DeviceMemory::write(const void* bytes) const { copy(address(), bytes, size_); }

ManagedMemory::ManagedMemory(std::size_t bytes)
    : address_(call<void*>("stand_in_allocate", bytes, 1)) {
  if (address_ == nullptr) throw std::bad_alloc();
}

ManagedMemory::~ManagedMemory() { call("stand_in_free", address_); }

Messages messages_so_far() {
  const auto number = [](const char* name) -> std::optional<std::uint64_t> {
    const auto function = reinterpret_cast<std::uint64_t (*)()>(dlsym(RTLD_DEFAULT, name));
    return function == nullptr ? std::nullopt : std::optional(function());
  };
  const auto digest = number("aware_digest");
  if (!digest) return {};
  return {.known = true,
          .number = static_cast<long long>(*number("aware_messages")),
          .from_devices = static_cast<long long>(*number("aware_from_devices")),
          .digest = *digest};
}

int device_transfers() { return call("stand_in_transfers"); }
int device_queries() { return call("stand_in_queries"); }

}  // namespace toccata::test
