#!/bin/bash
# MPICH: an error of MPI_Comm_free goes to the error handler of MPI_COMM_SELF.
#
# Version: PyPI mpich==5.0.2, one rank.
# Seen: 2026-11-29.
#
# A delete callback of an attribute returns MPI_ERR_OTHER. MPI_Comm_delete_attr calls the error handler of the
# communicator, but MPI_Comm_free that of MPI_COMM_SELF. So a program that has set MPI_ERRORS_RETURN on its
# communicator is aborted there, by the default of MPI_COMM_SELF. MPICH 4.0.2 of Debian 12 and Intel MPI 2021.18.1 call
# the handler of MPI_COMM_WORLD. Open MPI 5.0.11 calls that of the communicator.
#
# Output:
#   MPI_Comm_delete_attr: handler of the communicator
#   MPI_Comm_free: handler of MPI_COMM_SELF
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int refuse(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return MPI_ERR_OTHER;
}

static void tell(MPI_Comm *comm, int *code, ...) {
  char name[MPI_MAX_OBJECT_NAME];
  int length;
  (void)code;
  MPI_Comm_get_name(*comm, name, &length);
  printf("handler of %s\n", name);
}

int main(int argc, char **argv) {
  int key;
  MPI_Errhandler telling;
  MPI_Comm comm;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  MPI_Comm_create_errhandler(tell, &telling);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "the communicator");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, telling);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, telling);
  MPI_Comm_set_errhandler(comm, telling);
  MPI_Comm_set_attr(comm, key, NULL);
  printf("MPI_Comm_delete_attr: ");
  MPI_Comm_delete_attr(comm, key);
  printf("MPI_Comm_free: ");
  MPI_Comm_free(&comm);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 60 ./program 2>&1) || seen="exit code $?"
expected='MPI_Comm_delete_attr: handler of the communicator
MPI_Comm_free: handler of MPI_COMM_SELF'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
