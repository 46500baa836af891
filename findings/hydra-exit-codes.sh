#!/bin/bash
# Hydra (MPICH, Intel MPI): the exit code of mpiexec is the bitwise OR of the ranks' exit codes.
#
# Version: PyPI mpich==5.0.2; impi-rt==2021.18.1.
# Seen: 2026-11-28.
#
# Rank 0 exits with code 1 and rank 1 with code 2, after MPI_Finalize. mpiexec exits with code 3, which no rank
# returned. With codes 3 and 4, it is 7. So a script cannot tell by the code of mpiexec what happened, if
# codes have meanings, such as those of sysexits.h: 65 (data) and 66 (no input) become 67 (no user). Open MPI
# 5.0.11 returns the code of one of the ranks.
#
# Output:
#   mpich: 1 and 2 become 3; 3 and 4 become 7; 65 and 66 become 67
#   impi-rt: 1 and 2 become 3; 3 and 4 become 7; 65 and 66 become 67
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for package in mpich==5.0.2 impi-rt==2021.18.1; do
  python3 -m venv "${package%==*}"
  "${package%==*}/bin/pip" install --quiet --disable-pip-version-check "$package"
done
export I_MPI_ROOT=$work/impi-rt I_MPI_FABRICS=shm

cat >program.c <<'END'
#include <stdlib.h>

int MPI_Init(int *, char ***);
int MPI_Finalize(void);

/* Each rank exits with the code that is its argument. */
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return atoi(argv[1]);
}
END
seen=
for mpi in mpich impi-rt; do
  library=$(find "$PWD/$mpi/lib" -name libmpi.so.12 | head -n 1)
  gcc -o "program-$mpi" program.c "$library" "-Wl,-rpath,${library%/*}" -Wl,--allow-shlib-undefined
  line=
  for codes in '1 2' '3 4' '65 66'; do
    code=0
    timeout 120 "$mpi/bin/mpiexec" -n 1 "./program-$mpi" "${codes% *}" : -n 1 "./program-$mpi" "${codes#* }" \
      >/dev/null 2>&1 || code=$?
    line+="${line:+; }${codes% *} and ${codes#* } become $code"
  done
  seen+="${seen:+$'\n'}$mpi: $line"
done
expected='mpich: 1 and 2 become 3; 3 and 4 become 7; 65 and 66 become 67
impi-rt: 1 and 2 become 3; 3 and 4 become 7; 65 and 66 become 67'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
