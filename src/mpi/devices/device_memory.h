#pragma once

#include <vector>

#include "mpi/data/device_runtime.h"

namespace toccata {

// Whether any runtime is loaded. A program may load one at any time, so each call checks; this
// takes a few nanoseconds.
bool has_device_runtime();

// The runtime whose memory contains an address, among those that has_device_runtime() has found;
// null for host memory.
const DeviceRuntime* device_runtime_of(const void* address);

// The runtimes found so far.
std::vector<const DeviceRuntime*> device_runtimes();

}  // namespace toccata
