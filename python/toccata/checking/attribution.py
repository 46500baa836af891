"""The fewest hosts, switches and cables that explain all slow pairs of hosts.

    from \\ to   0    1    2    3         A factor is the time of a message divided by the
       0        -   1.0  1.0  2.1        expected time. Host 3 explains all six slow pairs;
       1       1.0   -   1.0  2.0        three cables would explain them, too.
       2       1.0  1.0   -   2.0
       3       2.0  2.1  2.0   -

A suspect is a set of pairs that one fault would slow down. It is plausible if nearly all of its
pairs are slow. Among the sets of plausible suspects that contain every slow pair, the smallest one
wins, and among equal ones the one whose factors agree best with those of the pairs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log
from statistics import median

Pair = tuple[int, int]  # from, to
Factors = Mapping[Pair, float]

PLAUSIBLE = 0.8  # share of a suspect's pairs that must be slow
TELLING = 0.9  # of a suspect's largest weight: from which on the pair shows how slow it is
MOST_SEARCHED = 1_000  # sets of suspects
MOST_TOGETHER = 8  # suspects; for more, the first set is not improved


@dataclass(frozen=True)
class Suspect:
    """A part of the machine, and the pairs whose messages use it."""

    kind: str  # host, switch or cable
    name: str
    pairs: frozenset[Pair]
    way: str = ""  # "into" or "out of", if only one direction is slow
    # The share of a pair's expected time for which it is responsible: if it becomes f times as
    # slow, the pair takes max(1, f * weight) times as long. 1 for pairs that are not in it.
    weights: Mapping[Pair, float] = field(default_factory=dict, compare=False)


# How many hosts a suspect of a kind counts for. A tie between a host and a switch means the host.
WEIGHTS = {"host": 1.0, "switch": 1.1, "cable": 1.2}
ONE_WAY = 0.05


@dataclass(frozen=True)
class Cause:
    """A suspect that explains slow pairs, and the factor of these."""

    suspect: Suspect
    factor: float


def hosts(names: Mapping[int, str], pairs: Iterable[Pair]) -> list[Suspect]:
    """The suspects of hosts: all of their pairs, or those of one direction."""
    out, into = defaultdict[int, set[Pair]](set), defaultdict[int, set[Pair]](set)
    for a, b in pairs:
        out[a].add((a, b))
        into[b].add((a, b))
    result = []
    for host, name in names.items():
        result.append(Suspect("host", name, frozenset(out[host] | into[host])))
        result.append(Suspect("host", name, frozenset(out[host]), "out of"))
        result.append(Suspect("host", name, frozenset(into[host]), "into"))
    return [each for each in result if each.pairs]


def causes(
    factors: Factors,
    suspects: Sequence[Suspect],
    threshold: float,
    names: Mapping[int, str],
    threshold_of_one: float = 0.0,
) -> list[Cause]:
    """The smallest set of suspects that contains every slow pair, the largest factor first.

    A pair is slow if its factor is at least `threshold`. Each slow pair is a suspect, too: a cable
    with the names of both hosts. If its factor is below `threshold_of_one` and no other suspect
    contains it, it counts as noise.
    """
    slow = {pair for pair, factor in factors.items() if factor >= threshold}
    plausible = [
        _delaying(each, factors, threshold)
        for each in suspects
        if _share(_telling(each, factors), slow) >= PLAUSIBLE
    ]
    together = set().union(*(each.pairs for each in plausible))
    slow = {pair for pair in slow if pair in together or factors[pair] >= threshold_of_one}
    if not slow:
        return []
    plausible += _cables(slow, factors, names)
    best = _Search(factors, slow, plausible, threshold).best()
    found = [Cause(each, factor) for each, factor in zip(best, _sizes(factors, best), strict=True)]
    return sorted(found, key=lambda each: -each.factor)


def _telling(suspect: Suspect, factors: Factors) -> set[Pair]:
    """The pairs that show how slow a suspect is."""
    here = suspect.pairs & factors.keys()
    if not suspect.weights:
        return set(here)
    weights = {pair: suspect.weights.get(pair, 1.0) for pair in here}
    least = TELLING * max(weights.values(), default=0.0)
    return {pair for pair, weight in weights.items() if weight >= least}


def _delaying(suspect: Suspect, factors: Factors, threshold: float) -> Suspect:
    """The same with only the pairs that it delays if it is as slow as the telling ones show."""
    if not suspect.weights:
        return suspect
    weights = suspect.weights
    telling = _telling(suspect, factors)
    size = median(factors[pair] / weights.get(pair, 1.0) for pair in telling)
    delayed = {
        pair
        for pair in suspect.pairs & factors.keys()
        if size * weights.get(pair, 1.0) >= threshold
    }
    return replace(suspect, pairs=frozenset(delayed | telling))


def _share(pairs: Iterable[Pair], slow: set[Pair]) -> float:
    here = list(pairs)
    return sum(each in slow for each in here) / len(here) if here else 0.0


def _cables(pairs: Iterable[Pair], factors: Factors, names: Mapping[int, str]) -> list[Suspect]:
    """A suspect for both directions of each pair, or for the only slow direction."""
    result, left = [], set(pairs)
    for a, b in sorted(left):
        name = f"{names[min(a, b)]}-{names[max(a, b)]}"
        back = (b, a)
        if back in left and a < b:
            result.append(Suspect("cable", name, frozenset({(a, b), back})))
        elif back not in left:
            way = f"from {names[a]} to {names[b]}" if back in factors else ""
            result.append(Suspect("cable", name, frozenset({(a, b)}), way))
    return result


def _sizes(factors: Factors, chosen: Sequence[Suspect]) -> list[float]:
    """The factor of each suspect: the median of the pairs that no other suspect contains."""
    result = []
    for each in chosen:
        here = _telling(each, factors)
        others = set().union(*(other.pairs for other in chosen if other is not each))
        alone = here - others
        weights = each.weights
        result.append(median(factors[pair] / weights.get(pair, 1.0) for pair in alone or here))
    return result


class _Search:
    """Tries sets of suspects: those of the pair with the fewest suspects first."""

    def __init__(
        self, factors: Factors, slow: set[Pair], suspects: Sequence[Suspect], threshold: float
    ) -> None:
        self._factors, self._slow, self._threshold = factors, slow, threshold
        self._of = defaultdict[Pair, list[Suspect]](list)
        for each in sorted(suspects, key=lambda each: -len(each.pairs & slow)):
            for pair in each.pairs & slow:
                self._of[pair].append(each)
        self._left = MOST_SEARCHED
        self._cost = float("inf")
        self._best: tuple[Suspect, ...] = ()

    def best(self) -> tuple[Suspect, ...]:
        greedy = self._greedy()
        self._settle(greedy)
        if len(greedy) <= MOST_TOGETHER:
            self._extend((), frozenset(self._slow), 0.0)
        return self._best

    def _greedy(self) -> tuple[Suspect, ...]:
        """A first set: always the suspect with the most slow pairs that are left."""
        left, chosen = set(self._slow), list[Suspect]()
        everyone = {each for some in self._of.values() for each in some}
        while left:
            most = max(everyone, key=lambda each: (len(each.pairs & left), -_weight(each)))
            chosen.append(most)
            left -= most.pairs
        return tuple(chosen)

    def _extend(self, chosen: tuple[Suspect, ...], left: frozenset[Pair], weight: float) -> None:
        if not left:
            self._settle(chosen)
            return
        self._left -= 1
        if self._left < 0 or weight + 1.0 > self._cost:
            return
        pair = min(left, key=lambda each: len(self._of[each]))
        for each in self._of[pair]:
            self._extend((*chosen, each), left - each.pairs, weight + _weight(each))

    def _settle(self, chosen: tuple[Suspect, ...]) -> None:
        sizes = _sizes(self._factors, chosen)
        cost = sum(map(_weight, chosen)) + self._misfit(chosen, sizes)
        if min(sizes) < self._threshold:  # its pairs are slow because of the others
            cost += len(self._slow)
        if cost < self._cost:
            self._cost, self._best = cost, chosen

    def _misfit(self, chosen: Sequence[Suspect], sizes: Sequence[float]) -> float:
        """The mean distance between measured and explained factors, as logarithms.

        A suspect with slow pairs of its own does not explain faster ones, so the slowest of the
        suspects of a pair determines it, as on links in a row.
        """
        pairs = set().union(*(each.pairs for each in chosen)) & self._factors.keys()
        distance = 0.0
        for pair in pairs:
            own = [
                size * each.weights.get(pair, 1.0)
                for each, size in zip(chosen, sizes, strict=True)
                if pair in each.pairs
            ]
            distance += abs(log(self._factors[pair] / max(own)))
        return distance / len(pairs)


def _weight(suspect: Suspect) -> float:
    return WEIGHTS[suspect.kind] + (ONE_WAY if suspect.way else 0.0)
