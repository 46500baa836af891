#!/bin/bash
# Standard ABI: the mpi_abi.h of MPICH and of Intel MPI number constants differently.
#
# Version: PyPI mpich==5.0.2; impi-devel==2021.18.1 and impi-rt==2021.18.1.
# Seen: 2026-11-27.
#
# Both ship libmpi_abi.so.1, so a program may be built with either header and run with either library.
# Eight constants differ: MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END, MPI_UNIVERSE_SIZE, MPI_APPNUM,
# MPI_LASTUSEDCODE, MPI_ERRORS_RETURN and MPI_ERRORS_ABORT. The last two are exchanged. If header and
# library are from different packages, MPI_File_seek succeeds and moves to a wrong position, and
# MPI_Comm_get_attr does not find MPI_LASTUSEDCODE or returns the value of another attribute. The values of
# MPICH are those of the MPI Forum's header since October 2025.
#
# Output (the program has written 16 bytes, and then seeks to byte 3):
#   header mpich, library mpich: position 3, last used code 16383
#   header mpich, library intel: position 19, last used code 0
#   header intel, library mpich: position 19, last used code not found
#   header intel, library intel: position 3, last used code 16383
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpich
mpich/bin/pip install --quiet --disable-pip-version-check mpich==5.0.2
python3 -m venv intel
intel/bin/pip install --quiet --disable-pip-version-check impi-rt==2021.18.1 impi-devel==2021.18.1

cat >program.c <<'END'
#include <mpi_abi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  const char bytes[16] = "";
  int *code, found;
  MPI_Offset position;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_File_open(MPI_COMM_WORLD, "file", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  MPI_File_write(file, bytes, 16, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 3, MPI_SEEK_SET);
  MPI_File_get_position(file, &position);
  MPI_File_close(&file);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &code, &found);
  printf("position %d, last used code ", (int)position);
  printf(found ? "%d\n" : "not found\n", found ? *code : 0);
  MPI_Finalize();
}
END
seen=
for header in mpich intel; do
  gcc "-I$header/include" -o "program-$header" program.c mpich/lib/libmpi_abi.so.1
  for library in mpich intel; do
    line=$(LD_LIBRARY_PATH=$library/lib timeout 120 "$library/bin/mpiexec" -n 1 "./program-$header") ||
      line="exit code $?"
    seen+="${seen:+$'\n'}header $header, library $library: $line"
  done
done
expected='header mpich, library mpich: position 3, last used code 16383
header mpich, library intel: position 19, last used code 0
header intel, library mpich: position 19, last used code not found
header intel, library intel: position 3, last used code 16383'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
