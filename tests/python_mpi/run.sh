#!/bin/sh
# run.sh FAMILY LIBRARY RANKS [env NAME=VALUE...] PYTHON ARGUMENT...: starts a Python program. In it,
# mpi4py uses the same MPI as LIBRARY, our library for that family.
#
# mpi4py from PyPI searches for libmpi.so.40 (Open MPI) or libmpi.so.12 (MPICH); in Debian's MPICH,
# the latter is libmpich.so.12. The exit code is 77 if mpi4py is not installed, or not built for that
# MPI.
set -eu
family=$1
library=$2
ranks=$3
shift 3
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
whole=$(dirname "$library")/libtoccata_mpi.so # which libtoccata.so loads
[ -e "$whole" ] || whole=$library
mpi=$(ldd "$whole" | sed -n 's/^[^/]*\(libmpi[a-z]*\.so\.[0-9]*\) => \([^ ]*\).*/\2/p' | head -n 1)
case $family in
  openmpi*) name=libmpi.so.40 abi=openmpi ;;
  mpich* | intelmpi*) name=libmpi.so.12 abi=mpich ;;
  *) name=libmpi_abi.so.0 abi=mpiabi ;;
esac
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
ln -s "$mpi" "$place/$name"
export MPI4PY_MPIABI=$abi MPI4PY_LIBMPI="$place/$name" LD_LIBRARY_PATH="$place:${LD_LIBRARY_PATH-}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 I_MPI_FABRICS=shm I_MPI_PIN=off
for word in "$@"; do
  case $word in
    */python)
      "$word" -W error::RuntimeWarning -c 'from mpi4py import MPI' 2>"$place/why" || {
        echo "skipped: mpi4py does not run with the MPI of $family: $(tail -n 1 "$place/why")"
        exit 77
      }
      break
      ;;
  esac
done
"$root/scripts/mpiexec.sh" "$family" "$ranks" "$@"
