/* Maxima and minima of numbers of which some are NaN, or zeros of both signs: their bits depend on
 * the order of the operands. And sums of integers of 8 bits that overflow: some libraries saturate.
 * The argument is the number of equal calls of each kind. Prints two numbers: kinds of calls whose
 * result changed during the run, and kinds of allreduces whose result differed between ranks. */
#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 20000 };
typedef struct {
  double number;
  int place;
} Pair;

static Pair pairs[most];
static double doubles[most];
static float floats[most];
static unsigned char bytes_of_numbers[most];
static char result[sizeof pairs], before[sizeof pairs], others[16 * sizeof pairs];
static int rank, p;

static double number(int i, int zeros) {
  if (zeros) return (rank + i) % 2 ? -0.0 : 0.0;
  return i % 3 == 0 && i / 3 % p == rank ? NAN : rank;
}

static void fill(int n, int zeros) {
  memset(pairs, 0, sizeof pairs);
  for (int i = 0; i < n; ++i) {
    doubles[i] = pairs[i].number = number(i, zeros);
    floats[i] = (float)doubles[i];
    pairs[i].place = rank;
    bytes_of_numbers[i] = 200;
  }
}

int main(int argc, char** argv) {
  static const int lengths[] = {1, 16, 1000, most};
  static const MPI_Op operations[] = {MPI_MAX, MPI_MIN, MPI_MAXLOC, MPI_SUM};
  int changes = 0, differences = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int calls = atoi(argv[1]);
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_FLOAT, MPI_DOUBLE_INT, MPI_UNSIGNED_CHAR};
  const void* const operands[] = {doubles, floats, pairs, bytes_of_numbers};
  const size_t sizes[] = {sizeof(double), sizeof(float), sizeof(Pair), 1};
  for (int kind = 0; kind < 4 * 2 * 2 * 4; ++kind) {
    const int n = lengths[kind % 4], opens = kind / 4 % 2, zeros = kind / 8 % 2, which = kind / 16;
    const MPI_Datatype type = types[which];
    const void* const mine = operands[which];
    const size_t bytes = n * sizes[which];
    int changed = 0, differed = 0;
    fill(n, zeros);
    for (int call = 0; call < calls; ++call) {
      memset(result, 0, bytes);
      if (opens) {
        MPI_Request request;
        MPI_Iallreduce(mine, result, n, type, operations[which], MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      } else {
        MPI_Allreduce(mine, result, n, type, operations[which], MPI_COMM_WORLD);
      }
      if (call > 0 && memcmp(result, before, bytes) != 0) changed = 1;
      memcpy(before, result, bytes);
    }
    PMPI_Allgather(result, (int)bytes, MPI_BYTE, others, (int)bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int r = 1; r < p; ++r)
      if (!opens && memcmp(others, others + r * bytes, bytes) != 0) differed = 1;
    PMPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    changes += changed;
    differences += differed;
  }
  if (rank == 0) printf("%d %d\n", changes, differences);
  MPI_Finalize();
  return 0;
}
