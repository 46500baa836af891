"""Files that users name, and our JSON files: objects with a key that states their type and
version."""

import json
import stat
from pathlib import Path
from typing import Any

from toccata.errors import InputError

MOST_BYTES = 64 << 20  # of a file that a user names; the largest that we write have a few MB


def why_unreadable(path: Path, most: int = MOST_BYTES) -> str:
    """Why a file must not be read: "is a named pipe; expected a file". "" if it may.

    Reading a pipe would wait for its writer, a device never ends, and a huge file fills the memory.
    """
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


def read(path: Path, key: str, version: int, *, what: str, remedy: str) -> dict[str, Any]:
    """The object. InputError if it is invalid, or of another version; `remedy` makes a valid one.

    As in read(path, "toccata_tuning", 1, what="tuning file", remedy="`toccata tune` writes them").
    """
    check(path)
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or key not in document:
        raise InputError(f"{path}: is not a {what}; {remedy}")
    if document[key] != version:
        raise InputError(
            f"{path}: has version {document[key]}, but this Toccata reads version {version}; "
            f"{remedy}"
        )
    return document
