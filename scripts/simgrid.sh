#!/bin/sh
# Builds SimGrid with its MPI (SMPI), for `toccata sim`, into the user's cache. This is done once, and
# takes one core about 10 minutes. The source comes from PyPI.
#
#   scripts/simgrid.sh          build it, unless it exists
#   scripts/simgrid.sh --where  print its path, even if it does not exist yet
set -eu

version=4.1
prefix=${XDG_CACHE_HOME:-$HOME/.cache}/toccata/simgrid-$version
if [ "${1-}" = --where ]; then
  echo "$prefix"
  exit
fi

scripts=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

fail() {
  echo "simgrid: $1" >&2
  exit 1
}

mkdir -p "$prefix"
exec 9>"$prefix/lock"
flock 9 # other builds wait
# The stamp is written last, so the next run continues an interrupted build.
stamp=$prefix/complete
[ ! -e "$stamp" ] || exit 0

for tool in cmake ninja c++ python3; do
  command -v $tool >/dev/null || fail "$tool is missing; run make setup"
done
echo '#include <boost/version.hpp>' | c++ -E -x c++ - >/dev/null 2>&1 ||
  fail "the headers of Boost are missing; install them (Debian: apt-get install libboost-dev)"

build=$prefix/build
source=$build/simgrid-$version
mkdir -p "$build"
if [ ! -e "$source/CMakeLists.txt" ]; then
  echo "simgrid: fetching $version from PyPI" >&2
  [ -x "$build/venv/bin/pip" ] || python3 -m venv "$build/venv"
  "$build/venv/bin/pip" download --quiet --disable-pip-version-check --no-deps --no-binary :all: \
    --dest "$build" "simgrid==$version" ||
    fail "pip could not fetch simgrid==$version; check the network, then run this again"
  tar -C "$build" -xf "$build/simgrid-$version.tar.gz"
fi

echo "simgrid: building in $build (about 10 minutes of one core)" >&2
cd "$build" # its cmake writes files into the current folder
# Precompiled headers, and no debugging information: otherwise the headers would be parsed in each of
# about 330 files, and the build would take two thirds longer.
for header in algorithm boost/heap/fibonacci_heap.hpp boost/intrusive/list.hpp \
  boost/intrusive/set.hpp boost/intrusive_ptr.hpp chrono cmath functional list map memory random \
  set sstream string unordered_map unordered_set variant vector; do
  echo "#include <$header>"
done >precompiled.hpp
echo 'cmake_language(DEFER CALL target_precompile_headers simgrid PRIVATE
  "$<$<COMPILE_LANGUAGE:CXX>:${CMAKE_BINARY_DIR}/../precompiled.hpp>")' >precompiled.cmake
release="-O2 -g0 -DNDEBUG"
cmake -S "$source" -B "$build/ninja" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$prefix" -Denable_smpi=ON -Dminimal-bindings=ON -Denable_python=OFF \
  -Denable_java=OFF -Denable_lto=OFF -Denable_model-checking=OFF \
  -DCMAKE_C_FLAGS_RELEASE="$release" -DCMAKE_CXX_FLAGS_RELEASE="$release" \
  -DCMAKE_PROJECT_INCLUDE="$build/precompiled.cmake" >"$build/cmake.log" 2>&1 ||
  fail "cmake failed; see $build/cmake.log"
"$scripts/ninja.sh" -C "$build/ninja" simgrid smpimain || fail "the build failed (above)"
# The part of `install` that we need.
mkdir -p "$prefix/bin" "$prefix/lib"
cp -a "$source/include" "$build/ninja/include" "$prefix"
cp -a "$build"/ninja/lib/libsimgrid.so* "$prefix/lib"
cp "$build/ninja/lib/simgrid/smpimain" "$prefix/bin"
rm -rf "$build"
touch "$stamp"
echo "simgrid: ready in $prefix" >&2
