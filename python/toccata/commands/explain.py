"""`toccata explain`."""

from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.commands.common import (
    BlockBytes,
    MachineOption,
    ModelOption,
    PlacementOption,
    console,
    number_of_ranks,
    print_whole,
)
from toccata.errors import Failure, InputError
from toccata.launching import reports
from toccata.models import predicting
from toccata.tuning import proposals

Subject = Annotated[
    str, typer.Argument(metavar="FILE|COLLECTIVE", help="Report of a run, or a collective.")
]
Figure = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Draw a report: .png, .svg or .pdf."),
]
Page = Annotated[
    Path | None,
    typer.Option("--html", metavar="FILE", help="Write a report as a page that needs no network."),
]
NumberOfRanks = Annotated[
    int | None,
    typer.Option("--ranks", "-p", metavar="P", parser=number_of_ranks, help="Number of ranks."),
]
TuningFile = Annotated[
    Path | None,
    typer.Option("--tuning", metavar="FILE", help="Tuning file, as for TOCCATA_TUNING."),
]


def explain(
    subject: Subject,
    output: Figure = None,
    html: Page = None,
    ranks: NumberOfRanks = None,
    size: BlockBytes = "1K",
    machine: MachineOption = None,
    placement: PlacementOption = None,
    model: ModelOption = "usual",
    tuning_: TuningFile = None,
) -> None:
    """Explain the choices of a run and their gain, or predict the choice for a call.

    With TOCCATA_REPORT=FILE.json, a run writes a report. For each collective, communicator and
    size, explain prints the algorithm, the reason for its choice, its time, and the native time if
    it was measured. If all ranks reported, the first lines tell how much of the time the ranks
    waited for late ranks, and for which ones. `--html` writes all this as one page. `-o` draws two
    times of the run: with Toccata, and without it, calculated from the measured native times.
    Reductions by mpi4py's lower-case methods, such as comm.allreduce, appear as broadcasts only,
    because mpi4py combines the objects itself.

    For the name of a collective, explain prints the library's choice on a machine: from the nearest
    point of the tuning file, otherwise from the model. It also prints two times of every candidate.
    The library uses the "estimated" time, which follows from the schedules of a few ranks. The
    "predicted" time follows from those of all ranks, unless there are too many messages.

    Examples:

    - `TOCCATA_REPORT=run.json toccata run -- mpirun -n 4 ./app`, then `toccata explain run.json`
    - `toccata explain run.json -o run.png --html run.html`
    - `toccata explain allgather --ranks 512 --bytes 64K --machine "node:32 core:16" --model lassen`
    """
    known = [each.name for each in _core.collectives()]
    if subject not in known:
        if not subject.endswith(".json") and not Path(subject).exists():
            names = ", ".join(known)
            raise InputError(
                f"'{subject}' is neither a file nor a collective; expected one of {names}"
            )
        if ranks is not None or machine is not None or placement is not None or tuning_ is not None:
            raise InputError(
                f"{subject}: a report has its own ranks and machine; give no --ranks, --machine, "
                "--placement or --tuning"
            )
        _explain_report(Path(subject), output, html)
        return
    if ranks is None:
        raise InputError("the number of ranks is missing: give --ranks")
    for option, value in (("--output", output), ("--html", html)):
        if value is not None:
            raise InputError(f"{option} requires a report: it does not draw a single call")
    parameters = predicting.read_model(model)
    call = proposals.Call.of(subject, q.parse_bytes(size), ranks, machine, placement)
    _explain_call(proposals.Proposal.of(call, parameters, tuning_))


def _explain_report(path: Path, output: Path | None, html: Path | None) -> None:
    outputs.check_pictures(output)
    if html is not None and not outputs.can_draw():
        raise ModuleNotFoundError(name="matplotlib")
    outputs.check(html, reads=path)
    report = reports.read(path)
    for line in reports.answers(report):
        console.print(line, soft_wrap=True, markup=False)
    print_whole(reports.table(report))
    for line in (*reports.summary(report), *reports.reasons(report)):
        console.print(line, soft_wrap=True, markup=False)
    if report.node:
        console.print(f"node: {report.node}", soft_wrap=True, markup=False)
    for sentence in report.devices:
        console.print(f"devices: {sentence}", soft_wrap=True, markup=False)
    if output is not None:
        from toccata.drawing import gains, pictures  # matplotlib takes a second to load

        title = f"Time in collectives: {report.ranks} ranks, {report.mpi}"
        pictures.write(gains.draw(report, title), output)
        console.print(f"wrote {output}")
    if html is not None:
        from toccata.drawing import report_page

        html.write_text(report_page.page(report))
        console.print(f"wrote {html}")


def _explain_call(proposal: proposals.Proposal) -> None:
    for line in proposal.reasons():
        console.print(line)
    if not proposal.ranked:
        return
    table, wrong = proposal.table()
    print_whole(table)
    for line in proposal.notes():
        console.print(line)
    if wrong:
        name, error = next(iter(wrong.items()))
        of = proposal.call.collective
        raise Failure(f"{of}/{name} is wrong: {error}; `toccata verify {of}` shows all")
