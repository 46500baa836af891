"""`toccata tune`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import (
    LauncherArgs,
    MpiOption,
    NoValidate,
    console,
    count,
    print_whole,
    progress,
    seconds,
    words,
)
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.measuring import benchmark
from toccata.models import predicting
from toccata.topology import machines
from toccata.topology.machines import PlacementOption
from toccata.tuning import overview, racing, tuning_file

STANDARD_RANKS = "2,3,4,6,8"
STANDARD_SIZES = "8:1M:4"
WARMUP = 3  # calls


def tune(
    collectives: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COLLECTIVE", help="Collectives, such as allgather; all by default."
        ),
    ] = None,
    ranks: Annotated[
        str, typer.Option(metavar="LIST", help="Numbers of ranks, or a range FIRST:LAST:STEP.")
    ] = STANDARD_RANKS,
    per_node: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Ranks per node; the launcher's by default."),
    ] = None,
    sizes: Annotated[
        str, typer.Option(metavar="LIST", help="Bytes per block, or of the message.")
    ] = STANDARD_SIZES,
    algorithms: Annotated[
        str,
        typer.Option(
            metavar="LIST", help="variants (every setting), all, or a list such as ring,sparbit:..."
        ),
    ] = "variants",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write; results/tuning-MPI.json by default.",
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat measurements that the file contains.")
    ] = False,
    repetitions: Annotated[
        int,
        typer.Option(
            metavar="N",
            parser=count("number of calls"),
            help="Maximum number of timed calls per setting.",
        ),
    ] = 200,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            parser=seconds,
            help="Approximate time limit per setting.",
        ),
    ] = 3,
    no_validate: NoValidate = False,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    heatmap: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Figure to write; next to the file by default."),
    ] = None,
    by_model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Predict instead of measuring, with this model: lassen, gigabit, usual, or "
            "a file.",
        ),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help='Machine for --by-model, such as "node:4 socket:2 core:8".'
        ),
    ] = None,
    placement: PlacementOption = None,
    show: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Print and draw an existing file only.")
    ] = None,
) -> None:
    """Find the best algorithm for each number of ranks and size, and write a tuning file.

    Runs every algorithm, with every setting of its parameters, interleaved with the native one.
    Drops candidates that are significantly slower than the one with the lowest median: a sign test
    compares their interleaved calls, with a significance level of 5% for all comparisons together.
    Candidates that take three times as long in the first calls are dropped at once. Chooses an
    algorithm if the same test finds it faster than native, otherwise native.

    The file is updated after each result. You can interrupt the command; the same command continues
    it. With TOCCATA_TUNING=FILE, the library uses the file. Near a measured point, it takes the
    choice of that point; elsewhere, it chooses as without a file.

    Examples:

    - `toccata tune`
    - `toccata tune allgather allreduce --ranks 16,32,48 --per-node 4,8 --launcher-args
      "--hostfile hosts" -o ours.json`
    - `toccata tune --show ours.json --heatmap ours.png`
    - `toccata tune --by-model lassen --machine "node:64 socket:2 core:16" --ranks 256,1024
      -o lassen.json`
    """
    outputs.check_pictures(heatmap)
    if show is not None:
        _show(tuning_file.read(show), heatmap)
        return
    if by_model is not None:
        output = output or Path("results/tuning-model.json")
        outputs.check(output)
        found = _modelled(
            _collectives(collectives), by_model, machine, placement,
            q.parse_ranks(ranks), q.parse_sizes(sizes),
        )  # fmt: skip
        found.write(output)
    else:
        if machine is not None or placement is not None:
            raise InputError("--machine and --placement require --by-model")
        plans = [
            benchmark.Plan(
                each, _candidates(each, algorithms), benchmark.parse_sizes(sizes), repetitions,
                WARMUP, limit, not no_validate, race=True,
            )
            for each in _collectives(collectives)
        ]  # fmt: skip
        starter = launcher.find(mpi)
        output = output or Path(f"results/tuning-{starter.family}.json")
        heatmap = outputs.picture(heatmap, output.with_suffix(".png"))
        outputs.check_pictures(heatmap)
        outputs.check(output)
        found = tuning_file.read(output) if output.exists() and not again else tuning_file.Tuning()
        placed = [None] if per_node is None else q.parse_ranks(per_node)
        jobs = racing.jobs(
            plans, q.parse_ranks(ranks), placed, starter, words(launcher_args), found
        )
        _measure(jobs, found, output)
    _show(found, heatmap)
    console.print(f"wrote {output}; to use it, set TOCCATA_TUNING={output}")
    if by_model is None and found.points:
        folders = _core.tuning_folders(str(launcher.library(starter.family, starter.version)))
        console.print(
            f"all runs with {found.mpi} on such nodes find it in {folders[0]} (yours)"
            + "".join(f" or {each} (all users)" for each in folders[1:])
            + f": mkdir -p {folders[0]} && cp {output} {folders[0]}",
            soft_wrap=True,
        )


def _measure(jobs: Sequence[racing.Job], found: tuning_file.Tuning, output: Path) -> None:
    """Measures with a progress bar; if interrupted, prints how to continue."""
    total = sum(len(each.plan.sizes) for each in jobs)
    if not total:
        console.print(f"{output} contains all results; --again repeats the measurements")
    with progress(remaining=True) as bar:
        task = bar.add_task("starting", total=total)

        def told(job: racing.Job, size: int) -> None:
            what = f"{job.plan.collective}, {job.ranks} ranks, {q.show_bytes(size)}"
            bar.update(task, advance=1, description=what)

        try:
            racing.run(jobs, found, output, told)
        except KeyboardInterrupt:
            bar.stop()
            console.print(
                f"interrupted; {output} has {len(found.points)} settings, "
                "and the same command continues"
            )
            raise


def _show(found: tuning_file.Tuning, heatmap: Path | None) -> None:
    print_whole(overview.tables(found))
    if found.partial:
        console.print("the file is incomplete: repeat the command that wrote it to continue")
    if not found.points:
        return
    console.print(f"\n{overview.summary(found)}")
    if heatmap is not None:
        from toccata.drawing import pictures, tunings  # matplotlib takes a second to load

        by = f"by the model {found.model}" if found.model else found.mpi
        title = f"Best algorithms: {by}"
        pictures.write(tunings.draw(found, title), heatmap)
        console.print(f"wrote {heatmap}")


def _modelled(
    collectives: Sequence[str],
    model: str,
    machine: str | None,
    placement: str | None,
    ranks: Sequence[int],
    sizes: Sequence[int],
) -> tuning_file.Tuning:
    if machine is None:
        raise InputError('--by-model requires --machine, such as "node:4 socket:2 core:8"')
    parameters = predicting.read_model(model)
    there = machines.named(machine)
    found = tuning_file.Tuning(machine=there.text, model=parameters.name)
    for p in ranks:
        placed = _core.Placement(there, p, placement or machines.STANDARD_PLACEMENT)
        for each in collectives:
            shape = _core.Shape(placed)
            found.points += tuning_file.by_model(
                each, shape, machines.nodes(placed), sizes, parameters
            )
    return found


def _collectives(names: Sequence[str] | None) -> list[str]:
    """The named collectives; InputError if one does not exist."""
    known = [each.name for each in _core.collectives()]
    for each in names or []:
        if each not in known:
            raise InputError(f"unknown collective '{each}'; expected one of {', '.join(known)}")
    return list(names or [each.name for each in _core.collectives() if each.regular == each.name])


def _candidates(collective: str, text: str) -> list[str]:
    """The candidates: the MPI library's own, which is the baseline, and all that are proved,
    because a tuning file cannot choose others."""
    unproved = {path.rpartition("/")[2] for path in catalogue.unproved(collective)}
    found = catalogue.measured(collective, text)
    proved = [each for each in found if each.partition(":")[0] not in unproved]
    return list(dict.fromkeys(["native", *proved]))
