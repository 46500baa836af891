#!/bin/sh
# Makes a virtual environment with the packages in requirement files, unless it exists and is up to
# date.
#
#   scripts/venv.sh                       build/venv, with all packages for building and testing; with
#                                         DEMO set, only those of `make demo`, unless all are there
#   scripts/venv.sh DIRECTORY FILE...     another directory, with other packages
#
# PYTHON names the interpreter to use; otherwise the first of python3, python3.13, ... that is 3.11
# or newer.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
if [ $# -eq 0 ]; then
  set -- "$root/build/venv" "$root/python/requirements.txt" "$root/python/requirements-plots.txt" \
    "$root/python/requirements-dev.txt"
fi
venv=$1
shift

fail() {
  echo "venv.sh: $1" >&2
  exit 1
}

recent='import sys; sys.exit(sys.version_info < (3, 11))'
python=
for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
  if "$candidate" -c "$recent" 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || fail "no Python 3.11 or newer; install one (Debian: apt-get install python3-dev python3-venv)"

# The stamp is written last, so an interrupted run is repeated.
stamp=$venv/requirements.stamp
look() {
  wanted=$("$python" --version; cat -- "$@" | cksum)
  if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then exit 0; fi
}
look "$@"
if [ -n "${DEMO-}" ]; then
  cat "$@" | grep -E '^(msgspec|rich|typer|matplotlib|nanobind)=' >"$venv.demo.txt"
  set -- "$venv.demo.txt"
  look "$@"
  export PIP_NO_COMPILE=1 # the demo imports few of the modules
fi

echo "Python packages: setting up $venv (about half a minute)" >&2
"$python" -c 'import ensurepip' 2>/dev/null ||
  fail "this Python cannot make virtual environments; install python3-venv (Debian: apt-get install python3-venv)"
rm -rf "$venv"
"$python" -m venv "$venv"

for file in "$@"; do
  echo "  $(grep -v '^#' "$file" | tr '\n' ' ')" >&2
done
count=$#
while [ "$count" -gt 0 ]; do
  set -- "$@" -r "$1"
  shift
  count=$((count - 1))
done
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input "$@" ||
  fail "pip could not install the packages above; check the network, then run this again"
printf '%s\n' "$wanted" >"$stamp"
echo "Python packages: ready" >&2
