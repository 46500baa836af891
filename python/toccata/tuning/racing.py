"""The measurements for a tuning file: finds the remaining jobs, and runs them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from toccata.errors import InputError
from toccata.launching import launcher as mpi
from toccata.measuring import benchmark
from toccata.measuring.benchmark import Plan, Run
from toccata.tuning import tuning_file
from toccata.tuning.tuning_file import Case


@dataclass(frozen=True)
class Job:
    """One run of the benchmark."""

    plan: Plan
    ranks: int
    per_node: int | None  # ranks; None: the launcher's default
    command: Sequence[str]


def jobs(
    plans: Sequence[Plan],
    ranks: Sequence[int],
    per_node: Sequence[int | None],
    starter: mpi.Launcher,
    more: Sequence[str],
    done: Collection[Case],
) -> list[Job]:
    """The jobs, without the cases that are done.

    Raises InputError if the program is not built for that MPI, or if `per_node` needs more ranks.
    """
    for each in per_node:
        if each is not None and each > max(ranks):
            raise InputError(f"--per-node {each}: expected at most {max(ranks)} (--ranks)")
    result = []
    for p in ranks:
        for each in per_node:
            for plan in plans:
                sizes = [
                    size
                    for size in benchmark.sizes_of(plan.collective, plan.sizes)
                    if (plan.collective, p, each, size) not in done
                ]
                if not sizes or (each is not None and each > p):
                    continue
                here = replace(plan, sizes=sizes)
                placed = mpi.per_node(starter, each) if each is not None else []
                command = benchmark.command_for(here, starter, p, [*placed, *more])
                result.append(Job(here, p, each, command))
    return result


def run(
    jobs: Sequence[Job],
    found: tuning_file.Tuning,
    path: Path,
    told: Callable[[Job, int], None] = lambda *_: None,
) -> None:
    """Runs the jobs. After each size, writes the results so far and calls `told`.

    Raises the Failures of benchmark.measure, and InputError if the file belongs to another MPI.
    """
    most = max((each.ranks for each in found.points), default=0)
    for number, job in enumerate(jobs):

        def sized(
            run: Run, size: int, job: Job = job, last: bool = number == len(jobs) - 1
        ) -> None:
            nonlocal most
            if found.mpi and found.mpi != run.mpi:
                raise InputError(
                    f"{path} was measured with {found.mpi}, not {run.mpi}; "
                    "give another --output, or remove it"
                )
            found.mpi = run.mpi
            if run.ranks >= most:
                most, found.machine = run.ranks, run.machine
            here = [each for each in run.measurements if each.bytes == size]
            found.add(tuning_file.decide(here, max(run.nodes, 1), job.per_node))
            found.partial = not (last and size == job.plan.sizes[-1])
            found.write(path)
            told(job, size)

        benchmark.measure(job.plan, job.command, job.ranks, sized=sized)
