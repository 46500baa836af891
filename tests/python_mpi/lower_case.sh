#!/bin/sh
# lower_case.sh FAMILY LIBRARY PYTHON: mpi4py's lower-case allreduce combines pickled objects in Python, so a
# report shows broadcasts, and no reduction (docs/mpi-libraries.md).
set -eu
family=$1 library=$2 python=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$(dirname "$0")/run.sh" "$family" "$library" 2 env LD_PRELOAD="$library${ALSO_PRELOAD:+:$ALSO_PRELOAD}" \
  TOCCATA_REPORT="$folder/report.json" "$python" -c '
from mpi4py import MPI
assert MPI.COMM_WORLD.allreduce(1 + MPI.COMM_WORLD.rank) == 3'
"$python" -c '
import json, sys
called = {row["collective"] for row in json.load(open(sys.argv[1]))["rows"]}
print("collectives:", *sorted(called))
assert "bcast" in called and not called & {"allreduce", "reduce", "scan"}' "$folder/report.json"
