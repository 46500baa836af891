/* Duplicates by MPI_Comm_idup, and communicators of some ranks by MPI_Comm_create_group, are under
 * way while collectives are called often enough that the library compares algorithms. */
#include "guest.h"

enum { calls = 160, most = 2048 };

static void sums(MPI_Comm comm, int n, int call) {
  static double mine[most], sum[most];
  int me, size;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < n; ++i) mine[i] = me + i + call;
  MPI_Allreduce(mine, sum, n, MPI_DOUBLE, MPI_SUM, comm);
  for (int i = 0; i < n; ++i) faults += sum[i] != size * (size - 1) / 2 + (double)size * (i + call);
}

/* Nonblocking calls while a duplicate is under way make Open MPI itself fail. */
static void blocks(MPI_Comm comm, int n, int call, int waits) {
  static int mine[most], got[16 * most];
  int me, size;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &size);
  for (int i = 0; i < n; ++i) mine[i] = me + i + call;
  if (waits)
    MPI_Allgather(mine, n, MPI_INT, got, n, MPI_INT, comm);
  else
    MPI_Iallgather(mine, n, MPI_INT, got, n, MPI_INT, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < size * n; ++i) faults += got[i] != i / n + i % n + call;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Comm comm, copy = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Group all;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_group(comm, &all);
  for (int call = 0; call < calls; ++call) {
    if (call % 16 == 3) MPI_Comm_idup(comm, &copy, &request);
    if (call % 16 == 9) { /* all ranks except one, which goes on */
      const int without = call / 16 % p;
      MPI_Group some;
      MPI_Comm made;
      MPI_Group_excl(all, 1, &without, &some);
      if (rank != without && p > 1) {
        MPI_Comm_create_group(comm, some, call, &made);
        for (int i = 0; i < 40; ++i) sums(made, 128, i);
        MPI_Comm_free(&made);
      }
      MPI_Group_free(&some);
    }
    sums(comm, 128, call);
    sums(comm, most, call);
    const int waits = call % 2 == 0 || (call % 16 >= 3 && call % 16 <= 12);
    blocks(comm, 16, call, waits);
    blocks(comm, most, call, waits);
    if (call % 16 == 12) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      blocks(copy, 16, call, 1);
      sums(copy, 128, call);
      MPI_Comm_free(&copy);
    }
  }
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);
  finish();
  return 0;
}
