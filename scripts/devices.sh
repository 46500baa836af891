#!/bin/sh
# devices.sh FAMILY RANKS [BUILD]: on a machine with a GPU (CUDA), runs the tests of buffers in GPU memory,
# and the benchmark bench/devices. BUILD is build/release. FILTER chooses tests.
set -eu
family=$1
ranks=$2
build=${3:-build/release}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
run() { "$here/mpiexec.sh" "$family" "$ranks" env LD_PRELOAD="$build/lib/$family/libtoccata.so" "$@"; }

echo "== tests with CUDA's driver, $ranks ranks under $family"
run DEVICES="$build/tests/mpi/real/libcuda.so.1" "$build/tests/mpi/mpi_tests_$family" \
  --gtest_brief=1 --gtest_filter="${FILTER:--Large*:Threads*:Errors*}"
echo "== times in microseconds, $ranks ranks under $family"
# The MPI library may not accept device memory, so the library has to serve all calls.
run TOCCATA_ALLREDUCE=shared TOCCATA_REDUCE_SCATTER=shared TOCCATA_BCAST=shared \
  TOCCATA_ALLGATHER=shared TOCCATA_ALLTOALL=shared "$build/bench/$family/devices"
