#!/bin/bash
# ninja.sh ARGUMENT...: runs ninja with one line of progress. On a terminal, ninja itself does so. In a
# log, a line appears at each tenth of the steps. Warnings and errors appear in full.
set -eu -o pipefail
export NINJA_STATUS='[%f/%t, %e s] '
if [ -t 1 ]; then exec ninja "$@"; fi
ninja "$@" | awk '
  match($0, /^\[[0-9]+\/[0-9]+, /) {
    split(substr($0, 2), number, /[\/,]/)
    tenth = int(10 * number[1] / number[2])
    if (tenth > shown) { print "  " $1 " " $2 " s]"; fflush(); shown = tenth }
    next
  }
  /^ninja: Entering directory/ { next }
  { print; fflush() }'
