#pragma once

#include <mpi.h>

#include <cstdint>
#include <sched.h>

#include "mpi/libraries/background.h"

namespace toccata {

// Waiting for another rank of the node. If each rank has its own core, the waiting rank looks again
// at once; otherwise it yields. Meanwhile it advances MPI and the process' open requests. The
// awaited rank may itself wait for one of them, for example in an MPI_Send to us.
class Waiting {
 public:
  Waiting(Background& background, bool spare_cores, MPI_Comm comm)
      : background_(background), comm_(comm), spins_(spare_cores ? 20000 : 0) {}

  void again() {
    const bool busy = background_.busy();
    if (busy) background_.progress();
    ++looks_;
    if (looks_ % (busy || spins_ == 0 ? 32 : 1024) == 0) advance(comm_);
    if (!busy && looks_ < spins_)
      relax();
    else
      sched_yield();
  }
  // Advances MPI: open requests in shared memory do not call it.
  static void advance(MPI_Comm comm) {
    int found = 0;
    PMPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &found, MPI_STATUS_IGNORE);
  }
  // The same, sometimes: a program may do nothing but short calls until a message has arrived.
  static void advance_at(std::uint64_t call, MPI_Comm comm) {
    if (call % 64 == 0) advance(comm);
  }

 private:
  static void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  Background& background_;
  MPI_Comm comm_;
  int spins_;
  std::int64_t looks_ = 0;
};

}  // namespace toccata
