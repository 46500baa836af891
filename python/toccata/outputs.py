"""Files that a command will write: checked before any work, so that no work is lost."""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from toccata.errors import InputError

PICTURES = (".png", ".svg", ".pdf")


def check(*paths: Path | None, reads: Path | None = None) -> None:
    """Raises InputError if one of the files cannot be written, or is the file that the command
    reads; ignores None.

    Creates missing directories. Existing files are not changed, and no file is created.
    """
    for path in paths:
        if path is None:
            continue
        if reads is not None and path.exists() and reads.exists() and path.samefile(reads):
            raise InputError(f"'{path}' is also the input; name another file")
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


def check_pictures(*paths: Path | None) -> None:
    """The same, and InputError if the file's name has no supported format.

    ModuleNotFoundError if this installation cannot draw.
    """
    for path in paths:
        if path is not None and not can_draw():
            raise ModuleNotFoundError(name="matplotlib")
        if path is not None and path.suffix.lower() not in PICTURES:
            raise InputError(f"'{path}': the name of a figure must end in {', '.join(PICTURES)}")
    check(*paths)


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
