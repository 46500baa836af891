"""The work of `toccata bench`: a plan for each number of ranks, the runs, and the written files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.errors import Failure, InputError
from toccata.launching.launcher import Launcher
from toccata.measuring import benchmark
from toccata.measuring.benchmark import Plan, Run
from toccata.measuring.files import Files
from toccata.measuring.results import Measurement, Metric, Results

STANDARD_HIGHLIGHT = "sparbit"
STANDARD_RANKS = "2,4,8"
STANDARD_SIZES = "1:1M"
STANDARD_REPETITIONS = 100


@dataclass(frozen=True)
class Paper:
    """The measurement of a paper, from which a request takes its missing options."""

    collective: str
    ranks: str
    algorithms: str
    repetitions: int
    sizes: Callable[[int], Sequence[int]]  # of blocks, with a number of ranks
    others: Mapping[int, Sequence[int]]  # by ranks, the sizes of additional runs


@dataclass(frozen=True)
class Request:
    """The requested measurement; a missing option is None."""

    collective: str
    ranks: str | None
    sizes: str | None
    algorithms: str | None
    distribution: str | None
    device: str | None  # the GPU runtime in whose memory buffers lie
    paper: Paper | None
    repetitions: int | None
    warmup: int
    limit: float  # seconds
    validate: bool
    baseline: str  # the algorithms that the highlighted one is compared with
    highlight: str | None
    metric: Metric

    @property
    def name(self) -> str:
        """The name for files, such as "alltoallv-uniform"."""
        parts = [self.collective, self.distribution or "", self.device or ""]
        parts.append("paper" if self.paper else "")
        return "-".join(filter(None, parts))

    @property
    def names(self) -> list[str]:
        """The algorithms."""
        standard = self.paper.algorithms if self.paper else "all"
        return catalogue.measured(
            self.collective, standard if self.algorithms is None else self.algorithms
        )

    def plans(self) -> dict[int, Plan]:
        """The plan for each number of ranks. InputError if options do not fit the collective."""
        paper = self.paper
        if paper and self.collective != paper.collective:
            raise InputError(f"--paper requires {paper.collective}, not {self.collective}")
        names = self.names
        if self.distribution and catalogue.is_regular(self.collective):
            raise InputError("--distribution requires a vector form, such as alltoallv")
        sizes = benchmark.parse_sizes(STANDARD_SIZES if self.sizes is None else self.sizes)
        standard = paper.repetitions if paper else STANDARD_REPETITIONS
        plan = Plan(
            self.collective, names, benchmark.sizes_of(self.collective, sizes),
            self.repetitions or standard, self.warmup, self.limit, self.validate,
            self.distribution, self.device,
        )  # fmt: skip
        ranks = paper.ranks if paper else STANDARD_RANKS
        plans = dict.fromkeys(q.parse_ranks(ranks if self.ranks is None else self.ranks), plan)
        if paper and self.sizes is None:
            plans = {p: replace(plan, sizes=paper.sizes(p)) for p in plans}
        if paper and self.ranks is None:
            plans |= {p: replace(plan, sizes=sizes) for p, sizes in paper.others.items()}
        for name in filter(outside.is_file, names):
            choice = catalogue.parse(self.collective, name)
            outside.make_runnable(name, choice, [
                shape for p in plans if not choice.why_impossible(shape := _core.Shape(p))
            ])  # fmt: skip
        return plans


@dataclass(frozen=True)
class Comparison:
    """The highlighted algorithm, those that it is compared with, and the compared time."""

    marked: str | None
    compared: list[str] | None  # None: all others
    metric: Metric

    @classmethod
    def of(cls, request: Request) -> "Comparison":
        """InputError if an algorithm is not measured."""
        highlight, baseline = request.highlight, request.baseline
        names = request.names
        chosen = STANDARD_HIGHLIGHT
        if highlight is not None:
            chosen = catalogue.parse(request.collective, highlight).text
        if highlight is not None and chosen not in names:
            raise InputError(f"--highlight {highlight} is not measured; add it to --algorithms")
        compared = None
        if baseline != "all":
            compared = catalogue.measured(request.collective, baseline)
        for name in compared or []:
            if name not in names:
                raise InputError(f"--baseline {name} is not measured; add it to --algorithms")
        return cls(chosen if chosen in names else None, compared, request.metric)


@dataclass
class Watch:
    """Functions that are called with the progress."""

    starts: Callable[[int], None]  # ranks
    arrived: Callable[[Measurement], None]
    more: Callable[[int], None]  # cells that are measured again
    ended: Callable[[Run, int, Results], None]  # sizes, all results so far


def measure(
    plans: Mapping[int, Plan],
    starter: Launcher,
    more: Sequence[str],
    files: Files,
    watch: Watch,
) -> Results:
    """Makes one run per number of ranks. Failure if one fails, or if no algorithm can be measured.

    After a failure or Ctrl-C, the files contain the results so far.
    """
    commands = commands_for(plans, starter, more)
    measured: list[Measurement] = []
    arrived: list[Measurement] = []  # of a run that has not ended

    def told(measurement: Measurement) -> None:
        arrived.append(measurement)
        watch.arrived(measurement)

    def once_more(p: int, sizes: Sequence[int]) -> Run:
        plan = replace(plans[p], sizes=sizes)
        watch.more(len(plan.algorithms) * len(sizes))
        return benchmark.measure(plan, benchmark.command_for(plan, starter, p, more), p, told)

    try:
        for p, command in commands.items():
            watch.starts(p)
            run = benchmark.measure(plans[p], command, p, told)
            measured += benchmark.straightened(run, partial(once_more, p))
            arrived.clear()
            watch.ended(run, len(plans[p].sizes), Results(measured))
    except BaseException:
        files.write_partial(Results([*measured, *arrived]))
        raise
    if not measured:
        raise Failure("nothing measured: no algorithm can run with these --ranks; give others")
    return Results(measured)


def commands_for(
    plans: Mapping[int, Plan], starter: Launcher, more: Sequence[str]
) -> dict[int, list[str]]:
    """The command for each number of ranks; InputError if the program is not built for that MPI."""
    return {p: benchmark.command_for(each, starter, p, more) for p, each in plans.items()}
