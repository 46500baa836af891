"""`toccata new`."""

import re
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core
from toccata.algorithms import catalogue, show, skeletons
from toccata.commands.common import collective_names, console
from toccata.errors import InputError


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
    path = output or Path(f"{short}.py")
    if path.exists():
        raise InputError(f"{path} exists already; give another file with --output")
    text = skeletons.text(collective, short)
    path.write_text(text, encoding="utf-8")
    choice = catalogue.find(f"{path}:{short}")
    drawn = show.Narrator(choice, _core.Shape(skeletons.DRAWN_RANKS)).plain()
    path.write_text(
        text.replace(skeletons.DRAWING, "\n".join(f"# {line}".rstrip() for line in drawn)),
        encoding="utf-8",
    )
    console.print(f"wrote {path}; next: toccata prove {path}")
