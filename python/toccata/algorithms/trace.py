"""The contents of every block of every rank after every round, from the schedules."""

from collections import Counter
from dataclasses import dataclass, field

from toccata import _core

NOTHING = -1
Place = tuple[str, int]  # buffer, block
_Held = tuple[int, frozenset[int]]  # a datum, and the ranks that contributed to it


@dataclass
class Step:
    """One rank in one round: its actions, and its data afterwards."""

    holds: dict[str, list[int]]  # buffer -> datum of each block
    # The ranks that contributed to each block; only if the collective reduces.
    given: dict[str, list[frozenset[int]]]
    sent: set[Place] = field(default_factory=set)
    received: set[Place] = field(default_factory=set)
    copied: set[Place] = field(default_factory=set)
    reduced: set[Place] = field(default_factory=set)
    sends_to: list[int] = field(default_factory=list)  # peers
    receives_from: list[int] = field(default_factory=list)
    waits_for: list[int] = field(default_factory=list)  # peers whose messages never arrive

    @property
    def communicates(self) -> bool:
        return bool(self.sends_to or self.receives_from or self.waits_for)


@dataclass
class Trace:
    """steps[round][rank]; before[rank] is the initial data of each rank."""

    shape: _core.Shape
    before: list[Step]
    steps: list[list[Step]]

    @property
    def p(self) -> int:
        """The number of ranks."""
        return self.shape.p

    @property
    def buffers(self) -> list[str]:
        """The buffers to show: recv, and scratch if it is used."""
        return (
            ["recv", "scratch"] if any(each.holds["scratch"] for each in self.before) else ["recv"]
        )


def places(ranges: list[_core.BlockRange]) -> list[Place]:
    """Every block of the ranges, in order."""
    return [(each.buffer, block) for each in ranges for block in each.blocks]


def held(step: Step, where: list[Place]) -> list[_Held]:
    """The data of a rank in these places."""
    return [(step.holds[buffer][block], step.given[buffer][block]) for buffer, block in where]


class _Follower:
    """Fills the steps while the schedules of all ranks are walked (src/proofs/walk.h)."""

    def __init__(self, choice: _core.Choice, shape: _core.Shape) -> None:
        self.schedules = [choice.schedule(shape, rank) for rank in range(shape.p)]
        self.histories = [
            [_start(choice, shape, rank, schedule)] for rank, schedule in enumerate(self.schedules)
        ]
        self.open: dict[int, Step] = {}  # by rank

    def opened(self, rank: int, number: int) -> None:
        step = _next(self.histories[rank][-1])
        for message in self.schedules[rank].round(number).sends:
            step.sends_to.append(message.peer)
            step.sent.update(places(message.ranges))
        self.open[rank] = step

    def moved(
        self,
        sender: int,
        source: list[_core.BlockRange],
        receiver: int,
        target: list[_core.BlockRange],
    ) -> None:
        """Copies the data that the sender had when it opened its round."""
        data = held(self.histories[sender][-1], places(source))
        step = self.open[receiver]
        step.receives_from.append(sender)
        step.received.update(_store(step, target, data))

    def closed(self, rank: int, number: int) -> None:
        step = self.open.pop(rank)
        for copy in self.schedules[rank].round(number).copies:
            data = held(step, places(copy.source))
            if copy.reduces:
                there = held(step, places(copy.target))
                data = [
                    (datum, lower | upper)
                    for (datum, lower), (_, upper) in zip(data, there, strict=True)
                ]
            changed = step.reduced if copy.reduces else step.copied
            changed.update(_store(step, copy.target, data))
        self.histories[rank].append(step)

    def stop(self) -> None:
        """Records the rounds that never end, with the awaited peers, if the algorithm is wrong."""
        for rank, step in self.open.items():
            wanted = self.schedules[rank].round(len(self.histories[rank]) - 1).recvs
            missing = Counter(each.peer for each in wanted) - Counter(step.receives_from)
            step.waits_for = list(missing.elements())
            self.histories[rank].append(step)


def _start(choice: _core.Choice, shape: _core.Shape, rank: int, schedule: _core.Schedule) -> Step:
    start = {
        "send": choice.before(shape, rank, recv=False),
        "recv": choice.before(shape, rank, recv=True),
        "scratch": [NOTHING] * len(places(schedule.scratch)),
    }
    none: frozenset[int] = frozenset()
    own = frozenset([rank]) if choice.reduces else none
    given = {
        buffer: [none if datum == NOTHING else own for datum in data]
        for buffer, data in start.items()
    }
    return Step(start, given)


def _next(last: Step) -> Step:
    """A step that starts from the data of the last one."""
    return Step(
        {buffer: list(data) for buffer, data in last.holds.items()},
        {buffer: list(ranks) for buffer, ranks in last.given.items()},
    )


def _store(step: Step, target: list[_core.BlockRange], data: list[_Held]) -> list[Place]:
    written = places(target)
    for (buffer, block), (datum, ranks) in zip(written, data, strict=True):
        step.holds[buffer][block] = datum
        step.given[buffer][block] = ranks
    return written


def trace(choice: _core.Choice, shape: _core.Shape) -> Trace:
    """Follows all ranks of the choice, each at its own pace, as in the proof.

    The trace ends where ranks deadlock; those of a proved algorithm never do.
    """
    follower = _Follower(choice, shape)
    if _core.walk(follower.schedules, follower):
        follower.stop()
    rounds = max(map(len, follower.schedules))
    for history in follower.histories:  # a rank is idle after its last round
        while len(history) <= rounds:
            history.append(_next(history[-1]))
    before, *steps = ([each[i] for each in follower.histories] for i in range(rounds + 1))
    return Trace(shape, before, steps)
