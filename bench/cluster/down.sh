#!/bin/bash
# down.sh: takes the hosts of up.sh down.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
pidfile=$here/../../build/cluster/delayd.pid
if [ -s "$pidfile" ]; then
  pid=$(cat "$pidfile")
  if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = delayd ]; then kill "$pid"; fi
  rm -f "$pidfile"
fi
for name in $(ip netns list | awk '$1 ~ /^toccata([0-9]+|-switches)$/ {print $1}'); do
  ip netns del "$name"
done
