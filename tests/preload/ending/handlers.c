// Ends MPI in an exit handler, after collectives there.
//
//   handlers before|after KINDS CALLS CALLS_AT_EXIT
//
// registers the handler before or after MPI_Init and the first calls. Always after it under
// MPICH 5.0, whose launcher ends ranks that are still in MPI_Finalize when another rank has ended,
// also without the library (findings/mpich-exit-handler-output.sh).
#include <stdlib.h>
#include <string.h>

#include "calls.h"

static const char* kinds;
static int at_exit;

static void end(void) {
  calls("at exit", kinds, at_exit);
  MPI_Finalize();
}

int main(int argc, char** argv) {
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 50000000
  const int before = 0;
#else
  const int before = strcmp(argv[1], "before") == 0;
#endif
  kinds = argv[2];
  at_exit = atoi(argv[4]);
  if (before) atexit(end);
  MPI_Init(&argc, &argv);
  calls("in main", kinds, atoi(argv[3]));
  if (!before) atexit(end);
  exit(0);
}
