"""`toccata tune`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import (
    _core,
    catalogue,
    launcher,
    machines,
    measuring,
    outputs,
    predicting,
    racing,
    tuning,
    tuning_report,
)
from toccata import quantities as q
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
from toccata.machines import PlacementOption

STANDARD_RANKS = "2,3,4,6,8"
STANDARD_SIZES = "8:1M:4"
WARMUP = 3  # calls


def tune(
    collectives: Annotated[
        list[str] | None,
        typer.Argument(metavar="COLLECTIVE", help="As allgather; all if none is given."),
    ] = None,
    ranks: Annotated[
        str, typer.Option(metavar="LIST", help="Numbers of ranks, or a range FIRST:LAST:STEP.")
    ] = STANDARD_RANKS,
    per_node: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Ranks a node; as the launcher has it unless told."),
    ] = None,
    sizes: Annotated[
        str, typer.Option(metavar="LIST", help="Bytes per block, or of the message.")
    ] = STANDARD_SIZES,
    algorithms: Annotated[
        str,
        typer.Option(metavar="LIST", help="variants (every setting), all, or ring,sparbit:..."),
    ] = "variants",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Where it goes: results/tuning-MPI.json."
        ),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Measure what the file has already, too.")
    ] = False,
    repetitions: Annotated[
        int,
        typer.Option(
            metavar="N", parser=count("number of calls"), help="Most timed calls for one setting."
        ),
    ] = 200,
    limit: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            parser=seconds,
            help="About how long one setting may take.",
        ),
    ] = 3,
    no_validate: NoValidate = False,
    mpi: MpiOption = "auto",
    launcher_args: LauncherArgs = "",
    heatmap: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The picture; beside the file unless told.")
    ] = None,
    by_model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Measure nothing: lassen, gigabit, usual, or a file."),
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help='Of --by-model, as "node:4 socket:2 core:8".'),
    ] = None,
    placement: PlacementOption = None,
    show: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Print and draw a file, and do no more.")
    ] = None,
) -> None:
    """Find the best algorithm for each number of ranks and size, and write a tuning file.

    Every algorithm, in every setting of its parameters, runs beside the MPI library's own, in
    turns. What is slower beyond doubt is dropped on the way: by a sign test on the calls that were
    timed in turns, against the one with the least median, at a level of 5% shared among all pairs
    of algorithms and all looks; and at once what takes three times as long in the first calls. An
    algorithm is chosen where it beats the MPI library's own beyond doubt, by the same test; else
    native is.

    The file grows as results come. Interrupt it when you like: the same command goes on where it
    stopped. TOCCATA_TUNING=FILE has the library choose by it: near a measured point as that says,
    beyond as without a file.

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
        _show(tuning.read(show), heatmap)
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
            raise InputError("--machine and --placement are of --by-model")
        plans = [
            measuring.Plan(
                each, _candidates(each, algorithms), measuring.parse_sizes(sizes), repetitions,
                WARMUP, limit, not no_validate, race=True,
            )
            for each in _collectives(collectives)
        ]  # fmt: skip
        starter = launcher.find(mpi)
        output = output or Path(f"results/tuning-{starter.family}.json")
        heatmap = outputs.picture(heatmap, output.with_suffix(".png"))
        outputs.check_pictures(heatmap)
        outputs.check(output)
        found = tuning.read(output) if output.exists() and not again else tuning.Tuning()
        placed = [None] if per_node is None else q.parse_ranks(per_node)
        jobs = racing.jobs(
            plans, q.parse_ranks(ranks), placed, starter, words(launcher_args), found
        )
        _measure(jobs, found, output)
    _show(found, heatmap)
    console.print(f"wrote {output}; TOCCATA_TUNING={output} has the library choose by it")
    if by_model is None and found.points:
        folders = _core.tuning_folders(str(launcher.library(starter.family, starter.version)))
        console.print(
            f"all runs with {found.mpi} on such nodes find it in {folders[0]} (yours)"
            + "".join(f" or {each} (all users)" for each in folders[1:])
            + f": mkdir -p {folders[0]} && cp {output} {folders[0]}",
            soft_wrap=True,
        )


def _measure(jobs: Sequence[racing.Job], found: tuning.Tuning, output: Path) -> None:
    """With a bar; interrupted it says how to go on."""
    total = sum(len(each.plan.sizes) for each in jobs)
    if not total:
        console.print(f"{output} has all of that; --again measures it anew")
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
                "and the same command goes on with it"
            )
            raise


def _show(found: tuning.Tuning, heatmap: Path | None) -> None:
    print_whole(tuning_report.tables(found))
    if found.partial:
        console.print("it is not complete: the command that made it goes on with it")
    if not found.points:
        return
    console.print(f"\n{tuning_report.summary(found)}")
    if heatmap is not None:
        from toccata import drawing, tuning_drawing  # matplotlib takes a second to load

        by = f"by the model {found.model}" if found.model else found.mpi
        title = f"Who serves best: {by}"
        drawing.write(tuning_drawing.draw(found, title), heatmap)
        console.print(f"wrote {heatmap}")


def _modelled(
    collectives: Sequence[str],
    model: str,
    machine: str | None,
    placement: str | None,
    ranks: Sequence[int],
    sizes: Sequence[int],
) -> tuning.Tuning:
    if machine is None:
        raise InputError('--by-model is of a machine: give --machine, as "node:4 socket:2 core:8"')
    parameters = predicting.read_model(model)
    there = machines.named(machine)
    found = tuning.Tuning(machine=there.text, model=parameters.name)
    for p in ranks:
        placed = _core.Placement(there, p, placement or machines.STANDARD_PLACEMENT)
        for each in collectives:
            shape = _core.Shape(placed)
            found.points += tuning.by_model(each, shape, machines.nodes(placed), sizes, parameters)
    return found


def _collectives(names: Sequence[str] | None) -> list[str]:
    """InputError where one is none."""
    known = [each.name for each in _core.collectives()]
    for each in names or []:
        if each not in known:
            raise InputError(f"there is no collective '{each}'; known are {', '.join(known)}")
    return list(names or [each.name for each in _core.collectives() if each.regular == each.name])


def _candidates(collective: str, text: str) -> list[str]:
    """The MPI library's own among them, which all are measured by."""
    return list(dict.fromkeys(["native", *catalogue.measured(collective, text)]))
