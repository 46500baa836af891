"""`toccata explain`."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from toccata import _core, outputs
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.commands.common import (
    BlockBytes,
    MachineOption,
    ModelOption,
    PlacementOption,
    console,
    number_of_ranks,
    print_whole,
    say,
    without_effect,
)
from toccata.errors import Failure, InputError
from toccata.launching import comparing, reports
from toccata.launching.reports import Report
from toccata.models import predicting
from toccata.tuning import proposals

Subject = Annotated[
    str, typer.Argument(metavar="FILE|COLLECTIVE", help="Report of a run, or a collective.")
]
Later = Annotated[
    Path | None,
    typer.Argument(
        metavar="AFTER", help="Second report, of a run after a change.", show_default=False
    ),
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
Native = Annotated[
    str,
    typer.Option(
        metavar="MPI",
        help="Use Toccata's fixed rules for this MPI library (openmpi-4.1, openmpi-5.0 or "
        "mpich-5.0), and show the library's own choice with its predicted time.",
    ),
]


def explain(
    given: typer.Context,
    subject: Subject,
    later: Later = None,
    output: Figure = None,
    html: Page = None,
    ranks: NumberOfRanks = None,
    size: BlockBytes = "1K",
    machine: MachineOption = None,
    placement: PlacementOption = None,
    model: ModelOption = "usual",
    tuning_: TuningFile = None,
    native: Native = "",
) -> None:
    """Explain the choices of a run and their gain, or predict the choice for a call.

    With TOCCATA_REPORT=FILE.json, a run writes a report. For each collective, communicator and
    size, explain prints the algorithm, the reason for its choice, its time, and the native time if
    it was measured. If all ranks reported, the first lines show the share of the time in which
    ranks waited for late ones, and name these ranks. `--html` writes all this as one page. `-o`
    draws the time of the run, and the time without Toccata, calculated from the measured native
    times. mpi4py's lower-case reductions send Python objects in point-to-point messages. The
    report shows only the broadcasts of comm.allreduce; comm.reduce, scan and exscan do not appear.

    With two reports, explain compares the runs before and after a change. For calls that occur in
    both, it compares the waiting time (until the last needed rank arrives), the working time (after
    that), and the choices. It also prints the ratio of the working times per call. `-o` draws them.

    For the name of a collective, explain prints the library's choice on a machine: from the nearest
    point of the tuning file, from a fixed rule for the MPI library (`--native`), or else from the
    model. If the model's network has a latency of 10 µs or more (as Ethernet has), the fixed rule
    applies to more calls. Each candidate has two times: the library uses the "estimated" one, from
    the schedules of a few ranks; the "predicted" one is from all ranks, if they are not too many.

    Examples:

    - `TOCCATA_REPORT=run.json toccata run -- mpirun -n 4 ./app`, then `toccata explain run.json`
    - `toccata explain run.json -o run.png --html run.html`
    - `toccata explain before.json after.json --html change.html`
    - `toccata explain allgather --ranks 512 --bytes 64K --machine "node:32 core:16" --model lassen`
    - `toccata explain allreduce -p 16 --machine "node:4 core:4" --native openmpi-5.0`
    """
    if _is_report(subject):
        of_calls = set(given.params) - {"subject", "later", "output", "html"}
        without_effect(given, of_calls, f"with {subject}: a report has its own ranks and machine")
        paths = [Path(subject)] if later is None else [Path(subject), later]
        _explain_reports(paths, output, html)
        return
    if later is not None:
        raise InputError(f"'{later}': a second report requires a first one, not a collective")
    if ranks is None:
        raise InputError("the number of ranks is missing: give --ranks")
    for option, value in (("--output", output), ("--html", html)):
        if value is not None:
            raise InputError(f"{option} requires a report FILE; for a single call, leave it out")
    parameters = predicting.read_model(model)
    if not catalogue.size_is_of(subject):
        without_effect(given, ["size"], f"for {subject}, which has no bytes")
    call = proposals.Call.of(subject, q.parse_bytes(size), ranks, machine, placement)
    _explain_call(proposals.Proposal.of(call, parameters, tuning_, native))


def _is_report(subject: str) -> bool:
    """InputError if it is neither a report nor a collective."""
    known = [each.name for each in _core.collectives()]
    if subject in known:
        return False
    if not subject.endswith(".json") and not Path(subject).exists():
        names = ", ".join(known)
        raise InputError(f"'{subject}' is neither a file nor a collective; expected one of {names}")
    return True


def _explain_reports(paths: Sequence[Path], output: Path | None, html: Path | None) -> None:
    """One report, or two: before and after a change."""
    if html is not None and not outputs.can_draw():
        raise ModuleNotFoundError(name="matplotlib")
    outputs.check(html, pictures=[output], reads=paths)
    found = [reports.read(path) for path in paths]
    # Printing comes last: the reader of the output may have closed it.
    if output is not None:
        from toccata.drawing import changes, gains, pictures  # matplotlib takes a second to load

        if len(found) == 1:
            title = f"Time in collectives: {found[0].ranks} ranks, {found[0].mpi}"
            pictures.write(gains.draw(found[0], title), output)
        else:
            pictures.write(changes.draw(comparing.compare(*found)), output)
    if html is not None:
        from toccata.drawing import report_page

        pages = report_page.page if len(found) == 1 else report_page.page_of_two
        outputs.write(html, pages(*found))
    if len(found) == 1:
        _print_report(found[0])
    else:
        _print_change(*found)
    for path in filter(None, (output, html)):
        say(f"wrote {path}")


def _print_report(report: Report) -> None:
    _print_lines(reports.answers(report))
    print_whole(reports.table(report))
    _print_lines([*reports.summary(report), *reports.reasons(report)])
    if report.node:
        _print_lines([f"node: {report.node}"])
    _print_lines(f"devices: {sentence}" for sentence in report.devices)


def _print_change(before: Report, after: Report) -> None:
    changes = comparing.compare(before, after)
    _print_lines(comparing.answers(before, after, changes))
    print_whole(comparing.table(before, after, changes))


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        console.print(line, soft_wrap=True, markup=False)


def _explain_call(proposal: proposals.Proposal) -> None:
    for line in proposal.reasons():
        console.print(line)
    if not proposal.ranked or proposal.is_alone:
        return
    table, wrong = proposal.table()
    print_whole(table)
    for line in proposal.notes():
        console.print(line)
    if wrong:
        name, error = next(iter(wrong.items()))
        of = proposal.call.collective
        raise Failure(f"{of}/{name} is wrong: {error}; `toccata verify {of}` shows all")
