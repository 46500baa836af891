#pragma once

#include <vector>

#include "mpi/data/device_runtime.h"

namespace toccata {

// Whether any runtime has a device. A program may initialise one at any time, so each call checks;
// this takes a few nanoseconds.
bool has_device_runtime();

// The runtime whose memory contains an address, among those that has_device_runtime() has found;
// null for host memory.
const DeviceRuntime* device_runtime_of(const void* address);

// The runtimes with a device, found so far.
std::vector<const DeviceRuntime*> device_runtimes();

// The same, after all loaded runtimes were initialised. Only for processes without a program of the
// user, such as the doctor's.
std::vector<const DeviceRuntime*> begin_device_runtimes();

}  // namespace toccata
