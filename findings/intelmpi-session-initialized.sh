#!/bin/bash
# Intel MPI: after MPI_Session_init, MPI_Initialized is true, and MPI_Init returns an error.
#
# Version: PyPI impi-rt==2021.18.1 and impi-devel==2021.18.1.
# Seen: 2026-11-28.
#
# According to the MPI standard, MPI_Initialized tells whether MPI_Init or MPI_Init_thread was called, and a program
# may use sessions and, independently, MPI_Init. Intel MPI returns true in a program that has only opened a session.
# A library that calls MPI_Init only where it was not called then works with MPI_COMM_WORLD of a world that the program did
# not ask for. A program that does call MPI_Init gets an error ("Cannot call MPI_INIT or MPI_INIT_THREAD more than
# once"), which ends it. MPICH 5.0.2 and Open MPI 5.0.11 return false, and MPI_Init succeeds.
#
# Output:
#   initialized 0 before the session, 1 in it
#   MPI_Init after the session: error
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
  int before, within;
  MPI_Session session;
  MPI_Initialized(&before);
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Initialized(&within);
  printf("initialized %d before the session, %d in it\n", before, within);
  fflush(stdout);
  if (argc > 1) {
    MPI_Init(&argc, &argv);
    MPI_Finalize();
  }
  MPI_Session_finalize(&session);
}
END
export I_MPI_ROOT=$work/mpi I_MPI_FABRICS=shm
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec -n 1 ./program) || seen="exit code $?"
if timeout 120 mpi/bin/mpiexec -n 1 ./program init >both 2>&1; then
  seen+=$'\nMPI_Init after the session: success'
elif grep -q "Cannot call MPI_INIT or MPI_INIT_THREAD more than once" both; then
  seen+=$'\nMPI_Init after the session: error'
else
  seen+=$'\nMPI_Init after the session: another end'
fi
expected='initialized 0 before the session, 1 in it
MPI_Init after the session: error'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
