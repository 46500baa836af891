"""`toccata explain`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import ModelOption, console, number_of_ranks, print_whole
from toccata.errors import Failure, InputError
from toccata.launching import reports
from toccata.models import predicting
from toccata.plain_table import PlainTable
from toccata.topology import machines
from toccata.topology.machines import MachineOption, PlacementOption
from toccata.tuning import tuning_file

MOST_WALKED = 2_000_000  # messages of all ranks; a walk of that many takes one or two seconds


def explain(
    subject: Annotated[
        str,
        typer.Argument(metavar="FILE|COLLECTIVE", help="Report of a run, or a collective."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Draw a report: .png, .svg or .pdf."),
    ] = None,
    ranks: Annotated[
        int | None,
        typer.Option("--ranks", "-p", metavar="P", parser=number_of_ranks, help="Number of ranks."),
    ] = None,
    size: Annotated[
        str, typer.Option("--bytes", metavar="N", help="Bytes per block, or of the message.")
    ] = "1K",
    machine: MachineOption = None,
    placement: PlacementOption = None,
    model: ModelOption = "usual",
    tuning_: Annotated[
        Path | None,
        typer.Option("--tuning", metavar="FILE", help="Tuning file, as for TOCCATA_TUNING."),
    ] = None,
) -> None:
    """Explain the choices of a run and their gain, or predict the choice for a call.

    With TOCCATA_REPORT=FILE.json, a run writes a report. For each collective, communicator and
    size, explain prints the algorithm, the reason for its choice, its time, and the native time if
    it was measured. `-o` draws two times of the run: with Toccata, and without it, calculated from
    the measured native times.

    For the name of a collective, explain prints the library's choice on a machine: from the nearest
    point of the tuning file, otherwise from the model. It also prints the predicted time of every
    candidate. "Sketched" times, which the library uses, are estimated from the schedules of a few
    ranks. "Walked" times follow the schedules of all ranks, unless there are too many messages.

    Examples:

    - `TOCCATA_REPORT=run.json toccata run -- mpirun -n 4 ./app`, then `toccata explain run.json`
    - `toccata explain run.json -o run.png`
    - `toccata explain allgather --ranks 512 --bytes 64K --machine "node:32 core:16" --model lassen`
    """
    if subject in [each.name for each in _core.collectives()]:
        if ranks is None:
            raise InputError("the number of ranks is missing: give --ranks")
        if output is not None:
            raise InputError("--output requires a report: it does not draw a single call")
        _of_a_call(subject, ranks, q.parse_bytes(size), machine, placement, model, tuning_)
        return
    if not subject.endswith(".json") and not Path(subject).exists():
        known = ", ".join(each.name for each in _core.collectives())
        raise InputError(f"'{subject}' is neither a file nor a collective; expected one of {known}")
    outputs.check_pictures(output)
    report = reports.read(Path(subject))
    print_whole(reports.table(report))
    for line in (*reports.summary(report), *reports.reasons(report)):
        console.print(line, soft_wrap=True)
    for sentence in report.devices:
        console.print(f"devices: {sentence}", soft_wrap=True)
    if output is not None:
        from toccata.drawing import gains, pictures  # matplotlib takes a second to load

        title = f"Time in collectives: {report.ranks} ranks, {report.mpi}"
        pictures.write(gains.draw(report, title), output)
        console.print(f"wrote {output}")


def _of_a_call(
    collective: str,
    ranks: int,
    size: int,
    machine: str | None,
    placement: str | None,
    model: str,
    file: Path | None,
) -> None:
    parameters = predicting.read_model(model)
    shape = machines.shape(ranks, machine, placement)
    nodes = 1
    if machine is not None:
        there = machines.named(machine)
        nodes = machines.nodes(
            _core.Placement(there, ranks, placement or machines.STANDARD_PLACEMENT)
        )
    what = f"{collective} of {q.show_bytes(size)} among {ranks} ranks on {nodes} node(s)"
    tuned = None
    if file is not None:
        tuning_file.read(file)  # its errors name the place
        tuned = _core.tuned(str(file), collective, ranks, nodes, size)
    ranked = _core.rank(collective, shape, parameters, [size])[0]
    tried = {
        choice.text for choice, _ in _core.worth_trying(collective, shape, parameters, [size])[0]
    }
    if tuned is not None:
        console.print(f"{what}: [bold]{tuned.text}[/], tuned: by the nearest point of {file}")
    elif ranked:
        why = f"{file} has no point nearby" if file is not None else "no measurement exists"
        console.print(
            f"{what}: [bold]{ranked[0][0].text}[/], modelled: {why}, and the model "
            f"{parameters.name} ranks it first"
        )
        console.print(
            "the library starts with native, tries the candidates marked *, and keeps the fastest"
        )
        if ranked[0][0].reduces:
            console.print(
                "sums of floating-point numbers stay native to keep their bits, unless "
                "TOCCATA_GUARD=all"
            )
    else:
        console.print(f"{what}: native; no algorithm of Toccata can run there")
        return
    few = ranks <= predicting.MOST_BOUNDED_RANKS
    bound = _core.LowerBound(ranked[0][0], shape, parameters)(size) if few else None
    table = PlainTable()
    table.add_column("Candidate", no_wrap=True)
    for heading in (
        "Sketched\nµs",
        "Walked\nµs",
        "Relative\nto first",
        "Rounds",
        "Messages\nper rank",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    wrong: dict[str, str] = {}
    for choice, seconds in ranked:
        cost = choice.cost(shape)
        walked = "[dim]–[/]"
        if cost.messages * ranks <= MOST_WALKED:
            try:
                time = _core.Predictor(choice, shape).seconds(size, parameters)
                walked = q.show_microseconds(time)
            except _core.ChoiceError as error:  # a deadlock
                wrong[choice.text] = str(error)
                walked = "[bold red]wrong[/]"
        mark = "[bold green]" if choice.text == (tuned or ranked[0][0]).text else "[default]"
        table.add_row(
            f"{mark}{choice.text}[/]{'*' if tuned is None and choice.text in tried else ''}",
            q.show_microseconds(seconds), walked,
            f"×{seconds / ranked[0][1]:.2f}", str(cost.rounds), str(cost.messages),
        )  # fmt: skip
    print_whole(table)
    for path in catalogue.unproved(collective):
        console.print(f"{path} is {catalogue.NOT_PROVED}")
    if bound is not None:
        console.print(f"lower bound by this model: {q.show_microseconds(bound)} µs")
    if wrong:
        name = next(iter(wrong))
        raise Failure(
            f"{collective}/{name} is wrong: {wrong[name]}; `toccata verify {collective}` shows all"
        )
