#!/bin/bash
# MPICH: MPI_Allreduce with MPI_MAX returns three different values if one rank contributes NaN.
#
# Version: PyPI mpich==5.0.2, ranks on one host.
# Seen: 2026-11-27.
#
# Five ranks contribute 1, 1, 2, 3 and NaN. Two of them receive NaN, two receive 3, and rank 3 receives 2,
# which is neither NaN nor the maximum of the numbers, although rank 3 contributed the 3 itself. The
# standard does not define MPI_MAX of NaN, but it requires identical results on all ranks. Open MPI 5.0.11
# returns 3 to all ranks.
#
# Output:
#   nan nan 3 2 3
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <math.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const double operands[] = {1, 1, 2, 3, NAN};
  double most, all[5];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&operands[rank], &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Gather(&most, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%g %g %g %g %g\n", all[0], all[1], all[2], all[3], all[4]);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 5 ./program) || seen="exit code $?"
expected='nan nan 3 2 3'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
