#pragma once

#include "mpi/settings/first_stage.h"

namespace toccata {

// The next definition of a function in the loader's order: of another preloaded tool after us, or
// of the MPI library. Returns `ours` if there is none, which may be null. The caller must store it,
// because the search takes microseconds.
template <typename Function>
Function* next_definition(const char* name, void* ours = nullptr) {
  void* const found = find_next(name);
  return reinterpret_cast<Function*>(found != nullptr ? found : ours);
}
template <typename Function>
Function* next_definition(const char* name, Function* ours) {
  return next_definition<Function>(name, reinterpret_cast<void*>(ours));
}

}  // namespace toccata
