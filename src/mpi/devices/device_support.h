#pragma once

#include <string>
#include <string_view>

#include "mpi/data/device_runtime.h"

namespace toccata {

// The function or key that reports support, such as "MPIX_Query_cuda_support"; "" without support.
std::string support_of_mpi(const DeviceRuntime& runtime);

// Whether `kinds`, the value of mpi_memory_alloc_kinds, contains the kind. For example,
// "mpi,system,cuda:device:managed" contains "cuda" [MPI 4.1, section 12.4.3, and its side document
// on kinds].
bool names_device_memory(std::string_view kinds, std::string_view kind);

// A sentence about support and its consequence, such as "CUDA is loaded; the MPI library accepts
// ...".
std::string describe(const DeviceRuntime& runtime);

}  // namespace toccata
