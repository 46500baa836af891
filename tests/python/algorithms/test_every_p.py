"""Closed patterns: schedules follow them, and a solver proves them for every number of ranks."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from toccata import _core
from toccata.algorithms import every_p, patterns
from toccata.algorithms.patterns import Int, Logic, Obligation, Pattern, Round

PATTERNS = sorted({base.pattern for base in every_p.BASES}, key=repr)


@pytest.mark.parametrize("base", every_p.BASES, ids=lambda base: base.algorithm)
def test_schedules_follow_their_pattern(base: every_p.Follows) -> None:
    assert [base.difference(p) for p in range(1, 19)] == [""] * 18


def test_a_wrong_pattern_differs() -> None:
    wrong = every_p.Follows("allgather/bruck", patterns.Ring())
    assert wrong.difference(2) == ""
    assert wrong.difference(5) == "allgather/bruck with 5 ranks, root 0: rank 0"


def test_every_path_is_that_of_an_algorithm() -> None:
    known = {each.path for each in _core.algorithms()}
    named = {base.path for base in every_p.BASES} | set(every_p.MADE_OF)
    assert named <= known
    assert {part for parts in every_p.MADE_OF.values() for part in parts} <= named


@pytest.mark.parametrize("pattern", PATTERNS, ids=repr)
def test_patterns_are_proved(pattern: Pattern) -> None:
    pytest.importorskip("z3")
    assert every_p.prove(pattern) == ""


class SendsTooMuch(patterns.Doubling):
    """Bruck's last round without its limit."""

    def sent(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int, Int]:
        return -state[0], 0, state[0]


class EndsEarly(patterns.Doubling):
    def goes_on(self, p: Int, *state: Int) -> patterns.Bool:
        return 2 * state[0] < p


@dataclass(frozen=True)
class Empty(Pattern):
    """An obligation whose premise is never true."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p = logic.number("p")
        yield Obligation("nothing", logic.both(p > 1, p < 1), p == 7)

    def rounds(self, p: int, rank: int) -> list[Round]:
        return []


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        (SendsTooMuch(), "windows join without overlap: wrong for "),
        (EndsEarly(), "all blocks at the end: wrong for "),
        (Empty(), "nothing: its premise is never true"),
    ],
)
def test_wrong_patterns_are_not_proved(pattern: Pattern, error: str) -> None:
    pytest.importorskip("z3")
    assert every_p.prove(pattern).startswith(error)


def test_at_least_sixty_algorithms_are_proved_for_every_p() -> None:
    pytest.importorskip("z3")
    verdicts = every_p.verdicts(9)
    assert [each for each in verdicts if each.why and not each.every] == []
    assert sum(each.every for each in verdicts) >= 60
