#pragma once

#include <string_view>

#include "mpi/devices/device_tools.h"

namespace toccata {

inline constexpr std::string_view hip_library = "libamdhip64.so";

// The runtime in that library. It stays until the end of the process.
const DeviceRuntime* make_hip(const LoadedLibrary& library);

}  // namespace toccata
