#!/bin/sh
# Tests the Debian package in a clean Debian that debootstrap makes: installs it, and runs the command,
# the manual, and a program with the library preloaded. Needs root and the network.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
package=$(ls -t "$root"/build/deb/toccata_*.deb | head -n 1)
chroot=$root/build/deb/chroot
[ "$(id -u)" -eq 0 ] || { echo "test-deb: chroot needs root; run it as root" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "test-deb: apt-get install debootstrap" >&2; exit 1; }
mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ []*\) .*/\1/p' /etc/apt/sources.list.d/* /etc/apt/sources.list \
  2>/dev/null | grep -v security | head -n 1)
[ -e "$chroot/complete" ] || {
  rm -rf "$chroot"
  debootstrap --variant=minbase bookworm "$chroot" "${mirror:-http://deb.debian.org/debian}" >"$chroot.log" ||
    { tail "$chroot.log" >&2; exit 1; }
  touch "$chroot/complete"
}
cp "$package" "$chroot/tmp/toccata.deb"
cp /etc/resolv.conf "$chroot/etc/"
for each in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$each" ] || cp "$each" "$chroot/etc/apt/apt.conf.d/"; done
trap 'umount "$chroot/dev" "$chroot/sys" "$chroot/proc"' EXIT
for each in proc sys dev; do mount --bind /$each "$chroot/$each"; done
chroot "$chroot" sh -eu <<'IN'
export DEBIAN_FRONTEND=noninteractive OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
apt-get -qq update
apt-get -qq install -y --no-install-recommends /tmp/toccata.deb openmpi-bin man-db python3-mpi4py >/tmp/log 2>&1 ||
  { tail /tmp/log; exit 1; }
cd /tmp
toccata --version
toccata list allgather | grep -c allgather/
toccata doctor -- mpirun.openmpi --oversubscribe -n 2 python3 -c 'import mpi4py.MPI'
toccata run --allgather ring --report -- mpirun.openmpi --oversubscribe -n 2 \
  python3 -c 'import mpi4py.MPI as m; print(m.COMM_WORLD.allgather(m.COMM_WORLD.rank)); m.COMM_WORLD.Allgather(bytearray(8), bytearray(16))'
man -w toccata-run toccata.conf libtoccata
[ "$(_TOCCATA_COMPLETE=complete_bash COMP_WORDS="toccata ver" COMP_CWORD=1 toccata)" = verify ]
apt-get -qq remove -y toccata >/dev/null
grep -q '^#TOCCATA_TUNING=' /etc/toccata.conf # a configuration file, so it stays
[ ! -e /usr/bin/toccata ] && [ ! -e /usr/lib/toccata ]
IN
echo "installed, used and removed in a clean Debian"
