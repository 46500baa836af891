#include "mpi/process/progress_hook.h"

#include <mpi.h>

#include <atomic>
#include <dlfcn.h>

#include "mpi/execution/background.h"

namespace toccata {

#ifdef OPEN_MPI

namespace {

std::atomic<Background*> driven{nullptr};

// Open MPI sums the results of its hooks, and yields the core if no hook did any work.
int go_on() noexcept {  // MPI cannot handle exceptions
  Background* const background = driven.load(std::memory_order_acquire);
  if (background != nullptr && background->busy()) background->progress();
  return 0;
}

// No installed header declares it. It is the same in versions 1 to 6.
using Register = int(int (*)());

Register* find() {
  static constexpr const char* name = "opal_progress_register";
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return reinterpret_cast<Register*>(found);
  // The program may have loaded MPI privately, as interpreters do.
  for (const char* const file : {"libopen-pal.so.40", "libopen-pal.so.80"})
    if (void* const library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const found = dlsym(library, name)) return reinterpret_cast<Register*>(found);
  return nullptr;
}

}  // namespace

bool ProgressHook::install() {
  static const bool installed = [] {
    Register* const hook_in = find();
    return hook_in != nullptr && hook_in(&go_on) == 0;
  }();
  return installed;
}

void ProgressHook::drive(Background* background) {
  driven.store(background, std::memory_order_release);
}

#else

bool ProgressHook::install() { return false; }
void ProgressHook::drive(Background*) {}

#endif

}  // namespace toccata
