"""`toccata demo`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata.commands.common import MpiOption, console, print_whole, progress
from toccata.errors import Failure


def demo_(
    mpi: MpiOption = "auto",
    no_hosts: Annotated[
        bool, typer.Option("--no-hosts", help="Only on this machine as it is.")
    ] = False,
    whole: Annotated[
        bool,
        typer.Option(
            "--whole",
            help="All collectives, 2, 4 and 8 ranks, up to 1 MiB: a quarter of an hour.",
        ),
    ] = False,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The picture.")
    ] = Path("results/demo.png"),
) -> None:
    """Set the preloaded library's choice beside the MPI library's own, with nothing set.

    On this machine, and, as root and with Open MPI, on four hosts that it plays: network namespaces
    with 1 ms between any two and 100 Mbit/s each (bench/cluster). What is timed comes after the
    first calls of each size, in which the library tries what may be better; where that was more
    than 5% worse, it is measured twice more, and the middle holds. Where the quartiles of the two
    overlap, nobody wins: `?` behind the ratio, and grey in the picture.
    """
    from toccata import demo, drawing  # matplotlib takes a second to load

    outputs.check_pictures(output)
    why = "--no-hosts" if no_hosts else demo.why_no_hosts()
    here = demo.WHOLE_HERE if whole else demo.HERE
    hosts = demo.WHOLE_HOSTS if whole else demo.HOSTS
    places = [*here, *([] if why else [hosts])]
    cells: list[demo.Cell] = []
    of_hosts: list[demo.Cell] = []  # where there is most to win, and so the first thing shown
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
            except Failure as error:  # what was measured is worth showing all the same
                why = str(error)
    cells = [*of_hosts, *cells]
    print_whole(demo.table(cells))
    console.print(f"\n{demo.summary(cells)}")
    if why and not no_hosts:
        console.print(f"without the four hosts, where there is more to win: {why}")
    drawing.write(demo.draw(cells, f"Nothing set but the preload, {library}"), output)
    console.print(f"wrote {output}")
