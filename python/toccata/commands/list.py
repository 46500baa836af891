"""`toccata list`."""

import json
from typing import Annotated

import typer

from toccata import _core
from toccata.algorithms import catalogue
from toccata.commands.common import collective_names, console


def list_(
    collective: Annotated[
        str | None,
        typer.Argument(
            metavar="COLLECTIVE",
            autocompletion=collective_names,
            help="Collective; lists only its algorithms.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print an array of JSON objects.")
    ] = False,
) -> None:
    """List the algorithms, their parameters and constraints.

    Examples:

    - `toccata list`
    - `toccata list allgather --json`
    """
    chosen = _core.algorithms() if collective is None else catalogue.of_collective(collective)
    if as_json:
        print(
            json.dumps([catalogue.as_json(each) for each in chosen], indent=2, ensure_ascii=False)
        )
    else:
        console.print(catalogue.as_table(chosen))
