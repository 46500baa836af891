#!/bin/bash
# MPICH: MPI_Allreduce with a commutative operation of the user returns different bits to the ranks.
#
# Version: PyPI mpich==5.0.2, ranks on one host. MPICH 4.0.2 (Debian 12) does the same.
# Seen: 2026-11-27.
#
# The operation merges two weighted means. It is commutative and associative except for rounding, as is a
# sum of doubles, so the program declares it as commutative. With two ranks, each rank passes its own
# operand in the other position, and the two means differ in the last bit. Ranks that decide with such a
# result, for example whether to stop, can disagree. The standard requires identical results on all ranks.
# Open MPI 5.0.11 returns the same mean on both ranks.
#
# Output:
#   rank 0: 5.6000000000000005
#   rank 1: 5.5999999999999996
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

typedef struct {
  double weight, mean;
} Part;

static void merge(void *in, void *inout, int *length, MPI_Datatype *type) {
  const Part *a = in;
  Part *b = inout;
  (void)type;
  for (int i = 0; i < *length; i++) {
    const double weight = a[i].weight + b[i].weight;
    b[i].mean = a[i].mean + (b[i].mean - a[i].mean) * b[i].weight / weight;
    b[i].weight = weight;
  }
}

int main(int argc, char **argv) {
  const Part parts[] = {{4, 3.5}, {2, 9.8}};
  Part whole, wholes[2];
  int rank;
  MPI_Datatype type;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(merge, 1, &op);
  MPI_Allreduce(&parts[rank], &whole, 1, type, op, MPI_COMM_WORLD);
  MPI_Gather(&whole, 1, type, wholes, 1, type, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 2; i++) printf("rank %d: %.17g\n", i, wholes[i].mean);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Finalize();
}
END
mpi/bin/mpicc -ffp-contract=off -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 2 ./program) || seen="exit code $?"
expected='rank 0: 5.6000000000000005
rank 1: 5.5999999999999996'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
