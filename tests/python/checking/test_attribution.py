"""The causes of slow pairs, on generated machines."""

import random
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from toccata.checking.attribution import Cause, Pair, Suspect, causes, hosts

THRESHOLD = 1.12
NOISE = 0.02  # standard deviation of a pair's time


@dataclass(frozen=True)
class Machine:
    """Hosts below leaf switches, their suspects, and planted faults with their factors."""

    names: Mapping[int, str]
    factors: Mapping[Pair, float]
    suspects: list[Suspect]
    planted: dict[Suspect, float]


def switches(hosts_of_leaf: int, pairs: set[Pair]) -> list[Suspect]:
    """A switch has all pairs with one end below it."""
    number = 1 + max(a for a, _ in pairs)
    leaves = [
        leaf for leaf in range(-(-number // hosts_of_leaf)) if number - leaf * hosts_of_leaf > 1
    ]
    if number <= 2 * hosts_of_leaf:  # with two leaves, both uplinks have the same pairs
        leaves = leaves[:1] if len(leaves) == 2 else []
    return [
        Suspect("switch", f"leaf{leaf}", frozenset(
            (a, b) for a, b in pairs if (a // hosts_of_leaf == leaf) != (b // hosts_of_leaf == leaf)
        ))
        for leaf in leaves
    ]  # fmt: skip


def generated(seed: int) -> Machine:
    chance = random.Random(seed)
    number = chance.randint(8, 40)
    names = {host: f"n{host}" for host in range(number)}
    pairs = {(a, b) for a in names for b in names if a != b}
    suspects = [*hosts(names, pairs), *switches(chance.choice([3, 4, 8]), pairs)]
    cables = [
        Suspect("cable", f"n{a}-n{b}", frozenset({(a, b), (b, a)})) for a, b in pairs if a < b
    ]
    planted = dict[Suspect, float]()
    for _ in range(chance.randint(0, 3)):
        some = chance.choice([suspects, suspects, cables])
        # A suspect that is part of another one cannot be told from it.
        one = chance.choice(some)
        if not any(one.pairs & each.pairs == min(one.pairs, each.pairs, key=len)
                   for each in planted):  # fmt: skip
            planted[one] = chance.uniform(1.3, 8)
    factors = {
        pair: max([1.0, *(f for each, f in planted.items() if pair in each.pairs)])
        * max(0.9, chance.gauss(1, NOISE))
        for pair in pairs
    }
    return Machine(names, factors, suspects, planted)


def named(found: list[Cause]) -> set[tuple[str, str, str]]:
    return {(each.suspect.kind, each.suspect.name, each.suspect.way) for each in found}


@pytest.mark.parametrize("hundred", range(10))
def test_the_planted_faults_of_a_hundred_machines_are_named(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        machine = generated(seed)
        found = causes(machine.factors, machine.suspects, THRESHOLD, machine.names)
        parts = {(each.suspect.kind, each.suspect.name) for each in found}
        assert parts == {(each.kind, each.name) for each in machine.planted}, seed
        if len(found) == len(machine.planted) == 1:
            (right,) = machine.planted.values()
            assert found[0].factor == pytest.approx(right, rel=0.08), seed  # a cable has two pairs


def test_two_slow_hosts_of_four_are_not_four_cables() -> None:
    names = dict(enumerate("abcd"))
    factors = {(a, b): 2.0 if {a, b} & {1, 3} else 1.0 for a in names for b in names if a != b}
    found = causes(factors, hosts(names, factors), THRESHOLD, names)
    assert named(found) == {("host", "b", ""), ("host", "d", "")}


def test_one_slow_direction_is_told() -> None:
    names = dict(enumerate("abcd"))
    factors = {(a, b): 2.0 if a == 1 else 1.0 for a in names for b in names if a != b}
    assert named(causes(factors, hosts(names, factors), THRESHOLD, names)) == {
        ("host", "b", "out of")
    }


def test_a_slow_pair_in_one_direction_is_a_cable() -> None:
    names = dict(enumerate("abcd"))
    factors = {(a, b): 3.0 if (a, b) == (2, 0) else 1.0 for a in names for b in names if a != b}
    (found,) = causes(factors, hosts(names, factors), THRESHOLD, names)
    assert (found.suspect.name, found.suspect.way) == ("a-c", "from c to a")
    assert found.factor == 3.0


def test_without_slow_pairs_there_is_no_cause() -> None:
    names = dict(enumerate("ab"))
    assert causes({(0, 1): 1.05, (1, 0): 0.98}, hosts(names, [(0, 1)]), THRESHOLD, names) == []
