"""`toccata demo`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata.commands.common import MpiOption, print_whole, progress, say
from toccata.errors import Failure
from toccata.measuring import demo

NoHosts = Annotated[bool, typer.Option("--no-hosts", help="Measure only this machine.")]
Whole = Annotated[
    bool,
    typer.Option(
        "--whole",
        help="Measure all collectives on 2, 4 and 8 ranks, up to 1 MiB (15 minutes).",
    ),
]


def demo_(
    mpi: MpiOption = "auto",
    no_hosts: NoHosts = False,
    whole: Whole = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Figure to write.")
    ] = Path("results/demo.png"),
) -> None:
    """Compare the automatic choice of the preloaded library with the MPI library's own algorithms.

    Measures this machine. As root with Open MPI, it also measures four hosts that it emulates:
    network namespaces with a latency of 1 ms and 100 Mbit/s each (bench/cluster).

    Timing starts after the first calls of each size, in which the library makes its trials. If the
    automatic choice is more than 5% slower, it is measured twice more, and the median counts. If
    the interquartile ranges overlap, there is no winner: `?` follows the speedup, and the cell
    is grey in the figure.
    """
    outputs.check(pictures=[output])
    why = "--no-hosts" if no_hosts else demo.why_no_hosts()
    here = demo.WHOLE_HERE if whole else demo.HERE
    hosts = demo.WHOLE_HOSTS if whole else demo.HOSTS
    places = [*here, *([] if why else [hosts])]
    cells: list[demo.Cell] = []
    of_hosts: list[demo.Cell] = []  # shown first, because gains are largest between hosts
    with progress() as bar:
        task = bar.add_task("", total=demo.runs(places) + 1)

        def told(what: str) -> None:
            bar.update(task, advance=1, description=what)

        def told_again(what: str) -> None:
            bar.update(task, description=what)

        for place in here:
            library, found = demo.measure(place, mpi, told)
            cells += demo.measure_again(found, mpi, told_again)
        if not why:
            try:
                with demo.hosts():
                    found = demo.measure(hosts, "openmpi", told)[1]
                    of_hosts = demo.measure_again(found, "openmpi", told_again)
            except Failure as error:  # show the results of this machine anyway
                why = str(error)
    cells = [*of_hosts, *cells]
    from toccata.drawing import comparisons, pictures  # matplotlib takes a second to load

    # Before all printing: the reader of the output may have closed it.
    pictures.write(comparisons.draw(cells, f"Without any settings, {library}"), output)
    print_whole(demo.table(cells))
    say(f"\n{demo.summary(cells)}")
    if why and not no_hosts:
        say(f"without the four emulated hosts, where gains are larger: {why}")
    say(f"wrote {output}")
