#pragma once

namespace toccata {

class Background;

// Has the MPI library drive the open collectives whenever it waits for anything, in whatever
// function: a rank in MPI_Recv must go on with those that other ranks wait for. Open MPI alone lets
// a library ask for that.
struct ProgressHook {
  // Whether that is possible; and does it. Once installed, the hook stays, as MPI may be reading
  // its list of hooks; it costs a test of a flag while nothing is open.
  static bool install();
  // What it drives from now on; null for nothing.
  static void drive(Background* background);
};

}  // namespace toccata
