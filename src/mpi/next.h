#pragma once

#include <dlfcn.h>

namespace toccata {

// The next definition of a function in the order in which the loader looks: another tool's that is
// preloaded behind us, or the MPI library's. `ours` is what it is where there is none. To be kept
// by the caller: looking costs microseconds.
template <typename Function>
Function* next_definition(const char* name, void* ours) {
  void* const found = dlsym(RTLD_NEXT, name);
  return reinterpret_cast<Function*>(found != nullptr ? found : ours);
}
template <typename Function>
Function* next_definition(const char* name, Function* ours) {
  return next_definition<Function>(name, reinterpret_cast<void*>(ours));
}

}  // namespace toccata
