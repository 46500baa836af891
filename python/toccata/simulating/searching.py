"""Searches for the fastest schedule of one collective, size and place: with a model, then in
simulations.

The candidates are all algorithms of the library in every setting, compositions by level
(algorithms/compositions.py) and, on a network without switches, trees packed for its links. The
model predicts the times of settings: first those that proofs sample, then neighbours of the best
ones, which a seed selects. The simulator measures the best candidates of the model, every algorithm
of the library, then neighbours of the fastest simulated ones.

The budget counts work, not time: each step has an approximate cost, in seconds of two cores of the
machine on which this was written. So a seed and a budget determine one result, on every machine; a
slower machine takes longer. Predictions and simulations are stored, so an interrupted search can
continue.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata.algorithms import catalogue, compositions, outside
from toccata.errors import InputError
from toccata.simulating import simulation
from toccata.simulating.platforms import Platform
from toccata.topology import machines, networks

CORES = 2  # the budget's unit is seconds of this number of cores
FOR_PRICES = 0.3  # of the budget; the others are for simulations
PARENTS = 8  # the best ones, whose neighbours become candidates
MOST_FRUITLESS = 200  # consecutive moves to known candidates
AT_A_TIME = 20  # prices per transaction
AT_ONCE = 4  # candidates that are simulated before the next are chosen
WALKED = 2e-6  # seconds per message in the model
WRITTEN = 3e-5  # seconds per message in a Python function
STARTED = 5e-3  # seconds per candidate


@dataclass(frozen=True)
class Task:
    """The problem of a search."""

    collective: str
    platform: Platform
    p: int
    placement: str
    bytes: int  # per block, or of the message
    seconds: float
    seed: int

    @property
    def placed(self) -> _core.Placement:
        return _core.Placement(machines.named(self.platform.machine), self.p, self.placement)


@dataclass(frozen=True)
class Candidate:
    """A schedule that may be the best; `label` is its unique name."""

    label: str
    choice: _core.Choice
    shape: _core.Shape
    is_ours: bool  # an algorithm of the library, unchanged

    @property
    def is_standard(self) -> bool:
        """Whether it is an algorithm of the library with its default parameters."""
        return self.is_ours and ":" not in self.label

    @property
    def is_in_python(self) -> bool:
        return self.choice.algorithm is not None and outside.is_file(self.choice.algorithm.name)


@dataclass(frozen=True)
class Found:
    """A candidate with its times in seconds; `simulated` is None if it was not simulated to the
    end."""

    candidate: Candidate
    priced: float
    simulated: float | None


@dataclass(frozen=True)
class Result:
    """All candidates: the simulated ones first, by their time, then the others."""

    all: list[Found]
    bound: float
    spent: float  # of the budget, in seconds

    @property
    def simulated(self) -> list[Found]:
        return [each for each in self.all if each.simulated is not None]

    @property
    def best(self) -> Found:
        return self.simulated[0]

    @property
    def best_of_ours(self) -> Found | None:
        return next((each for each in self.simulated if each.candidate.is_ours), None)


def check(collective: str) -> None:
    """InputError if no schedule of it can be searched for."""
    known = [
        each.name
        for each in _core.collectives()
        if each.regular == each.name and not each.among_neighbors and each.name != "barrier"
    ]
    if collective not in known:
        raise InputError(f"cannot search for '{collective}'; expected {', '.join(known)}")


def nodes_of(platform: Platform) -> int:
    """The number of ranks with one rank per node."""
    machine = machines.named(platform.machine)
    level = 0 if machine.dims else machine.levels.index("node") if "node" in machine.levels else -1
    return machine.objects(level if level >= 0 else len(machine.levels) - 1)


def run(task: Task, told: Callable[[str, float], None]) -> Result:
    """Runs the search. Calls `told` after each step, with its name and its cost.

    Raises InputError if no candidate can run, or if the budget is too small for any simulation.
    """
    search = _Search(task, told)
    try:
        search.price()
        search.simulate()
    finally:
        search.keep()
    return search.result()


class _Prices:
    """The model's predictions, by candidate, stored under a digest of all their inputs."""

    def __init__(self, task: Task) -> None:
        place = [task.collective, task.platform.text, task.p, task.placement, task.bytes]
        digest = hashlib.sha256(json.dumps(place, sort_keys=True).encode())
        for code in (_core.__file__, compositions.__file__, __file__):
            digest.update(Path(code).read_bytes())
        self._digest = digest.hexdigest()
        self._new: dict[str, str] = {}

    def get(self, label: str) -> float | None:
        """The predicted seconds; None if they are not stored."""
        key = self._key(label)
        found = self._new.get(key) or simulation.kept().get(key)
        return None if found is None else float(found)

    def add(self, label: str, seconds: float) -> None:
        """Stores a price. Several share a transaction, which takes longer than a prediction."""
        self._new[self._key(label)] = repr(seconds)
        if len(self._new) >= AT_A_TIME:
            self.keep()

    def keep(self) -> None:
        simulation.kept().put(self._new)
        self._new = {}

    def _key(self, label: str) -> str:
        return f"price {self._digest} {label}"


class _Search:
    def __init__(self, task: Task, told: Callable[[str, float], None]) -> None:
        self._task, self._told = task, told
        self._shape = _core.Shape(task.placed)
        self._random = random.Random(task.seed)
        self._prices = _Prices(task)
        self._priced = dict[str, tuple[Candidate, float]]()
        self._times = dict[str, float | None]()  # simulated ones, by label
        self._looked_at = set[str]()
        self._spent = 0.0

    def keep(self) -> None:
        self._prices.keep()

    def result(self) -> Result:
        found = [
            Found(candidate, price, self._times.get(label))
            for label, (candidate, price) in self._priced.items()
        ]
        if not any(each.simulated is not None for each in found):
            raise InputError(
                f"--seconds {self._task.seconds:g} is too few for any simulation of "
                f"{self._task.p} ranks; give more, or fewer --ranks"
            )
        found.sort(
            key=lambda each: (each.simulated is None, each.simulated or 0.0, each.priced,
                              each.candidate.label)
        )  # fmt: skip
        bound = _core.LowerBound(found[0].candidate.choice, self._shape, self._task.platform.model)
        return Result(found, bound(self._task.bytes), self._spent)

    # Prices.

    def price(self) -> None:
        budget = self._task.seconds * FOR_PRICES
        for each in self._sampled():
            self._price(each, budget)
        fruitless = 0
        while fruitless < MOST_FRUITLESS and self._priced:
            best = sorted(self._priced.values(), key=lambda each: (each[1], each[0].label))
            moved = self._moved(self._random.choice(best[:PARENTS])[0])
            before = len(self._priced)
            if moved is not None and not self._price(moved, budget):
                break
            fruitless = 0 if len(self._priced) > before else fruitless + 1

    def _sampled(self) -> Iterator[Candidate]:
        """The library's algorithms with default parameters and with all parameters that proofs
        sample, compositions, and packed trees."""
        algorithms = catalogue.of_collective(self._task.collective)
        for algorithm in algorithms:
            yield self._of(catalogue.standard(algorithm))
        for algorithm in algorithms:
            for choice in algorithm.variants(self._task.p):
                yield self._of(choice)
        yield from self._on_packed_trees()
        for choice in _composed(self._task.collective):
            yield self._of(choice)

    def _of(self, choice: _core.Choice) -> Candidate:
        text = choice.text
        is_ours = not text.startswith(compositions.__file__)
        label = text if is_ours else text.removeprefix(compositions.__file__ + ":")
        return Candidate(label, choice, self._shape, is_ours)

    def _on_packed_trees(self) -> Iterator[Candidate]:
        network = networks.of(self._task.platform.machine)
        names = [each.name for each in catalogue.of_collective(self._task.collective)]
        if not network.is_direct or "forestcoll" not in names:
            return
        try:
            # needs numpy, which `make install PLOTS=OFF` leaves out
            from toccata.topology import packing
        except ImportError:
            return
        root = network.node_of(self._task.placed)[0]
        machine = packing.with_trees(network, packing.pack(network, [root]))
        shape = _core.Shape(_core.Placement(machine, self._task.p, self._task.placement))
        choice = _core.parse_choice(self._task.collective, "forestcoll")
        yield Candidate("forestcoll on packed trees", choice, shape, False)

    def _price(self, candidate: Candidate, budget: float) -> bool:
        """Predicts a new candidate that can run. False if the budget is too small."""
        label = candidate.label
        if label in self._looked_at:
            return True
        self._looked_at.add(label)
        if candidate.choice.why_impossible(candidate.shape):
            return True
        sent, _ = simulation.sent_by_a_rank(candidate.choice, candidate.shape)
        messages = sent * self._task.p
        effort = STARTED + messages * (WALKED + (WRITTEN if candidate.is_in_python else 0))
        if self._spent + effort > budget:
            return False
        self._spent += effort
        price = self._prices.get(label)
        if price is None:
            predictor = _core.Predictor(candidate.choice, candidate.shape)
            price = predictor.seconds(self._task.bytes, self._task.platform.model)
            self._prices.add(label, price)
        self._priced[label] = candidate, price
        self._told(f"model: {label}", effort)
        return True

    def _moved(self, candidate: Candidate) -> Candidate | None:
        """The same algorithm with another value of one parameter; None without other values."""
        algorithm = candidate.choice.algorithm
        assert algorithm is not None
        if not algorithm.parameters or candidate.shape is not self._shape:
            return None
        parameter = self._random.choice(algorithm.parameters)
        values = _near(parameter, candidate.choice.settings[parameter.name])
        if not values:
            return None
        settings = candidate.choice.settings | {parameter.name: self._random.choice(values)}
        text = ",".join(f"{name}={value}" for name, value in settings.items())
        return self._of(_core.parse_choice(algorithm.collective, f"{algorithm.name}:{text}"))

    # Simulations.

    def simulate(self) -> None:
        simulation.programs()
        budget = self._task.seconds
        while batch := self._next_batch(budget):
            cells = [(each, self._cell(each)) for each in batch]
            labels = {cell: each.label for each, cell in cells}
            efforts = {cell: self._effort(each) / CORES for each, cell in cells}

            def ended(cell: simulation.Cell, labels: dict[simulation.Cell, str] = labels,
                      efforts: dict[simulation.Cell, float] = efforts) -> None:  # fmt: skip
                self._told(f"simulated: {labels[cell]}", efforts[cell])

            outcomes = simulation.run(self._task.platform, list(labels), ended)
            for cell, outcome in outcomes.items():
                self._times[labels[cell]] = outcome.seconds

    def _next_batch(self, budget: float) -> list[Candidate]:
        """The next candidates to simulate: alternately one of the library, by predicted time, and
        a neighbour of the fastest simulated ones."""
        by_price = [
            candidate
            for candidate, _ in sorted(
                self._priced.values(), key=lambda each: (each[1], each[0].label)
            )
            if candidate.label not in self._times
        ]
        ours = [each for each in by_price if each.is_standard]
        queues = [iter(ours), iter(by_price), self._neighbours()]
        batch = dict[str, Candidate]()
        known = {self._priced[label][1] for label in self._times}
        while queues and len(batch) < AT_ONCE:
            queue = queues.pop(0)
            for each in queue:
                price = self._priced[each.label][1]
                # Candidates with exactly the same prediction hardly differ.
                if each.label in batch or (price in known and not each.is_standard):
                    continue
                effort = self._effort(each) / CORES
                if self._spent + effort > budget:
                    continue
                self._spent += effort
                batch[each.label] = each
                known.add(price)
                queues.append(queue)
                break
        return list(batch.values())

    def _neighbours(self) -> Iterator[Candidate]:
        """Neighbours of the fastest simulated candidates."""
        timed = sorted((time, label) for label, time in self._times.items() if time is not None)
        if not timed:
            return
        for _ in range(MOST_FRUITLESS):
            moved = self._moved(self._priced[self._random.choice(timed[:PARENTS])[1]][0])
            if moved is None or moved.label in self._times:
                continue
            self._price(moved, self._task.seconds)
            if moved.label in self._priced:
                yield moved

    def _effort(self, candidate: Candidate) -> float:
        effort = simulation.effort_of(candidate.choice, candidate.shape)
        if not candidate.is_ours:  # its schedules are written to a file, and read
            sent, _ = simulation.sent_by_a_rank(candidate.choice, candidate.shape)
            effort += sent * self._task.p * 2 * WRITTEN
        return effort

    def _cell(self, candidate: Candidate) -> simulation.Cell:
        name = candidate.choice.text
        if not candidate.is_ours:
            name = outside.kept_file(candidate.choice, [candidate.shape])
            outside.load(name)
        task = self._task
        return simulation.Cell(task.collective, name, task.p, task.bytes, task.placement)


def _composed(collective: str) -> Sequence[_core.Choice]:
    """Compositions by level in all sampled settings."""
    name = f"{compositions.__file__}:{collective}_by_levels"
    if name not in outside.all_in(compositions.__file__):
        return []
    settings = [""]
    for each in compositions.PARAMETERS:
        values = each.words or each.samples
        settings = [f"{text},{each.name}={value}" for text in settings for value in values]
    return [_core.parse_choice(collective, f"{name}:{each[1:]}") for each in settings]


def _near(parameter: _core.Parameter, value: int | str) -> list[int | str]:
    """Other values of a parameter: all other words, or numbers nearby."""
    if isinstance(value, str):
        return [each for each in parameter.accepts.split("|") if each != value]
    least, most = (int(each) for each in parameter.accepts.split(".."))
    near = {value - 1, value + 1, value // 2, value * 2, *map(int, parameter.samples)}
    return [each for each in sorted(near - {value}) if least <= each <= most]
