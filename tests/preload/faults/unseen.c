/* Calls nothing that Toccata sees, as where another tool stands before it. */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  puts("right");
  PMPI_Finalize();
  return 0;
}
