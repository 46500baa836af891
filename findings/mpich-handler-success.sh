#!/bin/bash
# MPICH: after a user's error handler has returned, the call that failed returns MPI_SUCCESS.
#
# Version: PyPI mpich==5.0.2, one rank.
# Seen: 2026-11-29.
#
# A delete callback of an attribute returns MPI_ERR_OTHER. MPI_Comm_delete_attr then calls the error handler of the
# communicator. If that is MPI_ERRORS_RETURN, the call returns an error. If it is a function of the program that
# returns, the call returns MPI_SUCCESS, so a program that only counts or logs errors there believes that the call has
# worked. By the standard, the handler receives the code that the call returns. MPICH 4.0.2 of Debian 12, Open MPI
# 5.0.11 and Intel MPI 2021.18.1 return an error in both cases.
#
# Output:
#   MPI_ERRORS_RETURN: an error
#   a function, called once: MPI_SUCCESS
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

static int called, answer = MPI_ERR_OTHER;

static int refuse(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  return answer;
}

static void count(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  called++;
}

int main(int argc, char **argv) {
  int key;
  MPI_Errhandler counting;
  MPI_Init(&argc, &argv);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &key, NULL);
  MPI_Comm_create_errhandler(count, &counting);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
  for (int i = 0; i < 2; i++) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, i == 0 ? MPI_ERRORS_RETURN : counting);
    int code = MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    if (i == 0)
      printf("MPI_ERRORS_RETURN: ");
    else
      printf("a function, called %s: ", called == 1 ? "once" : "otherwise");
    printf("%s\n", code == MPI_SUCCESS ? "MPI_SUCCESS" : "an error");
  }
  answer = MPI_SUCCESS;
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
seen=$(timeout 60 ./program 2>&1) || seen="exit code $?"
expected='MPI_ERRORS_RETURN: an error
a function, called once: MPI_SUCCESS'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
