#include "mpi/device_memory.h"

#include <cstdint>
#include <dlfcn.h>

namespace toccata {

namespace {

// A function of a library that is loaded already, in whatever way.
template <typename Function>
Function* loaded(const char* library, const char* name) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = dlsym(handle, name);
  dlclose(handle);  // what others loaded stays
  return reinterpret_cast<Function*>(found);
}

// The parts of the runtimes' interfaces that tell, which are stable: with CUDA the driver's, as
// every way to use CUDA ends there.
using PointerAttribute = int(void* data, int attribute, std::uint64_t address);
struct HipAttributes {
  int type = 0;
  int others[63] = {};  // more than it has
};
using HipPointerAttributes = int(HipAttributes* attributes, const void* address);

struct Runtimes {
  PointerAttribute* cuda = loaded<PointerAttribute>("libcuda.so.1", "cuPointerGetAttribute");
  HipPointerAttributes* hip =
      loaded<HipPointerAttributes>("libamdhip64.so.5", "hipPointerGetAttributes");
  HipPointerAttributes* hip_6 =
      loaded<HipPointerAttributes>("libamdhip64.so.6", "hipPointerGetAttributes");
};

}  // namespace

bool has_device_runtime() {
  const Runtimes runtimes;
  return runtimes.cuda != nullptr || runtimes.hip != nullptr || runtimes.hip_6 != nullptr;
}

bool is_device_memory(const void* address) {
  if (address == nullptr) return false;
  const Runtimes runtimes;
  int type = 0;
  static constexpr int memory_type = 2, cuda_device = 2;  // CU_POINTER_ATTRIBUTE_, CU_MEMORYTYPE_
  if (runtimes.cuda != nullptr &&
      runtimes.cuda(&type, memory_type, reinterpret_cast<std::uintptr_t>(address)) == 0)
    return type == cuda_device;
  // hipMemoryTypeDevice was 1 until ROCm 6.
  HipAttributes attributes;
  if (runtimes.hip != nullptr && runtimes.hip(&attributes, address) == 0)
    return attributes.type == 1;
  if (runtimes.hip_6 != nullptr && runtimes.hip_6(&attributes, address) == 0)
    return attributes.type == 2;
  return false;
}

}  // namespace toccata
