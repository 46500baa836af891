#include "preload/begin.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <utility>

#include "choices/spelling.h"
#include "mpi/agreement/roll_call.h"
#include "mpi/call/function_names.h"
#include "mpi/libraries/progress_hook.h"
#include "mpi/process/process.h"
#include "mpi/process/sessions.h"
#include "mpi/settings/family.h"
#include "mpi/settings/first_stage.h"
#include "toccata/toccata.h"
#include "topology/environment.h"

namespace toccata {

namespace {

bool is_set(const char* name) {
  const char* const value = setting_in_environment(name);
  return value != nullptr && *value != '\0' && !switches_off(value);
}

// Where the file with that address begins in memory; null if there is none.
const void* base_of(const void* address) {
  Dl_info found;
  return address != nullptr && dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// Whether a program that is linked with MPI would call this library's definition of a function, not
// that of another one, or its own.
bool is_first(const char* function) {
  const void* const found = base_of(dlsym(RTLD_DEFAULT, function));
  return found != nullptr && (found == base_of(address_of_named_library()) ||
                              found == base_of(reinterpret_cast<const void*>(&is_set)));
}

// The collectives whose calls do not reach this library, because a tool defines them before it. If
// this holds on some ranks only, the others would wait for them.
std::string hidden_collectives() {
  std::string names;
  const auto look_at = [&](const std::string& name) {
    if (is_first(name.c_str())) return;
    if (!names.empty()) names += ' ';
    names += name;
  };
  for (const FunctionNames& each : function_names) look_at(std::string("MPI_") + each.blocking);
#ifdef TOCCATA_SERVES_REQUESTS
  for (const FunctionNames& each : function_names) look_at(std::string("MPI_") + each.nonblocking);
#endif
#ifdef OPEN_MPI
  for (const FunctionNames& each : function_names)
    look_at(std::string("mpi_") + each.fortran + "_");
#endif
  return names;
}

// Prints one line if no call reached the library, but the user expects a report or has started the
// doctor. There are two possible causes. A tool that comes first may not pass on the calls. Or a
// program gets its functions from a handle of the MPI library, which skips preloaded libraries:
// ctypes, cffi and Julia do this.
__attribute__((destructor)) void say_if_nothing_came() {
  static bool is_over = false;
  int initialized = 0;
  if (std::exchange(is_over, true) || Settings::were_read() ||
      !(is_set("TOCCATA_REPORT") || is_set("TOCCATA_DOCTOR")) ||
      PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0 || !is_first_rank())
    return;
  std::fprintf(stderr, "toccata: Toccata intercepted no MPI calls: %s\n",
               is_first("MPI_Init")
                   ? "the program gets MPI's functions by dlsym (Python's ctypes and cffi, Julia's "
                     "MPI.jl). Make it load " TOCCATA_WHOLE
                     " in place of the MPI library: all "
                     "functions of MPI are found there."
                   : "another preloaded tool comes first. List libtoccata.so first in LD_PRELOAD.");
}

}  // namespace

// Not part of the interface: the first stage calls them (first_stage.c).
extern "C" TOCCATA_PUBLIC void toccata_stage_begin(FindNext* next) {
  find_next_for_first_stage = next;
}
extern "C" TOCCATA_PUBLIC void toccata_stage_end() { say_if_nothing_came(); }

int initialize(FunctionRef<int()> init) {
  RollCall::enter();
  if (const int code = init(); code != MPI_SUCCESS) return code;
  if (is_set("TOCCATA_DOCTOR")) tell_the_doctor();
#ifdef TOCCATA_HAS_SESSIONS
  if (Sessions::is_open()) {
    Sessions::watch_world();
    return MPI_SUCCESS;
  }
#endif
  begin_in_session();
  return MPI_SUCCESS;
}

void finalize() {
#ifdef TOCCATA_HAS_SESSIONS
  if (Sessions::is_open()) return Sessions::finalize_world();
#endif
  Process::end_requests();
}

bool reach_us_in_sessions() { return is_first("MPI_Comm_create_from_group"); }

void begin_in_session() { Process::begin(!is_preloaded(), &hidden_collectives); }

}  // namespace toccata
