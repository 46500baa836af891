/* An MPI program that does not use Toccata. Every rank contributes `count` integers, with all forms
 * of allgather. Rank 0 prints "right" if the results of all ranks are correct. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { count = 5, gap = 2 };

static int value(int rank, int i) { return 1000 * rank + i; }

/* The number of wrong integers; those of rank r begin at stride * r. */
static int wrong(const int* all, int p, int stride) {
  int result = 0;
  for (int r = 0; r < p; ++r)
    for (int i = 0; i < stride; ++i)
      if (all[stride * r + i] != (i < count ? value(r, i) : -1)) ++result;
  return result;
}

static int use(MPI_Comm comm) {
  int rank, p, result = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &p);
  const int stride = count + gap;
  int* mine = malloc(sizeof(int) * count);
  int* all = malloc(sizeof(int) * stride * p);
  int* counts = malloc(sizeof(int) * p);
  int* places = malloc(sizeof(int) * p);
  for (int i = 0; i < count; ++i) mine[i] = value(rank, i);
  for (int r = 0; r < p; ++r) {
    counts[r] = count;
    places[r] = stride * r;
  }

  MPI_Allgather(mine, count, MPI_INT, all, count, MPI_INT, comm);
  result += wrong(all, p, count);

  for (int i = 0; i < count * p; ++i) all[i] = i / count == rank ? value(rank, i % count) : -1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, count, MPI_INT, comm);
  result += wrong(all, p, count);

  for (int i = 0; i < stride * p; ++i) all[i] = -1;
  MPI_Allgatherv(mine, count, MPI_INT, all, counts, places, MPI_INT, comm);
  result += wrong(all, p, stride);

  free(mine);
  free(all);
  free(counts);
  free(places);
  return result;
}

int main(int argc, char** argv) {
  MPI_Comm part;
  int rank, faults, all_faults;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  faults = use(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
  faults += use(part);
  MPI_Comm_free(&part);
  MPI_Reduce(&faults, &all_faults, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(all_faults == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
