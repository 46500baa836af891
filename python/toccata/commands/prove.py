"""`toccata prove`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside, proving
from toccata.commands.common import (
    MachineOption,
    PlacementOption,
    algorithm_names,
    aside,
    console,
    name_of,
    progress,
    say,
    subjects,
)
from toccata.errors import Failure, InputError
from toccata.launching import maps

STANDARD_RANKS = "1:64:1"
KINDS = (".json", ".xml")


AlgorithmNames = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME",
        autocompletion=algorithm_names,
        help="mine.py, mine.py:ring, mine.json, mine.xml, or an algorithm such as allgather/bruck.",
    ),
]
RanksList = Annotated[
    str, typer.Option(metavar="LIST", help="Numbers of ranks: 2,4,8 or FIRST:LAST:STEP.")
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write the proved schedules: .json for settings such as "
        "TOCCATA_ALLGATHER=file:FILE, .xml for MSCCL (one number of ranks).",
    ),
]


def prove(
    names: AlgorithmNames,
    ranks: RanksList = STANDARD_RANKS,
    output: Output = None,
    machine: MachineOption = None,
    placement: PlacementOption = None,
) -> None:
    """Prove algorithms that are not in the library, and write their schedules to a file.

    Accepts functions in Python (see `toccata new`), MSCCL programs, and files that this command
    wrote. The proofs are the same as in `toccata verify`. An error names the line of the Python
    file. If a proof fails, no file is written, and the exit code is 1.

    Examples:

    - `toccata prove mine.py`
    - `toccata prove mine.py:ring -o mine.json`
    - `toccata prove allgather_ring.xml --ranks 8 -o mine.json`
    - `toccata prove allgather/bruck --ranks 8 -o bruck.xml`
    """
    numbers = q.parse_ranks(ranks)
    if output is not None and output.suffix not in KINDS:
        raise InputError(f"'{output}': the name of a file of schedules must end in .json or .xml")
    outputs.check(output, reads=outside.files_of(*names))
    chosen = subjects(names)
    if output is not None and len(chosen) != 1:
        given = ", ".join(map(name_of, chosen))
        raise InputError(f"--output {output} requires one algorithm, not {given}; name one")
    if placement is not None and not machine:
        raise InputError(f"--placement {placement} has no effect without --machine")
    known = partial(maps.shape, machine=machine, placement=placement) if machine else None
    work = {
        name_of(each): [
            case for p in numbers for case in proving.cases(each, [p], known, most_effort=None)
        ]
        for each in chosen
    }
    for label, cases in work.items():
        if not cases:
            raise InputError(f"{label} cannot run with any of {ranks} ranks; give other --ranks")
    _prove(work)
    if output is not None:
        [(_, cases)] = work.items()
        _write(chosen[0], cases, output)


def _prove(work: Mapping[str, Sequence[proving.Case]]) -> None:
    """Prints the results; Failure if an algorithm is wrong."""
    width = max(map(len, work))
    failed = 0
    with progress() as bar:
        task = bar.add_task("", total=sum(map(len, work.values())))
        for label, verdict in proving.prove(
            work, lambda label: bar.update(task, advance=1, description=label)
        ):
            if verdict.error:
                failed += 1
                said = f"[bold red]wrong[/]  {escape(verdict.error)}"
            else:
                said = f"[green]proved[/]  {verdict.summary}"
            console.print(
                f"[cyan]{escape(f'{label:{width}}')}[/]  {said}", crop=False, soft_wrap=True
            )
    if failed:
        raise Failure(f"wrong: {failed} of {len(work)} algorithms")


def _write(
    subject: _core.Algorithm | _core.Choice, cases: Sequence[proving.Case], output: Path
) -> None:
    """Writes the schedules for all proved numbers of ranks, with the requested parameters."""
    choice = subject if isinstance(subject, _core.Choice) else catalogue.standard(subject)
    algorithm = choice.algorithm
    assert algorithm is not None
    every_root = choice.rooted and algorithm.ordered
    shapes: list[_core.Shape] = []
    for case in cases:
        if case.choice.text != choice.text or (case.shape.root != 0 and not every_root):
            continue
        key = (case.shape.p, case.shape.root)
        if key not in ((each.p, each.root) for each in shapes):
            shapes.append(case.shape)
    if every_root:  # ranks cannot exchange their roles, because the order would change
        shapes = [_core.Shape(p, root) for p in sorted({e.p for e in shapes}) for root in range(p)]
        for shape in shapes:
            if error := choice.verify(shape):
                raise Failure(f"{choice.text} with {shape.p} ranks, root {shape.root}: {error}")
    if output.suffix == ".xml":
        if len(shapes) != 1:
            raise InputError(
                f"{output}: an MSCCL program has one number of ranks; give --ranks {shapes[-1].p}"
            )
        outputs.write(output, _core.msccl(choice, shapes[0]))
    else:
        outside.as_checked_file(choice, shapes, output)
    size = output.stat().st_size
    many = (
        f"{len({each.p for each in shapes})} numbers of ranks"
        if len(shapes) > 1
        else (f"{shapes[0].p} ranks")
    )
    say(f"wrote {output}: {many}, {q.show_bytes(size)} bytes")
    if output.suffix != ".xml":
        aside(f"to run it: {outside.setting(choice, output)}")
