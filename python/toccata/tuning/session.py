"""The work of `toccata tune`: a plan of measurements for each collective, or a model's choices."""

from collections.abc import Sequence
from dataclasses import dataclass

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.errors import InputError
from toccata.launching import maps
from toccata.measuring import benchmark
from toccata.measuring.benchmark import Plan
from toccata.models import predicting
from toccata.topology import machines
from toccata.tuning import tuning_file

WARMUP = 3  # calls


@dataclass(frozen=True)
class Request:
    """The requested tuning; lists in the user's notation."""

    collectives: Sequence[str] | None  # None: all
    ranks: str
    per_node: str | None  # None: the launcher's
    sizes: str
    algorithms: str
    repetitions: int
    limit: float  # seconds
    validate: bool

    @property
    def names(self) -> list[str]:
        """The collectives to tune. InputError if one does not exist."""
        all_ = _core.collectives()
        known = [each.name for each in all_]
        for each in self.collectives or []:
            if each not in known:
                raise InputError(f"unknown collective '{each}'; expected one of {', '.join(known)}")
        return list(self.collectives or [e.name for e in all_ if e.regular == e.name])

    @property
    def placed(self) -> list[int | None]:
        """The numbers of ranks per node; None is the launcher's default."""
        return [None] if self.per_node is None else [*q.parse_ranks(self.per_node)]

    def plans(self) -> list[Plan]:
        """One plan per collective."""
        return [
            Plan(
                each, _candidates(each, self.algorithms), benchmark.parse_sizes(self.sizes),
                self.repetitions, WARMUP, self.limit, self.validate, race=True,
            )
            for each in self.names
        ]  # fmt: skip

    def by_model(
        self, model: str, machine: str | None, placement: str | None
    ) -> tuning_file.Tuning:
        """The library's choices on a machine. InputError if no machine is named."""
        if machine is None:
            raise InputError('--by-model requires --machine, such as "node:4 socket:2 core:8"')
        parameters = predicting.read_model(model)
        there = machines.named(machine)
        found = tuning_file.Tuning(machine=there.text, model=parameters.name)
        sizes = q.parse_sizes(self.sizes)
        for p in q.parse_ranks(self.ranks):
            placed = maps.placed(there, p, placement)
            shape, nodes = _core.Shape(placed), machines.nodes(placed)
            for each in self.names:
                found.points += tuning_file.by_model(each, shape, nodes, sizes, parameters)
        return found


def _candidates(collective: str, text: str) -> list[str]:
    """The candidates: the native algorithm, which is the baseline, and all proved ones. A tuning
    file cannot choose others."""
    unproved = {path.rpartition("/")[2] for path in catalogue.unproved(collective)}
    found = catalogue.measured(collective, text)
    if text in ("all", "variants"):  # no rank is late in a measurement
        known = catalogue.of_collective(collective)
        unproved |= {each.name for each in known if catalogue.for_late_rank(each)}
    proved = [each for each in found if each.partition(":")[0] not in unproved]
    return list(dict.fromkeys(["native", *proved]))
