"""A cost model's parameters from recorded times, and how well it does on times it has not seen.

The time of an algorithm is a sum: each parameter of the model times how often it lies on the
critical path of all ranks' schedules, which the walk counts. So the parameters are found by turns:
walk with those at hand, then find the ones that bring the sums nearest to what was measured. What
decides about the path beforehand (from which size on messages go by rendezvous, how much scratch
memory costs nothing) is searched for.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean, median

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from toccata import _core
from toccata.recorded import IN_BLOCKS, Case

Values = NDArray[np.float64]

WORTH_ORDERING = 1.2  # pairs whose times are nearer to each other than this are not asked about
SPREAD = 0.2  # of the logarithm of a time: larger errors count in proportion, not squared
DOUBT = 0.01  # how much the values that a fit starts with weigh beside a measurement
LEAST, MOST = 1e-6, 1e6  # times the value that a fit starts with
NEGLIGIBLE = 1e-3  # of a time: a parameter that never makes out more is nothing
SEARCHED_RANKS = 128  # what decides about the path is searched for in jobs up to this
WALKED_MESSAGES = 100_000  # larger walks of one block a message are done once for all sizes
MOST_MESSAGES = 20_000_000  # of all ranks together that are worth walking

Change = Callable[[_core.Model], _core.Model]


def _search() -> list[list[Change]]:
    """What is tried, one list after the other; of each the best is kept."""

    def rendezvous_from(size: int) -> Change:
        return lambda model: model.with_threshold(size)

    def keeps(size: int) -> Change:
        return lambda model: model.with_kept(size)

    def delays(share: float) -> Change:
        return lambda model: model.with_tau(share)

    return [
        [rendezvous_from(2**i) for i in range(7, 18)],
        [keeps(size) for size in (0, *(2**i for i in range(17, 28)), 2**62)],
        [delays(share) for share in (1.0, 0.5, 0.2)],
    ]


class Walks:
    """What the critical paths of cases consist of."""

    def __init__(self) -> None:
        self._by_class: dict[tuple[str, str, int, int, bool, float], tuple[int, Values]] = {}

    def matrix(self, cases: Sequence[Case], model: _core.Model) -> Values:
        """By case and term of the model: how often the term lies on the path."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return np.array(list(pool.map(lambda each: self.terms(each, model), cases)))

    def times(self, cases: Sequence[Case], model: _core.Model) -> Values:
        """Seconds by case."""
        product: Values = self.matrix(cases, model) @ model.coefficients
        return product

    def terms(self, case: Case, model: _core.Model) -> Values:
        choice = _core.parse_choice(case.collective, case.algorithm)
        if not self._alike(case, choice):
            return _walk(case, choice, case.unit_bytes, model)
        # Every message is one block: all go by one protocol, and all ranks do the same in turn. So
        # the path is the same at all sizes of that protocol, but for the number of bytes.
        rendezvous = case.unit_bytes >= model.threshold
        key = (
            case.collective, case.algorithm, case.p, case.ranks_per_node, rendezvous, model.tau,
        )  # fmt: skip
        if key not in self._by_class:
            self._by_class[key] = case.unit_bytes, _walk(case, choice, case.unit_bytes, model)
        walked_bytes, terms = self._by_class[key]
        bytewise = np.array(model.terms_count_bytes)
        return np.where(bytewise, terms * (case.unit_bytes / walked_bytes), terms)

    @staticmethod
    def _alike(case: Case, choice: _core.Choice) -> bool:
        declared = choice.cost(case.p)
        return (
            case.collective in IN_BLOCKS
            and declared.messages * case.p > WALKED_MESSAGES
            and declared.messages == declared.sent
        )


def walkable(case: Case) -> bool:
    """Whether its walk takes less than about a minute."""
    choice = _core.parse_choice(case.collective, case.algorithm)
    return choice.cost(case.p).messages * case.p <= MOST_MESSAGES


def _walk(case: Case, choice: _core.Choice, unit_bytes: int, model: _core.Model) -> Values:
    found = choice.predict(case.p, unit_bytes, model, case.ranks_per_node, terms=True)
    return np.array(found.terms)
