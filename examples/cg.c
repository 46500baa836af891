// Conjugate gradients for -Laplace u = 1 on a square with N x N points, and u = 0 outside. Each
// rank has some consecutive rows. Each step exchanges rows with two neighbours, and computes two
// sums of one number over all ranks (MPI_Allreduce of 8 bytes), so their latency dominates its
// time. Does not use Toccata.
//
//   mpirun -n 4 cg [N [STEPS]]

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, p, n, mine;  // mine: rows of this rank
static double in_mpi;         // seconds in MPI_Allreduce

static double dot(const double* a, const double* b) {
  double part = 0, sum;
  for (int i = 0; i < mine * n; ++i) part += a[i] * b[i];
  const double started = MPI_Wtime();
  MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  in_mpi += MPI_Wtime() - started;
  return sum;
}

// y = A x. There is space for a neighbour's row before x and after x.
static void apply(double* x, double* y) {
  const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  const int below = rank < p - 1 ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(x, n, MPI_DOUBLE, above, 0, x + mine * n, n, MPI_DOUBLE, below, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(x + (mine - 1) * n, n, MPI_DOUBLE, below, 0, x - n, n, MPI_DOUBLE, above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 0; i < mine; ++i)
    for (int j = 0; j < n; ++j) {
      const double* at = x + i * n + j;
      y[i * n + j] = 4 * at[0] - at[-n] - at[n] - (j > 0 ? at[-1] : 0) - (j < n - 1 ? at[1] : 0);
    }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  n = argc > 1 ? atoi(argv[1]) : 128;
  const int steps = argc > 2 ? atoi(argv[2]) : 4 * n;
  if (n < p || steps < 1) {
    if (rank == 0) fprintf(stderr, "cg: N has to be at least the number of ranks\n");
    MPI_Finalize();
    return 2;
  }
  mine = n / p + (rank < n % p ? 1 : 0);

  const size_t points = (size_t)mine * n;
  double* u = calloc(points, sizeof(double));
  double* residual = malloc(sizeof(double) * points);
  double* product = malloc(sizeof(double) * points);
  double* room = calloc(points + 2 * n, sizeof(double));
  double* direction = room + n;
  for (size_t i = 0; i < points; ++i) residual[i] = direction[i] = 1;

  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime();
  const double first = dot(residual, residual);
  double square = first;
  int done = 0;
  for (; done < steps && square > 1e-24 * first; ++done) {
    apply(direction, product);
    const double alpha = square / dot(direction, product);
    for (size_t i = 0; i < points; ++i) {
      u[i] += alpha * direction[i];
      residual[i] -= alpha * product[i];
    }
    const double next = dot(residual, residual);
    for (size_t i = 0; i < points; ++i) direction[i] = residual[i] + next / square * direction[i];
    square = next;
  }
  const double seconds = MPI_Wtime() - started;

  double most = 0, highest;
  for (size_t i = 0; i < points; ++i) most = fmax(most, u[i]);
  MPI_Reduce(&most, &highest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  // The exact solution in the middle, a membrane under a load of 1, is 0.07367 (n + 1)^2.
  const double middle = highest / ((n + 1.0) * (n + 1.0));
  const int right = argc > 2 || fabs(middle - 0.0737) < 0.002;
  if (rank == 0)
    printf(
        "cg: %d ranks, %d x %d, %d steps: %.3f s, of which %.3f s in MPI_Allreduce; "
        "checksum %.10g, %s\n",
        p, n, n, done, seconds, in_mpi, middle, right ? "right" : "WRONG");
  free(u);
  free(residual);
  free(product);
  free(room);
  MPI_Finalize();
  return rank == 0 && !right;
}
