#!/bin/bash
# MPICH: the status of a nonblocking collective describes a message inside the library.
#
# Version: PyPI mpich==5.0.2, ranks on one host.
# Seen: 2026-11-27.
#
# After MPI_Wait for an MPI_Ibarrier, which carries no data, the status contains a source rank, a tag, and
# a number of bytes that is not 0. They are the same after an MPI_Iallreduce of 800 bytes, so they do not
# describe the data of the call. A program that reads the sender or the length from such a status gets
# plausible values. The standard leaves source and tag undefined there. Open MPI 5.0.11 and Intel MPI
# 2021.18.1 return 0 bytes.
#
# Output:
#   rank 0, ibarrier: source 1, tag 14, 4 bytes
#   rank 0, iallreduce: source 1, tag 14, 4 bytes
#   rank 1, ibarrier: source 0, tag 2, 64 bytes
#   rank 1, iallreduce: source 0, tag 2, 64 bytes
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static void print(int rank, const char *name, const MPI_Status *status) {
  int bytes, mine[3], all[6];
  MPI_Get_count(status, MPI_BYTE, &bytes);
  mine[0] = status->MPI_SOURCE, mine[1] = status->MPI_TAG, mine[2] = bytes;
  MPI_Gather(mine, 3, MPI_INT, all, 3, MPI_INT, 0, MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < 2; i++)
    printf("rank %d, %s: source %d, tag %d, %d bytes\n", i, name, all[3 * i], all[3 * i + 1],
           all[3 * i + 2]);
}

int main(int argc, char **argv) {
  int rank;
  double numbers[100] = {0}, sums[100];
  MPI_Status barrier, sum;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &barrier);
  MPI_Iallreduce(numbers, sums, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &sum);
  print(rank, "ibarrier", &barrier);
  print(rank, "iallreduce", &sum);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 2 ./program | sort -s -t, -k1,1) || seen="exit code $?"
expected='rank 0, ibarrier: source 1, tag 14, 4 bytes
rank 0, iallreduce: source 1, tag 14, 4 bytes
rank 1, ibarrier: source 0, tag 2, 64 bytes
rank 1, iallreduce: source 0, tag 2, 64 bytes'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
