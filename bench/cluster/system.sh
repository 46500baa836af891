#!/bin/bash
# system.sh FOLDER [PACKAGE...]: installs Debian 13 with Open MPI 5.0 and these packages in a folder, for
# programs that were built for it. Needs root, debootstrap and the network. This checkout is there, too.
#
#   bench/cluster/system.sh /opt/debian13 quantum-espresso quantum-espresso-data cp2k
#   SYSTEM=/opt/debian13 bench/cluster/bin/mpirun.system -n 16 pw.x -in espresso.in
#   bench/cluster/system.sh /opt/debian13 --down
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$here/../.." && pwd)
fail() { echo "system: $*" >&2; exit 1; }
[ "$#" -gt 0 ] || fail "name a folder for the system, such as /opt/debian13"
folder=$1
shift
[ "$(id -u)" -eq 0 ] || fail "only root can change the root folder"
if [ "${1-}" = --down ]; then
  # shellcheck disable=SC2046 # one path per word
  umount $(findmnt --noheadings --list --output TARGET | grep -E "^$folder(/|$)" | sort -r)
  exit
fi
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"
if [ ! -e "$folder/installed" ]; then
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ []*\) .*/\1/p' /etc/apt/sources.list.d/* /etc/apt/sources.list 2>/dev/null |
    grep -v security | head -n 1)
  debootstrap --variant=minbase trixie "$folder" "${mirror:-http://deb.debian.org/debian}" >"$folder.log" ||
    fail "debootstrap failed; see $folder.log"
  touch "$folder/installed"
fi
cp /etc/resolv.conf "$folder/etc/"
for each in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$each" ] || cp "$each" "$folder/etc/apt/apt.conf.d/"; done
mkdir -p "$folder$tree" /run/netns "$folder/run/netns"
mountpoint -q "$folder" || mount --bind "$folder" "$folder" # `ip netns exec` needs a mount point there
for each in /proc /sys /dev /tmp "$tree"; do
  mountpoint -q "$folder$each" || mount --bind "$each" "$folder$each"
done
# Each host is a mount, which must stay when those of the folder end.
mountpoint -q "$folder/run/netns" || mount --rbind --make-rslave /run/netns "$folder/run/netns"
DEBIAN_FRONTEND=noninteractive chroot "$folder" sh -c 'apt-get -qq update; apt-get -qq install -y \
  --no-install-recommends openmpi-bin iproute2 "$@"' sh "$@" >"$folder.log" || fail "apt-get failed; see $folder.log"
echo "system: $(chroot "$folder" mpirun --version | head -n 1) in $folder"
