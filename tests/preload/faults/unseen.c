/* Makes no call that Toccata intercepts, as if another tool came first. */
#include <mpi.h>

#include <stdio.h>

int main(int argc, char** argv) {
  PMPI_Init(&argc, &argv);
  puts("right");
  PMPI_Finalize();
  return 0;
}
