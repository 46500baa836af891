"""For which numbers of ranks each algorithm is proved, and the proofs for every number.

An algorithm whose schedules follow a closed pattern (toccata.algorithms.patterns) is proved for
every p in two steps. A solver proves the pattern's obligations, which imply by induction that the
pattern is correct. The messages of the schedules are compared with the pattern for many p.
Algorithms that are made of others inherit their proofs (docs/design/0020-proofs.md).

The solver is z3, from the package z3-solver, which only this needs.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from toccata import _core
from toccata.algorithms import patterns
from toccata.algorithms.patterns import Bool, Int, Message, Pattern, Round
from toccata.errors import InputError


class _Z3(patterns.Logic):
    def __init__(self) -> None:
        try:
            import z3
        except ImportError:
            raise InputError(
                "proofs for every number of ranks need the solver z3; try `pip install z3-solver`"
            ) from None
        self.z3: Any = z3

    def number(self, name: str) -> Int:
        return self.z3.Int(name)

    def least(self, a: Int, b: Int) -> Int:
        return self.z3.If(a <= b, a, b)

    def both(self, *terms: Bool) -> Bool:
        return self.z3.And(*terms)

    def either(self, *terms: Bool) -> Bool:
        return self.z3.Or(*terms)

    def bits(self, name: str) -> Any:
        return self.z3.BitVec(name, 31)

    def below(self, a: Any, b: Any) -> Bool:
        return self.z3.ULT(a, b)

    def error(self, obligation: patterns.Obligation) -> str:
        """Values for which an obligation is not met; "" if there are none.

        An obligation whose premise is never true would prove nothing, so it is an error, too.
        """
        given, then = obligation.given, obligation.then
        if self._values(given) == "":
            return "its premise is never true"
        return self._values(self.z3.And(given, self.z3.Not(then)))

    def _values(self, formula: Bool) -> str:
        solver = self.z3.Solver()
        solver.set("timeout", 60_000)
        solver.add(formula)
        found = solver.check()
        if found == self.z3.unsat:
            return ""
        return f"wrong for {solver.model()}" if found == self.z3.sat else "the solver gave up"


def prove(pattern: Pattern) -> str:
    """Proves a pattern for every number of ranks. The first error, in one line; "" for none."""
    logic = _Z3()
    for each in pattern.obligations(logic):
        if wrong := logic.error(each):
            return f"{each.name}: {' '.join(wrong.split())}"
    return ""


@dataclass(frozen=True)
class Follows:
    """An algorithm, in one setting, whose schedules follow a pattern."""

    algorithm: str  # "allgather/bruck:rotation=none"
    pattern: Pattern
    reverse: bool = False  # rounds in reverse, with sends for receives
    # The rounds of the pattern that share a round of the schedules: all, or one each.
    at_once: bool = False
    counts_blocks: bool = True  # messages of signals, or of parts, have other numbers
    possible: Callable[[int], bool] = lambda p: True

    @property
    def path(self) -> str:
        return self.algorithm.partition(":")[0]

    def difference(self, p: int) -> str:
        """The first difference between the schedules for p ranks and the pattern; "" for none."""
        if not self.possible(p):
            return ""
        choice = _core.parse_choice(*self.algorithm.split("/"))
        for root in {0, p // 2} if choice.rooted else {0}:
            shape = _core.Shape(p, root=root)
            for rank in range(p):
                written = [self._seen(each, root, p) for each in _rounds(choice, shape, rank)]
                if written != self._expected(p, (rank - root) % p):
                    return f"{self.algorithm} with {p} ranks, root {root}: rank {rank}"
        return ""

    def _expected(self, p: int, rank: int) -> list[Any]:
        rounds = self.pattern.rounds(p, rank)
        if self.at_once and rounds:
            sends = [message for each in rounds for message in each.sends]
            rounds = [Round(sends, [message for each in rounds for message in each.recvs])]
        if self.reverse:
            rounds = [Round(each.recvs, each.sends) for each in reversed(rounds)]
        return [self._seen(each, 0, p) for each in rounds]

    def _seen(self, each: Round, root: int, p: int) -> Any:
        def numbers(messages: list[Message]) -> list[tuple[int, int]]:
            return sorted(
                ((m.peer - root) % p, m.blocks if self.counts_blocks else 0) for m in messages
            )

        return numbers(each.sends), numbers(each.recvs)


def _rounds(choice: _core.Choice, shape: _core.Shape, rank: int) -> Iterator[Round]:
    """The rounds with messages of a rank."""
    schedule = choice.schedule(shape, rank)
    for number in range(len(schedule)):
        written = schedule.round(number)
        sends, recvs = (
            [Message(m.peer, sum(len(r.blocks) for r in m.ranges)) for m in messages]
            for messages in (written.sends, written.recvs)
        )
        if sends or recvs:
            yield Round(sends, recvs)


def _power_of_two(p: int) -> bool:
    return p & (p - 1) == 0


def _at_least(least: int, p: int) -> bool:
    return p >= least


def _with_radix(path: str, pattern: Callable[[int], Pattern], **how: Any) -> list[Follows]:
    return [Follows(f"{path}:radix={k}", pattern(k), **how) for k in (2, 3, 4, 5, 8)]


BASES = (
    Follows("allgather/ring", patterns.Ring()),
    Follows("reduce_scatter/ring", patterns.Ring(-1), reverse=True),
    Follows("allgather/bruck", patterns.Doubling()),
    Follows("allgather/bruck:rotation=none", patterns.Doubling()),
    Follows("allgather/circulant", patterns.Halving()),
    Follows("reduce_scatter/circulant", patterns.Halving(), reverse=True),
    Follows("allgather/trivance", patterns.Tripling()),
    Follows("allgather/recursive_doubling", patterns.Groups(2, True), possible=_power_of_two),
    *_with_radix("allgather/recursive_multiplying", lambda k: patterns.Groups(k, True)),
    *_with_radix("allreduce/recursive_multiplying", patterns.Groups),
    Follows("allreduce/recursive_doubling", patterns.Groups(2)),
    *_with_radix("barrier/recursive_multiplying", patterns.Groups, counts_blocks=False),
    *_with_radix("barrier/dissemination", patterns.Spreading),
    Follows("alltoall/linear", patterns.Direct(), at_once=True),
    Follows("alltoall/spread_out:in_flight=1", patterns.Direct()),
    Follows("alltoall/pairwise", patterns.Direct(), possible=lambda p: not _power_of_two(p)),
    Follows("alltoall/pairwise", patterns.Swaps(), possible=_power_of_two),
    Follows("reduce_scatter/pairwise", patterns.Direct()),
    Follows("alltoall/bruck", patterns.Hops()),
    Follows("alltoall/bruck_modified", patterns.Hops(2, -1)),
    Follows("alltoall/bruck_zero_copy", patterns.Hops(2, -1)),
    *(Follows(f"alltoall/bruck_radix:radix={k}", patterns.Hops(k), possible=partial(_at_least, k))
      for k in (2, 3, 4, 5)),
    Follows("bcast/linear", patterns.Star()),
    Follows("scatter/linear", patterns.Star()),
    Follows("gather/linear", patterns.Star(), reverse=True),
    Follows("bcast/binomial", patterns.Tree()),
    Follows("scatter/binomial", patterns.Tree(2, True)),
    Follows("gather/binomial", patterns.Tree(2, True), reverse=True),
    *_with_radix("bcast/knomial", patterns.Tree),
    *_with_radix("scatter/knomial", lambda k: patterns.Tree(k, True)),
    *_with_radix("gather/knomial", lambda k: patterns.Tree(k, True), reverse=True),
    *_with_radix("reduce/knomial", patterns.Tree, reverse=True),
    Follows("bcast/pipeline:segments=1", patterns.Chain()),
    Follows("reduce/pipeline:segments=1", patterns.Chain(), reverse=True),
    Follows("scan/linear", patterns.Chain()),
    Follows("exscan/linear", patterns.Chain()),
    Follows("bcast/binary:segments=1", patterns.BinaryTree()),
    Follows("reduce/binary:segments=1", patterns.BinaryTree(), reverse=True),
    *(Follows(f"{each}/shared", patterns.Direct(), at_once=True)
      for each in ("allgather", "alltoall", "reduce_scatter")),
    Follows("allreduce/shared:reducers=whole", patterns.Direct(), at_once=True),
    Follows("reduce/shared:reducers=whole", patterns.Star(), reverse=True),
    Follows("barrier/shared", patterns.Direct(), at_once=True, counts_blocks=False),
    Follows("bcast/shared", patterns.Star()),
    Follows("scatter/shared", patterns.Star()),
    Follows("gather/shared", patterns.Star(), reverse=True),
    Follows("scan/shared", patterns.Upwards()),
    Follows("exscan/shared", patterns.Upwards()),
)  # fmt: skip

# Algorithms that consist of others: one after the other, in reverse, or several at the same time.
MADE_OF = {
    "allreduce/allgather_reduce": ("allgather/bruck", "allgather/ring"),
    "allreduce/binary": ("reduce/binary", "bcast/binary"),
    "allreduce/circulant": ("reduce_scatter/circulant", "allgather/circulant"),
    "allreduce/double_tree": ("reduce/binary", "bcast/binary"),
    "allreduce/ring": ("reduce_scatter/ring", "allgather/ring"),
    "allreduce/trivance": ("reduce_scatter/trivance", "allgather/trivance"),
    "alltoall/torus_lines": ("alltoall/pairwise", "alltoall/bruck", "alltoall/linear"),
    "barrier/knomial": ("bcast/knomial",),
    "bcast/double_tree": ("bcast/binary",),
    "bcast/scatter_allgather": (
        "scatter/binomial", "allgather/recursive_doubling", "allgather/bruck", "allgather/ring",
    ),
    "exscan/pipeline": ("exscan/linear",),
    "reduce/double_tree": ("bcast/binary",),
    "reduce_scatter/recursive_multiplying": ("allgather/recursive_multiplying",),
    "reduce_scatter/trivance": ("allgather/trivance",),
    "scan/pipeline": ("scan/linear",),
}  # fmt: skip


@dataclass(frozen=True)
class Verdict:
    """For which numbers of ranks an algorithm is proved."""

    path: str
    every: bool  # or only those of `toccata verify`
    why: str  # the pattern, the parts, or an error


def _proved(path: str, found: dict[str, Verdict]) -> bool:
    """Whether an algorithm, or all of its parts, are proved."""
    if path in MADE_OF:
        return all(_proved(part, found) for part in MADE_OF[path])
    return found[path].every


def verdicts(most: int = 64) -> list[Verdict]:
    """One for each algorithm of the library; schedules are compared for up to `most` ranks."""
    errors = {each: prove(each) for each in {base.pattern for base in BASES}}
    found = dict[str, Verdict]()
    for base in BASES:
        differences = (base.difference(p) for p in range(1, most + 1))
        error = errors[base.pattern] or next(filter(None, differences), "")
        name = type(base.pattern).__name__
        if base.path not in found or error:
            found[base.path] = Verdict(base.path, not error, error or name)
    for path, parts in MADE_OF.items():
        every = all(_proved(part, found) for part in parts)
        found[path] = Verdict(path, every, " + ".join(parts))
    return [found.get(each.path, Verdict(each.path, False, "")) for each in _core.algorithms()]
