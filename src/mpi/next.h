#pragma once

#include <dlfcn.h>

namespace toccata {

// The next definition of a function in the order in which the loader looks: another tool's that is
// preloaded behind us, or the MPI library's. `ours` is what it is where there is none. To be kept
// by the caller: looking costs microseconds.
template <typename Function>
Function* next_definition(const char* name, Function* ours) {
  void* const found = dlsym(RTLD_NEXT, name);
  return found != nullptr ? reinterpret_cast<Function*>(found) : ours;
}

}  // namespace toccata
