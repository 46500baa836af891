"""`toccata verify`."""

from functools import partial
from time import monotonic
from typing import Annotated

import typer
from rich.markup import escape

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import every_p as proofs_of_patterns
from toccata.algorithms import proving
from toccata.commands.common import (
    MachineOption,
    Names,
    PlacementOption,
    console,
    name_of,
    number_of_ranks,
    progress,
    subjects,
    without_effect,
)
from toccata.errors import Failure, InputError
from toccata.launching import maps
from toccata.topology import machines

STANDARD_MAX_P = 128
MaxP = Annotated[
    int | None,
    typer.Option(
        "--max-p",
        metavar="P",
        parser=number_of_ranks,
        help=f"Check every number of ranks up to P; {STANDARD_MAX_P} by default, or the cores of "
        "--machine.",
    ),
]


EveryP = Annotated[
    bool,
    typer.Option(
        "--every-p",
        help="Prove patterns for every number of ranks. This needs the package z3-solver.",
    ),
]


def verify(
    given: typer.Context,
    names: Names = None,
    max_p: MaxP = None,
    machine: MachineOption = None,
    placement: PlacementOption = None,
    every_p: EveryP = False,
) -> None:
    """Prove that algorithms are correct, for every setting of their parameters, also in place.

    Follows every block from its origin, and proves that

    - the ranks do not deadlock, and no rank sends undefined data
    - no two writes overlap
    - every rank ends with the blocks that the collective requires
    - the numbers of rounds, messages and blocks agree with the literature.

    Checks all numbers of ranks up to --max-p, and some larger ones if that takes about a second.
    Topology-aware algorithms are proved on several kinds of machines, or on that of --machine. The
    exit code is 1 if a proof fails. With --every-p, the command prints whether the schedules follow
    a pattern that is proved for every number of ranks p.

    Examples:

    - `toccata verify sparbit --max-p 699`
    - `toccata verify allgather/bruck:rotation=none`
    """
    if every_p:
        without_effect(given, ["machine", "placement"], "with --every-p")
        _for_every_p(names, max_p or STANDARD_MAX_P)
        return
    max_p = max_p or machines.places(machine, STANDARD_MAX_P)
    maps.shape(max_p if machine else 1, machine, placement)  # raises an error if impossible
    ranks = range(1, max_p + 1) if machine else _core.ranks_to_prove(max_p)
    known = partial(maps.shape, machine=machine, placement=placement) if machine else None
    began = monotonic()
    chosen = {name_of(each): each for each in subjects(names)}
    work = proving.all_cases(chosen, ranks, known)
    citations = proving.known_citations()
    width = max(map(len, work))
    failed = proofs = 0
    with progress() as bar:
        task = bar.add_task("", total=sum(map(len, work.values())))
        for label, verdict in proving.prove(
            work, lambda label: bar.update(task, advance=1, description=label)
        ):
            proofs += verdict.proofs
            citation = proving.citation_of(chosen[label])
            error = verdict.error or proving.unknown_citation(citation, citations)
            failed += bool(error)
            found = f"[green]proved[/]  {verdict.summary}"
            if error:
                found = f"[bold red]wrong[/]  {escape(error)}"
            console.print(f"[cyan]{escape(f'{label:{width}}')}[/]  {found}")
    took = f"{q.plural('proof', proofs)} in {q.show_duration(monotonic() - began)}"
    if failed:
        raise Failure(f"wrong: {failed} of {len(work)} algorithms; {took}")
    console.print(f"correct: {len(work)} of {len(work)} algorithms; {took}")


def _for_every_p(names: Names, most: int) -> None:
    """Prints for which numbers of ranks each algorithm is proved."""
    chosen = {name_of(each) for each in subjects(names)}
    if unknown := sorted(chosen - {each.path for each in _core.algorithms()}):
        raise InputError(
            f"--every-p takes names of algorithms of the library, without parameters; leave out "
            f"{', '.join(unknown)}"
        )
    verdicts = [each for each in proofs_of_patterns.verdicts(most) if each.path in chosen]
    width = max(len(each.path) for each in verdicts)
    for each in verdicts:
        proved = "[green]every p[/]" if each.every else "up to --max-p"
        console.print(f"[cyan]{each.path:{width}}[/]  {proved}  {escape(each.why)}")
    wrong = [each.path for each in verdicts if each.why and not each.every]
    if wrong:
        raise Failure(f"no proof for every p: {', '.join(wrong)}")
    every = sum(each.every for each in verdicts)
    console.print(f"proved for every p: {every} of {len(verdicts)} algorithms")
