"""`toccata reproduce`."""

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import TimeRemainingColumn

from toccata import outputs
from toccata import quantities as q
from toccata.commands.common import console, progress
from toccata.simulating import Cell


class PaperName(StrEnum):
    """What can be reproduced."""

    sparbit = "sparbit"
    locality = "locality"
    multilink = "multilink"


TITLES = {
    "sparbit": "Sparbit: who is fastest on two clusters (Loch and Koslovski, 2021)",
    "locality": "Locality-aware Bruck (Bienz, Gautam and Kharel, 2022)",
    "multilink": "Several links at once (Chan, van de Geijn, Gropp and Thakur, 2006)",
}


def reproduce(
    paper: Annotated[PaperName, typer.Argument(metavar="PAPER", help=", ".join(PaperName))],
    quick: Annotated[
        bool, typer.Option("--quick", help="A stated subset, in minutes rather than hours.")
    ] = False,
    docs: Annotated[
        Path, typer.Option(metavar="DIRECTORY", help="Where reproduction.md and images/ are.")
    ] = Path("results"),
) -> None:
    """Make a paper's tables and figures with our numbers beside the paper's.

    Simulates what the paper measured, on machines like the paper's, and writes the section of
    reproduction.md, with its pictures. Everything simulated is remembered, so a run that was
    interrupted goes on where it ended.

    Examples:

    - `toccata reproduce sparbit --quick`
    - `toccata reproduce sparbit --docs docs`
    """
    from toccata.reproducing import locality, multilink, page, sparbit

    papers: dict[str, Callable[..., None]] = {
        "sparbit": sparbit.reproduce,
        "locality": locality.reproduce,
        "multilink": multilink.reproduce,
    }
    outputs.check(docs / "reproduction.md")
    section = page.Section(paper.value, TITLES[paper.value])
    section.say(f"    toccata reproduce {paper.value}{' --quick' if quick else ''} --docs docs")
    bar = progress()
    bar.columns = (*bar.columns, TimeRemainingColumn())
    with bar:
        task = bar.add_task("", total=0)

        def plan(more: int) -> None:
            bar.update(task, total=(bar.tasks[0].total or 0) + more)

        def told(cell: Cell) -> None:
            what = f"{cell.algorithm}, {cell.ranks} ranks, {q.show_bytes(cell.bytes)}"
            bar.update(task, advance=1, description=what)

        papers[paper.value](section, quick, told, plan)
    written = page.write(section, docs)
    console.print(f"wrote {', '.join(map(str, written))}")
