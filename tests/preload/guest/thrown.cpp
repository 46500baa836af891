// A program whose error handler throws. The exception passes through MPI's function and ours.
#include <mpi.h>

#include <cstdio>
#include <stdexcept>

static int rank, p, faults;

static void handler(MPI_Comm*, int*, ...) { throw std::runtime_error("a wrong root"); }

static int wrong_root() {
  int one = 1;
  try {
    MPI_Bcast(&one, 1, MPI_INT, p, MPI_COMM_WORLD);
  } catch (const std::runtime_error&) {
    return 0;
  }
  return 1;
}

static int right() {
  int one = rank == 1, sum = 0;
  MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return sum != p;
}

int main(int argc, char** argv) {
  MPI_Errhandler throws;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &p);
  MPI_Comm_create_errhandler(handler, &throws);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, throws);
  for (int i = 0; i < 200; ++i) faults += wrong_root() + right();
  MPI_Errhandler_free(&throws);
  int all = 0;
  PMPI_Reduce(&faults, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::puts(all == 0 ? "right" : "wrong");
  MPI_Finalize();
  return 0;
}
