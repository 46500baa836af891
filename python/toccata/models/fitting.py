"""A cost model's parameters from recorded times, and its accuracy for unseen times.

The time of an algorithm is a sum: each parameter of the model times how often it lies on the
critical path of all ranks' schedules, which the walk counts. Two steps alternate: a walk with the
current parameters, then a fit that brings the sums nearest to the measured times. The parameters
that influence the path itself (the size from which messages use rendezvous, the amount of scratch
memory that costs nothing) are found by a search.
"""

import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations
from statistics import fmean, median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from toccata import _core
from toccata.models.recorded import IN_BLOCKS, Case

Values = NDArray[np.float64]

WORTH_ORDERING = 1.2  # pairs whose times are closer than this are not compared
SPREAD = 0.2  # of the logarithm of a time; errors above this count linearly, not squared
DOUBT = 0.01  # the weight of the initial values, compared with a measurement
LEAST, MOST = 1e-6, 1e6  # times the initial value
NOTICED = 1e-4  # in squared errors; a path parameter must improve the fit by more
NEGLIGIBLE = 1e-3  # share of every time; a parameter with smaller shares becomes zero
SEARCHED_RANKS = 128  # the search for path parameters uses jobs up to this size
WALKED_MESSAGES = 100_000  # if a walk has more, and one block per round, it serves all sizes
MOST_MESSAGES = 20_000_000  # maximum for a walk, of all ranks together

# The values that the search tries, one parameter after the other.
THRESHOLDS = tuple(2**i for i in range(7, 18))
NEVER = 2**62  # more bytes than any message has
KEPT = (0, *(2**i for i in range(17, 28)), NEVER)
TAUS = (1.0, 0.5, 0.2)

# The initial values, in seconds and seconds per byte. They remain if measurements do not determine
# them. o and g have the same effect on queued messages here, so g stays 0.
START = {
    "alpha": 2e-6, "beta": 1e-10, "o": 5e-7, "injection": 2e-11,
    "gamma": 1e-10, "copy": 5e-11, "pack": 5e-11, "start": 1e-6, "fresh": 5e-11,
}  # fmt: skip
COUNTED = ("alpha", "o", "g", "start")  # the others are per byte
UNLIMITED = ("injection", "fresh")  # zero if no recorded time depends on them


@dataclass(frozen=True)
class Parameters:
    """A cost model's parameters, in the order of its terms."""

    levels: tuple[str, ...]
    values: tuple[float, ...]
    threshold: int = 4096  # bytes from which on messages use rendezvous
    kept: int = NEVER  # bytes of scratch that cost nothing
    tau: float = 1.0  # of eager messages
    unseen: tuple[str, ...] = ()  # names of parameters on which no case depended

    @classmethod
    def of_levels(cls, *levels: str) -> "Parameters":
        """The initial parameters of a fit."""
        return cls(levels, tuple(START.get(_kind(each), 0) for each in names(levels)))

    @property
    def named(self) -> dict[str, float]:
        return dict(zip(names(self.levels), self.values, strict=True))

    def model(self, name: str = "fitted", origin: str = "") -> _core.Model:
        """The model with these parameters, for walks and for `toccata predict`."""
        unseen = [each for each in self.unseen if self.named[each] > 0]
        if unseen:
            names_ = ", ".join(unseen)
            origin += f"; assumed, because no recorded time depends on them: {names_}"
        document = _document(self.levels, self.named, self.threshold, self.tau)
        document |= {"name": name, "origin": origin, "kept": self.kept}
        if not self.named["fresh"]:
            del document["kept"]
        return _core.Model.parse(json.dumps(document))


def _document(
    levels: Sequence[str], named: Mapping[str, float], threshold: int, tau: float
) -> dict[str, Any]:
    """A model in the form of its file."""

    def at(prefix: str) -> dict[str, float]:
        kinds = ("alpha", "beta", "o", "g")
        return {kind: named.get(prefix + kind, 0) for kind in kinds}

    document: dict[str, Any] = {
        kind: named.get(kind, 0) for kind in ("gamma", "copy", "pack", "start", "fresh")
    }
    document["levels"] = [
        {
            "level": level,
            "threshold": threshold,
            "eager": at(f"{level}.eager.") | {"tau": tau},
            "rendezvous": at(f"{level}.rendezvous."),
        }
        for level in levels
    ]
    for level in document["levels"]:
        limit = named.get(f"{level['level']}.injection", 0)
        if limit > 0 and level["level"] != "network":
            level["injection"] = 1 / limit
    return document


@cache
def names(levels: tuple[str, ...]) -> list[str]:
    """The names of the parameters for these levels: "network.eager.alpha", "gamma"."""
    document = _document(levels, {}, 1, 1) | {"name": "names"}
    return _core.Model.parse(json.dumps(document)).term_names


def _kind(name: str) -> str:
    return name.split(".")[-1]


class Walks:
    """The terms of the critical paths of cases."""

    def __init__(self) -> None:
        self._by_class: dict[tuple[object, ...], tuple[int, Values]] = {}

    def matrix(self, cases: Sequence[Case], model: Parameters) -> Values:
        """How often each parameter (column) lies on the critical path of each case (row)."""
        walked_by = model.model()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            terms = pool.map(lambda each: self._terms(each, model, walked_by), cases)
            return np.array(list(terms))

    def times(self, cases: Sequence[Case], model: Parameters) -> list[float]:
        """The predicted seconds of each case."""
        if not cases:
            return []
        return [float(each) for each in self.matrix(cases, model) @ np.array(model.values)]

    def _terms(self, case: Case, model: Parameters, walked_by: _core.Model) -> Values:
        if not _alike(case):
            return _walk(case, walked_by)
        # All ranks send one message of one block per round. So all sizes with the same protocol
        # have the same path, except for the number of bytes.
        key = (
            case.collective, case.algorithm, case.p, model.levels, model.tau,
            case.unit_bytes >= model.threshold,
        )  # fmt: skip
        if key not in self._by_class:
            self._by_class[key] = case.unit_bytes, _walk(case, replace(model, kept=0).model())
        walked_bytes, terms = self._by_class[key]
        known = names(model.levels)
        bytewise = np.array([_kind(each) not in COUNTED for each in known])
        terms = np.where(bytewise, terms * (case.unit_bytes / walked_bytes), terms)
        fresh = known.index("fresh")
        if terms[fresh] <= model.kept:
            terms[fresh] = 0
        return terms


def _alike(case: Case) -> bool:
    counted = _choice(case).cost(_core.Shape(case.p))
    return (
        case.collective in IN_BLOCKS
        and counted.messages * case.p > WALKED_MESSAGES
        and counted.rounds == counted.messages == counted.sent
    )


def _walk(case: Case, model: _core.Model) -> Values:
    few = _choice(case).cost(_core.Shape(case.p)).messages * case.p <= WALKED_MESSAGES
    # Schedules with many messages are too large to keep.
    predictor = _kept_predictor if few else _predictor
    return np.array(
        predictor(case.collective, case.algorithm, case.p).terms(case.unit_bytes, model)
    )


def _predictor(collective: str, algorithm: str, p: int) -> _core.Predictor:
    return _core.Predictor(_core.parse_choice(collective, algorithm), _core.Shape(p))


_kept_predictor = cache(_predictor)


def _choice(case: Case) -> _core.Choice:
    return _core.parse_choice(case.collective, case.algorithm)


def why_not(case: Case) -> str | None:
    """Why a case is excluded from the fit; None if it is included."""
    if case.ranks_per_node > 1 and case.number_of_nodes > 1:
        return "several ranks per node: recorded for too few algorithms to fit a second level"
    try:
        choice = _choice(case)
    except _core.ChoiceError:
        return f"Toccata has no {case.collective}/{case.algorithm}"
    if why := choice.why_impossible(_core.Shape(case.p)):
        return f"{case.collective}/{case.algorithm} {why}"
    if choice.cost(_core.Shape(case.p)).messages * case.p > MOST_MESSAGES:
        return f"{case.p} ranks send more than {MOST_MESSAGES} messages: too many to predict"
    return None


def fit(
    cases: Sequence[Case], walks: Walks, advance: Callable[[], None] = lambda: None
) -> Parameters:
    """The parameters that bring the predicted times of the cases nearest to the measured ones.

    It calls `advance` TURNS times, once after each step.
    """
    model = Parameters.of_levels("network")
    small = [each for each in cases if each.p <= SEARCHED_RANKS] or list(cases)

    def price(model: Parameters) -> float:
        return NOTICED * len(small) * ((model.kept < NEVER) + (model.tau < 1))

    model, loss = _adjust(small, walks, model)
    for _ in range(SEARCHES):
        for setting, candidates in (("threshold", THRESHOLDS), ("kept", KEPT), ("tau", TAUS)):
            for value in candidates:
                tried, its_loss = _adjust(small, walks, replace(model, **{setting: value}))
                if its_loss + price(tried) < loss + price(model):
                    model, loss = tried, its_loss
                advance()
    for _ in range(ROUNDS):
        model, loss = _adjust(cases, walks, model)
        advance()
    return _tidy(cases, walks, model)


SEARCHES, ROUNDS = 2, 3
TURNS = SEARCHES * (len(THRESHOLDS) + len(KEPT) + len(TAUS)) + ROUNDS


def _adjust(cases: Sequence[Case], walks: Walks, model: Parameters) -> tuple[Parameters, float]:
    """Makes one walk. Returns the best values for its terms, and the remaining error."""
    terms = walks.matrix(cases, model)
    measured = np.array([each.seconds for each in cases])
    start = np.array(Parameters.of_levels(*model.levels).values)
    # The errors are those of logarithms, because times differ by factors. The unknowns are
    # logarithms as well: parameters are positive and may have any order of magnitude.
    seen = (terms.max(axis=0) > 0) & (start > 0)
    parts = terms[:, seen] * start[seen] / measured[:, None]

    def errors(logarithms: Values) -> Values:
        return np.append(np.log(parts @ np.exp(logarithms)), DOUBT * logarithms)

    def slopes(logarithms: Values) -> Values:
        each = parts * np.exp(logarithms)
        shares = each / each.sum(axis=1, keepdims=True)
        return np.vstack([shares, DOUBT * np.eye(len(logarithms))])

    before = np.clip(np.array(model.values)[seen] / start[seen], LEAST * 10, MOST / 10)
    found = least_squares(
        errors, np.log(before), slopes, bounds=(np.log(LEAST), np.log(MOST)),
        loss="soft_l1", f_scale=SPREAD, max_nfev=50,
    )  # fmt: skip
    values = start.copy()
    values[seen] *= np.exp(found.x)
    return replace(model, values=tuple(values)), float(found.cost)


def _tidy(cases: Sequence[Case], walks: Walks, model: Parameters) -> Parameters:
    """The model without negligible parameters; lists those on which no case depends."""
    parts = walks.matrix(cases, model) * np.array(model.values)
    most = (parts / parts.sum(axis=1, keepdims=True)).max(axis=0)
    values = list(model.values)
    for i, name in enumerate(names(model.levels)):
        if 0 < most[i] < NEGLIGIBLE or (most[i] == 0 and name.endswith(UNLIMITED)):
            values[i] = 0
    unseen = tuple(
        name for name, share in zip(names(model.levels), most, strict=True) if share == 0
    )
    return replace(model, values=tuple(values), unseen=unseen)


@dataclass(frozen=True)
class Score:
    """The accuracy of predictions, compared with measurements."""

    times: int = 0  # predicted
    error: float = float("nan")  # the median of |predicted - measured| / measured
    pairs: int = 0  # of algorithms in one setting whose times differ by more than 20%
    in_order: int = 0  # correctly ordered pairs
    settings: int = 0  # with several algorithms
    regret: float = float("nan")  # mean of (time of the predicted best) / (time of the real best)


def score(cases: Sequence[Case], predicted: Sequence[float]) -> Score:
    """The accuracy for some cases and their predicted seconds."""
    if not cases:
        return Score()
    settings: dict[tuple[str, str, str, int], list[tuple[float, float]]] = defaultdict(list)
    for case, seconds in zip(cases, predicted, strict=True):
        settings[case.setting].append((seconds, case.seconds))
    pairs = in_order = 0
    regrets = []
    for both in settings.values():
        for one, other in combinations(both, 2):
            if max(one[1], other[1]) > WORTH_ORDERING * min(one[1], other[1]):
                pairs += 1
                in_order += int((one[0] < other[0]) == (one[1] < other[1]))
        if len(both) > 1:
            regrets.append(min(both)[1] / min(measured for _, measured in both))
    return Score(
        times=len(cases),
        error=median(
            abs(seconds / case.seconds - 1) for case, seconds in zip(cases, predicted, strict=True)
        ),
        pairs=pairs,
        in_order=in_order,
        settings=len(regrets),
        regret=fmean(regrets) if regrets else float("nan"),
    )


def every_other_size(cases: Iterable[Case]) -> tuple[list[Case], list[Case]]:
    """Splits cases into those for the fit and the others; the sizes of each job and collective
    alternate."""
    cases = list(cases)
    sizes: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for each in cases:
        sizes[each.setting[:3]].add(each.total_bytes)
    order = {key: sorted(values) for key, values in sizes.items()}
    fitted: list[Case] = []
    rest: list[Case] = []
    for each in cases:
        odd = order[each.setting[:3]].index(each.total_bytes) % 2
        (rest if odd else fitted).append(each)
    return fitted, rest
