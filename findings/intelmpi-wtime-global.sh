#!/bin/bash
# Intel MPI: MPI_WTIME_IS_GLOBAL is true, but MPI_Wtime differs between two ranks of one node by milliseconds.
#
# Version: PyPI impi-rt==2021.18.1 and impi-devel==2021.18.1.
# Seen: 2026-11-28.
#
# According to the MPI standard, the clocks of all processes are synchronized if the attribute MPI_WTIME_IS_GLOBAL of
# MPI_COMM_WORLD is true: the difference is then at most half of a round trip of an empty message, here 0.13
# microseconds. Each of two ranks compares MPI_Wtime with the node's clock (CLOCK_MONOTONIC), in the shortest of 20000
# intervals (50 ns). The results of the ranks differ by 5 to 33 ms. So a program that trusts the attribute, for example to
# find the rank that arrives last, gets wrong times. In MPICH 4.0.2 and 5.0.2, the ranks of a node differ by less than
# 0.1 microseconds, and the attribute is false. In Open MPI 4.1.4 and 5.0.11, they differ by 0.05 to 28 ms, and the
# attribute is false, too.
#
# Output:
#   MPI_WTIME_IS_GLOBAL 1; in 5 runs, the largest difference is more than 1 ms
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check impi-rt==2021.18.1 impi-devel==2021.18.1

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double node_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int argc, char **argv) {
  int rank, found, *is_global;
  double shortest = 1, ahead = 0, all[2];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &is_global, &found);
  for (int i = 0; i < 20000; ++i) {
    double before = node_time(), time = MPI_Wtime(), after = node_time();
    if (after - before < shortest) {
      shortest = after - before;
      ahead = time - (before + after) / 2;
    }
  }
  MPI_Gather(&ahead, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %.0f\n", found ? *is_global : -1, 1e6 * (all[1] > all[0] ? all[1] - all[0] : all[0] - all[1]));
  MPI_Finalize();
}
END
export I_MPI_ROOT=$work/mpi I_MPI_FABRICS=shm
mpi/bin/mpicc -o program program.c
largest=0
for _ in 1 2 3 4 5; do
  read -r global microseconds < <(timeout 120 mpi/bin/mpiexec -n 2 ./program)
  if [ "$global" != 1 ]; then
    echo "changed: MPI_WTIME_IS_GLOBAL is $global" >&2
    exit 1
  fi
  if [ "$microseconds" -gt "$largest" ]; then largest=$microseconds; fi
done
if [ "$largest" -le 1000 ]; then
  echo "changed: the ranks differ by at most $largest microseconds" >&2
  exit 1
fi
echo "MPI_WTIME_IS_GLOBAL 1; in 5 runs, the largest difference is more than 1 ms"
