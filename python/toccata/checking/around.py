"""Choices of algorithms that go around slow links, and their predicted gain.

The gain compares the trees of a saved topology with the algorithm that the MPI library selects
itself. The prediction goes round by round: a round takes the latency and the time of its busiest
cable. If a cable carries messages in both directions, each direction delays the other one, because
its acknowledgements wait behind messages.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

from toccata import _core
from toccata.topology.networks import Network

GAIN = 1.2  # the least predicted gain
SIZES = [1 << power for power in range(16, 27)]  # bytes, 64 KiB to 64 MiB
SEGMENTS = (2, 4, 8, 16, 32, 64, 128)
CLOSE = 1.03  # times the best prediction, from which on more segments do not count
LEAST_SEGMENT = 8 << 10  # bytes
BOTH_WAYS = 0.7  # share of the time of the other direction that is added; assumed, for TCP
MOST_NODES = 64
# If the MPI library's own algorithm is unknown, the fastest one of these.
RIVALS = {
    "bcast": ("binomial", "scatter_allgather:allgather=ring", "pipeline"),
    "allgather": ("ring", "recursive_doubling"),
}


class Predictor:
    """Predicts algorithms among the nodes of a network, one rank per node."""

    def __init__(
        self, network: Network, machine: _core.Machine, latency: float, rate: float
    ) -> None:
        """`machine` contains the trees; `rate` is in bytes per second of a normal link."""
        self._network, self._latency, self._rate = network, latency, rate
        placement = _core.Placement(machine, network.nodes, "cyclic")
        self._node_of = network.node_of(placement)
        self._shape = _core.Shape(placement, 0)
        self._known = dict[str, tuple[int, float]]()

    @property
    def ranks(self) -> int:
        return int(self._shape.p)

    @property
    def shape(self) -> _core.Shape:
        return self._shape

    def seconds(self, collective: str, text: str, n: float) -> float:
        """The time of a choice for n bytes of the whole vector."""
        key = f"{collective} {text}"
        if key not in self._known:
            choice = _core.parse_choice(collective, text)
            rounds = list(self._rounds(choice))
            self._known[key] = len(rounds), sum(rounds) / choice.data(self._shape)
        rounds_, share = self._known[key]
        return rounds_ * self._latency + share * n / self._rate

    def _rounds(self, choice: _core.Choice) -> Iterator[float]:
        """By round, the blocks on the busiest cable, converted to a normal link."""
        shape = self._shape
        schedules = [choice.schedule(shape, rank) for rank in range(shape.p)]
        for number in range(max(len(each) for each in schedules)):
            flows = [
                (self._node_of[rank], self._node_of[each.peer], float(_blocks(each)))
                for rank, schedule in enumerate(schedules)
                if number < len(schedule)
                for each in schedule.round(number).sends
            ]
            if flows:
                yield self._busiest(flows)

    def _busiest(self, flows: Sequence[tuple[int, int, float]]) -> float:
        core, scale = self._network.core, self._network.scale
        times: dict[tuple[int, int], float] = {
            (a, b): load * scale / capacity
            for load, (a, b, capacity) in zip(core.loads(flows), core.links, strict=True)
        }
        return max(
            max(time, back) + BOTH_WAYS * min(time, back)
            for (a, b), time in times.items()
            for back in [times.get((b, a), 0.0)]
        )


def _blocks(message: _core.Message) -> int:
    return sum(each.count * each.repeat for each in message.ranges)


def choices(predictor: Predictor, mpi: str) -> dict[str, str]:
    """By collective, the choices for calls that gain enough, as in TOCCATA_BCAST. `mpi` is the
    version text of the MPI library."""
    result = {}
    for collective in RIVALS:
        rows = [(size, _best(predictor, mpi, collective, size)) for size in SIZES]
        found = [
            (max(size for size, _ in same), text)
            for text, group in groupby(rows, lambda each: each[1])
            for same in [list(group)]
        ]
        if any(text != "native" for _, text in found):
            *some, last = found
            result[collective] = ", ".join([*(f"{text}<={size}" for size, text in some), last[1]])
    return result


def _best(predictor: Predictor, mpi: str, collective: str, size: int) -> str:
    """The trees with the best number of segments; native if they gain too little."""
    whole = size * (predictor.ranks if collective == "allgather" else 1)
    times = {
        text: predictor.seconds(collective, text, whole)
        for each in SEGMENTS
        if size >= each * LEAST_SEGMENT
        for text in [f"forestcoll:segments={each}"]
    }
    own = _core.native_algorithm_of(mpi, collective, predictor.shape, size)
    rivals = [own.text] if own is not None else RIVALS[collective]
    # More segments cost more processor time, which the prediction leaves out.
    best = next(each for each, time in times.items() if time <= CLOSE * min(times.values()))
    rival = min(predictor.seconds(collective, each, whole) for each in rivals)
    return best if rival >= GAIN * times[best] else "native"
