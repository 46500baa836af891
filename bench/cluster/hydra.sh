#!/bin/bash
# hydra.sh MPIEXEC ARGUMENT...: starts Hydra, the launcher of the MPICH family, on the hosts of up.sh.
here=$(cd "$(dirname "$0")" && pwd)
real=$1
shift
[ -x "$real" ] || { echo "hydra.sh: there is no $real; see scripts/test-mpis.sh --wrappers" >&2; exit 1; }
for word; do [ "$word" != --version ] || exec "$real" --version; done
IFS=, read -ra slots <<<"${SLOTS:-4}"
hosts=$(mktemp)
trap 'rm -f "$hosts"' EXIT
for ((i = 0; i < ${HOSTS:-4}; i++)); do
  printf 'toccata%d:%d\n' $i "${slots[i]-${slots[0]}}"
done >"$hosts"
ip netns exec toccata0 unshare -u -i -m \
  sh -c 'hostname toccata0; mount -t tmpfs tmpfs /dev/shm; exec "$@"' sh \
  "$real" -iface eth0 -machinefile "$hosts" "$@"
