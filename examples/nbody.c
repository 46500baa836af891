// Bodies that attract each other, all pairs. In every step, each rank moves its own bodies, and
// MPI_Allgather sends their positions to all ranks. Does not use Toccata.
//
//   mpirun -n 4 nbody [BODIES [STEPS]]     bodies per rank

#include <mpi.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Pseudo-random numbers from 0 to 1, the same on all machines.
static double random_number(unsigned* state) {
  *state = *state * 1664525u + 1013904223u;
  return (*state >> 8) / 16777216.0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int mine = argc > 1 ? atoi(argv[1]) : 64;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  if (mine < 1 || steps < 1) {
    if (rank == 0) fprintf(stderr, "nbody: BODIES and STEPS are whole numbers from 1 on\n");
    MPI_Finalize();
    return 2;
  }
  const int n = mine * p;
  const double dt = 1e-3, softening = 1e-2, mass = 1.0 / n;
  double(*all)[3] = malloc((size_t)n * sizeof *all);
  double(*own)[3] = malloc((size_t)mine * sizeof *own);
  double(*speed)[3] = calloc((size_t)mine, sizeof *speed);
  unsigned state = 17u + (unsigned)rank;
  for (int i = 0; i < mine; ++i)
    for (int k = 0; k < 3; ++k) own[i][k] = random_number(&state);

  double in_mpi = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    const double before = MPI_Wtime();
    MPI_Allgather(own, 3 * mine, MPI_DOUBLE, all, 3 * mine, MPI_DOUBLE, MPI_COMM_WORLD);
    in_mpi += MPI_Wtime() - before;
    for (int i = 0; i < mine; ++i) {
      double pull[3] = {0, 0, 0};
      for (int j = 0; j < n; ++j) {
        double away[3], square = softening * softening;
        for (int k = 0; k < 3; ++k) {
          away[k] = all[j][k] - own[i][k];
          square += away[k] * away[k];
        }
        const double strength = mass / (square * sqrt(square));
        for (int k = 0; k < 3; ++k) pull[k] += strength * away[k];
      }
      for (int k = 0; k < 3; ++k) speed[i][k] += dt * pull[k];
    }
    for (int i = 0; i < mine; ++i)
      for (int k = 0; k < 3; ++k) own[i][k] += dt * speed[i][k];
  }
  const double seconds = MPI_Wtime() - started;

  // All forces cancel, so the sum of all velocities stays 0, if every rank had the right positions.
  double part[4] = {0, 0, 0, 0}, sum[4];
  for (int i = 0; i < mine; ++i)
    for (int k = 0; k < 3; ++k) {
      part[k] += mass * speed[i][k];
      part[3] += mass * fabs(speed[i][k]);
    }
  MPI_Allreduce(part, sum, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  const double momentum = fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]);
  const int right = sum[3] > 0 && momentum < 1e-9 * sum[3];
  if (rank == 0)
    printf(
        "nbody: %d ranks, %d bodies, %d steps: %.3f s, of which %.3f s in MPI_Allgather; "
        "checksum %.10g, %s\n",
        p, n, steps, seconds, in_mpi, sum[3], right ? "right" : "WRONG");
  free(all);
  free(own);
  free(speed);
  MPI_Finalize();
  return rank == 0 && !right;
}
