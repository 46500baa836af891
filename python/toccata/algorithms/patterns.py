"""Closed patterns: the messages of an algorithm as formulas, for any number of ranks.

A pattern works with numbers and with the terms of a solver. With numbers, it lists the messages of
a rank, which must be those of the algorithm's schedules. With terms, it yields obligations. They
imply, by induction over the rounds, that messages match, that ranks send only what they have, and
that they end with all that they need. toccata.algorithms.every_p proves them.

Ranks are counted from the root, around the circle.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

# A number, or a term of the solver.
Int = Any
Bool = Any


@dataclass(frozen=True)
class Obligation:
    """A formula that must be true for all values of its variables for which `given` is true."""

    name: str
    given: Bool
    then: Bool


@dataclass(frozen=True)
class Message:
    """One message of a rank: the peer, and the number of blocks."""

    peer: int
    blocks: int


@dataclass
class Round:
    """A round of one rank."""

    sends: list[Message]
    recvs: list[Message]


class Logic(ABC):
    """What patterns need of a solver."""

    @abstractmethod
    def number(self, name: str) -> Int: ...
    @abstractmethod
    def least(self, a: Int, b: Int) -> Int: ...
    @abstractmethod
    def both(self, *terms: Bool) -> Bool: ...
    @abstractmethod
    def either(self, *terms: Bool) -> Bool: ...

    @abstractmethod
    def bits(self, name: str) -> Any:
        """A number below 2^31, as bits; compared by `below`."""

    @abstractmethod
    def below(self, a: Any, b: Any) -> Bool: ...


class Pattern(ABC):
    """A family of schedules, with the obligations of its proof."""

    @abstractmethod
    def obligations(self, logic: Logic) -> Iterator[Obligation]: ...

    @abstractmethod
    def rounds(self, p: int, rank: int) -> list[Round]:
        """The rounds with messages. `rank` is counted from the root."""


class Circle(Pattern):
    """An allgather on a circle: every rank has a window of blocks, which grows in each round.

    The window is relative to the rank. All ranks do the same, so the receiver at distance t sees a
    window that begins t earlier: messages match.
    """

    steps: ClassVar[tuple[str, ...]] = ()  # the names of the state's variables

    @abstractmethod
    def start(self, p: Int) -> tuple[Int, ...]: ...
    @abstractmethod
    def goes_on(self, p: Int, *state: Int) -> Bool: ...
    @abstractmethod
    def invariant(self, logic: Logic, p: Int, *state: Int) -> Bool: ...

    @abstractmethod
    def after(self, logic: Logic, p: Int, *state: Int) -> tuple[tuple[Int, ...], Bool]:
        """The next state, and what is known of its variables."""

    @abstractmethod
    def sent(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int, Int]:
        """Distance of the receiver, first block, number of blocks."""

    @abstractmethod
    def held(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int]:
        """First block and number of blocks of the window."""

    @abstractmethod
    def states(self, p: int) -> Iterator[tuple[int, ...]]:
        """The states of all rounds, with numbers."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p = logic.number("p")
        state = tuple(logic.number(name) for name in self.steps)
        begin = self.start(p)
        known = logic.both(p >= 1, self.invariant(logic, p, *state))
        given = logic.both(known, self.goes_on(p, *state))
        to, first, count = self.sent(logic.least, p, *state)
        lowest, window = self.held(logic.least, p, *state)
        later, about_it = self.after(logic, p, *state)
        new_lowest, new_window = self.held(logic.least, p, *later)
        arrives = first - to
        yield Obligation("invariant at first", p >= 1, self.invariant(logic, p, *begin))
        own = logic.both(*_equal(self.held(logic.least, p, *begin), (0, 1)))
        yield Obligation("own block at first", p >= 1, own)
        has = logic.both(count >= 1, first >= lowest, first + count <= lowest + window)
        yield Obligation("ranks have what they send", given, has)
        below = logic.both(arrives + count == lowest, new_lowest == arrives)
        above = logic.both(arrives == lowest + window, new_lowest == lowest)
        joins = logic.both(logic.either(below, above), new_window == window + count)
        given = logic.both(given, about_it)
        yield Obligation("windows join without overlap", given, joins)
        yield Obligation("no block arrives twice", given, new_window <= p)
        yield Obligation("invariant later", given, self.invariant(logic, p, *later))
        ends = logic.both(known, self.goes_on(p, *state) == False)  # noqa: E712
        yield Obligation("all blocks at the end", ends, window == p)

    def rounds(self, p: int, rank: int) -> list[Round]:
        result = []
        for state in self.states(p):
            to, _, count = self.sent(min, p, *state)
            result.append(
                Round([Message((rank + to) % p, count)], [Message((rank - to) % p, count)])
            )
        return result


def _equal(one: tuple[Int, ...], other: tuple[Int, ...]) -> list[Bool]:
    return [a == b for a, b in zip(one, other, strict=True)]


@dataclass(frozen=True)
class Ring(Circle):
    """The window grows by one block, which came from the rank below (up = 1) or above (-1)."""

    up: int = 1

    steps: ClassVar[tuple[str, ...]] = ("i",)

    def start(self, p: Int) -> tuple[Int, ...]:
        return (p * 0 + 1,)

    def goes_on(self, p: Int, *state: Int) -> Bool:
        return state[0] < p

    def invariant(self, logic: Logic, p: Int, *state: Int) -> Bool:
        return logic.both(state[0] >= 1, state[0] <= p)

    def after(self, logic: Logic, p: Int, *state: Int) -> tuple[tuple[Int, ...], Bool]:
        return (state[0] + 1,), p == p

    def sent(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int, Int]:
        return self.up, self.up * (1 - state[0]), 1

    def held(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int]:
        return (1 - state[0] if self.up > 0 else 0), state[0]

    def states(self, p: int) -> Iterator[tuple[int, ...]]:
        for i in range(1, p):
            yield (i,)


@dataclass(frozen=True)
class Doubling(Circle):
    """Bruck's allgather: the window [0, d) goes to the rank d below, and doubles."""

    steps: ClassVar[tuple[str, ...]] = ("d",)

    def start(self, p: Int) -> tuple[Int, ...]:
        return (p * 0 + 1,)

    def goes_on(self, p: Int, *state: Int) -> Bool:
        return state[0] < p

    def invariant(self, logic: Logic, p: Int, *state: Int) -> Bool:
        return state[0] >= 1

    def after(self, logic: Logic, p: Int, *state: Int) -> tuple[tuple[Int, ...], Bool]:
        return (2 * state[0],), p == p

    def sent(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int, Int]:
        return -state[0], 0, least(state[0], p - state[0])

    def held(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int]:
        return 0, least(state[0], p)

    def states(self, p: int) -> Iterator[tuple[int, ...]]:
        d = 1
        while d < p:
            yield (d,)
            d *= 2


@dataclass(frozen=True)
class Halving(Circle):
    """Träff's circulant graph: distances d, of which each is half of the next one n, rounded up.

    The last n is p. A rank sends the n - d blocks that end with its own.
    """

    steps: ClassVar[tuple[str, ...]] = ("d", "n")

    def start(self, p: Int) -> tuple[Int, ...]:
        return (p * 0 + 1, p * 0 + 2)

    def goes_on(self, p: Int, *state: Int) -> Bool:
        return state[0] < p

    def invariant(self, logic: Logic, p: Int, *state: Int) -> Bool:
        d, n = state
        half = logic.both(2 * d - 1 <= n, n <= 2 * d, d < n, n <= p)
        return logic.both(d >= 1, d <= p, logic.either(d == p, half, p == 1))

    def after(self, logic: Logic, p: Int, *state: Int) -> tuple[tuple[Int, ...], Bool]:
        _, n = state
        further = logic.number("next")
        half = logic.both(2 * n - 1 <= further, further <= 2 * n, n < further, further <= p)
        return (n, further), logic.either(n == p, half)

    def sent(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int, Int]:
        d, n = state
        return d, 1 - (n - d), n - d

    def held(self, least: Any, p: Int, *state: Int) -> tuple[Int, Int]:
        return 1 - state[0], state[0]

    def states(self, p: int) -> Iterator[tuple[int, ...]]:
        distances = [p]
        while distances[-1] > 1:
            distances.append((distances[-1] + 1) // 2)
        ascending = distances[::-1]
        yield from pairwise(ascending)


@dataclass(frozen=True)
class Direct(Pattern):
    """Every rank sends its block for another rank directly, at every distance once."""

    direction: int = 1

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, rank, peer, i = (logic.number(name) for name in ("p", "rank", "peer", "i"))
        inside = logic.both(rank >= 0, rank < p, peer >= 0, peer < p, rank != peer)
        # The distance to the peer, from 1 to p - 1, as the sender and as the receiver see it.
        to = peer - rank
        reached = logic.both(i >= 1, i < p, logic.either(i == to, i == to + p))
        back = logic.either(rank == peer - i, rank == peer - i + p)
        some = logic.either(logic.both(to >= 1, to < p), logic.both(to + p >= 1, to + p < p))
        yield Obligation("each peer is at one distance", inside, some)
        yield Obligation("messages match", logic.both(inside, reached), back)
        other = logic.number("other")
        twice = logic.both(inside, reached, other >= 1, other < p)
        again = logic.either(other == to, other == to + p)
        yield Obligation("no peer is reached twice", logic.both(twice, again), other == i)

    def rounds(self, p: int, rank: int) -> list[Round]:
        away = [self.direction * i for i in range(1, p)]
        return [Round([Message((rank + i) % p, 1)], [Message((rank - i) % p, 1)]) for i in away]


@dataclass(frozen=True)
class Hops(Pattern):
    """Bruck's all-to-all: blocks with digit δ of weight w move by δ·w ranks."""

    radix: int = 2
    direction: int = 1

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, k, w = (logic.number(name) for name in ("p", "k", "w"))
        high, digit, low, j = (logic.number(name) for name in ("high", "digit", "low", "j"))
        # Block j must move by j ranks. Before the hops of weight w, it has moved by j modulo w.
        split = logic.both(
            k >= 2, w >= 1, low >= 0, low < w, digit >= 0, digit < k, high >= 0,
            j == high * (k * w) + digit * w + low, j < p,
        )  # fmt: skip
        moved = low + digit * w
        yield Obligation(
            "a hop leaves j modulo k·w",
            split,
            logic.both(moved >= 0, moved < k * w, j - moved == high * (k * w)),
        )
        ends = logic.both(split, w >= p)
        yield Obligation("each block ends at its rank", ends, low == j)
        yield Obligation("hops are shorter than p", split, digit * w < p)

    def rounds(self, p: int, rank: int) -> list[Round]:
        result, weight = [], 1
        while weight < p:
            for digit in range(1, self.radix):
                count = sum(j // weight % self.radix == digit for j in range(p))
                if count:
                    away = self.direction * digit * weight
                    result.append(
                        Round(
                            [Message((rank + away) % p, count)], [Message((rank - away) % p, count)]
                        )
                    )
            weight *= self.radix
        return result


@dataclass(frozen=True)
class Tree(Pattern):
    """A k-nomial tree: the parent of v is v without its lowest digit that is not 0.

    If that digit has weight w, the subtree of v consists of w ranks from v on.
    """

    radix: int = 2
    subtrees: bool = False  # whether messages carry a block per rank of the subtree

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        names = ("p", "k", "w", "high", "digit", "up")
        p, k, w, high, digit, up = (logic.number(name) for name in names)
        v = high * (k * w) + digit * w
        known = logic.both(k >= 2, w >= 1, digit >= 1, digit < k, high >= 0, v < p)
        parent = high * (k * w)
        yield Obligation(
            "the parent is a rank before v", known, logic.both(parent >= 0, parent < v, parent < p)
        )
        # Weight of the parent: `up` times k·w if it is not the root.
        above = logic.both(known, up >= 1)
        yield Obligation("the parent receives in an earlier round", above, up * (k * w) > w)
        yield Obligation(
            "the parent lists v as a child",
            above,
            logic.both(w < up * (k * w), v == parent + digit * w),
        )
        end = parent + up * (k * w)  # of the parent's subtree, before it is cut at p
        inside = v + w <= end
        yield Obligation("the subtree of v is in that of its parent", above, inside)
        nxt = logic.number("next_digit")
        sibling = logic.both(known, nxt > digit, nxt < k)
        yield Obligation("subtrees do not overlap", sibling, v + w <= parent + nxt * w)

    def rounds(self, p: int, rank: int) -> list[Round]:
        weight = 1
        while weight * self.radix < p:
            weight *= self.radix
        reach, result = p, list[Round]()
        if rank:
            reach = 1
            while rank // reach % self.radix == 0:
                reach *= self.radix
        while weight and p > 1:
            sends, recvs = list[Message](), list[Message]()
            span = min(weight, p - rank) if self.subtrees else 1
            if weight == reach:
                recvs.append(Message(rank - rank // weight % self.radix * weight, span))
            for digit in range(1, self.radix):
                child = rank + digit * weight
                if weight < reach and child < p:
                    sends.append(Message(child, min(weight, p - child) if self.subtrees else 1))
            if sends or recvs:
                result.append(Round(sends, recvs))
            weight //= self.radix
        return result


@dataclass(frozen=True)
class Star(Pattern):
    """The root sends to all others."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        yield from Direct().obligations(logic)  # the root is one of the ranks

    def rounds(self, p: int, rank: int) -> list[Round]:
        if p == 1:
            return []
        if rank:
            return [Round([], [Message(0, 1)])]
        return [Round([Message(each, 1) for each in range(1, p)], [])]


@dataclass(frozen=True)
class Chain(Pattern):
    """Each rank sends to the next one what it received from the previous one."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, v, last = (logic.number(name) for name in ("p", "v", "last"))
        inside = logic.both(v > 0, v < p)
        yield Obligation("the previous rank exists", inside, logic.both(v - 1 >= 0, v - 1 < p))
        yield Obligation("it sends to this rank", inside, logic.both(v - 1 != p - 1))
        ends = logic.both(last >= 0, last < p, last + 1 >= p)
        yield Obligation("the chain ends at the last rank", ends, last == p - 1)

    def rounds(self, p: int, rank: int) -> list[Round]:
        result = []
        if rank > 0:
            result.append(Round([], [Message(rank - 1, 1)]))
        if rank < p - 1:
            result.append(Round([Message(rank + 1, 1)], []))
        return result


@dataclass(frozen=True)
class Groups(Pattern):
    """Leaves whose numbers differ in one digit exchange; pairs of ranks are folded to leaves.

    There are L leaves, j · k^m with j < k. After the exchange over a digit of weight w and size s,
    a leaf has all contributions of the s·w leaves whose higher digits are the same.
    """

    radix: int = 2
    grows: bool = False  # whether messages carry all blocks so far, as in an allgather

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, leaves, power, j, k = (logic.number(n) for n in ("p", "leaves", "power", "j", "k"))
        folds = logic.both(
            power >= 1, j >= 1, j < k, k >= 2, leaves == j * power, leaves <= p, p < leaves + power
        )
        yield Obligation(
            "at most one pair per leaf", folds, logic.both(p - leaves >= 0, p - leaves <= leaves)
        )
        w, s, high, place, low = (logic.number(n) for n in ("w", "s", "high", "place", "low"))
        other, leaf = logic.number("other"), logic.number("leaf")
        digits = logic.both(
            w >= 1, s >= 1, high >= 0, place >= 0, place < s, low >= 0, low < w,
            other >= 0, other < s, leaf == high * (s * w) + place * w + low,
        )  # fmt: skip
        peer = leaf + (other - place) * w
        run, beside = high * (s * w) + place * w, high * (s * w) + other * w
        yield Obligation("peers see each other", digits, peer + (place - other) * w == leaf)
        yield Obligation(
            "a leaf is in its run",
            digits,
            logic.both(run <= leaf, leaf < run + w, beside <= peer, peer < beside + w),
        )
        yield Obligation(
            "runs join in order", logic.both(digits, other == place + 1), run + w == beside
        )
        yield Obligation(
            "all runs together are the next run",
            logic.both(digits, place == 0, other == s - 1),
            logic.both(run == high * (s * w), beside + w == high * (s * w) + s * w),
        )
        t, q = logic.number("t"), logic.number("q")
        left = logic.both(k >= 2, j >= 1, j < k, t >= 1, q == j * (k * t))
        size = logic.least(k, q)
        yield Obligation("digits of radix k first", left, logic.both(size == k, q == k * (j * t)))
        yield Obligation(
            "the last digit has radix j", logic.both(k >= 2, j >= 1, j < k), logic.least(k, j) == j
        )

    def rounds(self, p: int, rank: int) -> list[Round]:
        power = 1
        while p // power >= self.radix:
            power *= self.radix
        leaves = p // power * power
        pairs = p - leaves
        leaf = rank // 2 if rank < 2 * pairs else rank - pairs
        first = [each + min(each, pairs) for each in range(leaves + 1)]
        if rank != first[leaf]:
            last = p - 1 if self.grows else 1
            return [Round([Message(rank - 1, 1)], []), Round([], [Message(rank - 1, last)])]
        result, weight = list[Round](), 1
        if rank < 2 * pairs:
            result.append(Round([], [Message(rank + 1, 1)]))
        while weight < leaves:
            size = min(self.radix, leaves // weight)
            place = leaf // weight % size
            peers = [leaf + (i - place) * weight for i in range(size) if i != place]
            runs = {each: each - each % weight for each in [leaf, *peers]}
            blocks = {
                each: first[run + weight] - first[run] if self.grows else 1
                for each, run in runs.items()
            }
            result.append(
                Round(
                    [Message(first[each], blocks[leaf]) for each in peers],
                    [Message(first[each], blocks[each]) for each in peers],
                )
            )
            weight *= size
        if rank < 2 * pairs:
            result.append(Round([Message(rank + 1, p - 1 if self.grows else 1)], []))
        return result


@dataclass(frozen=True)
class Swaps(Pattern):
    """In round i, rank r swaps with r XOR i. The number of ranks is a power of two."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, rank, i = (logic.bits(name) for name in ("p", "rank", "i"))
        power = p & (p - 1) == 0
        known = logic.both(power, logic.below(rank, p), logic.below(i, p), i != 0)
        yield Obligation("the peer exists", known, logic.below(rank ^ i, p))
        yield Obligation("peers see each other", known, (rank ^ i) ^ i == rank)
        yield Obligation("no rank swaps with itself", known, rank ^ i != rank)
        peer = logic.bits("peer")
        both = logic.both(power, logic.below(rank, p), logic.below(peer, p))
        yield Obligation("each peer has a round", both, logic.below(rank ^ peer, p))

    def rounds(self, p: int, rank: int) -> list[Round]:
        return [Round([Message(rank ^ i, 1)], [Message(rank ^ i, 1)]) for i in range(1, p)]


@dataclass(frozen=True)
class Spreading(Pattern):
    """Dissemination: a rank knows of the w ranks below it, and signals at 1, 2, ... k - 1 times w.

    Windows may overlap. So it spreads information, but no contributions.
    """

    radix: int = 2

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, k, w, i, away = (logic.number(name) for name in ("p", "k", "w", "i", "away"))
        known = logic.both(k >= 2, w >= 1, w < p)
        # A rank `away` below, before the window grows to k·w. It is in the window of the sender at
        # distance i·w, or no rank is that far away.
        asked = logic.both(
            known, w <= away, away < k * w, away < p, i * w <= away, away < i * w + w
        )
        yield Obligation("a sender knows of that rank", asked, logic.both(i >= 1, i < k, i * w < p))
        yield Obligation(
            "its window has it", asked, logic.both(away - i * w >= 0, away - i * w < w)
        )
        ends = logic.both(p >= 1, w >= p, away >= 0, away < p)
        yield Obligation("all ranks are known at the end", ends, away < w)

    def rounds(self, p: int, rank: int) -> list[Round]:
        result, weight = list[Round](), 1
        while weight < p:
            away = [i * weight for i in range(1, self.radix) if i * weight < p]
            sends = [Message((rank + each) % p, 0) for each in away]
            result.append(Round(sends, [Message((rank - each) % p, 0) for each in away]))
            weight *= self.radix
        return result


@dataclass(frozen=True)
class Upwards(Pattern):
    """Every rank sends its contribution to all higher ranks."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, lower, higher = (logic.number(name) for name in ("p", "lower", "higher"))
        sends = logic.both(lower >= 0, lower < p, lower + 1 <= higher, higher <= p - 1)
        reads = logic.both(lower >= 0, lower <= higher - 1, higher >= 0, higher < p)
        yield Obligation("each message is read", sends, reads)
        yield Obligation("each read has its message", reads, sends)

    def rounds(self, p: int, rank: int) -> list[Round]:
        higher = [Message(each, 1) for each in range(rank + 1, p)]
        lower = [Message(each, 1) for each in range(rank)]
        return [Round(higher, lower)] if p > 1 else []


@dataclass(frozen=True)
class BinaryTree(Pattern):
    """All ranks but the root form a binary search tree: the lowest bit gives a node's height.

    A node v with lowest bit w has its children at v - w/2 and v + w/2. If there is no rank v + w/2,
    its place is taken by the root of the ranks above v.
    """

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, v, w, h, half = (logic.number(name) for name in ("p", "v", "w", "h", "half"))
        # The subtree of v: nodes v - w + 1 to v + w - 1 below p. w = 2·half is a power of two.
        known = logic.both(half >= 1, w == 2 * half, h >= 0, v == w * (2 * h + 1), v < p)
        left = v - half
        yield Obligation("the left child is a node", known, logic.both(left >= 1, left < p))
        left_part = logic.both(left - half + 1 == v - w + 1, left + half - 1 == v - 1)
        yield Obligation("the left subtree is all nodes below v", known, left_part)
        right = v + half
        right_part = logic.both(right - half + 1 == v + 1, right + half - 1 == v + w - 1)
        yield Obligation("the right subtree is all nodes above v", known, right_part)
        # If v + half is not a node, the nodes above v are among v + 1 ... v + half - 1: the left
        # subtree of that missing node, to which the same applies.
        missing = logic.both(known, right >= p)
        yield Obligation("a missing node has only a left subtree", missing, p - 1 <= right - 1)

    def rounds(self, p: int, rank: int) -> list[Round]:
        if p == 1:
            return []
        parent, children = self._place(p, rank)
        result = list[Round]()
        if parent is not None:
            result.append(Round([], [Message(parent, 1)]))
        if children:
            result.append(Round([Message(each, 1) for each in children], []))
        return result

    def _place(self, p: int, rank: int) -> tuple[int | None, list[int]]:
        low, high, parent = 1, p, 0
        if rank == 0:
            return None, [self._middle(low, high)]
        while True:
            middle = self._middle(low, high)
            if middle == rank:
                parts = [(low, middle), (middle + 1, high)]
                return parent, [self._middle(*each) for each in parts if each[0] < each[1]]
            parent = middle
            low, high = (low, middle) if rank < middle else (middle + 1, high)

    @staticmethod
    def _middle(low: int, high: int) -> int:
        """The number from `low` to `high` - 1 with the most zeros at its end."""
        return max(range(low, high), key=lambda each: each & -each)


@dataclass(frozen=True)
class Tripling(Pattern):
    """Trivance on a ring: after distance d, a rank has every d-th block, from a·d above it to b·d
    below it. There, a + b is (p - 1) / d, rounded down; blocks are numbered in units of d."""

    def obligations(self, logic: Logic) -> Iterator[Obligation]:
        p, d, a, b, rest = (logic.number(name) for name in ("p", "d", "a", "b", "rest"))
        digit, below = logic.number("digit"), logic.number("below")
        # Before the round over d, ranks have blocks in units of 3·d.
        known = logic.both(
            p >= 1, d >= 1, a >= 0, b >= 0, p - 1 == (a + b) * (3 * d) + rest,
            rest >= 0, rest == digit * d + below, below >= 0, below < d, digit >= 0, digit <= 2,
        )  # fmt: skip
        up = logic.least(digit, 1)
        down = digit - up  # 1 if the digit is 2
        new_a, new_b = 3 * a + down, 3 * b + up
        yield Obligation(
            "the extents are (p - 1) / d, rounded down", known, p - 1 == (new_a + new_b) * d + below
        )
        x, y, side = (logic.number(name) for name in ("x", "y", "side"))
        wanted = logic.both(
            known, -new_a <= x, x <= new_b, x == 3 * y + side, side >= -1, side <= 1
        )
        has = logic.both(side == 0, -a <= y, y <= b)
        comes_up = logic.both(side == 1, -a <= y, y <= b + up - 1)
        comes_down = logic.both(side == -1, 1 - a - down <= y, y <= b)
        yield Obligation(
            "each block is there or comes from one side",
            wanted,
            logic.either(has, comes_up, comes_down),
        )
        sent = logic.both(known, x == 3 * y + side, logic.either(has, comes_up, comes_down))
        yield Obligation(
            "no block comes from outside the window", sent, logic.both(-new_a <= x, x <= new_b)
        )
        yield Obligation("no block arrives twice", known, (new_a + new_b) * d < p)
        yield Obligation("all blocks at the end", logic.both(known, d == 1), new_a + new_b == p - 1)

    def rounds(self, p: int, rank: int) -> list[Round]:
        distance = 1
        while distance * 3 < p:
            distance *= 3
        result, a, b = list[Round](), 0, 0
        while distance and p > 1:
            digit = (p - 1) // distance % 3
            up, down = a + b + (digit > 0), a + b + (digit > 1)
            messages = [
                (each, count) for each, count in ((distance, up), (-distance, down)) if count
            ]
            result.append(
                Round(
                    [Message((rank + each) % p, count) for each, count in messages],
                    [Message((rank - each) % p, count) for each, count in messages],
                )
            )
            a, b = 3 * a + (digit > 1), 3 * b + (digit > 0)
            distance //= 3
        return result
