#pragma once

#include <array>
#include <dlfcn.h>
#include <string>
#include <string_view>

#include "mpi/devices/device_memory.h"

namespace toccata::bench {

// The GPU runtime in whose memory the benchmark's buffers lie; null for the host's memory.
// Set once, before any buffer exists.
inline const DeviceRuntime*& placement() {
  static const DeviceRuntime* runtime = nullptr;
  return runtime;
}

// A runtime: its name for --device, its DeviceRuntime::name(), and the names of its library.
struct Device {
  std::string_view word, name;
  std::array<const char*, 2> libraries;
};
inline constexpr std::array devices{
    Device{"cuda", "CUDA", {"libcuda.so.1", nullptr}},
    Device{"hip", "HIP", {"libamdhip64.so.6", "libamdhip64.so"}},
    Device{"level_zero", "Level Zero", {"libze_loader.so.1", nullptr}}};

// Puts buffers in the memory of this rank's device. Returns the error, or "".
inline std::string place_on(std::string_view word) {
  for (const Device& each : devices) {
    if (each.word != word) continue;
    bool loaded = false;
    for (const char* library : each.libraries)
      loaded = loaded || (library != nullptr && dlopen(library, RTLD_NOW | RTLD_GLOBAL) != nullptr);
    if (!loaded)
      return "no " + std::string(each.name) + " runtime (" + each.libraries[0] +
             ") is on this host";
    for (const DeviceRuntime* runtime : begin_device_runtimes()) {
      if (runtime->name() != each.name) continue;
      void* const memory = runtime->allocate(1);
      if (memory == nullptr) break;
      runtime->release(memory);
      placement() = runtime;
      return "";
    }
    return std::string(each.name) + " finds no device on this host";
  }
  std::string known;
  for (const Device& each : devices) known += " " + std::string(each.word);
  return "unknown; expected one of" + known;
}

}  // namespace toccata::bench
