"""Files that a command will write: checked before any work, so that no work is lost, and written
whole or not at all."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path

from toccata.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


Input = Path | str | None  # a text may name a file, or a machine, model, ...


def check(
    *files: Path | None, pictures: Sequence[Path | None] = (), reads: Sequence[Input] = ()
) -> None:
    """Raises InputError if one of the files cannot be written, or is not `distinct`, or if the name
    of a picture has no supported format; ignores None.

    Creates missing directories. Existing files are not changed, and no file is created. Raises
    ModuleNotFoundError if this installation cannot draw a picture.
    """
    drawn = [each for each in pictures if each is not None]
    if drawn and not can_draw():
        raise ModuleNotFoundError(name="matplotlib")
    for path in drawn:
        if path.suffix.lower() not in PICTURES:
            raise InputError(f"'{path}': the name of a figure must end in {', '.join(PICTURES)}")
    distinct(*drawn, *files, reads=reads)
    for path in filter(None, [*drawn, *files]):
        try:
            with suppress(FileExistsError):  # path.open() reports this error
                path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_fifo():
                continue  # opening a pipe waits for its reader
            new = not path.exists()
            with path.open("ab"):
                pass
            if new:
                path.resolve().unlink()  # the new file, even if `path` is a link
        except OSError as error:
            raise InputError(f"'{path}' cannot be written: {error.strerror}") from None


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A file to write instead of `path`. It replaces `path` at the end, or the target of a link.

    `path` stays as it was if an error occurs. InputError, naming `path`, if that is an OSError.
    """
    file = path.resolve()
    direct = (file.exists() and not file.is_file()) or not os.access(file.parent, os.W_OK)
    made = file if direct else file.with_name(f"{file.stem}.{os.getpid()}{file.suffix}")
    try:
        yield made
        if not direct:
            if file.exists():
                shutil.copymode(file, made)
            made.replace(file)
    except OSError as error:
        why = f"{error.strerror}; free some space, or name another file"
        raise InputError(f"'{path}' cannot be written: {why}") from None
    finally:
        if not direct:
            made.unlink(missing_ok=True)


def write(path: Path, text: str) -> None:
    """Writes a text as `whole` does."""
    with whole(path) as made:
        made.write_text(text, encoding="utf-8", errors="surrogateescape")


def distinct(*files: Path | None, reads: Sequence[Input] = ()) -> None:
    """Raises InputError if one of the files is also read, or is written twice."""
    written = [each for each in files if each is not None]
    for path in written:
        if any(each is not None and _same(path, each) for each in reads):
            raise InputError(f"'{path}' is also the input; name another file")
    for one, other in combinations(written, 2):
        if _same(one, other) or (one.resolve() == other.resolve() and not one.exists()):
            raise InputError(f"'{other}' is named for two outputs; name another file for one")


def _same(path: Path, other: Path | str) -> bool:
    """Whether both are the same existing file; devices such as /dev/null may be written twice."""
    try:
        return path.is_file() and path.samefile(other)
    except (OSError, ValueError):  # the text cannot be a path, or nothing has this name
        return False


def can_draw() -> bool:
    """Whether this installation can draw figures; `make install PLOTS=OFF` leaves this out."""
    return find_spec("matplotlib") is not None


def picture(asked_for: Path | None, standard: Path) -> Path | None:
    """The default file of a command that draws; None if this installation cannot draw."""
    return asked_for or (standard if can_draw() else None)


def wrote(*paths: Path | None) -> str:
    """A line that names the written files; None is a picture that could not be drawn."""
    names = ", ".join(str(path) for path in paths if path is not None)
    return f"wrote {names}" + ("" if all(paths) else "; no picture, which needs matplotlib")
