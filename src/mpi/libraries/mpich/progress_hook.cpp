#include "mpi/libraries/progress_hook.h"

#include <mpi.h>

#include <dlfcn.h>
#include <stdexcept>

#include "mpi/libraries/background.h"
#include "mpi/libraries/polling.h"

namespace toccata {

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

int ProgressHook::progress() noexcept {
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
bool ProgressHook::install(bool threads) {
  if (threads) return false;
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
  if (!started)
    started = start_of_mpich([](void*) { return ProgressHook::progress(); }, nullptr, no_stream) ==
              MPI_SUCCESS;
  return started;
}

}  // namespace toccata
