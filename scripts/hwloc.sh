#!/bin/sh
# Builds hwloc into the user's cache, once (about a minute), as libtoccata_hwloc.so: `make wheel` puts it
# into the wheel. File and functions have names of their own, because an MPI may have loaded another
# version of hwloc. It has no plugins and needs neither libudev nor libxml2. The source is Debian's.
#
#   scripts/hwloc.sh          build it, unless it exists
#   scripts/hwloc.sh --where  print its path, even if it does not exist yet
set -eu

version=2.9.0
prefix=${XDG_CACHE_HOME:-$HOME/.cache}/toccata/hwloc-$version-renamed
if [ "${1-}" = --where ]; then
  echo "$prefix"
  exit
fi
mkdir -p "$prefix"
exec 9>"$prefix/lock"
flock 9 # other builds wait
[ ! -e "$prefix/complete" ] || exit 0

fail() {
  echo "hwloc: $1" >&2
  exit 1
}

command -v apt-get >/dev/null || fail "apt-get is missing; build lib/libtoccata_hwloc.so \
--with-hwloc-symbol-prefix=toccata_ (see $0) into $prefix, then touch $prefix/complete"
build=$prefix/build
mkdir -p "$build/lists/partial"
cd "$build"
if ! ls hwloc_*.orig.tar.* >/dev/null 2>&1; then
  echo "hwloc: fetching $version from Debian's sources" >&2
  echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
  {
    set -- -o Dir::Etc::SourceList="$build/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$build/lists"
    apt-get "$@" update && apt-get "$@" source --download-only "hwloc=$version-1"
  } >log 2>&1 || { tail -n 5 log >&2; fail "apt-get could not fetch the source; check the network"; }
fi
mkdir -p source
tar -C source --strip-components=1 -xf hwloc_*.orig.tar.*
cd source
echo "hwloc: building in $build" >&2
{
  ./configure --prefix="$prefix" --enable-static --disable-shared --with-pic --disable-plugins \
    --with-hwloc-symbol-prefix=toccata_ \
    --disable-libudev --disable-libxml2 --disable-pci --disable-opencl --disable-cuda --disable-nvml \
    --disable-rsmi --disable-levelzero --disable-gl --disable-cairo --disable-doxygen \
    CFLAGS=-Os && make -j2 -C include install && make -j2 -C hwloc install &&
    cc -shared -s -o "$prefix/lib/libtoccata_hwloc.so" -Wl,-soname,libtoccata_hwloc.so \
      -Wl,--whole-archive "$prefix/lib/libhwloc.a" -Wl,--no-whole-archive -lm
} >../log 2>&1 || { tail -n 20 ../log >&2; fail "the build failed (above, and $build/log)"; }
cp COPYING "$prefix/COPYING"
touch "$prefix/complete"
rm -rf "$build"
