"""`toccata reproduce`."""

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import Annotated

import typer

from toccata import outputs
from toccata import quantities as q
from toccata.commands.common import console, progress, say
from toccata.errors import Failure
from toccata.simulating import simulation
from toccata.simulating.simulation import Cell


class PaperName(StrEnum):
    """The papers that can be reproduced: the modules of toccata.papers."""

    locality = "locality"
    sparbit = "sparbit"
    alltoall = "alltoall"
    reorder = "reorder"
    multilink = "multilink"
    selectors = "selectors"


Paper = Annotated[PaperName, typer.Argument(metavar="PAPER", help=", ".join(PaperName))]
Quick = Annotated[
    bool, typer.Option("--quick", help="Simulate a subset, in minutes instead of hours.")
]
Docs = Annotated[Path, typer.Option(metavar="DIRECTORY", help="Folder of reproduction.md.")]
STANDARD_DOCS = Path("results")


def reproduce(paper: Paper, quick: Quick = False, docs: Docs = STANDARD_DOCS) -> None:
    """Reproduce the tables and figures of a paper, compared with the paper's numbers.

    Simulates the paper's measurements on similar machines, and writes the section about this paper
    in reproduction.md, the figures, and all times as CSV. `selectors` is not a paper: it compares
    all collectives with SimGrid's imitations of MPI libraries (selectors). If a run is interrupted,
    the same command continues it.

    Examples:

    - `toccata reproduce locality --quick`
    - `toccata reproduce locality --docs docs`
    """
    # matplotlib takes a second to load
    from toccata.papers import page

    module = import_module(f"toccata.papers.{paper.value}")
    outputs.check(docs / "reproduction.md")
    simulation.programs()
    began = monotonic()
    work = module.work(quick)
    done = 0
    with progress(remaining=True, counted=False) as bar:
        cases = f"of {len(work)} cases"
        task = bar.add_task(f"0 {cases}", total=sum(simulation.effort(cell) for _, cell in work))

        def told(cell: Cell) -> None:
            nonlocal done
            done += 1
            what = f"{cell.algorithm}, {cell.ranks} ranks, {q.show_bytes(cell.bytes)}"
            bar.update(task, advance=simulation.effort(cell), description=f"{done} {cases}: {what}")

        try:
            found = page.Found(simulation.run_all(work, told))
        except KeyboardInterrupt:
            console.print(f"interrupted: {done} {cases} are kept; the same command continues")
            raise typer.Abort from None
    late = [f"{cell.algorithm} with {cell.ranks} ranks, which {each.why_not}"
            for (_, cell), each in found.outcomes.items() if each.late]  # fmt: skip
    if late:
        raise Failure(
            f"{len(late)} {cases} were given up, such as {late[0]}; the same command tries them "
            "again"
        )
    section = page.Section(paper.value, module.TITLE)
    if quick:
        section.say("These are some of the cases (`--quick`).")
    module.report(section, found, quick)
    written = page.write(section, found, docs)
    say(f"wrote {', '.join(map(str, written))}")
    without = sum(each.seconds is None for each in found.outcomes.values())
    console.print(
        f"{paper.value}: {len(found.outcomes) - without} {cases} have a time, {without} have none; "
        f"{q.show_duration(monotonic() - began)}"
    )
