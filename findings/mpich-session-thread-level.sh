#!/bin/bash
# MPICH: an info object without "thread_level" changes the thread level of a session.
#
# Version: PyPI mpich==5.0.2.
# Seen: 2026-11-28.
#
# A session that begins with MPI_INFO_NULL has MPI_THREAD_SINGLE. With an info object that is empty, or
# that has another key only, it has MPI_THREAD_MULTIPLE, although neither requests a level. MPI_Session_get_info
# tells the level.
#
# Output:
#   MPI_INFO_NULL: MPI_THREAD_SINGLE
#   no key: MPI_THREAD_MULTIPLE
#   strict_finalize: MPI_THREAD_MULTIPLE
#   thread_level: MPI_THREAD_SINGLE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

// program [KEY [VALUE]]: one session. Without a value, its info object is empty; without a key, there is none.
int main(int argc, char **argv) {
  MPI_Info info = MPI_INFO_NULL, used;
  MPI_Session session;
  char level[64];
  int length = sizeof level, found;
  if (argc > 1) MPI_Info_create(&info);
  if (argc > 2) MPI_Info_set(info, argv[1], argv[2]);
  MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Session_get_info(session, &used);
  MPI_Info_get_string(used, "thread_level", &length, level, &found);
  printf("%s: %s\n", argc > 1 ? argv[1] : "MPI_INFO_NULL", found ? level : "not told");
  MPI_Info_free(&used);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return MPI_Session_finalize(&session);
}
END
mpi/bin/mpicc -o program program.c
run() { timeout 120 mpi/bin/mpiexec -n 1 ./program "$@" || echo "exit code $?"; }
seen=$(run; run 'no key'; run strict_finalize false; run thread_level MPI_THREAD_SINGLE)
expected='MPI_INFO_NULL: MPI_THREAD_SINGLE
no key: MPI_THREAD_MULTIPLE
strict_finalize: MPI_THREAD_MULTIPLE
thread_level: MPI_THREAD_SINGLE'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
