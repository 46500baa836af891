#include "preload/begin.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

#include "mpi/process/process.h"
#include "preload/doctor.h"
#include "selection/spelling.h"
#include "topology/environment.h"

namespace toccata {

namespace {

// Whether the library is preloaded, not linked with a program that calls its functions.
bool is_preloaded() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "libtoccata") != nullptr;
}

bool is_set(const char* name) {
  const char* const value = setting_in_environment(name);
  return value != nullptr && *value != '\0' && !switches_off(value);
}

// Whether a program that is linked with MPI would call this library, not another one that comes
// first.
bool is_first() {
  Dl_info ours, first;
  void* const found = dlsym(RTLD_DEFAULT, "MPI_Init");
  return found != nullptr && dladdr(found, &first) != 0 &&
         dladdr(reinterpret_cast<const void*>(&is_preloaded), &ours) != 0 &&
         first.dli_fbase == ours.dli_fbase;
}

// Prints one line if no call reached the library, but the user expects a report or has started the
// doctor. There are two possible causes. A tool that comes first may not pass on the calls. Or a
// program gets its functions from a handle of the MPI library, which skips preloaded libraries:
// ctypes, cffi and Julia do this.
__attribute__((destructor)) void say_if_nothing_came() {
  int initialized = 0;
  if (Settings::were_read() || !(is_set("TOCCATA_REPORT") || is_set("TOCCATA_DOCTOR")) ||
      PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0 || !is_first_rank())
    return;
  std::fprintf(stderr, "toccata: Toccata intercepted no MPI calls: %s\n",
               is_first()
                   ? "the program gets MPI's functions by dlsym (Python's ctypes and cffi, Julia's "
                     "MPI.jl). Make it load libtoccata.so in place of the MPI library: all "
                     "functions of MPI are found there."
                   : "another preloaded tool comes first. List libtoccata.so first in LD_PRELOAD.");
}

}  // namespace

void begin() {
  tell_the_doctor();
  Process::begin(!is_preloaded());
}

}  // namespace toccata
