#pragma once

namespace toccata {

class Background;

// Makes the MPI library advance our open collectives whenever it waits, in any function. A rank in
// MPI_Recv must also advance the collectives for which other ranks wait. Only Open MPI offers this.
struct ProgressHook {
  // Installs the hook; returns whether that is possible. The hook is never removed, because MPI may
  // be reading its list of hooks. It tests only one flag while no collective is open.
  static bool install();
  // What the hook advances from now on; null: nothing.
  static void drive(Background* background);
};

}  // namespace toccata
