#include "mpi/devices/device_support.h"

#include <mpi.h>

#include <algorithm>
#include <dlfcn.h>
#include <string_view>

#include "mpi/settings/settings.h"
#include "mpi/world/world.h"

namespace toccata {

namespace {

bool is_among_kinds(std::string_view kind) {
  int flag = 0;
  MPI_Info info = MPI_INFO_NULL;
  if (!World::is_there() || PMPI_Comm_get_info(World::comm(), &info) != MPI_SUCCESS ||
      info == MPI_INFO_NULL)
    return false;
  char kinds[MPI_MAX_INFO_VAL + 1] = "";
  PMPI_Info_get(info, "mpi_memory_alloc_kinds", MPI_MAX_INFO_VAL, kinds, &flag);
  PMPI_Info_free(&info);
  return flag != 0 && names_device_memory(kinds, kind);
}

}  // namespace

bool names_device_memory(std::string_view kinds, std::string_view kind) {
  while (!kinds.empty()) {
    const std::string_view word = kinds.substr(0, kinds.find(','));
    const std::size_t end = std::min(word.find(':'), word.size());
    const std::string_view restrictions = word.substr(end);
    if (word.substr(0, end) == kind &&
        (restrictions.empty() || restrictions.find(":device") != std::string_view::npos))
      return true;
    kinds.remove_prefix(std::min(word.size() + 1, kinds.size()));
  }
  return false;
}

std::string support_of_mpi(const DeviceRuntime& runtime) {
  const DeviceRuntime::InMpi in_mpi = runtime.in_mpi();
  for (const char* each : in_mpi.queries) {
    if (each == nullptr) continue;
    const auto query = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, each));
    if (query != nullptr && query() == 1) return each;
  }
  static constexpr const char* any = "MPIX_GPU_query_support";
  if (const auto query = reinterpret_cast<int (*)(int, int*)>(dlsym(RTLD_DEFAULT, any))) {
    int supported = 0;
    if (query(in_mpi.number, &supported) == MPI_SUCCESS && supported == 1) return any;
  }
  return is_among_kinds(in_mpi.kind) ? "mpi_memory_alloc_kinds" : "";
}

std::string describe(const DeviceRuntime& runtime) {
  const std::string says = support_of_mpi(runtime);
  return std::string(runtime.name()) + " is loaded; the MPI library " +
         (says.empty() ? "does not report support for device memory"
                       : "accepts device memory (" + says + ")") +
         "; in calls that Toccata serves, " +
         (Settings::get().sends_from_devices()
              ? "messages go directly from and to device memory if the algorithm only moves data; "
                "otherwise the rank copies it through pinned host memory"
              : "the rank copies device memory through pinned host memory");
}

}  // namespace toccata
