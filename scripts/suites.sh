#!/bin/sh
# Runs the collective tests of mpi4py and of MPICH, bare and preloaded, under each Debian MPI (about
# an hour; arguments as `scripts/suites.py --help` lists them). Both suites come from their public
# sources (PyPI, Debian) and are built once, into ~/.cache/toccata/suites.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
here=${XDG_CACHE_HOME:-$HOME/.cache}/toccata/suites
mpi4py=4.1.1
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

fetch() {
  cd "$here"
  ls mpich_*.orig.tar.* >/dev/null 2>&1 || {
    command -v apt-get >/dev/null || fail "apt-get is missing; put mpich_*.orig.tar.xz into $here"
    echo "deb-src http://deb.debian.org/debian bookworm main" >sources.list
    set -- -o Dir::Etc::SourceList="$here/sources.list" -o Dir::Etc::SourceParts=/dev/null \
      -o Dir::State::Lists="$here/lists"
    apt-get "$@" update
    apt-get "$@" source --download-only mpich
  }
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
  # Automake need not be here: its files are up to date.
  set -- -j2 AUTOMAKE=: ACLOCAL=: AUTOCONF=: AUTOHEADER=:
  make "$@" -C dtpools
  make "$@" -C util
  # Functions of MPICH's own are missing in other MPIs: such tests do not exist there.
  make "$@" -k -C coll $(sed 's/ .*//; /^#/d' coll/testlist | sort -u) || true
}
install_mpi4py() { # FAMILY
  rm -rf "$here/venv-$1"
  python3 -m venv "$here/venv-$1"
  MPICC=$(command -v "mpicc.$1") "$here/venv-$1/bin/pip" install --quiet --no-cache-dir \
    --disable-pip-version-check --no-binary mpi4py "mpi4py==$mpi4py" numpy
}

quietly fetch.log fetch
for family in openmpi mpich; do
  command -v "mpicc.$family" >/dev/null || continue
  [ -e "$here/$family.built" ] || {
    echo "suites: building MPICH's tests and mpi4py for $family (2 minutes; log in $here)"
    quietly "mpich-$family.log" build_mpich_tests "$family"
    quietly "mpi4py-$family.log" install_mpi4py "$family"
    touch "$here/$family.built"
  }
done
exec "$root/build/venv/bin/python" "$root/scripts/suites.py" --suites "$here" "$@"
