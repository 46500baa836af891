#!/bin/sh
# Runs tests of mpi4py, MPICH, ScaLAPACK, FFTW and HPCC, bare and preloaded, under each Debian MPI. This
# takes hours. The arguments are those of scripts/suites.py. The suites come from PyPI and Debian. Suites
# in source form are built once, into ~/.cache/toccata/suites.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
here=${XDG_CACHE_HOME:-$HOME/.cache}/toccata/suites
mpi4py=4.1.1
caller=$PWD
mkdir -p "$here/lists/partial"

fail() {
  echo "suites: $1" >&2
  exit 1
}
# A step's output is shown only if it fails.
quietly() { # LOG COMMAND...
  log=$here/$1
  shift
  "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "'$1' failed (above, and $log)"; }
}

fetch_source() { # PACKAGE
  ls "$1"_*.orig.tar.* >/dev/null 2>&1 || {
    command -v apt-get >/dev/null || fail "apt-get is missing; put $1_*.orig.tar.* into $here"
    echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
    package=$1
    set -- -o Dir::Etc::SourceList="$here/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$here/lists"
    apt-get "$@" update
    apt-get "$@" source --download-only "$package"
  }
}
fetch() {
  cd "$here"
  fetch_source mpich
  fetch_source fftw3
  [ -d "mpi4py-$mpi4py" ] || {
    python3 -m pip download --quiet --no-deps --no-binary :all: "mpi4py==$mpi4py"
    tar -xf "mpi4py-$mpi4py.tar.gz"
  }
}
build_mpich_tests() { # FAMILY: one folder per MPI
  rm -rf "$here/mpich-$1"
  mkdir "$here/mpich-$1"
  tar -C "$here/mpich-$1" --strip-components=3 --wildcards -xf "$here"/mpich_*.orig.tar.* '*/test/mpi'
  cd "$here/mpich-$1"
  ./configure --with-mpi=/usr CC="mpicc.$1" MPICC="mpicc.$1" --disable-cxx --disable-fortran \
    --disable-spawn --disable-romio CFLAGS=-O1
  # Open MPI no longer declares functions that MPI 3.0 removed.
  grep -rlE 'MPI_(Type_(hvector|hindexed|struct|extent|lb|ub)|Address)\b' dtpools util coll --include='*.c' |
    xargs -r sed -i -E 's/\bMPI_Type_(hvector|hindexed|struct)\b/MPI_Type_create_\1/g; s/\bMPI_Address\b/MPI_Get_address/g'
  # Automake is not necessary, because its files are up to date.
  set -- -j2 AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=:
  make "$@" -C dtpools
  make "$@" -C util
  # Tests of functions that only MPICH has cannot be built with other MPIs.
  make "$@" -k -C coll $(sed 's/ .*//; /^#/d' coll/testlist | sort -u) || true
}
# Installs Debian's programs, and the libraries of FFTW's benchmark. Without them, their suites are left
# out.
install_packages() {
  set -- hpcc scalapack-mpi-test libfftw3-dev libfftw3-mpi-dev
  dpkg-query -W "$@" >/dev/null 2>&1 || {
    [ "$(id -u)" -eq 0 ] || { echo "suites: for all suites: sudo apt-get install $*" >&2; return 0; }
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
  }
}
# Builds FFTW's benchmark for Debian's FFTW, which uses Open MPI.
build_mpi_bench() {
  cd "$here"
  rm -rf fftw-*/
  tar -xf fftw3_*.orig.tar.*
  cd fftw-*/
  ./configure MPICC=mpicc.openmpi --enable-mpi --disable-fortran --disable-doc
  mkdir bench
  cd bench
  cc -w -O1 -DHAVE_CONFIG_H -I.. -I../libbench2 -c ../libbench2/*.c
  ar rcs libbench2.a ./*.o
  mpicc.openmpi -w -O1 -DHAVE_CONFIG_H -I.. -I../libbench2 -I../tests -I../api -I../mpi \
    ../mpi/mpi-bench.c ../tests/fftw-bench.c ../tests/hook.c libbench2.a \
    -o "$here/mpi-bench-openmpi" -lfftw3_mpi -lfftw3 -lm
}
install_mpi4py() { # FAMILY
  rm -rf "$here/venv-$1"
  python3 -m venv "$here/venv-$1"
  MPICC=$(command -v "mpicc.$1") "$here/venv-$1/bin/pip" install --quiet --no-cache-dir \
    --disable-pip-version-check --no-binary mpi4py "mpi4py==$mpi4py" numpy
}

case " $* " in
*" --help "*) exec "$root/build/venv/bin/python" "$root/scripts/suites.py" --help ;;
esac
quietly packages.log install_packages
quietly fetch.log fetch
[ -e "$here/mpi-bench-openmpi" ] || ! [ -e /usr/include/fftw3-mpi.h ] ||
  quietly mpi-bench.log build_mpi_bench
for family in openmpi mpich; do
  command -v "mpicc.$family" >/dev/null || continue
  [ -e "$here/$family.built" ] || {
    echo "suites: building MPICH's tests and mpi4py for $family (2 minutes; log in $here)"
    quietly "mpich-$family.log" build_mpich_tests "$family"
    quietly "mpi4py-$family.log" install_mpi4py "$family"
    touch "$here/$family.built"
  }
done
cd "$caller"
exec "$root/build/venv/bin/python" "$root/scripts/suites.py" --suites "$here" "$@"
