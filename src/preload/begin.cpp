#include "preload/begin.h"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "mpi/process.h"
#include "preload/doctor.h"
#include "selection/spelling.h"
#include "topology/environment.h"

namespace toccata {

namespace {

// Whether we are preloaded, not linked with a program that calls us itself.
bool is_preloaded() {
  const char* preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "libtoccata") != nullptr;
}

// If an earlier tool intercepts all calls, users who wait for a report must know.
__attribute__((destructor)) void say_if_nothing_came() {
  const char* report = setting_in_environment("TOCCATA_REPORT");
  int initialized = 0;
  if (Settings::were_read() || report == nullptr || *report == '\0' || switches_off(report) ||
      PMPI_Initialized(&initialized) != MPI_SUCCESS || initialized == 0)
    return;
  if (is_first_rank())
    std::fprintf(
        stderr,
        "toccata: Toccata intercepted no MPI calls: another preloaded tool comes first. List "
        "libtoccata.so first in LD_PRELOAD.\n");
}

}  // namespace

void begin() {
  tell_the_doctor();
  Process::begin(!is_preloaded());
}

}  // namespace toccata
