"""Algorithms from files: Python functions, files of schedules, programs of MSCCL.

`FILE.py:name`, `FILE.json` and `FILE.xml` can replace an algorithm's name everywhere. This module
registers their algorithms in _core, which calls functions of this module for the schedules of a
Python algorithm.
"""

import atexit
import ctypes
import hashlib
import os
import re
import shlex
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from toccata import _core, store, writing
from toccata.errors import Failure, InputError

MOST_SECONDS = 10.0  # limit for one call of a user's function, or for reading the file
MOST_INTERRUPTIONS = 5  # of a function that catches interruptions
MOST_KEPT = 200_000  # schedules of Python functions
MOST_BYTES = 64 << 20  # of a file

_FILE = re.compile(r"^(?:file:)?(?P<file>.+?\.(?P<kind>py|json|xml))(?::(?P<rest>.*))?$")


@dataclass(frozen=True)
class _Known:
    """A Python algorithm: its location, and its descriptor."""

    path: Path
    name: str
    written: writing.Written


_known: dict[str, _Known] = {}  # by the name in _core
_read: dict[Path, tuple[float, dict[str, _Known]]] = {}  # by file, with the time of its last change
_kept: dict[tuple[Any, ...], _core.Schedule] = {}
_runnable: dict[str, str] = {}  # by an algorithm's text: the "file:..." that runs it


def is_file(text: str) -> bool:
    """Whether a text names a file's algorithm, not one of the library's."""
    return _FILE.match(text) is not None


def files_of(*names: str | None) -> list[str]:
    """The files that the names of algorithms contain, such as mine.py in "mine.py:ring"."""
    found = [_FILE.match(name) for name in names if name is not None]
    return [match["file"] for match in found if match is not None]


def load(text: str) -> tuple[str, str]:
    """For "FILE:name:settings": the collective, and the text for _core.parse_choice.

    Raises InputError or ChoiceError if the file cannot be used, Failure if its code fails.
    """
    match = _FILE.match(text)
    assert match is not None
    file, rest = match["file"], match["rest"] or ""
    if match["kind"] == "py":
        known, settings = _pick(file, rest)
        collective = _known[known].written.collective
        return collective, known + settings
    path = Path(file)
    _check(path)
    if match["kind"] == "xml":
        algorithm = _core.add_msccl(path.read_text(encoding="utf-8", errors="replace"), file)
        name = algorithm.name
    else:
        name = f"file:{file}"
        algorithm = _core.add_schedule_file(_core.read_schedule_file(file), name)
    return algorithm.collective, name + (f":{rest}" if rest else "")


def load_named(text: str) -> None:
    """Reads every "file:..." in a value of TOCCATA_<COLLECTIVE>, which may name several by size."""
    for piece in re.findall(r"file:[^:,<]+", text):
        path = piece.removeprefix("file:").strip()
        _core.add_schedule_file(_core.read_schedule_file(path), f"file:{path}")


def all_in(text: str) -> list[str]:
    """The names of all algorithms in a Python file ("FILE.py:ring"); any other file is one name."""
    match = _FILE.match(text)
    if match is None or match["kind"] != "py" or match["rest"]:
        return [text]
    return list(_from_python(match["file"]))


def _check(path: Path) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the path")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path}: has {path.stat().st_size} bytes; the maximum is {MOST_BYTES}")


def _pick(file: str, rest: str) -> tuple[str, str]:
    """The name of an algorithm in a Python file, and the settings after it, with their colon."""
    known = _from_python(file)
    name, colon, settings = rest.partition(":")
    if "=" in name:
        name, colon, settings = "", ":", rest
    names = ", ".join(each.name for each in known.values())
    if not name and len(known) > 1:
        raise InputError(
            f"{file} has several algorithms: {names}; give one, such as {next(iter(known))}"
        )
    text = f"{file}:{name}" if name else next(iter(known))
    if text not in known:
        raise InputError(f"{file} has no algorithm '{name}'; it has {names}")
    return text, colon + settings


def _from_python(file: str) -> dict[str, _Known]:
    """The algorithms of a Python file, by their names for _core."""
    path = Path(file)
    _check(path)
    changed = path.stat().st_mtime
    if path in _read and _read[path][0] == changed:
        return _read[path][1]
    found: dict[str, _Known] = {}
    for name, thing in _run(path).items():
        written = getattr(thing, "toccata", None)
        if isinstance(written, writing.Written) and thing is written.write:
            found[f"{file}:{name}"] = _Known(path, name, written)
    if not found:
        raise InputError(
            f'{file}: no function in it is an algorithm; put @algorithm("allgather") from '
            "toccata.writing before one, or see `toccata new`"
        )
    for text, each in found.items():
        _add(text, each)
    _known.update(found)
    for kept in [each for each in _kept if each[0] in found]:
        del _kept[kept]
    _read[path] = changed, found
    return found


def _add(text: str, known: _Known) -> None:
    written = known.written
    parameters = [
        (each.name, each.help, list(each.words), each.least, each.most, each.standard,
         list(each.samples))
        for each in written.parameters
    ]  # fmt: skip
    try:
        _core.add_python_algorithm(
            text, written.collective, written.summary, written.citation, parameters,
            dict(written.flags),
        )  # fmt: skip
    except _core.ChoiceError:
        raise
    except ValueError:
        raise InputError(f"{text}: a parameter takes at most 16 words or samples") from None


def _run(path: Path) -> dict[str, Any]:
    """The definitions of a Python file."""
    namespace: dict[str, Any] = {"__name__": "toccata_algorithms", "__file__": str(path)}
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        where = f"{path}:{line}" if line else str(path)
        raise Failure(f"{where}: {getattr(error, 'msg', error)}") from None
    folder = str(path.resolve().parent)
    sys.path.append(folder)
    try:
        with _guarded(path, "the file"):
            exec(code, namespace)
    finally:
        sys.path.remove(folder)
    return namespace


class _TooLongError(BaseException):
    """Raised inside a user's function that does not end."""


class _Watch:
    """Interrupts a user's function after its time limit, in whichever thread it runs."""

    def __init__(self) -> None:
        self._changed = threading.Lock()
        self._stopped = threading.Event()
        self._until: dict[int, float] = {}  # by thread
        self._told: dict[int, int] = {}  # number of interruptions
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        with self._changed:
            self._until[threading.get_ident()] = time.monotonic() + MOST_SECONDS
            self._told.pop(threading.get_ident(), None)
            if self._thread is None:
                self._thread = threading.Thread(target=self._watch, daemon=True)
                self._thread.start()

    def end(self) -> bool:
        """Ends the watch of this thread's function. True if it was not interrupted."""
        here = threading.get_ident()
        with self._changed:
            self._until.pop(here, None)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(here), None)
            return self._told.pop(here, 0) == 0

    def stop(self) -> None:
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(0.05):
            with self._changed:
                now = time.monotonic()
                for thread in [each for each, until in self._until.items() if until < now]:
                    self._until[thread] = now + 1
                    self._told[thread] = self._told.get(thread, 0) + 1
                    if self._told[thread] > MOST_INTERRUPTIONS:
                        print("toccata: a function catches every interruption and does not end",
                              file=sys.stderr, flush=True)  # fmt: skip
                        os._exit(1)
                    ctypes.pythonapi.PyThreadState_SetAsyncExc(
                        ctypes.c_ulong(thread), ctypes.py_object(_TooLongError)
                    )


_watch = _Watch()


@atexit.register
def _forget() -> None:
    """Frees all objects of _core before that module is unloaded: it reports leaked objects."""
    _watch.stop()
    _kept.clear()
    _known.clear()
    _read.clear()


@contextmanager
def _guarded(path: Path, what: str) -> Iterator[None]:
    """Runs code of a user's file: any error becomes a Failure that names its line."""
    _watch.begin()
    try:
        try:
            yield
        finally:
            if not _watch.end() and sys.exc_info()[0] is None:
                raise _TooLongError
    except KeyboardInterrupt:
        raise
    except _TooLongError as error:
        raise Failure(
            f"{_place(path, error)}: {what} did not end within {MOST_SECONDS:g} s"
        ) from None
    except RecursionError as error:
        raise Failure(f"{_place(path, error)}: {what} calls itself endlessly") from None
    except writing.MisuseError as error:
        raise Failure(f"{_place(path, error)}: {what}: {error}") from None
    except BaseException as error:
        said = str(error).splitlines()
        kind = type(error).__name__
        raise Failure(
            f"{_place(path, error)}: {what}: {kind}{': ' + said[0] if said else ''}"
        ) from None


def _place(path: Path, error: BaseException) -> str:
    """The innermost line of the user's file, as "mine.py:12"."""
    lines = [
        number
        for frame, number in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename == str(path)
    ]
    return f"{path}:{lines[-1]}" if lines else str(path)


# The functions that _core calls for an algorithm, by its name.

Settings = dict[str, int | str]
Answer = TypeVar("Answer")


def _ask(
    name: str, known: _core.Shape, settings: Settings, what: str,
    function: Callable[[writing.Shape], Answer], *kinds: type,
) -> Answer:  # fmt: skip
    """The value of a user's function for a shape. Failure if it has the wrong type."""
    it = _known[name]
    label = f"{what} of {it.name}"
    with _guarded(it.path, label):
        answer = function(writing.Shape(known, settings))
    if not isinstance(answer, kinds) or isinstance(answer, bool):
        wanted = " or ".join(each.__name__ for each in kinds)
        raise Failure(f"{it.path}: {label} is {answer!r} with {known.p} ranks; expected {wanted}")
    return answer


def why_impossible(name: str, known: _core.Shape, settings: Settings) -> str:
    """Why the algorithm cannot run in a shape; "" if it can."""
    impossible = _known[name].written.impossible
    if impossible is None:
        return ""
    return _ask(name, known, settings, "impossible", impossible, str, type(None)) or ""


def parts(name: str, known: _core.Shape, settings: Settings) -> int:
    """The number of parts of a block."""
    said = _known[name].written.parts
    number = said if isinstance(said, int) else _ask(name, known, settings, "parts", said, int)
    # An all-to-all has p² blocks: one from every rank for every rank.
    pairs = known.p**2 if _known[name].written.collective == "alltoall" else known.p
    most = max(1, writing.MOST_BLOCKS // pairs)
    if not 1 <= number <= most:
        raise Failure(
            f"{_known[name].path}: {_known[name].name} has {number} parts; expected 1 to {most}"
        )
    return number


def claim(name: str, known: _core.Shape, settings: Settings) -> _core.Cost | None:
    """The cost that the literature claims."""
    claimed = _known[name].written.claim
    if claimed is None:
        return None
    return _ask(name, known, settings, "claim", claimed, _core.Cost, type(None))


def schedule(name: str, known: _core.Shape, settings: Settings, rank: int) -> _core.Schedule:
    """One rank's schedule."""
    # Schedules that depend on the placement are not stored: it differs between shapes.
    key = (name, known.p, known.root, known.parts, *settings.items(), rank)
    by_place = _known[name].written.flags["by_placement"]
    if not by_place and key in _kept:
        return _kept[key]
    result = _written(name, known, settings, rank).build()
    if not by_place:
        if len(_kept) > MOST_KEPT:
            _kept.clear()
        _kept[key] = result
    return result


def _written(
    name: str, known: _core.Shape, settings: Settings, rank: int,
    recorder: type[writing.Schedule] = writing.Schedule,
) -> writing.Schedule:  # fmt: skip
    it = _known[name]
    result = recorder(known.p, rank)
    with _guarded(it.path, f"{it.name}, rank {rank} of {known.p}"):
        it.written.write(writing.Shape(known, settings), rank, result)
    return result


class _Located(writing.Schedule):
    """Remembers the line of the user's file that wrote each message."""

    def __init__(self, p: int, rank: int) -> None:
        super().__init__(p, rank)
        self.file = ""
        self.lines: list[tuple[int, str, int, int]] = []  # round, what, peer, line
        self._round = -1

    def round(self) -> "_Located":
        super().round()
        self._round += 1
        self._note("round", -1)
        return self

    def send(self, peer: int, *more: Any, **others: Any) -> "_Located":
        super().send(peer, *more, **others)
        self._note("send", peer)
        return self

    def recv(self, peer: int, *more: Any, **others: Any) -> "_Located":
        super().recv(peer, *more, **others)
        self._note("receive", peer)
        return self

    def copy(self, *more: Any) -> "_Located":
        super().copy(*more)
        self._note("copied", -1)
        return self

    def reduce(self, *more: Any) -> "_Located":
        super().reduce(*more)
        self._note("reduced", -1)
        return self

    def _note(self, what: str, peer: int) -> None:
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != _Located.path:
            frame = frame.f_back  # type: ignore[assignment]
        if frame is not None:
            self.lines.append((self._round, what, peer, frame.f_lineno))

    path = ""  # the user's file whose lines are recorded; one at a time


def located(choice: _core.Choice, shape: _core.Shape, error: str) -> str:
    """A proof's error with the line of the user's file that causes it, if it is known.

    "rank 2, round 1: waits forever to send to rank 3; ..." belongs to the line that sends the
    message.
    """
    if not isinstance(choice, _core.Choice) or choice.algorithm is None:
        return error
    if choice.algorithm.name not in _known:
        return error
    it = _known[choice.algorithm.name]
    match = re.search(r"\brank (\d+)(?:, round (\d+))?: (.*)", error)
    if match is None:
        return f"{it.path}: {error}"
    rank = int(match[1])
    _Located.path = str(it.path)
    recorder = _written(
        choice.algorithm.name, choice.completed(shape), choice.settings, rank, _Located
    )
    assert isinstance(recorder, _Located)
    lines = [each for each in recorder.lines if match[2] is None or each[0] == int(match[2])]
    peer = re.search(r"\b(send to|receive from|message from) rank (\d+)", match[3])
    if peer is not None:
        what = "send" if peer[1] == "send to" else "receive"
        exact = [each for each in lines if each[1] == what and each[2] == int(peer[2])]
        lines = exact or lines
    else:
        for word, kind in (("copied", "copied"), ("reduced", "reduced"), ("received", "receive")):
            if word in match[3] and (exact := [each for each in lines if each[1] == kind]):
                lines = exact
                break
        else:
            lines = [each for each in lines if each[1] != "round"] or lines
    place = f"{it.path}:{lines[-1 if match[2] is None else 0][3]}" if lines else str(it.path)
    return f"{place}: {error}"


# Schedules as files, for the benchmark program and the preloaded library.


def as_file(choice: _core.Choice, shapes: Sequence[_core.Shape], path: Path) -> None:
    """Writes the schedules of a choice in these shapes. Replaces the file, or the target of a link,
    atomically."""
    path = path.resolve()
    text = _core.schedule_file(choice, list(shapes))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    Path(file.name).chmod(0o644)
    Path(file.name).replace(path)


def as_checked_file(choice: _core.Choice, shapes: Sequence[_core.Shape], path: Path) -> None:
    """The same for proved schedules. Reads the file again, as the preloaded library does."""
    as_file(choice, shapes, path)
    read = _core.parse_choice(*load(str(path)))
    for shape in (shapes[0], shapes[-1]):
        if why := read.why_impossible(shape):
            raise Failure(f"{path}: {why}")


def setting(choice: _core.Choice, path: Path) -> str:
    """The setting that runs a file, for a shell: "TOCCATA_ALLGATHER=file:/home/me/mine.json"."""
    assert choice.algorithm is not None
    [variable] = [
        each.variable for each in _core.collectives() if each.name == choice.algorithm.collective
    ]
    return f"{variable}={shlex.quote(f'file:{path.resolve()}')}"


def make_runnable(text: str, choice: _core.Choice, shapes: Sequence[_core.Shape]) -> None:
    """Writes schedules to a file, by which a run can use an algorithm outside the library."""
    if not shapes:
        raise InputError(f"{text} cannot run with any of the --ranks; give others")
    _runnable[text] = kept_file(choice, shapes)


def kept_file(choice: _core.Choice, shapes: Sequence[_core.Shape]) -> str:
    """Stores schedules in a file named by its digest, for later runs too. Returns "file:...", the
    name for a run."""
    written = _core.schedule_file(choice, list(shapes))
    digest = hashlib.sha256(written.encode()).hexdigest()[:24]
    path = store.cache_home() / "schedules" / f"{digest}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, delete=False
        ) as file:
            file.write(written)
        Path(file.name).replace(path)
    return f"file:{path}"


def runnable(text: str) -> str:
    """An algorithm's name in the benchmark program: its own, or that of a file of its schedules."""
    return _runnable.get(text, text)


def shown(text: str) -> str:
    """The algorithm for a name in the benchmark program: the inverse of `runnable`."""
    return next((name for name, file in _runnable.items() if file == text), text)
