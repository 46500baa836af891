#!/bin/sh
# test.sh BUILD FAMILY LAUNCHER...: installs a build below DESTDIR and below another prefix. Tests
# the command, and the library in a C project that only names Toccata.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
family=$2
shift 2
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# Before the installation copies anything, it checks that the registry is proved.
awk '/toccata_prove.* check/ { asked = NR } /cmake_install.cmake"\)/ && !copied { copied = NR }
  END { exit !(asked && asked < copied) }' "$build/cmake_install.cmake"
DESTDIR=$place/staged cmake --install "$build" --strip --prefix /opt/toccata >"$place/log"
"$place/staged/opt/toccata/bin/toccata" --version
mv "$place/staged/opt/toccata" "$place/moved" # all paths are relative to it
home=$(echo "$place"/moved/lib*/toccata)
"$place/moved/bin/toccata" list allgather | grep -q allgather/ring
"$place/moved/bin/toccata" doctor | grep -q "$family: $home/$family/libtoccata.so"
size=$(stat -L -c %s "$home/$family"/libtoccata*.so | sort -n | tail -n 1)
[ "$size" -le 4000000 ] || { echo "the library has $size bytes, more than 4 MB" >&2; exit 1; }
for each in toccata.h large.h toccata.hpp algorithms.hpp; do
  test -s "$place/moved/include/toccata/$each"
done
test -s "$home/python/toccata/mpi.py"
ls "$home"/python/toccata/_mpi.*.so >"$place/log"
test -s "$home/references.bib" # which `toccata verify` reads
for each in LICENSE README.md CHANGELOG.md; do test -f "$place/moved/share/doc/toccata/$each"; done
"$place/moved/bin/toccata" --version | grep -q '([0-9a-f]\{7,\}' # the commit
readelf -d "$home/$family/libtoccata.so" | grep -q 'SONAME.*libtoccata.so.[0-9]'

# A sample of the settings, without output. The administrator's changes remain.
! grep -v '^#' "$place/moved/etc/toccata.conf" | grep -q .
grep -q '^#TOCCATA_TUNING=' "$place/moved/etc/toccata.conf"
echo TOCCATA=off >"$place/moved/etc/toccata.conf"
cmake --install "$build" --prefix "$place/moved" >"$place/log"
[ "$(cat "$place/moved/etc/toccata.conf")" = TOCCATA=off ]
"$place/moved/bin/toccata" doctor | grep -q "native for all, because of TOCCATA=off in $place/moved/etc/toccata.conf"
rm "$place/moved/etc/toccata.conf"

# The other installed files contain the current location.
for each in man1/toccata.1 man1/toccata-run.1 man5/toccata.conf.5 man7/libtoccata.7 \
  man3/toccata.hpp.3 man3/toccata.mpi.3; do
  test -s "$place/moved/share/man/$each"
done
for each in bash-completion/completions/toccata zsh/site-functions/_toccata \
  fish/vendor_completions.d/toccata.fish; do
  grep -q _TOCCATA_COMPLETE "$place/moved/share/$each"
done
version=$("$place/moved/bin/toccata" --version | cut -d ' ' -f 2)
modules=$place/moved/share/modulefiles
if [ -e /usr/share/modules/init/sh ]; then # Environment Modules
  said=$(bash -c '. /usr/share/modules/init/sh; unset MANPATH; module use "$1"; module load toccata
    echo "$(command -v toccata) $MANPATH"' - "$modules")
  [ "$said" = "$place/moved/bin/toccata $place/moved/share/man:" ] # the empty last part is the system's manual
fi
lua=$(command -v lua5.3 || command -v lua || true)
if [ -n "$lua" ]; then # defines the functions of Lmod that the file uses
  "$lua" - "$modules/toccata/$version.lua" <<'LUA' | grep -qx "PATH $place/moved/share/.*/bin"
function myFileName() return arg[1] end
function pathJoin(...) return table.concat({...}, "/") end
function prepend_path(name, value) print(name .. " " .. value) end
append_path = prepend_path
function whatis() end
help, conflict = whatis, whatis
dofile(arg[1])
LUA
fi

cmake -S "$here/app" -B "$place/app" -DCMAKE_PREFIX_PATH="$place/moved" -DFAMILY="$family" >"$place/log"
cmake --build "$place/app" >>"$place/log"
"$@" -n 2 "$place/app/app"
echo "installed, moved and used"
