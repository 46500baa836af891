// A 2-D Fourier transform and its inverse, repeatedly, of a matrix. Each rank has some consecutive
// rows. It transforms its rows, and MPI_Alltoall transposes the matrix between two transforms. Does
// not use Toccata.
//
//   mpirun -n 4 fft [N [STEPS]]      N x N matrix; N is a power of two that the ranks divide

#include <mpi.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex Number;

static const double pi = 3.14159265358979323846;

// Transforms n numbers in place; n is a power of two. The sign is -1, or 1 for the inverse; neither
// is scaled.
static void transform(Number* row, int n, int sign) {
  for (int i = 1, j = 0; i < n; ++i) {  // the order of bit-reversed indices
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) {
      const Number kept = row[i];
      row[i] = row[j];
      row[j] = kept;
    }
  }
  for (int length = 2; length <= n; length *= 2) {
    const Number root = cexp(sign * 2 * pi * I / length);
    for (int first = 0; first < n; first += length) {
      Number factor = 1;
      for (int k = first; k < first + length / 2; ++k) {
        const Number odd = factor * row[k + length / 2];
        row[k + length / 2] = row[k] - odd;
        row[k] += odd;
        factor *= root;
      }
    }
  }
}

// Transposes the matrix: element (i, j) becomes element (j, i). Each rank has n / p rows. Returns
// the seconds in MPI.
static double transpose(Number* rows, Number* blocks, int n, int p) {
  const int mine = n / p;
  for (int rank = 0; rank < p; ++rank)
    for (int i = 0; i < mine; ++i)
      for (int j = 0; j < mine; ++j)
        blocks[(rank * mine + j) * mine + i] = rows[i * n + rank * mine + j];
  const double started = MPI_Wtime();
  MPI_Alltoall(blocks, mine * mine, MPI_C_DOUBLE_COMPLEX, rows, mine * mine, MPI_C_DOUBLE_COMPLEX,
               MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - started;
  for (int i = 0; i < mine * n; ++i) blocks[i] = rows[i];
  for (int rank = 0; rank < p; ++rank)
    for (int j = 0; j < mine; ++j)
      for (int i = 0; i < mine; ++i)
        rows[j * n + rank * mine + i] = blocks[(rank * mine + j) * mine + i];
  return seconds;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, p;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  const int n = argc > 1 ? atoi(argv[1]) : 256;
  const int steps = argc > 2 ? atoi(argv[2]) : 20;
  if (n < 1 || (n & (n - 1)) != 0 || n % p != 0 || steps < 1) {
    if (rank == 0) fprintf(stderr, "fft: N has to be a power of two that the ranks divide\n");
    MPI_Finalize();
    return 2;
  }

  const int mine = n / p;
  Number* rows = malloc(sizeof(Number) * mine * n);
  Number* blocks = malloc(sizeof(Number) * mine * n);
  for (int i = 0; i < mine * n; ++i) rows[i] = (rank * mine * n + i) % 97 / 97.0;

  MPI_Barrier(MPI_COMM_WORLD);
  const double started = MPI_Wtime();
  double in_mpi = 0, energy = 0;
  for (int step = 0; step < steps; ++step)
    for (int sign = -1; sign <= 1; sign += 2) {
      for (int half = 0; half < 2; ++half) {
        for (int i = 0; i < mine; ++i) transform(rows + i * n, n, sign);
        in_mpi += transpose(rows, blocks, n, p);
      }
      if (sign < 0) {
        energy = 0;
        for (int i = 0; i < mine * n; ++i) energy += creal(rows[i] * conj(rows[i]));
      } else {
        for (int i = 0; i < mine * n; ++i) rows[i] /= (double)n * n;
      }
    }
  const double seconds = MPI_Wtime() - started;

  double error = 0, worst = 0, sum = 0;
  for (int i = 0; i < mine * n; ++i)
    error = fmax(error, cabs(rows[i] - (rank * mine * n + i) % 97 / 97.0));
  MPI_Reduce(&error, &worst, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&energy, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  const int right = worst < 1e-9;
  if (rank == 0)
    printf(
        "fft: %d ranks, %d x %d, %d steps: %.3f s, of which %.3f s in MPI_Alltoall; "
        "checksum %.10g, %s\n",
        p, n, n, steps, seconds, in_mpi, sum, right ? "right" : "WRONG");
  free(rows);
  free(blocks);
  MPI_Finalize();
  return rank == 0 && !right;
}
