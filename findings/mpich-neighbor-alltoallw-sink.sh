#!/bin/bash
# MPICH 4.0.2 of Debian 12: MPI_Neighbor_alltoallw delivers nothing to a rank that only receives.
#
# Version: Debian 12's packages mpich and libmpich12, 4.0.2-3+b1, ranks on one host. Seen: 2026-11-30.
#
# A distributed graph of two ranks has one edge, from rank 0 to rank 1. MPI_Neighbor_alltoallw returns
# MPI_SUCCESS on both, but the buffer of rank 1 does not change, with 1 to 100000 integers.
# MPI_Neighbor_alltoallv on the same communicator delivers the number. With a second edge, from rank 1 to
# rank 0, MPI_Neighbor_alltoallw does, too. PyPI's mpich 4.0.3 and 4.1.3 deliver it in both cases.
#
# Output (rank 0 sends 7, rank 1 prints its buffer, which was -1):
#   one edge: alltoallw -1, alltoallv 7
#   both edges: alltoallw 7, alltoallv 7
set -eu
skip() { echo "skipped: $1" >&2; exit 77; }
version=4.0.2-3+b1
command -v apt-get >/dev/null || skip "needs apt-get"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p debs/partial root
touch status
# With an empty list of installed packages, apt-get finds everything that they need.
apt-get -o Dir::State::status="$work/status" -o Debug::NoLocking=1 -o Dir::Cache::archives="$work/debs" \
  -o APT::Install-Recommends=0 -o APT::Sandbox::User=root --print-uris -y \
  install "mpich=$version" "libmpich-dev=$version" 2>/dev/null | grep "^'" | cut -d"'" -f2 >uris || true
[ -s uris ] || skip "apt-get does not offer mpich $version (Debian 12; apt-get update?)"
grep -E '/(libmpich|mpich)[^/]*\.deb$|/lib(ucx|hwloc|fabric|slurm|rdma|ibverbs|psm|nl-|numa|pciaccess|xnvctrl|efa|munge|mlx)[^/]*\.deb$' uris |
  while read -r uri; do
    python3 -c 'import sys, urllib.request; urllib.request.urlretrieve(sys.argv[1], "package.deb")' "$uri"
    dpkg-deb -x package.deb root
  done
libraries=$(find root -name '*.so*' -printf "$work/%h\n" | sort -u | paste -sd:)

cat >program.c <<'END'
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int rank, number = 7, count = 1, displacement = 0;
  MPI_Aint place = 0;
  MPI_Datatype type = MPI_INT;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int other = 1 - rank;
  for (int both = 0; both < 2; both++) {
    int w = -1, v = -1;
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, both || rank == 1, &other, MPI_UNWEIGHTED,
                                   both || rank == 0, &other, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_alltoallw(&number, &count, &place, &type, &w, &count, &place, &type, graph);
    MPI_Neighbor_alltoallv(&number, &count, &displacement, type, &v, &count, &displacement, type, graph);
    if (rank == 1) printf("%s: alltoallw %d, alltoallv %d\n", both ? "both edges" : "one edge", w, v);
    MPI_Comm_free(&graph);
  }
  MPI_Finalize();
}
END
header=$(find root -name mpi.h -path '*mpich*' | head -n 1)
library=$(find root -name 'libmpich.so.12*' | head -n 1)
gcc -I"$(dirname "$header")" -o program program.c "$library" -Wl,--unresolved-symbols=ignore-in-shared-libs
launcher=$(find root -name 'mpiexec.hydra' -o -name 'mpiexec.mpich' | head -n 1)
export LD_LIBRARY_PATH=$libraries
seen=$(timeout 120 "$launcher" -n 2 ./program) || seen="exit code $?"
expected='one edge: alltoallw -1, alltoallv 7
both edges: alltoallw 7, alltoallv 7'
if [ "$seen" != "$expected" ]; then
  echo "changed: expected '${expected//$'\n'/; }', saw '${seen//$'\n'/; }'" >&2
  exit 1
fi
echo "$seen"
