/* roots N: broadcasts, reductions, gathers and scatters from each root in turn, in N rounds, on
 * several communicators. Prints the growth of memory from the second round to the last one. */
#include "guest.h"

int main(int argc, char** argv) {
  enum { communicators = 8 };
  MPI_Comm comms[communicators];
  start(&argc, &argv);
  const int rounds = atoi(argv[1]);
  long before = 0;
  for (int i = 0; i < communicators; ++i)
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? rank % 2 : 0, i % 3 ? rank : -rank, &comms[i]);
  for (int round = 0; round < rounds; ++round) {
    for (int root = 0; root < p; ++root)
      for (int i = 0; i < communicators; ++i) faults += every_collective(comms[i], 1 + i, root);
    if (round == 1) before = memory_in_use();
  }
  if (rank == 0) printf("%ld\n", memory_in_use() - before);
  for (int i = 0; i < communicators; ++i) MPI_Comm_free(&comms[i]);
  finish();
  return 0;
}
