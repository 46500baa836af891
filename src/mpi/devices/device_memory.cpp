#include "mpi/devices/device_memory.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <link.h>
#include <mutex>
#include <string_view>

#include "mpi/devices/cuda.h"
#include "mpi/devices/hip.h"
#include "mpi/devices/host_ranges.h"
#include "mpi/devices/level_zero.h"

namespace toccata {

namespace {

// A runtime that was found stays to the end of the process, because it may be in use until then.
struct Kind {
  std::string_view library;
  const DeviceRuntime* (*make)(const LoadedLibrary& library);
  const DeviceRuntime* loaded = nullptr;                // guarded by Found::looking
  std::atomic<const DeviceRuntime*> runtime = nullptr;  // the same, once it has a device
};
constinit std::array kinds{Kind{cuda_library, make_cuda}, Kind{hip_library, make_hip},
                           Kind{level_zero_library, make_level_zero}};

struct Found {
  std::atomic<bool> any = false;                  // a runtime with a device
  std::atomic<bool> waits = false;                // for a loaded runtime to have a device
  std::atomic<unsigned long long> looked_at = 0;  // number of loaded libraries at the last look
  std::atomic<std::uint64_t> last_look = 0;       // ticks
  std::mutex looking;
  HostRanges host;  // written before `any`
};
constinit Found found;

unsigned long long libraries_loaded_so_far() {
  unsigned long long result = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* first, std::size_t, void* into) {
        *static_cast<unsigned long long*>(into) = first->dlpi_adds;
        return 1;
      },
      &result);
  return result;
}

// The interval between two looks, about 10 to 50 us. A program needs much longer to initialise a
// runtime and to get memory from it, so such looks find the runtime in time.
#if defined(__x86_64__)
constexpr std::uint64_t ticks_between_looks = 50'000;
std::uint64_t ticks() { return __builtin_ia32_rdtsc(); }
#else
constexpr std::uint64_t ticks_between_looks = 20'000;
std::uint64_t ticks() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}
#endif

void look(unsigned long long loaded) {
  const std::lock_guard lock(found.looking);
  const bool are_new = found.looked_at != loaded;
  bool waits = false;
  for (Kind& each : kinds) {
    if (each.runtime != nullptr) continue;
    if (are_new && each.loaded == nullptr)
      if (const LoadedLibrary library(each.library); library) each.loaded = each.make(library);
    if (each.loaded == nullptr) continue;
    if (!each.loaded->has_device()) {
      waits = true;
      continue;
    }
    if (!found.any) found.host = HostRanges::find();
    each.runtime = each.loaded;
    found.any = true;
  }
  found.waits = waits;
  found.looked_at = loaded;
}

}  // namespace

// Continues to look after a runtime was found, because another tool may have loaded that one.
bool has_device_runtime() {
  const bool any = found.any.load(std::memory_order_acquire);
  const std::uint64_t now = ticks();
  if (now - found.last_look.load(std::memory_order_relaxed) < ticks_between_looks) return any;
  found.last_look.store(now, std::memory_order_relaxed);
  const unsigned long long loaded = libraries_loaded_so_far();
  if (loaded != found.looked_at.load(std::memory_order_acquire) ||
      found.waits.load(std::memory_order_acquire))
    look(loaded);
  return found.any;
}

const DeviceRuntime* device_runtime_of(const void* address) {
  if (address == nullptr || !found.any.load(std::memory_order_acquire)) return nullptr;
  if (found.host.contain(address)) return nullptr;
  for (const Kind& each : kinds)
    if (const DeviceRuntime* runtime = each.runtime.load(std::memory_order_acquire);
        runtime != nullptr && runtime->is_device(address))
      return runtime;
  return nullptr;
}

std::vector<const DeviceRuntime*> device_runtimes() {
  std::vector<const DeviceRuntime*> result;
  if (has_device_runtime())
    for (const Kind& each : kinds)
      if (const DeviceRuntime* runtime = each.runtime; runtime != nullptr)
        result.push_back(runtime);
  return result;
}

std::vector<const DeviceRuntime*> begin_device_runtimes() {
  look(libraries_loaded_so_far());
  {
    const std::lock_guard lock(found.looking);
    for (const Kind& each : kinds)
      if (each.loaded != nullptr) each.loaded->begin();
  }
  look(libraries_loaded_so_far());
  return device_runtimes();
}

}  // namespace toccata
