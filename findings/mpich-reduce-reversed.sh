#!/bin/bash
# MPICH 4.0: MPI_Reduce returns wrong sums from 2 KiB on if the ranks are in reverse order.
#
# Version: PyPI mpich==4.0.3. Debian 12's mpich 4.0.2 returns the same sums.
# Seen: 2026-11-27.
#
# Three ranks run on two hosts, two on the first and one on the second. In a communicator with the ranks in
# reverse order, rank i contributes 1, 16 and 256, so each sum is 0x111. With 512 integers (2048 bytes), the
# sums are right. With 513, the first sum is 0x221 (ranks 1 and 2 count twice), and the last one is 0x110
# (rank 0 is missing). MPI_Reduce succeeds. In MPI_COMM_WORLD, the sums are right. mpich 4.1.3 returns the
# right sums.
#
# The variables MPIR_CVAR_... below let MPICH treat the ranks of one machine like ranks of two hosts. The
# sums are the same with two host names.
#
# Output (first and last element):
#   512 integers: 0x111 0x111
#   513 integers: 0x221 0x110
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==4.0.3

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  enum { most = 513 };
  int rank, mine[most], sums[most];
  MPI_Comm reversed;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
  MPI_Comm_rank(reversed, &rank);
  for (int i = 0; i < most; i++) mine[i] = 1 << 4 * rank, sums[i] = 0;
  for (int count = most - 1; count <= most; count++) {
    MPI_Reduce(mine, sums, count, MPI_INT, MPI_SUM, 0, reversed);
    if (rank == 0) printf("%d integers: %#x %#x\n", count, sums[0], sums[count - 1]);
  }
  MPI_Comm_free(&reversed);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
export MPIR_CVAR_NUM_CLIQUES=2 MPIR_CVAR_CLIQUES_BY_BLOCK=1
seen=$(timeout 120 mpi/bin/mpiexec -n 3 ./program) || seen="exit code $?"
expected='512 integers: 0x111 0x111
513 integers: 0x221 0x110'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
