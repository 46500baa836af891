#!/bin/bash
# MPICH: the fifth MPI_Allreduce of the same numbers on a communicator returns another sum.
#
# Version: PyPI mpich==5.0.2, ranks on one host.
# Seen: 2026-11-27.
#
# Four ranks sum the same four doubles eight times. The first four sums are 0, all later ones are 1. A
# duplicate of the communicator begins with 0 again. So a repeated call with equal arguments, on the same
# communicator, does not return equal bits, and warming up changes results. Both sums are valid: they round
# in different orders (the exact sum is 2), and the standard only recommends equal results. In Open MPI
# 5.0.11 and Intel MPI 2021.18.1, all calls return the same sum.
#
# Output:
#   world: 0 0 0 0 1 1 1 1
#   duplicate: 0 0 0 0 1 1 1 1
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static void sums(const char *name, MPI_Comm comm) {
  const double operands[] = {1e16, 1, -1e16, 1};
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) printf("%s:", name);
  for (int call = 0; call < 8; call++) {
    double sum;
    MPI_Allreduce(&operands[rank], &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    if (rank == 0) printf(" %g", sum);
  }
  if (rank == 0) printf("\n");
}

int main(int argc, char **argv) {
  MPI_Comm duplicate;
  MPI_Init(&argc, &argv);
  sums("world", MPI_COMM_WORLD);
  MPI_Comm_dup(MPI_COMM_WORLD, &duplicate);
  sums("duplicate", duplicate);
  MPI_Comm_free(&duplicate);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 4 ./program) || seen="exit code $?"
expected='world: 0 0 0 0 1 1 1 1
duplicate: 0 0 0 0 1 1 1 1'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
