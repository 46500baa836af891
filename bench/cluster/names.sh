#!/bin/bash
# names.sh COMMAND...: runs a command, such as launch.sh, among hosts that have only names and shared
# memory of their own. They need no preparation, and they share one private network without delays: for
# tests of results, not for times. Needs root and iproute2.
export ONLY_NAMES=yes
# Over TCP, ranks of MPICH 4.0 on two hosts often wait forever in MPI_Finalize, also bare. So UCX passes
# messages through the shared memory of System V, which these hosts have in common.
export UCX_TLS=sysv,self
# By default, UCX writes its warnings to standard output, among the program's own lines.
export UCX_LOG_FILE=stderr
exec unshare -n sh -ec '
  ip link set lo up
  ip link add eth0 type veth peer name other
  ip addr add 10.77.0.1/16 dev eth0
  ip link set eth0 up
  ip link set other up
  exec "$@"' sh "$@"
