/* The first call on a communicator is a request of ours. While it is open, the program duplicates
 * the communicator. Links with Toccata. */
#include <toccata/toccata.h>

#include "guest.h"

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 20; ++i) {
    MPI_Comm comm, part;
    int all[64];
    const int mine = rank + i;
    toccata_request request;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    toccata_iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, comm, "ring", &request);
    MPI_Comm_split(comm, rank % 2, 0, &part);
    toccata_wait(&request);
    for (int r = 0; r < p; ++r) faults += all[r] != r + i;
    faults += every_collective(part, 2, i);
    MPI_Comm_free(&part);
    MPI_Comm_free(&comm);
  }
  finish();
  return 0;
}
