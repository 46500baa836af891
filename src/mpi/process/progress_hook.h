#pragma once

#include <atomic>

namespace toccata {

class Background;

// Makes the MPI library advance our open collectives whenever it waits. A rank in MPI_Recv must
// also advance the collectives for which other ranks wait. Open MPI offers this, and MPICH from 4.3
// on.
struct ProgressHook {
  // Whether this MPI has a hook. Open MPI's is installed and never removed, because MPI may be
  // reading its list of hooks. It tests only one flag while no collective is open.
  static bool install();
  // What the hook advances from now on; null: nothing.
  static void drive(Background* background);
  // Call this when a collective was added. MPICH's hook exists only while any is open, because
  // MPI_Finalize waits until the hook ends.
  static bool wake();
  static bool is_driving() { return driven.load(std::memory_order_acquire) != nullptr; }

 private:
  static int of_openmpi() noexcept;
  static int of_mpich(void*) noexcept;
  static std::atomic<Background*> driven;
};

}  // namespace toccata
