"""Reads files that users name, and our JSON files.

A JSON file of ours is an object with a key that states its type and version. msgspec checks its
fields against a dataclass.
"""

import re
import stat
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from toccata.errors import InputError

Kind = TypeVar("Kind")
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]

MOST_BYTES = 64 << 20  # of a file that a user names; the largest files of ours have a few MB


def why_unreadable(path: Path, most: int = MOST_BYTES) -> str:
    """The reason why a file must not be read ("is a named pipe; expected a file"); "" if it may be
    read. Reading a pipe would wait for its writer, a device never ends, and a huge file fills the
    memory."""
    try:
        found = path.stat()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    kinds = {
        stat.S_IFDIR: "a folder", stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
    }  # fmt: skip
    if kind := kinds.get(stat.S_IFMT(found.st_mode)):
        return f"is {kind}; expected a file"
    if found.st_size > most:
        return f"has {found.st_size >> 20} MiB; a file of this kind has at most {most >> 20} MiB"
    return ""


def check(path: Path, most: int = MOST_BYTES) -> None:
    """InputError if `path` is not a regular file of a plausible size."""
    if why := why_unreadable(path, most):
        raise InputError(f"{path}: {why}")


def text_of(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a file. InputError if it cannot be read, or if `check` rejects it."""
    check(path, most)
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text") from None


def json_of(path: Path, *, what: str, remedy: str, most: int = MOST_BYTES) -> dict[str, Any]:
    """The object in a JSON file; InputError if it has none. `remedy` tells how to get a valid file.

    Example: json_of(path, what="tuning file", remedy="`toccata tune` writes them").
    """
    try:
        return msgspec.json.decode(text_of(path, most), type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        raise InputError(f"{path}: is not a {what}; {remedy}") from None


def read(
    path: Path,
    kind: type[Kind],
    key: str,
    version: int,
    *,
    what: str,
    remedy: str,
    oldest: int | None = None,
    most: int = MOST_BYTES,
) -> Kind:
    """Like json_of, for a file of ours: `key` gives its version, `convert` checks its fields.

    Versions from `oldest` on are read, if it is given; `kind` has defaults for their fields.
    """
    document = json_of(path, what=what, remedy=remedy, most=most)
    if key not in document:
        raise InputError(f"{path}: is not a {what}; {remedy}")
    found = document[key]
    least = version if oldest is None else oldest
    if type(found) is not int or not least <= found <= version:
        known = f"version {version}" if least == version else f"versions {least} to {version}"
        raise InputError(f"{path}: has version {found!r}, but this Toccata reads {known}; {remedy}")
    return convert(path, document, kind, remedy=remedy)


def convert(path: Path, document: dict[str, Any], kind: type[Kind], *, remedy: str) -> Kind:
    """A dataclass or Struct from an object; fields that `kind` does not have are ignored.

    Raises InputError with the file, the field (such as "rows[3].calls"), and the remedy.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {_complaint(str(error))}; {remedy}") from None


def _complaint(error: str) -> str:
    """Rewords "Expected `int`, got `str` - at `$.rows[3].calls`", and puts the field first."""
    said, _, where = error.partition(" - at `$")
    where = where.rstrip("`").lstrip(".")
    if missing := re.fullmatch(r"Object missing required field `(.*)`", said):
        return f"{'.'.join(filter(None, [where, missing[1]]))} is missing"
    return f"{where}: {said[:1].lower()}{said[1:]}".replace("`", "'")
