"""`toccata fit`."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toccata import outputs
from toccata.commands.common import aside, console, print_whole, progress, say
from toccata.errors import InputError

if TYPE_CHECKING:  # scipy takes a second to load
    from toccata.models.cross_validation import Fitted, Work


class Split(StrEnum):
    """The part of the times that the fit does not use."""

    sizes = "sizes"
    collectives = "collectives"


Table = Annotated[Path, typer.Argument(metavar="FILE", help="A table of recorded times, CSV.")]
MachineNames = Annotated[
    list[str] | None,
    typer.Option(
        "--machine",
        "-m",
        metavar="NAME",
        help="Use only this machine; repeat the option for several.",
    ),
]
Nodes = Annotated[
    list[str] | None,
    typer.Option(
        "--nodes",
        metavar="NODES",
        help="Use only jobs with this number of nodes, such as 32 or 4x4x4.",
    ),
]
SplitOption = Annotated[
    Split,
    typer.Option(
        help="sizes: fit to every second size; collectives: to all collectives but one, in turn."
    ),
]
Save = Annotated[
    Path | None, typer.Option(metavar="MODEL.json", help="Write the machine's model, for predict.")
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw predicted over measured times: .png, .svg, .pdf."),
]
Curves = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw times over sizes, for the job with the most times."),
]


def fit_(
    file: Table,
    machine: MachineNames = None,
    nodes: Nodes = None,
    split: SplitOption = Split.sizes,
    save: Save = None,
    plot: Plot = None,
    curves: Curves = None,
) -> None:
    """Fit a cost model to one part of the recorded times, and validate it with the rest.

    FILE contains times of single algorithms, from `toccata bench --csv` or from the PICO benchmark
    on other machines. Only times of algorithms that Toccata has are used. One part of them
    determines the model (see --split); the other part shows its quality:

    - the median error of predicted times
    - among pairs of algorithms whose times differ by more than 20%, the share in the right order
    - the regret: the time of the predicted best algorithm, divided by the time of the real best

    If the file contains the MPI's own choice (the default), also prints the mean regret of five
    rules for choosing:

    - the model's proposal: the default, unless another algorithm is predicted to be more than 10%
      faster
    - Toccata's best algorithm, predicted from the schedules of a few ranks
    - Toccata's best algorithm, predicted from the schedules of all ranks
    - the faster one of Toccata's best and the default, which trials at run time would find
    - the default alone

    Gains found: how many of the gains above 10% the model's proposal finds.

    Examples:

    - `toccata fit collectives.csv`
    - `toccata fit collectives.csv -m lumi --save lumi.json`
    - `toccata fit collectives.csv -m mare_nostrum --nodes 32 --curves curves.png`
    - `toccata fit collectives.csv --split collectives`
    """
    from toccata.models import cross_validation, decisions

    found = cross_validation.load(file, machine or [], nodes or [])
    if save is not None and len(found.machines) > 1:
        raise InputError(
            f"--save writes one model; give --machine with one of {', '.join(found.machines)}"
        )
    outputs.check(save, pictures=[plot, curves], reads=[file])
    fitted = _fitted(cross_validation.Work(found, split == Split.collectives))
    # Printing comes last: the reader of the output may have closed it.
    if save is not None:
        model = fitted[0].model.model(found.machines[0], f"toccata fit, {file.name}")
        outputs.write(save, model.json)
    _draw(fitted, plot, curves)
    _print(fitted)
    if split == Split.sizes and (decided := cross_validation.decided(found, fitted)):
        console.print("\n[bold]Mean regret[/] of five rules for choosing:")
        print_whole(decisions.table(decided))
    for line in found.left_out:
        aside(f"left out: {line}")
    for path in filter(None, (save, plot, curves)):
        say(f"wrote {path}")


def _fitted(work: "Work") -> "list[Fitted]":
    with progress() as bar:
        task = bar.add_task("", total=work.turns)
        return work.run(lambda name, done: bar.update(task, description=name, advance=done))


def _print(fitted: "Sequence[Fitted]") -> None:
    from toccata.models import fit_report

    for each in fitted:
        print_whole(fit_report.scores(each.judged))
        console.print()
        print_whole(fit_report.parameters(each.model))
        console.print()
    print_whole(fit_report.verdict([each.judged for each in fitted]))


def _draw(fitted: "Sequence[Fitted]", plot: Path | None, curves: Path | None) -> None:
    from toccata.drawing import fits, pictures
    from toccata.models import cross_validation

    if plot is not None:
        every = [
            (case, seconds, chosen)
            for each in fitted
            for case, seconds, chosen in zip(each.cases, each.predicted, each.fitted, strict=True)
        ]
        pictures.write(fits.predicted_over_measured(*zip(*every, strict=True)), plot)
    if curves is not None:
        pictures.write(fits.over_sizes(*cross_validation.largest_job(fitted)), curves)
