#pragma once

#include <string_view>

#include "mpi/devices/device_tools.h"

namespace toccata {

inline constexpr std::string_view level_zero_library = "libze_loader.so";

// The runtime in that library. It stays until the end of the process.
const DeviceRuntime* make_level_zero(const LoadedLibrary& library);

}  // namespace toccata
