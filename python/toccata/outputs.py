"""Files that a command is to write: checked before any work, so that none is done in vain."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from toccata.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


def check(*paths: Path | None) -> None:
    """InputError where one cannot be written; None is none.

    Makes missing directories. A file that is there stays as it is; none comes to be.
    """
    for path in paths:
        if path is None:
            continue
        try:
            with suppress(FileExistsError):  # a file in a directory's place: open says it better
                path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_fifo():
                continue  # opening one waits for who reads it
            new = not path.exists()
            with path.open("ab"):
                pass
            if new:
                path.resolve().unlink()  # of a link, what it leads to
        except OSError as error:
            raise InputError(f"'{path}' cannot be written: {error.strerror}") from None


def check_pictures(*paths: Path | None) -> None:
    """The same, and InputError if a file's name does not say a format that we write.

    ModuleNotFoundError where this installation cannot draw.
    """
    for path in paths:
        if path is not None and not can_draw():
            raise ModuleNotFoundError(name="matplotlib")
        if path is not None and path.suffix.lower() not in PICTURES:
            raise InputError(f"'{path}': the name of a figure must end in {', '.join(PICTURES)}")
    check(*paths)


def can_draw() -> bool:
    """Whether this installation has what pictures need; `make install PLOTS=OFF` leaves it out."""
    return find_spec("matplotlib") is not None


def picture(asked_for: Path | None, standard: Path) -> Path | None:
    """Where a command draws that does so unless told otherwise: nowhere, where nothing can draw."""
    return asked_for or (standard if can_draw() else None)


def wrote(*paths: Path | None) -> str:
    """As a line; None is a picture that could not be drawn."""
    names = ", ".join(str(path) for path in paths if path is not None)
    return f"wrote {names}" + ("" if all(paths) else "; no picture, which needs matplotlib")
