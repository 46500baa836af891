#pragma once

#include <mpi.h>

// Open MPI 5 has sessions, but reports MPI 3.1.
#if (MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5) && !defined(TOCCATA_SIMULATED)
#define TOCCATA_HAS_SESSIONS
#endif

namespace toccata {

// The processes among which the library works. Usually, these are MPI_COMM_WORLD. A program that
// uses sessions only has no MPI_COMM_WORLD, so the library creates its own world there, from a
// session of its own.
class World {
 public:
  // All processes, and this one alone. MPI_COMM_WORLD and MPI_COMM_SELF, unless the world is ours.
  static MPI_Comm comm() noexcept;
  static MPI_Comm self() noexcept;

  // Whether MPI_Init was called, and MPI_Finalize was not.
  static bool is_initialized() noexcept;
  // Whether these communicators can be used.
  static bool is_there() noexcept { return is_ours() || is_initialized(); }
  static bool is_ours() noexcept;

  // The level of thread support: MPI_THREAD_MULTIPLE also if a session requested it. Open MPI's
  // MPI_Query_thread does not consider sessions.
  static int thread_level() noexcept;
  static void note_threads_of_session() noexcept;

#ifdef TOCCATA_HAS_SESSIONS
  // Whether a communicator has all processes of the set mpi://WORLD, in this order.
  static bool has_all_processes(MPI_Comm comm) noexcept;
  // Creates our own world. Collective over `comm`, which has all processes in their order. Returns
  // false on all ranks if that fails on a rank.
  static bool open(MPI_Comm comm) noexcept;
  static void close() noexcept;
#endif
};

}  // namespace toccata
