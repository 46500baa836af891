#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>

#include "mpi/agreement/overdue.h"

namespace toccata {

// Finds the ranks whose MPI_Init or MPI_Session_init does not reach this version of the library,
// because they have not loaded it, or because another tool calls PMPI_Init: a message to them would
// be lost, and one from them never comes. Each rank gives its launcher an answer, before MPI_Init
// exchanges the data of all ranks. Afterwards, every rank can look it up, and both sides of a
// message find the same.
//
// This works under launchers with PMIx, if the MPI library calls it through its shared library
// (Open MPI; MPICH if built so), and under Hydra (MPICH, Intel MPI).
class RollCall {
 public:
  // Call this at the beginning of MPI_Init: this rank will take part.
  static void enter() noexcept;
  // Whether that was called. PMPI_Initialized does not tell: under Intel MPI, it is also true in
  // programs that use sessions only.
  static bool has_entered() noexcept;
  // The same at the beginning of MPI_Session_init. `takes_part`: also in the roll calls of
  // sessions.
  static void enter_session(bool takes_part) noexcept;
  // For our definition of PMIx_Commit (src/preload/pmix.cpp). `library`: a handle of dlopen, with
  // which PMIx's functions are found.
  static void answer_by_pmix(void* library) noexcept;

  // Whether this rank has answered, and the answers of all ranks are distributed. Launcher and MPI
  // decide this, so the ranks with the library give the same result.
  static bool is_possible() noexcept;

  // The same for the roll call of sessions: also whether this rank takes part.
  static bool is_possible_in_sessions() noexcept;

  // The largest of each of at most 10 numbers over all ranks of `comm`: MPI_COMM_WORLD in MPI_Init,
  // or a new communicator of all processes in their order, which a session created. Collective over
  // the ranks with the library. Requires that the roll call is possible. If a rank lacks the
  // library, `absent` is set to it on all others (if several do, to any of them; the numbers are
  // then incomplete); otherwise to -1. Returns an MPI error code.
  static int find_largest(MPI_Comm comm, std::span<const std::uint64_t> mine,
                          std::span<std::uint64_t> largest, Overdue* overdue, int& absent) noexcept;
  static constexpr int most_numbers = 10;
};

}  // namespace toccata
