#pragma once

namespace toccata {

// Whether a runtime is loaded in this process by which programs get memory that only a GPU can read
// (CUDA, HIP). Nothing is linked or loaded for that.
bool has_device_runtime();

// Whether an address is in such memory.
bool is_device_memory(const void* address);

}  // namespace toccata
