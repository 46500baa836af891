"""The work of `toccata sim`: the cells of a request, their runs, and the results so far."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue, outside
from toccata.errors import InputError
from toccata.measuring import benchmark
from toccata.measuring.files import Files
from toccata.measuring.results import Results
from toccata.models import predicting
from toccata.simulating import platforms, simulation
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Outcome
from toccata.topology import machines

# The collectives of one message, and its largest size; others have the limit of `toccata bench`.
OF_ONE_MESSAGE = ("allreduce", "bcast", "reduce")
MOST_OF_MESSAGE = 1 << 32
NO_PEERS = "without peers: SimGrid has no neighbourhood collectives"


@dataclass(frozen=True)
class Plan:
    """The cells to simulate."""

    platform: Platform
    stem: Path  # of files
    cells: list[Cell]
    left_out: dict[int, dict[str, str]]  # by ranks and algorithm: the reason
    marked: str | None  # the algorithm to highlight
    remarks: list[str]

    def results(self, outcomes: Mapping[Cell, Outcome]) -> Results:
        """The cells that have a time."""
        return Results(simulation.measurements(self.platform, dict(outcomes)))


@dataclass(frozen=True)
class Request:
    """The requested simulation; a missing option is None."""

    collective: str
    platform: str
    model: str | None
    ranks: str | None
    placement: str
    algorithms: str
    peers: str
    sizes: str
    distribution: str | None
    highlight: str | None
    links: str  # changes, such as "0.0-0.1=0"
    predicted: bool  # whether to predict times as well
    late: str | None = None  # ranks that arrive late, such as "3:1ms"

    def plan(self) -> Plan:
        """The cells. InputError if options do not fit each other, or if SimGrid is not built."""
        if self.distribution and catalogue.is_regular(self.collective):
            raise InputError("--distribution requires a vector form, such as alltoallv")
        if self.distribution and self.predicted:
            raise InputError("--predicted requires blocks of equal size; leave out --distribution")
        late = q.parse_late(self.late) if self.late is not None else {}
        ours, peers = self._choices(late), self._peers()
        marked = self._marked(ours)
        there = platforms.find(self.platform, self.model).with_links(self.links)
        if there.links:
            if self.predicted:
                raise InputError("--predicted ignores changed links; leave out --predicted")
            there.network()  # raises InputError if a link does not exist
        machine = _core.Machine(there.machine)
        ranks = [machines.cores(machine)] if self.ranks is None else q.parse_ranks(self.ranks)
        most = MOST_OF_MESSAGE if self.collective in OF_ONE_MESSAGE else benchmark.MOST_BYTES
        sizes = benchmark.sizes_of(self.collective, benchmark.parse_sizes(self.sizes, most=most))
        if any(size > benchmark.MOST_BYTES and size % 8 for size in sizes):
            raise InputError(f"--sizes {self.sizes}: above 1 GiB, expected multiples of 8 bytes")
        if peers and any(size >= 1 << 31 for size in sizes):
            raise InputError(
                f"--sizes {self.sizes}: SimGrid's selectors cannot count 2 GiB; add --peers none"
            )
        for p in ranks:
            platforms.cores(there, p, self.placement)
            predicting.arrivals(late, p)  # raises InputError if a late rank does not exist
        simulation.programs()
        shapes = {p: _core.Shape(_core.Placement(machine, p, self.placement)) for p in ranks}
        left_out = {
            p: {name: why for name, each in ours.items() if (why := each.why_impossible(shape))}
            for p, shape in shapes.items()
        }
        for name in filter(outside.is_file, ours):
            possible = [shape for p, shape in shapes.items() if name not in left_out[p]]
            outside.make_runnable(name, ours[name], possible)
        has_peers = not catalogue.is_among_neighbors(self.collective)
        cells = [
            Cell(
                self.collective,
                name,
                p,
                size,
                self.placement,
                self.distribution,
                tuple(late.items()),
            )
            for p in ranks
            for name in (*ours, *(peers if has_peers else []))
            if name not in left_out[p]
            for size in sizes
        ]
        remarks = [NO_PEERS] if peers and not has_peers else []
        return Plan(there, self._stem(there), cells, left_out, marked, remarks)

    def _choices(self, late: Mapping[int, float]) -> dict[str, _core.Choice]:
        """Our algorithms by name."""
        known = catalogue.of_collective(self.collective)
        names = [catalogue.with_late_rank(each, late) for each in known]
        if self.algorithms != "all":
            texts = catalogue.named(self.algorithms)
            names = [catalogue.parse(self.collective, each).text for each in texts]
        return {name: catalogue.parse(self.collective, name) for name in names}

    def _peers(self) -> list[str]:
        names = [] if self.peers == "none" else [each.strip() for each in self.peers.split(",")]
        for each in names:
            if each not in simulation.SELECTORS and not each.startswith(simulation.PEER):
                raise InputError(
                    f"--peers {each}: expected one of {', '.join(simulation.SELECTORS)}, or one of "
                    f"SimGrid's algorithms such as {simulation.PEER}bruck"
                )
        return names

    def _marked(self, ours: Mapping[str, _core.Choice]) -> str | None:
        if self.highlight is None:
            return None
        name = catalogue.parse(self.collective, self.highlight).text
        if name not in ours:
            raise InputError(
                f"--highlight {self.highlight} is not simulated; add it to --algorithms"
            )
        return name

    def _stem(self, there: Platform) -> Path:
        """The start of file names, without colons, because some file systems reject them."""
        form = f"{self.collective}-{self.distribution}" if self.distribution else self.collective
        name = f"{form}-{there.name.split('/')[0]}-{self.placement}"
        return Path("results") / name.replace(":", "")


def run(
    plan: Plan, files: Files, told: Callable[[Cell], None], limit: float, jobs: int | None
) -> dict[Cell, Outcome]:
    """Like simulation.run. After a failure or Ctrl-C, the files contain the results so far."""
    try:
        return simulation.run(plan.platform, plan.cells, told, limit, jobs)
    except BaseException:
        kept = {cell: it for cell in plan.cells if (it := simulation.known(plan.platform, cell))}
        files.write_partial(plan.results(kept))
        raise
