// Calls MPI from MPI_Init on, and ends it when it is unloaded.
#include "calls.h"

void work(void) {
  MPI_Init(NULL, NULL);
  calls("plugin", "bagnid", 40);
}

__attribute__((destructor)) static void end(void) {
  calls("unloaded", "bagnid", 40);
  MPI_Finalize();
}
