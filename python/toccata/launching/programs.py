"""The MPI of a program, as far as its file shows it.

For a binary, the libraries that the loader would load (`ldd`) show the MPI, even if another library
loads it. For a script, its interpreter shows it; for Python, mpi4py does.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SECONDS = 20  # for ldd and for Python, to find mpi4py
# Symbols of each MPI library, under any file name. Intel MPI derives from MPICH.
MARKS = {
    "openmpi": b"ompi_mpi_comm_world",
    "intelmpi": b"Intel(R) MPI Library",
    "mpich": b"MPICH",
}

# Prints the file of mpi4py's module, and those of the MPI libraries that finding it loads.
MPI4PY = """
import importlib.util
print(importlib.util.find_spec("mpi4py.MPI").origin)
files = {line.split()[-1] for line in open("/proc/self/maps")}
print(*sorted(each for each in files if "/libmpi" in each), sep="\\n")
"""


@dataclass(frozen=True)
class Nature:
    """The MPI of a program, "" if unknown; `reason` is the evidence, or why there is none."""

    family: str
    reason: str
    static: bool = False


def nature(program: str) -> Nature:
    """The MPI that a program uses. Unknown if the program does not exist or cannot be read."""
    path = shutil.which(program)
    if path is None:
        return Nature("", "it does not exist, or is not an executable file")
    return _nature(Path(path), 0)


def _nature(path: Path, depth: int) -> Nature:
    if not path.is_file():  # a pipe would wait for its writer
        return Nature("", "it is not a file")
    try:
        with path.open("rb") as file:
            start = file.read(256)
    except OSError as error:
        return Nature("", f"it cannot be read: {error.strerror}")
    if start.startswith(b"#!") and depth < 4:
        return _of_script(start, depth)
    if not start.startswith(b"\x7fELF"):
        return Nature("", "it is neither a binary nor a script")
    found = _of_binary(path, start)
    if not found.family and re.match(r"python[\d.]*$", path.resolve().name):
        return _of_python(path)
    return found


def _of_script(start: bytes, depth: int) -> Nature:
    words = start[2:].split(b"\n")[0].decode(errors="replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-")]
    interpreter = shutil.which(words[0]) if words else None
    if interpreter is None:
        return Nature("", "it is a script without an interpreter")
    found = _nature(Path(interpreter), depth + 1)
    if found.family or "Python" in found.reason:
        return found
    return Nature("", f"it is a script for {Path(interpreter).name}")


def _of_python(python: Path) -> Nature:
    """The MPI of mpi4py in this Python. Imports mpi4py without initializing MPI.

    A wheel of mpi4py has modules for several MPIs. To choose one, it loads the MPI library.
    """
    try:
        told = subprocess.run(
            [python, "-c", MPI4PY],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return Nature("", "its Python does not run")
    module, *loaded = [Path(line) for line in told.stdout.splitlines()] or [Path()]
    if told.returncode != 0 or not module.is_file():
        return Nature("", "its Python has no mpi4py")
    for library in loaded:
        if family := _family(library.name, library):
            return Nature(family, f"mpi4py with {library}")
    found = _of_libraries(module)
    if found.family:
        return Nature(found.family, f"mpi4py with {found.reason}")
    return Nature("", "its mpi4py uses the first MPI that it finds")


def _of_binary(path: Path, start: bytes) -> Nature:
    with Path(sys.executable).open("rb") as own:
        if own.read(20)[18:20] != start[18:20]:
            return Nature("", "it is for another kind of processor")
    return _of_libraries(path)


def _of_libraries(path: Path) -> Nature:
    try:
        told = subprocess.run(
            ["ldd", path], capture_output=True, text=True, errors="replace", timeout=SECONDS,
            check=False, env={**os.environ, "LC_ALL": "C", "LD_PRELOAD": ""},
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Nature("", "ldd is missing, or does not end")
    if re.search("statically linked|not a dynamic executable", told.stdout + told.stderr):
        return Nature("", "it is linked statically", static=True)
    for name, file in re.findall(r"^\s*(libmpi\S*) => (not found|\S+)", told.stdout, re.MULTILINE):
        if family := _family(name, Path(file)):
            return Nature(family, name)
    return Nature("", "it is not linked with a known MPI")


def _family(name: str, file: Path) -> str:
    if name.startswith("libmpi_abi."):
        return "abi"
    if file.is_file():
        content = file.read_bytes()
        for family, mark in MARKS.items():
            if mark in content:
                return family
    # The loader does not find it, so its version must do: 20 or 40 for Open MPI, 12 for MPICH.
    match = re.match(r"libmpi(ch)?\.so\.(\d+)$", name)
    if match is None:
        return ""
    return "mpich" if match[1] or match[2] == "12" else "openmpi"
