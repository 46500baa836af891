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

    @property
    def cases(self) -> list[Case]:
        """The cases that it measures."""
        return [(self.plan.collective, self.ranks, self.per_node, size) for size in self.plan.sizes]


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
    jobs: Sequence[Job], path: Path, told: Callable[[Job, int], None] = lambda *_: None
) -> None:
    """Runs the jobs. After each size, adds the result to the file and calls `told`. Other processes
    may add results meanwhile.

    Raises the Failures of benchmark.measure, and InputError if the file belongs to another MPI.
    """
    wanted = [case for job in jobs for case in job.cases]
    for job in jobs:

        def sized(run: Run, size: int, job: Job = job) -> None:
            here = [each for each in run.measurements if each.bytes == size]
            point = tuning_file.decide(here, max(run.nodes, 1), job.per_node)

            def change(found: tuning_file.Tuning) -> None:
                _check_mpi(found, run, path)
                found.mpi = run.mpi
                if run.ranks >= max((each.ranks for each in found.points), default=0):
                    found.machine = run.machine
                found.missing = list(dict.fromkeys([*found.missing, *wanted]))
                found.add(point)
                found.partial = bool(found.missing)

            tuning_file.update(path, change)
            wanted.clear()  # the file lists them from now on
            told(job, size)

        benchmark.measure(job.plan, job.command, job.ranks, sized=sized)


def _check_mpi(found: tuning_file.Tuning, run: Run, path: Path) -> None:
    """InputError if the file belongs to another MPI."""
    if found.mpi and found.mpi != run.mpi:
        raise InputError(
            f"{path} was measured with {found.mpi}, not {run.mpi}; "
            "give another --output, or remove it"
        )
