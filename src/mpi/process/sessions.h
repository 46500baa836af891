#pragma once

#include "mpi/world/world.h"

#ifdef TOCCATA_HAS_SESSIONS

#include <atomic>

namespace toccata {

// Programs that use sessions only. There, the library begins in MPI_Comm_create_from_group, when
// the program creates its first communicator of several processes, if that has all processes:
//
//            the last session ends
//           ┌──────────────────────┐
//           ▼                      │
//         none ──all processes──▶ open    communicators among ranks of the world are served;
//           │                             MPI_Init then begins nothing else
//         others  ┌─ a rank lacks the library, or is spoilt
//           ▼     ▼
//        spoilt  off                      no communicator is served
//
// These creations are collective, so all ranks execute them in the same order, and all ranks of a
// communicator serve it, or none. That does not hold if several threads may call MPI, so such
// processes take no part. The world ends on all ranks together: MPICH waits for them when the last
// session ends, and under Open MPI 5.0 a program cannot use sessions again.
class Sessions {
 public:
  // Call these in MPI_Session_init, before and after that of the MPI library, and at the beginning
  // of MPI_Session_finalize. `reach_us`: whether the calls of this process to
  // MPI_Comm_create_from_group do.
  static void begin_init(MPI_Info info, bool reach_us) noexcept;
  static void end_init() noexcept { ++sessions; }
  static void begin_finalize() noexcept;

  // Call this on all ranks of a new communicator that was created from a group. `begin` calls
  // Process::begin().
  static void created(MPI_Comm comm, void (*begin)()) noexcept;

  // Whether our world serves. Then nothing else may begin in MPI_Init.
  static bool is_open() noexcept;
  // In this case, call the first in MPI_Init, and the second in MPI_Finalize: our world ends there,
  // unless a session stays. Under Open MPI, the first is enough: there, the attributes of
  // MPI_COMM_SELF are deleted in MPI_Finalize. In MPICH 5.0, they stay until the last session ends.
  static void watch_world() noexcept;
  static void finalize_world() noexcept;

 private:
  static void end() noexcept;
  static int end_with_world(MPI_Comm, int, void*, void*) noexcept;

  static std::atomic<int> sessions;  // of the program, not ended
};

}  // namespace toccata

#endif
