#!/bin/bash
# agent.sh [options of ssh] HOST COMMAND...: what mpirun starts its daemons by. A host has its own
# network, host name, shared memory and IPC; without its own name Open MPI takes all for one node.
while [ "${1:0:1}" = - ]; do
  case "$1" in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac
done
host=${1#*@}
shift
exec ip netns exec "$host" unshare -u -i -m \
  sh -c "hostname $host; mount -t tmpfs tmpfs /dev/shm; $*"
