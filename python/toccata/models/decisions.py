"""The value of choosing by a fitted model, compared with a recorded MPI's own choice."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.table import Table

from toccata import _core
from toccata.models.recorded import Case, Row
from toccata.plain_table import PlainTable

# The choices of the recorded MPIs, by the benchmark's names.
DEFAULTS = ("default_mpich", "default_ompi", "default-default")
OF_DEFAULT = {"default_ompi": "open_mpi", "default_mpich": "mpich"}  # files of rules

MARGIN = _core.LEAST_PREDICTED_GAIN
GAIN = 1.1  # times the best time: a slower default is worth replacing

Setting = tuple[str, str, str, int]  # machine, job, collective, bytes


@dataclass(frozen=True)
class Decision:
    """For one setting: the measured seconds of each rule's choice, and of the best algorithm."""

    setting: Setting
    first: float  # our predicted best, by the schedules of a few ranks
    chosen: float  # the same if it is predicted to beat the MPI's own choice; otherwise the default
    walked: float  # our predicted best, by the schedules of all ranks
    default: float
    best: float  # of our recorded algorithms and the default

    @property
    def is_worth_replacing(self) -> bool:
        return self.default > GAIN * self.best

    @property
    def is_named(self) -> bool:
        """Whether the model proposes an algorithm that beats the default."""
        return self.chosen < self.default


def defaults(rows: Iterable[Row]) -> dict[Setting, float]:
    """Seconds of the MPI's own choice; the minimum of several records."""
    found: dict[Setting, float] = {}
    for row in rows:
        if row.algorithm in DEFAULTS and row.ranks_per_node == 1:
            setting = row.machine, row.nodes, row.collective, row.total_bytes
            found[setting] = min(row.seconds, found.get(setting, row.seconds))
    return found


def libraries(rows: Iterable[Row]) -> dict[str, str]:
    """The rules for the MPI library of each machine, as far as the benchmark's names show it."""
    return {row.machine: OF_DEFAULT[row.algorithm] for row in rows if row.algorithm in OF_DEFAULT}


def decide(
    cases: Sequence[Case],
    predicted: Sequence[float],
    model: _core.Model,
    defaults: Mapping[Setting, float],
    libraries: Mapping[str, str],
) -> list[Decision]:
    """The decisions in each setting that has several algorithms of ours and a default.

    The model predicts the default as the algorithm that the machine's MPI library is known to
    choose. If that is unknown, the default is chosen.
    """
    settings: dict[Setting, list[tuple[float, Case]]] = defaultdict(list)
    for case, seconds in zip(cases, predicted, strict=True):
        settings[case.setting].append((seconds, case))
    prices: dict[tuple[str, int, int], dict[str, float]] = defaultdict(dict)
    units: dict[tuple[str, int], set[int]] = defaultdict(set)
    for case in cases:
        units[case.collective, case.p].add(case.unit_bytes)
    for (collective, p), sizes in units.items():
        # With default settings, then with the fastest ones, as in the library's choice.
        for standard in (True, False):
            ranked = _core.rank(collective, _core.Shape(p), model, sorted(sizes), standard)
            for size, each in zip(sorted(sizes), ranked, strict=True):
                prices[collective, p, size] |= {choice.text: price for choice, price in each}
    found = []
    for setting, both in settings.items():
        if len(both) < 2 or setting not in defaults:
            continue
        any_case = both[0][1]
        # All measured algorithms had their default settings.
        measured = {
            _core.parse_choice(case.collective, case.algorithm).text: case.seconds
            for _, case in both
        }
        price = prices[any_case.collective, any_case.p, any_case.unit_bytes]
        first = min((each for each in measured if each in price), key=price.__getitem__, default="")
        default = defaults[setting]
        mpi = libraries.get(any_case.machine, "")
        own = _core.native_algorithm(mpi, any_case.collective, any_case.p, any_case.unit_bytes)
        price_of_own = price.get(own.text) if own else None
        beats = price_of_own is not None and first and MARGIN * price[first] < price_of_own
        found.append(
            Decision(
                setting,
                first=measured.get(first, default),
                chosen=measured[first] if beats else default,
                walked=min(both, key=lambda each: each[0])[1].seconds,
                default=default,
                best=min(default, *measured.values()),
            )
        )
    return found


def named(decisions: Sequence[Decision]) -> tuple[int, int]:
    """Two numbers: the slow defaults that the model replaces by a faster algorithm, and all slow
    defaults."""
    worth = [each for each in decisions if each.is_worth_replacing]
    return sum(each.is_named for each in worth), len(worth)


def table(decisions: Sequence[Decision]) -> Table:
    """Mean regrets, each a time divided by the best: a row per machine and collective, and for all.

    With trials, the faster one of `first` and the default serves. The last column counts the
    settings in which one of our algorithms beats the default by more than 10%, and those of them in
    which the model proposes one that beats it.
    """
    result = PlainTable(kept=2)
    for heading in ("Machine", "Collective"):
        result.add_column(heading, no_wrap=True)
    for heading in (
        "Cases", "Model's\nproposal", "few\nranks", "all\nranks", "with\ntrials",
        "MPI's\ndefault", "Gains\nfound",
    ):  # fmt: skip
        result.add_column(heading, justify="right", no_wrap=True)
    groups: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    for each in decisions:
        groups[each.setting[0], each.setting[2]].append(each)
        groups[each.setting[0], "all"].append(each)
    for (machine, collective), here in sorted(
        groups.items(), key=lambda each: (each[0][0], each[0][1] == "all", each[0][1])
    ):
        result.add_row(
            machine,
            collective,
            str(len(here)),
            *(
                f"{fmean(regrets):.2f}"
                for regrets in (
                    [each.chosen / each.best for each in here],
                    [each.first / each.best for each in here],
                    [each.walked / each.best for each in here],
                    [min(each.first, each.default) / each.best for each in here],
                    [each.default / each.best for each in here],
                )
            ),
            "{} of {}".format(*named(here)),
            style="bold" if collective == "all" else "",
        )
    return result
