#!/bin/sh
# test-ulfm.sh PREFIX LIBRARY: tests a program that continues after the death of a rank, under the Open
# MPI 5 in PREFIX, preloaded with several settings. Each case has three tries, because bare runs sometimes
# hang, too (1 of 20).
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
prefix=$1
library=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$prefix/bin/mpicc" -O1 "$root/tests/preload/faults/ulfm.c" -o "$folder/ulfm"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1

goes_on() { # SETTING CALL
  timeout 20 "$prefix/bin/mpirun" --with-ft ulfm --oversubscribe --mca mpi_yield_when_idle 1 -n 4 \
    env LD_PRELOAD="$library" "$1" "$folder/ulfm" "$2" >"$folder/out" 2>"$folder/err" </dev/null &&
    grep -qx '3 of 4 ranks went on' "$folder/out" && ! grep -q terminate "$folder/err" &&
    grep -q 'fault tolerance (ULFM) is on' "$folder/err"
}

for setting in TOCCATA_REPORT=off TOCCATA_ALLGATHER=ring TOCCATA=model TOCCATA_SUMS=all; do
  for call in 0 1 5 40; do
    goes_on "$setting" "$call" || goes_on "$setting" "$call" || goes_on "$setting" "$call" || {
      echo "test-ulfm: $setting, a rank dies before call $call: the others do not go on" >&2
      tail -5 "$folder/err" >&2
      exit 1
    }
  done
done
echo "test-ulfm: 16 of 16 cases go on without the rank that died"
