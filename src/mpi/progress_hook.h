#pragma once

namespace toccata {

class Background;

// Makes the MPI library advance the open collectives whenever it waits, in any function: a rank in
// MPI_Recv must advance those for which other ranks wait. Only Open MPI offers this to a library.
struct ProgressHook {
  // Installs the hook; returns whether that is possible. The hook is never removed, because MPI may
  // be reading its list of hooks; it costs the test of a flag while nothing is open.
  static bool install();
  // What it advances from now on; null for nothing.
  static void drive(Background* background);
};

}  // namespace toccata
