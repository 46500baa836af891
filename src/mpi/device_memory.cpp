#include "mpi/device_memory.h"

#include <cstdint>
#include <dlfcn.h>
#include <link.h>
#include <string>
#include <string_view>

namespace toccata {

namespace {

// The loaded library whose file name begins so. Looked up in the loader's list, as dlopen would
// look for a missing one in all folders.
struct Loaded {
  std::string_view begin;
  std::string path = {};

  static int look_at(dl_phdr_info* info, std::size_t, void* wanted) {
    auto& self = *static_cast<Loaded*>(wanted);
    const std::string_view path = info->dlpi_name;
    if (!path.substr(path.rfind('/') + 1).starts_with(self.begin)) return 0;
    self.path = path;
    return 1;
  }
};

// A function of a library that is loaded already, in whatever way.
template <typename Function>
Function* loaded(std::string_view begin, const char* name) {
  Loaded library{begin};
  if (dl_iterate_phdr(Loaded::look_at, &library) == 0) return nullptr;
  void* const handle = dlopen(library.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
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
  PointerAttribute* cuda = loaded<PointerAttribute>("libcuda.so", "cuPointerGetAttribute");
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
