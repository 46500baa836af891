/* A user-defined operation may recognise its datatype by the handle. After it is freed, another
 * operation, which does not commute, may have its handle. */
#include "guest.h"

static MPI_Datatype known;
static int strange, calls;

static void add(void* from, void* into, int* count, MPI_Datatype* type) {
  ++calls;
  strange += *type != known;
  for (int i = 0; i < 2 * *count; ++i) ((long*)into)[i] += ((long*)from)[i];
}

static void keep_first(void* from, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < 2 * *count; ++i) ((long*)into)[i] = ((long*)from)[i];
}

int main(int argc, char** argv) {
  enum { n = 7, most = 64 };
  long mine[2 * n * most], got[2 * n * most];
  int counts[most];
  MPI_Op op;
  start(&argc, &argv);
  MPI_Type_contiguous(2, MPI_LONG, &known);
  MPI_Type_commit(&known);
  MPI_Op_create(add, 1, &op);
  for (int r = 0; r < p; ++r) counts[r] = n;
  for (int i = 0; i < 2 * n * p; ++i) mine[i] = i;
  for (int i = 0; i < 10; ++i) {
    MPI_Allreduce(mine, got, n, known, op, MPI_COMM_WORLD);
    for (int k = 0; k < 2 * n; ++k) faults += got[k] != (long)p * k;
    MPI_Reduce(mine, got, n, known, op, i % p, MPI_COMM_WORLD);
    for (int k = 0; rank == i % p && k < 2 * n; ++k) faults += got[k] != (long)p * k;
    MPI_Reduce_scatter_block(mine, got, n, known, op, MPI_COMM_WORLD);
    for (int k = 0; k < 2 * n; ++k) faults += got[k] != (long)p * (2 * n * rank + k);
    MPI_Scan(mine, got, n, known, op, MPI_COMM_WORLD);
    for (int k = 0; k < 2 * n; ++k) faults += got[k] != (rank + 1L) * k;
    MPI_Exscan(mine, got, n, known, op, MPI_COMM_WORLD);
    for (int k = 0; rank > 0 && k < 2 * n; ++k) faults += got[k] != (long)rank * k;
    MPI_Reduce_scatter(mine, got, counts, known, op, MPI_COMM_WORLD);
    for (int k = 0; k < 2 * n; ++k) faults += got[k] != (long)p * (2 * n * rank + k);
  }
  faults += strange + (calls == 0);
  MPI_Op_free(&op);
  MPI_Op_create(keep_first, 0, &op);
  for (int i = 0; i < 2 * n; ++i) mine[i] = 100 * rank + i;
  for (int i = 0; i < 10; ++i) {
    MPI_Allreduce(mine, got, n, known, op, MPI_COMM_WORLD);
    for (int k = 0; k < 2 * n; ++k) faults += got[k] != k;
  }
  MPI_Op_free(&op);
  MPI_Type_free(&known);
  finish();
  return 0;
}
