#!/bin/bash
# agent.sh [options of ssh] HOST COMMAND...: mpirun starts its daemons with this instead of ssh. Each
# host has its own network, host name, shared memory and IPC. If all had the same name, Open MPI would
# treat them as one node.
while [ "${1:0:1}" = - ]; do
  case "$1" in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac
done
host=${1#*@}
shift
exec ip netns exec "$host" unshare -u -i -m \
  sh -c "hostname $host; mount -t tmpfs tmpfs /dev/shm; $*"
