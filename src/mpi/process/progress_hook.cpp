#include "mpi/process/progress_hook.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdexcept>

#include "mpi/execution/background.h"
#include "mpi/execution/polling.h"
#include "mpi/world/world.h"

namespace toccata {

std::atomic<Background*> ProgressHook::driven{nullptr};
std::atomic<bool (*)(bool)> ProgressHook::set_yielding{nullptr};

// MPI cannot handle exceptions, so all hooks are noexcept.

#if defined(OPEN_MPI)

// Open MPI sums the results of its hooks, and yields the core if no hook did any work. If a
// collective has ended, the wait that called us may be over.
int ProgressHook::of_openmpi() noexcept {
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

bool ProgressHook::install() {
  static const bool installed = [] {
    auto* const hook_in = reinterpret_cast<Register*>(find("opal_progress_register"));
    if (hook_in == nullptr || hook_in(&of_openmpi) != 0) return false;
    set_yielding = reinterpret_cast<SetYielding*>(find("opal_progress_set_yield_when_idle"));
    return true;
  }();
  return installed;
}

void ProgressHook::drive(Background* background) {
  driven.store(background, std::memory_order_release);
}

bool ProgressHook::wake() { return true; }

#elif defined(TOCCATA_SERVES_REQUESTS)

namespace {

// The header of the MPI with which we were built may be older, so these names are ours. The
// functions and numbers are the same in MPICH 4.3 to 5.0.
constexpr int done = 1, no_progress = 0, no_stream = 0x3c000000;
using Start = int(int (*)(void*), void*, int);

// In the library that has MPI's other functions: a program may have loaded it privately.
void* find(const char* name) {
  if (void* const found = dlsym(RTLD_DEFAULT, name)) return found;
  Dl_info mpi;
  if (dladdr(reinterpret_cast<void*>(&PMPI_Init), &mpi) == 0) return nullptr;
  void* const library = dlopen(mpi.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

Start* start_of_mpich = nullptr;
bool started = false;  // and not done; no two threads call MPI at a time

}  // namespace

int ProgressHook::of_mpich(void*) noexcept {
  Background* const background = driven.load(std::memory_order_acquire);
  if (Polling::inside) return no_progress;
  if (background != nullptr && background->busy()) {
    Polling::inside = true;
    background->progress();
    Polling::inside = false;
    if (background->busy()) return no_progress;
  }
  started = false;
  return done;
}

// With MPI_THREAD_MULTIPLE, MPICH calls the hook while it holds a lock. A message that the network
// does not accept at once makes MPICH take the lock again, which ends the program.
bool ProgressHook::install() {
  if (World::thread_level() == MPI_THREAD_MULTIPLE) return false;
  start_of_mpich = reinterpret_cast<Start*>(find("PMPIX_Async_start"));
  Polling::is_complete =
      reinterpret_cast<decltype(Polling::is_complete)>(find("PMPIX_Request_is_complete"));
  return start_of_mpich != nullptr && Polling::is_complete != nullptr;
}

void ProgressHook::drive(Background* background) {
  driven.store(background, std::memory_order_release);
  if (background == nullptr) return;
  if (!wake()) throw std::runtime_error("MPIX_Async_start failed");
}

bool ProgressHook::wake() {
  if (!started) started = start_of_mpich(&of_mpich, nullptr, no_stream) == MPI_SUCCESS;
  return started;
}

#else

bool ProgressHook::install() { return false; }
void ProgressHook::drive(Background*) {}
bool ProgressHook::wake() { return true; }

#endif

}  // namespace toccata
