"""`toccata predict`."""

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import (
    ModelOption,
    algorithm_names,
    collective_names,
    console,
    count,
    duration,
    impossible,
    print_whole,
    print_without,
    progress,
    subjects,
)
from toccata.errors import InputError
from toccata.models import predicting
from toccata.simulating import platforms
from toccata.topology import machines
from toccata.topology.machines import PlacementOption

STANDARD_RANKS = 64
LONG = 60  # seconds; longer predictions are announced


def predict(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME",
            autocompletion=lambda: [*collective_names(), *algorithm_names()],
            help="Algorithms of one collective, or a collective.",
        ),
    ],
    model: ModelOption = "",
    platform: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            autocompletion=platforms.names,
            help="Instead of --model and --machine: a platform of `toccata sim`, such as yahoo, or "
            "a file.",
        ),
    ] = None,
    machine: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT",
            help='Machine, such as "node:4 socket:2 core:8"; repeat the '
            "option to compare machines.",
        ),
    ] = None,
    placement: PlacementOption = None,
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Numbers of ranks: 2,4,8 or FIRST:LAST:STEP. By default, one rank per core "
            f"of the machine, at most {STANDARD_RANKS}.",
        ),
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="Instead of --ranks: numbers of nodes, with one rank per core."
        ),
    ] = None,
    sizes: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="Bytes per block, or of the message: 1,4K or FIRST:LAST:FACTOR."
        ),
    ] = "1:1M:4",
    ratios: Annotated[
        bool, typer.Option("--ratios", help="Print the multiples of the lower bound.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw a plot: .png, .svg or .pdf."),
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="JSON file with all times.")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            parser=count("number of seconds"),
            help="Leave out algorithms whose prediction would take longer (estimated).",
        ),
    ] = None,
) -> None:
    """Predict how long algorithms take on a machine, compared with a lower bound.

    Walks through the schedules of all ranks, with one clock per rank and the model's parameters for
    each level of the machine. --model names a model that comes with Toccata, or a file from
    `toccata calibrate`. docs/models.md describes the parameters and their origin.

    Examples:

    - `toccata predict allgather --model gigabit --machine "node:16 socket:2 core:4" --ranks 128`
    - `toccata predict allgather/bruck locality_bruck --model lassen --sizes 4:64K
      --machine "node:1024 socket:1 core:16" --nodes 1024 -o figure8.png`
    - `toccata predict allgather --platform yahoo --placement cyclic`
    """

    choices = _predicted(names)
    parameters, machine = _where(model, platform, machine)
    numbers = q.parse_ranks(ranks) if ranks is not None else None
    chosen = q.parse_ranks(nodes, "nodes") if nodes is not None else []
    bytes_ = q.parse_sizes(sizes)
    texts: list[str | None] = [*machine] if machine else [None]
    settings = [
        setting
        for text in texts
        for setting in predicting.settings(
            text, placement, numbers or [machines.places(text, STANDARD_RANKS)], chosen
        )
    ]
    left_out = impossible(dict(choices), [each.shape for each in settings])
    outputs.check_pictures(output)
    outputs.check(json_)
    efforts = [
        {label: predicting.effort(choice, setting, bytes_) for label, choice in choices}
        for setting in settings
    ]
    if limit is not None:
        for each, without in zip(efforts, left_out, strict=True):
            without |= {
                label: f"would take about {duration(seconds)}"
                for label, seconds in each.items()
                if seconds > limit
            }
    total = sum(
        seconds
        for each, without in zip(efforts, left_out, strict=True)
        for label, seconds in each.items()
        if label not in without
    )
    if total > LONG:
        print(
            f"toccata: this takes about {duration(total)}; --limit 10 leaves out slow algorithms, "
            "Ctrl-C keeps the results so far",
            file=sys.stderr,
        )
    all_: list[predicting.Predicted] = []

    def keep(complete: bool) -> None:
        if json_ is not None:
            json_.write_text(json.dumps(predicting.as_rows(all_, complete), indent=1) + "\n")

    with progress(remaining=True, counted=False, estimated=True) as bar:
        task = bar.add_task("", total=max(total, 1e-9))

        def tell(where: str, what: str, done: float) -> None:
            bar.update(task, advance=done, description=f"{where}, {what}")

        for setting, without in zip(settings, left_out, strict=True):
            possible = [(label, choice) for label, choice in choices if label not in without]
            if not possible:
                print_without(setting.shape.p, without)
                continue
            told = partial(tell, f"{setting.shape.p} ranks")
            all_.append(predicting.predict(possible, setting, bytes_, parameters, told))
            keep(complete=False)  # the reader of the tables may have closed them
            print_whole(predicting.as_table(all_[-1], parameters, ratios))
            print_without(setting.shape.p, without)
            if all_[-1].interrupted:
                console.print("[bold]interrupted:[/] the rest is missing")
                break
    if not all_:
        raise InputError(f"--limit {limit} leaves no algorithm; give a larger limit or fewer ranks")
    keep(complete=not all_[-1].interrupted)
    if json_ is not None:
        console.print(f"wrote {json_}")
    if output is not None:
        # matplotlib takes a second to load
        from toccata.drawing import pictures, predictions

        pictures.write(predictions.draw(all_, parameters.name), output)
        console.print(f"wrote {output}")
    if all_[-1].interrupted:
        raise typer.Abort


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


def _predicted(names: Sequence[str]) -> list[tuple[str, _core.Choice]]:
    """The algorithms to predict, with their displayed names.

    Raises InputError if they belong to several collectives, because sizes then differ in meaning.
    """
    choices = []
    for each in subjects(names):
        choice = each if isinstance(each, _core.Choice) else catalogue.standard(each)
        assert choice.algorithm is not None
        choices.append((choice.text, choice))
    collectives = {c.algorithm.collective for _, c in choices if c.algorithm is not None}
    if len(collectives) > 1:
        raise InputError(
            f"cannot predict several collectives at once: {', '.join(sorted(collectives))}"
        )
    return choices
