/* 100 times every collective. A profiler linked with the program, as mpiP and IPM are, may define
 * MPI_Init (-DTOOL_AT_INIT) or MPI_Allreduce (-DTOOL_AT_ALLREDUCE). */
#include "guest.h"

#ifdef TOOL_AT_INIT
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
#endif
#ifdef TOOL_AT_ALLREDUCE
int MPI_Allreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op operation,
                  MPI_Comm comm) {
  return PMPI_Allreduce(mine, result, count, type, operation, comm);
}
#endif

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 100; ++i) faults += every_collective(MPI_COMM_WORLD, 2, i);
  finish();
  return 0;
}
