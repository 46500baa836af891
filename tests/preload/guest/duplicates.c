/* Six duplicates of a communicator are under way while blocking collectives are called on it: on a
 * new communicator, and on one that has been in use. */
#include "guest.h"

static void sum(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  faults += sum != p;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm parent = MPI_COMM_WORLD, copies[6];
    MPI_Request requests[6];
    MPI_Status statuses[6];
    if (i % 2 == 0) MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int k = 0; k < 6; ++k) MPI_Comm_idup(parent, &copies[k], &requests[k]);
    sum(parent);
    MPI_Waitall(6, requests, statuses);
    sum(parent);
    for (int k = 0; k < 6; ++k) {
      sum(copies[k]);
      MPI_Comm_free(&copies[k]);
    }
    if (parent != MPI_COMM_WORLD) MPI_Comm_free(&parent);
  }
  finish();
  return 0;
}
