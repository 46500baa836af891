/* Changes its working directory after MPI_Init. */
#include <unistd.h>

#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  faults += chdir("/") != 0;
  for (int i = 0; i < 3; ++i) faults += every_collective(MPI_COMM_WORLD, 3, i);
  finish();
  return 0;
}
