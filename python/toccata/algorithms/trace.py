"""What every block of every rank holds after every round, by following the schedules."""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from toccata import _core

NOTHING = -1
Place = tuple[str, int]  # buffer, block
_Wire = tuple[int, int, int]  # sender, receiver, channel
_Held = tuple[int, frozenset[int]]  # a datum, and who contributed to it


@dataclass
class Step:
    """One rank in one round: what it does, and what it holds afterwards."""

    holds: dict[str, list[int]]  # buffer -> datum of each block
    # The same for who contributed to it, where the collective reduces: empty for no rank yet.
    given: dict[str, list[frozenset[int]]]
    sent: set[Place] = field(default_factory=set)
    received: set[Place] = field(default_factory=set)
    copied: set[Place] = field(default_factory=set)
    reduced: set[Place] = field(default_factory=set)
    sends_to: list[int] = field(default_factory=list)  # peers
    receives_from: list[int] = field(default_factory=list)
    waits_for: list[int] = field(default_factory=list)  # peers whose messages never come

    @property
    def communicates(self) -> bool:
        return bool(self.sends_to or self.receives_from or self.waits_for)


@dataclass
class Trace:
    """steps[round][rank]; before[rank] is what each rank holds at first."""

    shape: _core.Shape
    before: list[Step]
    steps: list[list[Step]]

    @property
    def p(self) -> int:
        """Ranks."""
        return self.shape.p

    @property
    def buffers(self) -> list[str]:
        """Those that results pass through: recv, and scratch if it is used."""
        return (
            ["recv", "scratch"] if any(each.holds["scratch"] for each in self.before) else ["recv"]
        )


def places(ranges: list[_core.BlockRange]) -> list[Place]:
    """Every block of the ranges, in order."""
    return [(each.buffer, block) for each in ranges for block in each.blocks]


def held(step: Step, where: list[Place]) -> list[_Held]:
    """What a rank has there."""
    return [(step.holds[buffer][block], step.given[buffer][block]) for buffer, block in where]


class _Walker:
    """One rank on its way through its schedule."""

    def __init__(self, choice: _core.Choice, shape: _core.Shape, rank: int) -> None:
        self.rank = rank
        self.schedule = choice.schedule(shape, rank)
        start = {
            "send": choice.before(shape, rank, recv=False),
            "recv": choice.before(shape, rank, recv=True),
            "scratch": [NOTHING] * len(places(self.schedule.scratch)),
        }
        none: frozenset[int] = frozenset()
        own = frozenset([rank]) if choice.reduces else none
        given = {
            buffer: [none if datum == NOTHING else own for datum in data]
            for buffer, data in start.items()
        }
        self.history = [Step(start, given)]
        self.open: tuple[_core.Round, Step] | None = None

    def next_step(self) -> Step:
        """A step that starts from what the last one left."""
        last = self.history[-1]
        return Step(
            {buffer: list(data) for buffer, data in last.holds.items()},
            {buffer: list(ranks) for buffer, ranks in last.given.items()},
        )

    @property
    def done(self) -> bool:
        return len(self.history) > len(self.schedule)

    def advance(self, in_flight: dict[_Wire, deque[list[_Held]]]) -> bool:
        """Opens the next round, or closes the open one if all has arrived. Says if it moved."""
        if self.open is None:
            self.open = self.schedule.round(len(self.history) - 1), self.next_step()
            round_, step = self.open
            for message in round_.sends:
                sent = places(message.ranges)
                step.sends_to.append(message.peer)
                step.sent.update(sent)
                in_flight[self.rank, message.peer, message.channel].append(held(step, sent))
            return True
        round_, step = self.open
        if self.missing(in_flight):
            return False
        for message in round_.recvs:
            step.receives_from.append(message.peer)
            data = in_flight[message.peer, self.rank, message.channel].popleft()
            step.received.update(self.store(step, message.ranges, data))
        for copy in round_.copies:
            data = held(step, places(copy.source))
            if copy.reduces:
                there = held(step, places(copy.target))
                data = [
                    (datum, lower | upper)
                    for (datum, lower), (_, upper) in zip(data, there, strict=True)
                ]
            changed = step.reduced if copy.reduces else step.copied
            changed.update(self.store(step, copy.target, data))
        self.history.append(step)
        self.open = None
        return True

    def missing(self, in_flight: dict[_Wire, deque[list[_Held]]]) -> list[int]:
        """Peers whose messages the open round waits for."""
        assert self.open is not None
        wires = Counter((each.peer, self.rank, each.channel) for each in self.open[0].recvs)
        return [wire[0] for wire, count in wires.items() if len(in_flight[wire]) < count]

    @staticmethod
    def store(step: Step, target: list[_core.BlockRange], data: list[_Held]) -> list[Place]:
        written = places(target)
        for (buffer, block), (datum, ranks) in zip(written, data, strict=True):
            step.holds[buffer][block] = datum
            step.given[buffer][block] = ranks
        return written


def trace(choice: _core.Choice, shape: _core.Shape) -> Trace:
    """Follows all ranks of the choice.

    Every rank goes on in its own time, so messages may cross rounds. Of an algorithm whose ranks
    wait for each other for ever, which no proved one's do, it is what happens until then.
    """
    walkers = [_Walker(choice, shape, rank) for rank in range(shape.p)]
    in_flight: dict[_Wire, deque[list[_Held]]] = defaultdict(deque)
    while waiting := [each for each in walkers if not each.done]:
        moved = [each.advance(in_flight) for each in waiting]
        if not any(moved):  # a wrong one: what it has done until then
            for each in waiting:
                if each.open is not None:
                    each.open[1].waits_for = each.missing(in_flight)
                    each.history.append(each.open[1])
            break
    rounds = max(len(each.schedule) for each in walkers)
    for walker in walkers:  # who is through early is idle from then on
        while len(walker.history) <= rounds:
            walker.history.append(walker.next_step())
    before, *steps = ([each.history[i] for each in walkers] for i in range(rounds + 1))
    return Trace(shape, before, steps)
