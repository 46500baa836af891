#pragma once

#include <dlfcn.h>

namespace toccata {

// Programs reach this library through another one, whose place in the loader's order counts
// (src/preload/first_stage.c). Null without it, for example in a program that loads this library by
// name.
using FindNext = void*(const char* name);
inline constinit FindNext* find_next_for_first_stage = nullptr;

// The next definition of a function in the loader's order: of another preloaded tool after us, or
// of the MPI library. Null if there is none.
inline void* find_next(const char* name) {
  return find_next_for_first_stage != nullptr ? find_next_for_first_stage(name)
                                              : dlsym(RTLD_NEXT, name);
}

// As dlsym, also for RTLD_NEXT.
inline void* find_in(void* library, const char* name) {
  return library == RTLD_NEXT ? find_next(name) : dlsym(library, name);
}

// An address in the library that programs name: the first stage, or without it this library.
inline const void* address_of_named_library() {
  static const char here = 0;
  return find_next_for_first_stage != nullptr
             ? reinterpret_cast<const void*>(find_next_for_first_stage)
             : &here;
}

}  // namespace toccata
