#!/bin/sh
# Makes the manual's site in build/docs/html, with Sphinx in an environment of its own.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
here=$root/build/docs
mkdir -p "$here"
"$root/scripts/venv.sh" "$here/venv" "$root/python/requirements.txt" \
  "$root/python/requirements-plots.txt" "$root/manual/requirements.txt"
export PYTHONPATH="$root/python:$root/build/release/python" PYTHONDONTWRITEBYTECODE=1
echo "== the gallery's pictures, and all pages (about two minutes)"
"$here/venv/bin/python" "$root/manual/site.py" "$here/source"
"$here/venv/bin/python" -m sphinx -q -W --keep-going -b html "$here/source" "$here/html"
echo "== done: $here/html/index.html"
