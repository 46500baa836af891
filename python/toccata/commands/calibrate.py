"""`toccata calibrate`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import outputs
from toccata import quantities as q
from toccata.commands.common import LauncherArgs, MpiOption, count, print_whole, say, words
from toccata.launching import launcher

ModelFile = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Model to write: .json.")
]
NumberOfRanks = Annotated[
    int,
    typer.Option(
        metavar="P", parser=count("number of ranks", 2, q.MOST_RANKS), help="Number of ranks."
    ),
]
Sizes = Annotated[
    str,
    typer.Option(metavar="LIST", help="Bytes per message: a range that doubles, such as 1:4M."),
]
Repetitions = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=count("number of messages", least=5),
        help="Messages timed for each size.",
    ),
]
RanksPerNode = Annotated[
    int,
    typer.Option(
        metavar="P",
        parser=count("number of ranks", 0, q.MOST_RANKS),
        help="Ranks per node; 0: the ranks that share memory form a node.",
    ),
]


def calibrate(
    output: ModelFile,
    ranks: NumberOfRanks = 2,
    sizes: Sizes = "1:4M",
    repetitions: Repetitions = 200,
    node: RanksPerNode = 0,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
) -> None:
    """Measure messages on this machine, level by level, and fit a model for `predict`.

    At each level of the machine, one pair of ranks runs ping-pong and sends bursts of messages.
    Between nodes, an increasing number of pairs does so at the same time. Choose the number of
    ranks and the arguments of the launcher so that each level has a pair of ranks. Prints the
    parameters and the errors of the fit.

    Examples:

    - `toccata calibrate -o here.json`
    - `toccata calibrate --ranks 64 --launcher-args "--hostfile hosts --map-by core" -o ours.json`
    - `toccata predict allgather --model ./here.json --ranks 2,4`
    """
    from toccata.models import calibrating

    started = launcher.find(mpi)
    program = [
        str(launcher.calibration(started.family)),
        "--sizes", ",".join(map(str, calibrating.parse_sizes(sizes))),
        "--repetitions", str(repetitions),
        "--node", str(node),
    ]  # fmt: skip
    outputs.check(output)
    measured = calibrating.measure(
        launcher.start(started, ranks, words(launcher_args), program), ranks
    )
    model, lines = calibrating.fit(measured, output.stem)
    outputs.write(output, model.json)  # first: the reader may close our output
    print_whole(calibrating.report(measured, model, lines))
    say(f"wrote {output}")
