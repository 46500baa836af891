#include "mpi/libraries/progress_hook.h"

#include <dlfcn.h>

#include "mpi/libraries/background.h"

namespace toccata {

// Open MPI sums the results of its hooks, and yields the core if no hook did any work. If a
// collective has ended, the wait that called us may be over.
int ProgressHook::progress() noexcept {
  Background* const background = driven.load(std::memory_order_acquire);
  return background != nullptr && background->busy() ? background->progress() : 0;
}

namespace {

// No installed header declares these functions. They are the same in versions 1 to 6.
using Register = int(int (*)());
using SetYielding = bool(bool);

void* find(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  // The program may have loaded MPI privately, as interpreters do.
  for (const char* const file : {"libopen-pal.so.40", "libopen-pal.so.80"})
    if (void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const found = dlsym(library, name)) return found;
  return nullptr;
}

}  // namespace

bool ProgressHook::install(bool) {
  static const bool installed = [] {
    auto* const hook_in = reinterpret_cast<Register*>(find("opal_progress_register"));
    if (hook_in == nullptr || hook_in(&progress) != 0) return false;
    set_yielding = reinterpret_cast<SetYielding*>(find("opal_progress_set_yield_when_idle"));
    return true;
  }();
  return installed;
}

void ProgressHook::drive(Background* background) {
  driven.store(background, std::memory_order_release);
}

bool ProgressHook::wake() { return true; }

}  // namespace toccata
