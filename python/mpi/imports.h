#pragma once

#include <functional>

namespace toccata {

// Redirects the functions that a loaded shared library calls in other libraries. For each function,
// the library has at least one slot: a word of its own memory, which the loader sets to the address
// of the function. [System V ABI, "Dynamic Linking"]
//
// Sets every slot of a function to the address that `replacement` returns for its name, if any.
// A slot of zero stays, because it means that a weak function does not exist. `library` is a handle
// from dlopen. Throws std::runtime_error if the memory of a slot cannot be written.
void redirect_imports(void* library, const std::function<void*(const char* name)>& replacement);

}  // namespace toccata
