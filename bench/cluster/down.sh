#!/bin/bash
# down.sh: removes the hosts that up.sh of the same checkout made. If another checkout made them and
# still exists, prints the command to run instead.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
owner=$(cat /run/toccata-cluster 2>/dev/null || echo "$here")
if [ "$owner" != "$here" ] && [ -x "$owner/down.sh" ]; then
  echo "cluster: these hosts are of another checkout: $owner/down.sh takes them down" >&2
  exit 1
fi
pidfile=$here/../../build/cluster/delayd.pid
if [ -s "$pidfile" ]; then
  pid=$(cat "$pidfile")
  if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = delayd ]; then kill "$pid"; fi
  rm -f "$pidfile"
fi
for name in $(ip netns list | awk '$1 ~ /^toccata([0-9]+|-switches)$/ {print $1}'); do
  ip netns del "$name"
done
rm -f /run/toccata-cluster
