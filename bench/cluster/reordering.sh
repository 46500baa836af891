#!/bin/bash
# reordering.sh [REPETITIONS]: the gain of reordering for examples/nbody on the four hosts of up.sh, with
# 16 ranks in cyclic order. Runs it bare; with ring and recursive doubling, with and without reordering;
# and preloaded without settings, and with TOCCATA_TOPOLOGY=reorder:auto alone. Prints the medians of the total
# times of REPETITIONS (5) interleaved runs. Brings the hosts up and takes them down; builds nothing.
set -Eeuo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
library=$root/build/release/lib/openmpi/libtoccata.so
repetitions=${1:-5}
"$here/up.sh"
trap '"$here/down.sh"' EXIT
export PATH=$here/bin:$PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

start() { MAP=node timeout 120 mpirun -n 16 env "$@"; }
measure() { # NAME SETTINGS... -- PROGRAM...: a line "NAME milliseconds" for each run
  local name=$1 settings=()
  shift
  while [ "$1" != -- ]; do settings+=("$1"); shift; done
  shift
  start "${settings[@]}" "$@" | sed -n "s/.* steps: \([0-9.]*\) s.*/\1/p" |
    awk -v name="$name" '{ printf "%s %.1f\n", name, 1000 * $1 }'
}

nbody=$root/build/release/examples/openmpi/nbody
preload="LD_PRELOAD=$library:$root/build/cluster/sleep_on_yield.so"
for ((i = 0; i < repetitions; i++)); do
  for bodies in 4 64; do # 96 B and 1.5 KiB per rank; with more, computing on two cores would dominate
    run=("$nbody" $bodies 200)
    measure "nbody:$bodies:bare" "A=" -- "${run[@]}"
    for algorithm in ring recursive_doubling; do
      asked=("$preload" "TOCCATA_ALLGATHER=$algorithm")
      measure "nbody:$bodies:$algorithm" "${asked[@]}" -- "${run[@]}"
      measure "nbody:$bodies:$algorithm:reordered" "${asked[@]}" TOCCATA_TOPOLOGY=reorder:auto -- "${run[@]}"
    done
  done
  run=("$nbody" 64 1000) # long enough for trials
  measure "nbody:64, 1000 steps:bare" "A=" -- "${run[@]}"
  measure "nbody:64, 1000 steps:preloaded" "$preload" -- "${run[@]}"
  measure "nbody:64, 1000 steps:preloaded:reordered" "$preload" TOCCATA_TOPOLOGY=reorder:auto -- "${run[@]}"
done | sort | awk '
  { time = $NF; sub(/ [^ ]*$/, ""); if ($0 != name) tell(); name = $0; times[++n] = time }
  END { tell() }
  function tell(  i, j, t) {
    if (n == 0) return
    for (i = 2; i <= n; i++) for (j = i; j > 1 && times[j] < times[j - 1]; j--) {
      t = times[j]; times[j] = times[j - 1]; times[j - 1] = t }
    printf "%-42s median %9.1f ms   least %9.1f   most %9.1f\n", name, times[int((n + 1) / 2)], times[1], times[n]
    n = 0
  }'
