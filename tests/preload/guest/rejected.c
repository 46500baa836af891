/* Rank 0 makes a call that MPI rejects, and goes on: the other ranks have not made it. */
#include "guest.h"

enum { n = 2000, most = 64 };

static int counts[most], places[most];

static int alltoallv(int wrong) {
  static int mine[n * most], got[n * most];
  int result = 0;
  for (int i = 0; i < n * p; ++i) mine[i] = 100 * rank + i;
  if (wrong) {
    int code;
    counts[p - 1] = -1;
    code =
        MPI_Alltoallv(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
    counts[p - 1] = n;
    return code;
  }
  MPI_Alltoallv(mine, counts, places, MPI_INT, got, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < n * p; ++i) result += got[i] != 100 * (i / n) + n * rank + i % n;
  return result;
}

static int bcast(int wrong) {
  static MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  int data[100], result = 0;
  if (uncommitted == MPI_DATATYPE_NULL) MPI_Type_contiguous(100, MPI_INT, &uncommitted);
  for (int i = 0; i < 100; ++i) data[i] = rank == 1 ? i : -1;
  if (wrong) return MPI_Bcast(data, 1, uncommitted, 1, MPI_COMM_WORLD);
  MPI_Bcast(data, 100, MPI_INT, 1, MPI_COMM_WORLD);
  for (int i = 0; i < 100; ++i) result += data[i] != i;
  return result;
}

static int allreduce(int wrong) {
  int sum = 0;
  if (wrong) return MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum != p * (p - 1) / 2;
}

#ifdef MPICH_VERSION /* other libraries do not compare the buffers */
static int allgatherv(int wrong) {
  static int got[most], one[most], place[most];
  int mine = 3 * rank, result = 0;
  for (int r = 0; r < p; ++r) one[r] = 1, place[r] = r;
  if (wrong)
    return MPI_Allgatherv(got + rank, 1, MPI_INT, got, one, place, MPI_INT, MPI_COMM_WORLD);
  MPI_Allgatherv(&mine, 1, MPI_INT, got, one, place, MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < p; ++r) result += got[r] != 3 * r;
  return result;
}
#endif

/* Some are among the first calls, in a trial, or among those that the library does not look at. */
static int is_wrong(int i) {
  return i == 0 || i == 5 || i == 33 || (63 <= i && i <= 67) || i == 100 || i == 101;
}

int main(int argc, char** argv) {
  int (*const calls[])(int) = {
      alltoallv,
      bcast,
      allreduce,
#ifdef MPICH_VERSION
      allgatherv,
#endif
  };
  const int kinds = sizeof calls / sizeof *calls;
  start(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int r = 0; r < p; ++r) counts[r] = n, places[r] = n * r;
  for (int kind = 0; kind < kinds; ++kind)
    for (int i = 0; i < 400; ++i) {
      const int wrong = rank == 0 && is_wrong(i);
      faults += wrong && calls[kind](1) == MPI_SUCCESS;
      faults += calls[kind](0);
    }
  finish();
  return 0;
}
