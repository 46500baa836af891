#!/bin/bash
# MPICH 4.0: a persistent MPI_Allgather returns the data of an earlier start.
#
# Version: PyPI mpich==4.0.3, ranks on one host. Debian 12's mpich 4.0.2 returns wrong data, too.
# Seen: 2026-11-27.
#
# Two ranks start the same MPI_Allgather_init request four times, and change their number before each
# start. Rank 1 receives its own number one start late: the number of start 0 in start 1, and so on.
# MPI_Wait succeeds. With three ranks, the data were right; with four, the numbers of other ranks are old,
# too. mpich 4.1.3 returns the right numbers.
#
# Output (rank 0 contributes 10 times the number of the start, rank 1 the same plus 1):
#   rank 1, start 0: 0 1
#   rank 1, start 1: 10 1
#   rank 1, start 2: 20 11
#   rank 1, start 3: 30 21
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
  int rank, mine, all[2];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allgather_init(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int start = 0; start < 4; start++) {
    mine = 10 * start + rank;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) printf("rank 1, start %d: %d %d\n", start, all[0], all[1]);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 2 ./program) || seen="exit code $?"
expected='rank 1, start 0: 0 1
rank 1, start 1: 10 1
rank 1, start 2: 20 11
rank 1, start 3: 30 21'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
