#!/bin/bash
# Intel MPI: a block of length 0 changes the extent of a structure.
#
# Version: PyPI impi-rt==2021.18.1 and impi-devel==2021.18.1.
# Seen: 2026-11-28.
#
# MPI_Type_create_struct makes a type of 0 doubles at byte 0 and one char at byte 8. A block of length 0 adds
# nothing to a type, so the type contains one char, and its extent is 1, as without that block. Intel MPI
# returns 8, the alignment of a double. Then ranks that leave their empty blocks out, and ranks that do not,
# have arrays of different strides for the same data. MPICH 5.0.2 and Open MPI 5.0.11 return 1 in both cases.
#
# Output:
#   one char at 8: lower bound 8, extent 1
#   0 doubles at 0, one char at 8: lower bound 8, extent 8
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check impi-rt==2021.18.1 impi-devel==2021.18.1

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const int lengths[] = {0, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Init(&argc, &argv);
  for (int first = 1; first >= 0; first--) {
    MPI_Datatype made;
    MPI_Aint lower, extent;
    MPI_Type_create_struct(2 - first, lengths + first, places + first, types + first, &made);
    MPI_Type_get_extent(made, &lower, &extent);
    printf("%sone char at 8: lower bound %ld, extent %ld\n", first ? "" : "0 doubles at 0, ", (long)lower,
           (long)extent);
    MPI_Type_free(&made);
  }
  MPI_Finalize();
}
END
export I_MPI_ROOT=$work/mpi I_MPI_FABRICS=shm
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 1 ./program) || seen="exit code $?"
expected='one char at 8: lower bound 8, extent 1
0 doubles at 0, one char at 8: lower bound 8, extent 8'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
