"""Fits models to one part of the recorded times, and validates them with the other part."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from toccata.errors import InputError
from toccata.models import decisions, fitting, recorded
from toccata.models.fit_report import Judged
from toccata.models.fitting import Parameters, Walks
from toccata.models.recorded import Case


@dataclass(frozen=True)
class Recorded:
    """The times of our algorithms in a file, and the reasons why others are excluded."""

    cases: list[Case]
    left_out: list[str]  # one line each
    defaults: dict[decisions.Setting, float]  # seconds of the MPIs' own choices
    libraries: dict[str, str]  # files of rules, by machine

    @property
    def machines(self) -> list[str]:
        return sorted({each.machine for each in self.cases})


def load(path: Path, machines: Sequence[str], nodes: Sequence[str]) -> Recorded:
    """The times of the named machines and jobs in a file; all times if none are named.

    Raises InputError if the file or the names are invalid.
    """
    rows = recorded.read(path)
    for asked, known, what in (
        (machines, {each.machine for each in rows}, "machine"),
        (nodes, {each.nodes for each in rows}, "node count"),
    ):
        for each in asked:
            if each not in known:
                raise InputError(
                    f"{path} has no {what} '{each}'; it has {', '.join(sorted(known))}"
                )
    rows = [
        each
        for each in rows
        if (not machines or each.machine in machines) and (not nodes or each.nodes in nodes)
    ]
    left_out = [f"{', '.join(names)}: {why}" for why, names in recorded.set_aside(rows).items()]
    cases, reasons = [], Counter[str]()
    for case in recorded.cases(rows):
        why = fitting.why_not(case)
        if why is None:
            cases.append(case)
        else:
            reasons[f"{case.machine}: {why}"] += 1
    left_out += [f"{why} ({number} times)" for why, number in reasons.items()]
    if not cases:
        raise InputError(f"{path}: no line has the time of an algorithm of Toccata")
    return Recorded(cases, left_out, decisions.defaults(rows), decisions.libraries(rows))


@dataclass(frozen=True)
class Fitted:
    """The model of a machine, and predictions by models that did not see the predicted times."""

    model: Parameters
    judged: Judged
    cases: list[Case]  # all times of the machine
    predicted: list[float]  # their seconds, by `model`
    fitted: list[bool]  # which of them `model` was fitted to


def by_sizes(cases: Sequence[Case], walks: Walks, advance: Callable[[], None]) -> Fitted:
    """Fits to every second size of each job and collective, and validates with the others."""
    chosen, rest = fitting.every_other_size(cases)
    if not rest:
        raise InputError(
            f"{cases[0].machine} has only one size per algorithm; try --split collectives"
        )
    model = fitting.fit(chosen, walks, advance)
    return _fitted(model, cases, chosen, rest, walks.times(rest, model), walks)


def by_collectives(cases: Sequence[Case], walks: Walks, advance: Callable[[], None]) -> Fitted:
    """For each collective, fits a model to all others and validates it with this one. The model to
    keep is fitted to all."""
    collectives = sorted({each.collective for each in cases})
    if len(collectives) < 2:
        raise InputError(f"{cases[0].machine} has only one collective; try --split sizes")
    rest: list[Case] = []
    predicted: list[float] = []
    for each in collectives:
        judging = [case for case in cases if case.collective == each]
        model = fitting.fit([case for case in cases if case.collective != each], walks, advance)
        rest += judging
        predicted += walks.times(judging, model)
    model = fitting.fit(cases, walks, advance)
    return _fitted(model, cases, cases, rest, predicted, walks)


def _fitted(
    model: Parameters,
    cases: Sequence[Case],
    chosen: Sequence[Case],
    rest: list[Case],
    predicted: list[float],
    walks: Walks,
) -> Fitted:
    error = fitting.score(chosen, walks.times(chosen, model)).error
    judged = Judged(cases[0].machine, len(chosen), error, rest, predicted)
    whole = walks.times(cases, model)
    return Fitted(model, judged, list(cases), whole, [each in set(chosen) for each in cases])


@dataclass(frozen=True)
class Work:
    """The fits of all machines, each without a part of the times: some sizes, or a collective."""

    recorded: Recorded
    hides_collectives: bool

    @property
    def turns(self) -> int:
        """The number of steps of `run`."""
        return sum(fitting.TURNS * self._fits(cases) for cases in self._by_machine().values())

    def run(self, told: Callable[[str, int], None]) -> list[Fitted]:
        """Fits each machine. Calls `told` with its name and the number of new steps."""
        fit = by_collectives if self.hides_collectives else by_sizes
        fitted = []
        for name, cases in self._by_machine().items():
            told(name, 0)
            fitted.append(fit(cases, Walks(), partial(told, name, 1)))
        return fitted

    def _by_machine(self) -> dict[str, list[Case]]:
        cases = self.recorded.cases
        return {
            name: [each for each in cases if each.machine == name]
            for name in self.recorded.machines
        }

    def _fits(self, cases: Sequence[Case]) -> int:
        return len({each.collective for each in cases}) + 1 if self.hides_collectives else 1


def decided(found: Recorded, fitted: Sequence[Fitted]) -> list[decisions.Decision]:
    """The decisions by models that were fitted to other sizes, if the defaults are recorded."""
    return [
        decision
        for each in fitted
        for decision in decisions.decide(
            each.judged.cases,
            each.judged.predicted,
            each.model.model(),
            found.defaults,
            found.libraries,
        )
    ]


def largest_job(fitted: Sequence[Fitted]) -> tuple[list[Case], list[float], str]:
    """The cases of the job with most of them, their predictions, and its name."""
    (machine, job), _ = Counter(
        (case.machine, case.job) for each in fitted for case in each.cases
    ).most_common(1)[0]
    both = [
        (case, seconds)
        for each in fitted
        for case, seconds in zip(each.cases, each.predicted, strict=True)
        if (case.machine, case.job) == (machine, job)
    ]
    return [case for case, _ in both], [seconds for _, seconds in both], f"{machine}, {job} nodes"
