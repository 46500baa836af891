"""`toccata new`."""

import builtins
import keyword
import re
import shlex
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs, writing
from toccata.algorithms import catalogue, show, skeletons
from toccata.commands.common import collective_names, say
from toccata.errors import InputError


def _write(path: Path, text: str, name: str) -> None:
    """Writes an algorithm, and then its schedule into the first lines of the file."""
    path.write_text(text, encoding="utf-8")
    choice = catalogue.find(f"{path}:{name}")
    drawn = show.Narrator(choice, _core.Shape(skeletons.DRAWN_RANKS)).plain()
    path.write_text(
        text.replace(skeletons.DRAWING, "\n".join(f"# {line}".rstrip() for line in drawn)),
        encoding="utf-8",
    )


def new(
    name: Annotated[
        str,
        typer.Argument(
            metavar="COLLECTIVE/NAME",
            autocompletion=lambda: [f"{each}/" for each in collective_names()],
            help="Collective and name, such as allgather/mine.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="File to write; NAME.py by default."),
    ] = None,
) -> None:
    """Write a Python file with a small, proved algorithm for you to change.

    The first lines of the file show the schedule of four ranks.

    Examples:

    - `toccata new allgather/mine`
    - `toccata new bcast/tree -o ideas/tree.py`
    """
    collective, slash, short = name.partition("/")
    if not slash or not re.fullmatch(r"[a-z][a-z0-9_]*", short):
        raise InputError(
            f"invalid name '{name}': expected COLLECTIVE/NAME, such as allgather/mine, with "
            "lower-case letters, digits and _"
        )
    catalogue.of_collective(collective)  # raises InputError if there is no such collective
    if keyword.iskeyword(short) or short in (*dir(builtins), *writing.__all__):
        raise InputError(
            f"invalid name '{name}': {short} has a meaning in Python or in toccata.writing; give "
            "another name"
        )
    path = output or Path(f"{short}.py")
    if path.suffix != ".py":
        raise InputError(f"'{path}': the name of a file with an algorithm must end in .py")
    if path.exists():
        raise InputError(f"{path} exists already; give another file with --output")
    text = skeletons.text(collective, short)
    outputs.check(path)
    try:
        _write(path, text, short)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    say(f"wrote {path}; next: toccata prove {shlex.quote(str(path))}")
