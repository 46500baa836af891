#!/bin/sh
# Installs the missing requirements for building Toccata, on Debian and its derivatives. Without root, it
# prints the command to run. On other systems, it only checks for tools. With DEMO or HOSTS_MPI set, as
# root, it also installs the requirements of several hosts (bench/cluster): for `make demo` and for tests.
# If this fails, these run without several hosts. With LINT set, it installs the tools of `make lint` and
# `make tidy`.
set -eu

packages="g++ gfortran cmake ninja-build clang-format
  openmpi-bin libopenmpi-dev mpich libmpich-dev
  libhwloc-dev libscotch-dev libboost-dev libcli11-dev nlohmann-json3-dev libgtest-dev
  python3-dev python3-venv"
of_hosts="iproute2 iptables libmnl-dev pkg-config"
of_lint="clang-tidy cppcheck"

if ! command -v dpkg-query >/dev/null; then
  for tool in g++ cmake ninja mpicc python3; do
    command -v $tool >/dev/null || missing="${missing-} $tool"
  done
  [ -z "${missing-}" ] || {
    echo "setup: missing:$missing. Install these, hwloc, the headers of CLI11 and" \
      "nlohmann-json, and GoogleTest, by this system's package manager; then run make again." >&2
    exit 1
  }
  exit 0
fi

missing_of() {
  for package in "$@"; do
    case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
      *" installed") ;;
      *) printf ' %s' "$package" ;;
    esac
  done
}

# Installs packages. If this fails, prints the last lines of apt-get's output.
get() {
  echo "setup: installing $*"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  if ! { apt-get update && apt-get install -y --no-install-recommends "$@"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get failed (above, and $log)" >&2
    return 1
  fi
  rm -f "$log"
}

# shellcheck disable=SC2086 # lists of words
{
  [ -z "${LINT-}" ] || packages="$packages $of_lint"
  missing=$(missing_of $packages)
  if [ -n "$missing" ] && [ "$(id -u)" -ne 0 ]; then
    echo "setup: packages are missing. Run this, then make again (or 'make SETUP=no' to do without):" >&2
    echo "  sudo apt-get install -y$missing" >&2
    exit 1
  fi
  [ -z "$missing" ] || get $missing
  if [ -n "${DEMO-}${HOSTS_MPI-}" ] && [ "$(id -u)" -eq 0 ]; then
    missing=$(missing_of $of_hosts)
    [ -z "$missing" ] || get $missing || echo "setup: going on without several hosts" >&2
  fi
}
