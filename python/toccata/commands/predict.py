"""`toccata predict`."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.commands.common import (
    LateOption,
    ModelOption,
    PlacementOption,
    algorithm_names,
    collective_names,
    console,
    count,
    print_whole,
    print_without,
    progress,
    say,
    subjects,
    without_effect,
)
from toccata.errors import InputError
from toccata.models import predicting
from toccata.models.planning import STANDARD_RANKS, Plan, Where
from toccata.simulating import platforms

LONG = 60  # seconds; longer predictions are announced

AlgorithmNames = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME",
        autocompletion=lambda: [*collective_names(), *algorithm_names()],
        help="Algorithms of one collective, or a collective.",
    ),
]
PlatformName = Annotated[
    str | None,
    typer.Option(
        metavar="P",
        autocompletion=platforms.names,
        help="Instead of --model and --machine: a platform of `toccata sim`, such as yahoo, or "
        "a file.",
    ),
]
MachineTexts = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT",
        help='Machine, such as "node:4 socket:2 core:8"; repeat the option to compare machines.',
    ),
]
RanksList = Annotated[
    str | None,
    typer.Option(
        metavar="LIST",
        help="Numbers of ranks: 2,4,8 or FIRST:LAST:STEP. By default, one rank per core "
        f"of the machine, at most {STANDARD_RANKS}.",
    ),
]
NodesList = Annotated[
    str | None,
    typer.Option(
        metavar="LIST", help="Instead of --ranks: numbers of nodes, with one rank per core."
    ),
]
Sizes = Annotated[
    str,
    typer.Option(
        metavar="LIST", help="Bytes per block, or of the message: 1,4K or FIRST:LAST:FACTOR."
    ),
]
Ratios = Annotated[bool, typer.Option("--ratios", help="Print the multiples of the lower bound.")]
Plot = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Draw a plot: .png, .svg or .pdf."),
]
Times = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="JSON file with all times.")
]
Limit = Annotated[
    int | None,
    typer.Option(
        metavar="SECONDS",
        parser=count("number of seconds"),
        help="Leave out algorithms whose prediction would take longer (estimated).",
    ),
]


def predict(
    given: typer.Context,
    names: AlgorithmNames,
    model: ModelOption = "",
    platform: PlatformName = None,
    machine: MachineTexts = None,
    placement: PlacementOption = None,
    ranks: RanksList = None,
    nodes: NodesList = None,
    sizes: Sizes = "1:1M:4",
    late: LateOption = None,
    ratios: Ratios = False,
    output: Plot = None,
    json_: Times = None,
    limit: Limit = None,
) -> None:
    """Predict how long algorithms take on a machine, compared with a lower bound.

    Follows the schedules of all ranks, with one clock per rank and the model's parameters for
    each level of the machine. --model names a model that comes with Toccata, or a file from
    `toccata calibrate`. docs/models.md describes the parameters and their origin.

    Examples:

    - `toccata predict allgather --model gigabit --machine "node:16 socket:2 core:4" --ranks 128`
    - `toccata predict allgather/bruck locality_bruck --model lassen --sizes 4:64K
      --machine "node:1024 socket:1 core:16" --nodes 1024 -o figure8.png`
    - `toccata predict allgather --platform yahoo --placement cyclic`
    - `toccata predict allreduce --model usual --ranks 64 --sizes 1M --late 63:1ms`
    """
    if late is not None and ratios:
        raise InputError("leave out --ratios: with --late, no lower bound is known")
    if nodes is not None and (machine or platform):
        without_effect(given, ["ranks"], "with --nodes, which has one rank per core")
    choices = _predicted(names, q.parse_late(late) if late is not None else {})
    parameters, texts = _where(model, platform, machine)
    settings = Where(texts, placement, ranks, nodes, late).settings()
    plan = Plan.of(choices, settings, q.parse_sizes(sizes), parameters, limit)
    reads = [model, platform, *(machine or []), *outside.files_of(*names)]
    outputs.check(json_, pictures=[output], reads=reads)
    if plan.seconds > LONG:
        print(
            f"toccata: this takes about {q.show_duration(plan.seconds)}; --limit 10 leaves out "
            "slow algorithms, Ctrl-C keeps the results so far",
            file=sys.stderr,
        )
    found = _walk(plan, ratios, json_)
    if not found:
        raise InputError(f"--limit {limit} leaves no algorithm; give a larger limit or fewer ranks")
    if json_ is not None:
        _write(found, json_, complete=not found[-1].interrupted)
        say(f"wrote {json_}")
    if output is not None:
        from toccata.drawing import pictures, predictions  # matplotlib takes a second to load

        pictures.write(predictions.draw(found, parameters.name), output)
        say(f"wrote {output}")
    if found[-1].interrupted:
        raise typer.Abort


def _walk(plan: Plan, ratios: bool, json_: Path | None) -> list[predicting.Predicted]:
    """Prints the times of each setting after its walks."""
    found: list[predicting.Predicted] = []
    with progress(remaining=True, counted=False, estimated=True) as bar:
        task = bar.add_task("", total=max(plan.seconds, 1e-9))

        def told(where: str, what: str, done: float) -> None:
            bar.update(task, advance=done, description=f"{where}, {what}")

        for setting, without, times in plan.run(told):
            if times is not None:
                found.append(times)
                if json_ is not None:  # the reader of the output may have closed it
                    _write(found, json_, complete=False)
                print_whole(predicting.as_table(times, plan.model, ratios))
            print_without(setting.shape.p, without)
            if times is not None and times.interrupted:
                console.print("[bold]interrupted:[/] the rest is missing")
    return found


def _write(found: Sequence[predicting.Predicted], path: Path, complete: bool) -> None:
    outputs.write(path, json.dumps(predicting.as_rows(found, complete), indent=1) + "\n")


def _where(
    model: str, platform: str | None, machine: list[str] | None
) -> tuple[_core.Model, list[str] | None]:
    """The requested model and machines."""
    if platform is None:
        if not model:
            raise InputError("the cost of messages is missing: give --model or --platform")
        return predicting.read_model(model), machine
    if model or machine:
        given = f"--model {model}" if model else "--machine"
        raise InputError(f"--platform {platform} contains model and machine; leave out {given}")
    there = platforms.find(platform)
    return there.model, [there.machine]


def _predicted(names: Sequence[str], late: Mapping[int, float]) -> list[tuple[str, _core.Choice]]:
    """The algorithms to predict, with their displayed names. An algorithm for a late rank gets the
    latest one.

    Raises InputError if they belong to several collectives, because sizes then have different
    meanings.
    """
    choices = []
    for each in subjects(names):
        if isinstance(each, _core.Choice):
            choice = each
        else:
            choice = catalogue.parse(each.collective, catalogue.with_late_rank(each, late))
        assert choice.algorithm is not None
        choices.append((choice.text, choice))
    collectives = {c.algorithm.collective for _, c in choices if c.algorithm is not None}
    if len(collectives) > 1:
        raise InputError(
            f"cannot predict several collectives at once: {', '.join(sorted(collectives))}"
        )
    return choices
