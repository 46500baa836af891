#!/bin/sh
# mpiexec.sh FAMILY RANKS PROGRAM...: starts a program under one MPI, also as root and with more
# ranks than cores, for tests and benchmarks on one machine.
set -eu
family=$1
ranks=$2
shift 2
launcher=$(command -v "mpiexec.$family" || command -v mpiexec)
case $family in
  openmpi)
    [ "$(id -u)" -ne 0 ] || set -- --allow-run-as-root "$@"
    [ "$ranks" -le "$(nproc)" ] ||
      set -- --oversubscribe --mca mpi_yield_when_idle "${YIELD_WHEN_IDLE:-1}" "$@"
    ;;
esac
exec "$launcher" -n "$ranks" "$@"
