"""JSON files of ours: objects of which one key says what they are, and in which version."""

import json
from pathlib import Path
from typing import Any

from toccata.errors import InputError


def read(path: Path, key: str, version: int, *, what: str, remedy: str) -> dict[str, Any]:
    """The object. InputError where it is none, or of another version; `remedy` makes a right one.

    As in read(path, "toccata_tuning", 1, what="tuning file", remedy="`toccata tune` writes them").
    """
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or key not in document:
        raise InputError(f"{path}: is no {what}; {remedy}")
    if document[key] != version:
        raise InputError(
            f"{path}: is of version {document[key]}, this Toccata reads {version}; {remedy}"
        )
    return document
