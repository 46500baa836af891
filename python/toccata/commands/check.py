"""`toccata check`."""

from __future__ import annotations

import json as json_text
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from toccata import outputs
from toccata import quantities as q
from toccata.commands.common import JsonFile, aside, count, known_mpi, print_whole, say
from toccata.launching import launcher
from toccata.plain_table import PlainTable
from toccata.topology import machines

if TYPE_CHECKING:
    from toccata.checking.history import Entry
    from toccata.checking.measured import Collective, Measured
    from toccata.checking.session import Outcome

FOUND = 3  # the exit code if something is slow

Command = Annotated[
    list[str],
    typer.Argument(
        metavar="COMMAND",
        help="Launcher after --, without a program: mpirun -n 4 --hostfile hosts.",
    ),
]
MachineText = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Topology with the hosts: topology.conf, an output of scontrol or ibnetdiscover, or "
        "a file that --save wrote; TOCCATA_TOPOLOGY by default.",
    ),
]
Links = Annotated[
    str,
    typer.Option(
        metavar="LIST",
        help='Links that differ by design, such as "leaf=1/2" (see toccata bounds --help).',
    ),
]
MpiName = Annotated[
    str | None,
    typer.Option(
        metavar="MPI",
        autocompletion=lambda: list(launcher.LAUNCHED),
        help="MPI of the launcher, if it cannot be detected: openmpi, mpich or intelmpi.",
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Compare with an earlier check, which --json wrote, pair by pair."
    ),
]
History = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Append this check to a file, and print the trend."),
]
Heatmap = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Draw a heat map of all pairs: .png, .svg or .pdf."),
]
Save = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Save the topology with its slow links, and trees avoiding them, for TOCCATA_TOPOLOGY "
        "or --machine.",
    ),
]
Seconds = Annotated[
    int,
    typer.Option(
        metavar="N",
        parser=count("number of seconds"),
        help="Time limit of each run of the program.",
    ),
]
NoCollectives = Annotated[
    bool, typer.Option("--no-collectives", help="Measure hosts and links only.")
]


def check(
    command: Command,
    machine: MachineText = None,
    links: Links = "",
    baseline: Baseline = None,
    json: JsonFile = None,
    history: History = None,
    heatmap: Heatmap = None,
    save: Save = None,
    seconds: Seconds = 300,
    no_collectives: NoCollectives = False,
    mpi: MpiName = None,
) -> None:
    """Check whether the hosts, links and collectives of a machine are as fast as they should be.

    Measures the cores and the memory of each host, and messages between pairs of hosts: all pairs
    of up to 64 hosts, and selected pairs of more. Compares pairs with the fastest 10% of similar
    pairs, and hosts with the median host; or all with a baseline. Names the hosts, uplinks of
    switches or links that explain all slow pairs. A suspected part is measured again, and counts
    only if two runs agree.

    Prints one line per finding. The exit code is 0 if nothing is slow, 3 if something is, 1 if the
    measurement fails, for example because a host does not answer, and 2 for wrong options. If only
    the MPI library's choice of algorithms is slow, one line reports it, and the exit code is 0; it
    is 3 if this choice was faster in the baseline.

    Examples:

    - `toccata check -- mpirun -n 4 --hostfile hosts --map-by node`
    - `toccata check --machine topology.conf --json today.json -- mpirun -n 64 --map-by node`
    - `toccata check --baseline accepted.json --history checks.jsonl -- mpiexec -n 64 -ppn 1`
    - `toccata check --save slow.txt -- mpirun -n 4`, then `TOCCATA_TOPOLOGY=slow.txt`
    - `toccata check --mpi openmpi -- srun -N 16 --ntasks-per-node 1`
    """
    from toccata.checking import history as past
    from toccata.checking import measured, session

    known_mpi(mpi, launcher.LAUNCHED)
    reads = [baseline, machine or machines.of_environment()]
    outputs.check(json, history, save, pictures=[heatmap], reads=reads)
    before = measured.from_file(baseline) if baseline is not None else None
    earlier = past.read(history) if history is not None else ([], "")
    request = session.Request(command, mpi, machine, links, before, seconds, not no_collectives)
    outcome = session.check(request, aside)
    # Printing comes last: the reader of the output may have closed it.
    lines = _write(outcome, before, earlier, Files(json, history, heatmap, save))
    _report(outcome)
    for line in lines:
        say(line)
    if outcome.alarms:
        raise typer.Exit(FOUND)


@dataclass(frozen=True)
class Files:
    """The files to write; None: not requested."""

    json: Path | None
    history: Path | None
    heatmap: Path | None
    save: Path | None


def _write(
    outcome: Outcome, before: Measured | None, earlier: tuple[list[Entry], str], files: Files
) -> list[str]:
    """Writes the requested files; the lines about them. `earlier` is the history so far."""
    from toccata.checking import measured, saving

    lines = []
    if files.json is not None:
        document = measured.as_document(outcome.measured)
        document["findings"] = [vars(each) | {"text": each.text} for each in outcome.findings]
        outputs.write(files.json, json_text.dumps(document, indent=1) + "\n")
    if files.history is not None:
        lines += _remember(outcome, *earlier, files.history)
    if files.save is not None:
        text, slow = saving.saved(outcome.measured, outcome.site, outcome.findings)
        outputs.write(files.save, text)
        lines.append(f"slow links in {files.save}: {slow or 'none'}")
    if files.heatmap is not None:
        _draw(outcome, before, files.heatmap)
    written = [each for each in vars(files).values() if each is not None]
    return [*lines, *([outputs.wrote(*written)] if written else [])]


def _report(outcome: Outcome) -> None:
    """The findings, the doubts, and a line about the machine."""
    from toccata.checking import expected

    here = outcome.measured
    for each in outcome.remarks:
        say(each)
    if here.collectives:
        print_whole(_table(here.collectives))
    for finding in outcome.findings:
        say(finding.text)
    for finding in outcome.withdrawn:
        say(f"not confirmed, so not counted: {finding.text}")
    if outcome.disturbed:
        names = ", ".join(outcome.disturbed)
        say(
            f"other programs run on the cores of {names}: times vary, so small faults may "
            "remain undetected"
        )
    where = f"{q.plural('host', len(here.hosts))}, {here.mpi}"
    if here.pairs:
        latency, rate = expected.link_of(here)
        where += f": latency {q.show_microseconds(latency)} µs, {rate / 1e6:.1f} MB/s"
    verdict = "slow parts above" if outcome.alarms else "nothing is slow"
    runs = "once" if outcome.runs == 1 else f"{outcome.runs} times"
    say(f"{where}, measured {runs}: {verdict}")


def _table(collectives: Sequence[Collective]) -> Table:
    table = PlainTable(kept=2)
    table.add_column("Collective", style="cyan")
    for heading in ("Bytes", "Expected\n(µs)", "MPI's own\n(µs)", "Toccata's\nfastest (µs)"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("Algorithm")
    for each in collectives:
        times = (each.expected, each.native, each.rival_seconds)
        table.add_row(
            each.name, q.show_bytes(each.bytes), *map(q.show_microseconds, times), each.rival
        )
    return table


def _remember(outcome: Outcome, earlier: list[Entry], complaint: str, path: Path) -> list[str]:
    """Appends the check to the history; the trend, after a complaint about unreadable checks."""
    from toccata.checking import history as past

    new = past.entry(outcome.measured, outcome.alarms)
    past.append(path, new)
    return [*filter(None, [complaint]), past.trend(earlier, new)]


def _draw(outcome: Outcome, before: Measured | None, path: Path) -> None:
    from toccata.checking import expected
    from toccata.drawing import hosts, pictures

    here = outcome.measured
    panels = {
        metric: expected.of_baseline(here, before, metric).factors
        if before is not None
        else expected.of_machine(here, outcome.site, metric).factors
        for metric in expected.METRICS
    }
    pictures.write(hosts.draw(panels, here.hosts, f"{len(here.hosts)} hosts, {here.mpi}"), path)
