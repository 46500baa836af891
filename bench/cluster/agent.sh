#!/bin/bash
# agent.sh [options of ssh] HOST COMMAND...: mpirun starts its daemons with this instead of ssh, and
# launch.sh starts mpirun itself with it. Each host has its own host name and shared memory; the hosts of
# up.sh also have their own network and IPC, those of names.sh do not. If all had the same name, Open MPI
# would treat them as one node. With SYSTEM=FOLDER, the hosts run another system, in that folder
# (system.sh).
while [ "${1:0:1}" = - ]; do
  case "$1" in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac
done
host=${1#*@}
shift
apart=(ip netns exec "$host" unshare -u -i -m)
# Those of names.sh have clocks that differ, like those of real hosts.
[ -z "${ONLY_NAMES-}" ] || apart=(unshare -u -m -T --monotonic "$((1000 * 0${host##*[^0-9]} + 1000))")
if [ -n "${SYSTEM-}" ] && [ -d "$SYSTEM" ]; then # not inside it yet
  exec "${apart[@]}" bash -c "hostname $host; mount -t tmpfs tmpfs $SYSTEM/dev/shm; exec chroot $SYSTEM \"\$0\" -c \"\$1\"" \
    /bin/bash "cd ${PWD@Q}; $*"
fi
exec "${apart[@]}" bash -c "hostname $host; mount -t tmpfs tmpfs /dev/shm; $*"
