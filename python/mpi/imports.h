#pragma once

#include <functional>

namespace toccata {

// The functions that a loaded shared library calls in other libraries. For each, the library has at
// least one slot: a word of its own memory with the function's address, which the loader fills in.
// [System V ABI, "Dynamic Linking"]
//
// Sets every slot of a function to the address that `replacement` returns for its name, if any.
// A slot of zero, which says that a weak function does not exist, stays. `library` is what dlopen
// returns; throws std::runtime_error if the memory of a slot cannot be written.
void redirect_imports(void* library, const std::function<void*(const char* name)>& replacement);

}  // namespace toccata
