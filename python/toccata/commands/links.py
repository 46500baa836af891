"""`toccata bench links`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata import quantities as q
from toccata.commands.common import (
    CsvFile,
    LauncherArgs,
    MpiOption,
    console,
    count,
    print_whole,
    say,
    words,
)
from toccata.launching import launcher
from toccata.measuring import benchmark

calls = count("number of calls")
calls_or_none = count("number of calls", least=0)
Ranks = Annotated[str | None, typer.Option(metavar="P", help="Number of ranks; 5 by default.")]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="LIST", help="Bytes per message: a list such as 1,64,4K, or a range that doubles."
    ),
]
Repetitions = Annotated[int, typer.Option(metavar="N", parser=calls, help="Timed calls per size.")]
Warmup = Annotated[
    int,
    typer.Option(
        metavar="N", parser=calls_or_none, help="Untimed calls per size, before the timed calls."
    ),
]
MachineText = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help='Mesh of the ranks, such as "torus:4x4".'),
]
Figure = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Draw the figure: .png, .svg or .pdf.")
]


def links_(
    ranks: Ranks = None,
    sizes: Sizes = None,
    repetitions: Repetitions = 100,
    warmup: Warmup = 10,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    machine: MachineText = None,
    csv: CsvFile = None,
    heatmap: Figure = None,
) -> None:
    """Measure messages over several links of a node at the same time, and fit a model to them.

    Every second rank of a mesh (without a mesh: rank 0) sends to its neighbours, receives from
    them, and exchanges messages with them. Prints the times, and for each range of sizes the
    parameters α, β and τ of the model (α + nβ)(1 + (l − 1)τ), where n is the bytes per message and
    l the number of links. The figure follows the paper (Chan et al., 2006). Writes CSV and the
    figure to results/ by default.

    Examples:

    - `toccata bench links --ranks 5 --heatmap links.png`
    - `toccata bench links --ranks 16 --machine torus:4x4`
    """
    from toccata.drawing import pictures
    from toccata.measuring import links

    p = q.parse_count(
        links.STANDARD_RANKS if ranks is None else ranks, "number of ranks", 2, q.MOST_RANKS
    )
    numbers = benchmark.parse_sizes(links.STANDARD_SIZES if sizes is None else sizes)
    if machine is not None:
        links.check_machine(machine, p)
    starter = launcher.find(mpi)
    stem = Path("results") / f"links-{starter.family}"
    csv, picture = csv or stem.with_suffix(".csv"), heatmap or stem.with_suffix(".png")
    program = [str(launcher.benchmark(starter.family, "links"))]
    program += ["--sizes", ",".join(map(str, numbers))]
    program += ["--repetitions", str(repetitions), "--warmup", str(warmup)]
    program += ["--machine", machine] if machine is not None else []
    command = launcher.start(starter, p, words(launcher_args), program)
    outputs.check(csv, pictures=[picture])
    library, timings = links.measure(command, p)
    found = links.fits(timings)
    links.write_csv(timings, csv)  # first: the reader of the output may have closed it
    where = machine or "rank 0 and its neighbours"
    pictures.write(links.draw(timings, found, f"{library}, {p} ranks, {where}"), picture)
    for way in links.WAYS:
        print_whole(links.times_table(timings, way))
    if found:
        print_whole(links.fit_table(found))
    for size in links.alone(timings):
        console.print(
            f"[dim]without a fit: {q.show_bytes(size)}, the only size of its range; a fit needs "
            "two[/]"
        )
    say(f"wrote {csv}, {picture}")
