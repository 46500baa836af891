#!/bin/bash
# ninja.sh ARGUMENT...: runs ninja with one line of progress. On a terminal, ninja itself does so. In a
# log, a line appears at each tenth of the steps. Warnings and errors appear in full.
set -eu -o pipefail
export NINJA_STATUS='[%f/%t, %e s] '
if [ -t 1 ]; then exec ninja "$@"; fi
ninja "$@" | awk '
  match($0, /^\[[0-9]+\/[0-9]+, /) {
    split(substr($0, 2), number, /[\/,]/)
    if (number[2] != total) { total = number[2]; shown = 0 }  # cmake ran again, for example
    tenth = int(10 * number[1] / total)
    if (tenth > shown) { print "  " $1 " " $2 " s]"; fflush(); shown = tenth }
    next
  }
  /^ninja: Entering directory/ { next }
  { print; fflush() }'
