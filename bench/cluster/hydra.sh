#!/bin/bash
# hydra.sh MPIEXEC ARGUMENT...: becomes Hydra, the launcher of the MPICH family, on the hosts of up.sh.
# The list of hosts is a file in the first host's own /dev/shm, which ends with the job.
here=$(cd "$(dirname "$0")" && pwd)
real=$1
shift
[ -x "$real" ] || { echo "$0: there is no $real; see $here/../../scripts/test-mpis.sh --wrappers" >&2; exit 1; }
[ "${!#}" != --version ] || exec "$real" --version
IFS=, read -ra slots <<<"${SLOTS:-4}"
hosts=$(for ((i = 0; i < ${HOSTS:-4}; i++)); do
  echo "toccata$i:${slots[i]-${slots[0]}}"
done)
exec ip netns exec toccata0 unshare -u -i -m \
  sh -c 'hostname toccata0; mount -t tmpfs tmpfs /dev/shm; echo "$0" >/dev/shm/hosts; exec "$@"' "$hosts" \
  "$real" -iface eth0 -machinefile /dev/shm/hosts "$@"
