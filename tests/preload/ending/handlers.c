// Ends MPI in an exit handler, after collectives there.
//
//   handlers before|after KINDS CALLS CALLS_AT_EXIT
//
// registers the handler before or after MPI_Init and the first calls.
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
  const int before = strcmp(argv[1], "before") == 0;
  kinds = argv[2];
  at_exit = atoi(argv[4]);
  if (before) atexit(end);
  MPI_Init(&argc, &argv);
  calls("in main", kinds, atoi(argv[3]));
  if (!before) atexit(end);
  exit(0);
}
