#!/bin/bash
# Hydra (MPICH's mpiexec): -map-by without -bind-to has no effect, and its value is not even read.
#
# Version: PyPI mpich==5.0.2. The launcher of MPICH 4.0.2 (Debian 12) does the same.
# Seen: 2026-11-28, twice.
#
# `mpiexec -map-by socket` looks as if ranks went round the sockets, as with Open MPI's `mpirun --map-by`.
# But Hydra maps only ranks that it binds, so all ranks may run on all cores, and a misspelt value is
# not reported. With -bind-to, the same value is an error.
#
# Output:
#   -map-by moon: runs
#   -bind-to core -map-by moon: refused
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2

run() { # OPTION...
  if timeout 120 mpi/bin/mpiexec "$@" -n 2 true 2>said; then
    echo "$*: runs"
  else
    echo "$*: refused"
  fi
}
seen=$(
  run -map-by moon
  run -bind-to core -map-by moon
)
expected='-map-by moon: runs
-bind-to core -map-by moon: refused'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
