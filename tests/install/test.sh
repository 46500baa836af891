#!/bin/sh
# test.sh BUILD FAMILY LAUNCHER...: installs a build below DESTDIR and below another prefix, and uses
# what is there: the command, and the library in a C project that names nothing but Toccata.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
family=$2
shift 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

DESTDIR=$place/staged cmake --install "$build" --prefix /opt/toccata >"$place/log"
"$place/staged/opt/toccata/bin/toccata" --version
mv "$place/staged/opt/toccata" "$place/moved" # all of it goes by where it is
home=$(echo "$place"/moved/lib*/toccata)
"$place/moved/bin/toccata" list allgather | grep -q allgather/ring
"$place/moved/bin/toccata" doctor | grep -q "$family: $home/$family/libtoccata.so"
size=$(stat -L -c %s "$home/$family/libtoccata.so")
[ "$size" -le 3000000 ] || { echo "libtoccata.so has $size bytes, more than 3 MB" >&2; exit 1; }
test -f "$place/moved/share/doc/toccata/LICENSE"

cmake -S "$here/app" -B "$place/app" -DCMAKE_PREFIX_PATH="$place/moved" -DFAMILY="$family" >"$place/log"
cmake --build "$place/app" >>"$place/log"
"$@" -n 2 "$place/app/app"
echo "installed, moved and used"
