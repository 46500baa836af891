"""The expected times of messages between hosts, and how many times as long they took.

Without a baseline, the expectation is the machine itself: its faster links, because faults and
noise only add time. With a baseline, it is the same pair of hosts in an earlier check.

    metric      time                                     expected to be equal for
    latency     lower quartile of short messages         pairs with the same number of links
    stalls      their mean divided by that               all pairs
    bandwidth   lower quartile of long messages          all pairs, if they shared no link; the
                without the latency                      links that pairs of a round share
                                                         prolong it
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from toccata.checking import attribution
from toccata.checking.attribution import Suspect
from toccata.checking.measured import Measured
from toccata.checking.measured import Pair as Times
from toccata.errors import InputError
from toccata.topology.networks import Network

METRICS = ("latency", "stalls", "bandwidth")
# From these factors on, a pair is slow, unless the noise of the measurement is larger.
SLOW = {"latency": 1.1, "stalls": 1.25, "bandwidth": 1.12}
# A single pair is slow only from a larger factor on, because there are many pairs.
SLOW_ALONE = {"latency": 1.3, "stalls": 2.0, "bandwidth": 1.3}
NOISE = 6.0  # times the standard error
FASTEST = 0.1  # the share of the pairs that are faster than the expectation
LEAST_OF_BYTES = 0.1  # share of the time of a long message that is at least due to its bytes
USES = 0.5  # share of a message from which on a pair uses a link

Directed = dict[attribution.Pair, float]


@dataclass(frozen=True)
class Site:
    """The hosts of a run on a network."""

    network: Network
    names: Mapping[int, str]  # of hosts
    vertices: Mapping[int, int]

    @classmethod
    def of(cls, hosts: Sequence[str], network: Network) -> "Site":
        """InputError if the network does not have a host."""
        vertices = dict[int, int]()
        for number, name in enumerate(hosts):
            found = network.vertex(name)
            if found is None:
                found = network.vertex(name.split(".")[0])
            if found is None or found >= network.nodes:
                raise InputError(
                    f"host '{name}' is not on '{network.machine.text}'; name the topology of "
                    "this machine, or leave out --machine and TOCCATA_TOPOLOGY"
                )
            vertices[number] = found
        return cls(network, dict(enumerate(hosts)), vertices)

    def route(self, a: int, b: int) -> list[tuple[int, float]]:
        """The links from one host to another, with shares."""
        if (a, b) not in self._routes:
            self._routes[a, b] = self.network.core.route(self.vertices[a], self.vertices[b])
        return self._routes[a, b]

    @cached_property
    def _routes(self) -> dict[attribution.Pair, list[tuple[int, float]]]:
        return {}

    @cached_property
    def _links(self) -> list[tuple[int, int, int]]:
        return list(self.network.core.links)

    def hops(self, a: int, b: int) -> int:
        return round(sum(share for _, share in self.route(a, b)))

    def sharing(self, pairs: Sequence[attribution.Pair]) -> Directed:
        """How many times as long each message takes because other pairs use its links, too."""
        flows = [(self.vertices[a], self.vertices[b], 1.0) for a, b in pairs]
        loads = self.network.core.loads(flows)
        scale, links = self.network.scale, self._links
        return {
            (a, b): max(1.0, *(loads[link] * scale / links[link][2]
                               for link, _ in self.route(a, b)))
            for a, b in pairs
        }  # fmt: skip

    def suspects(self, pairs: Sequence[attribution.Pair]) -> list[Suspect]:
        """Hosts; cables between switches, which are called by the lower switch; in a network
        without switches, cables between nodes."""
        network = self.network
        users = dict[int, set[attribution.Pair]]()
        for a, b in pairs:
            for link, share in self.route(a, b):
                if share >= USES:
                    users.setdefault(link, set()).add((a, b))
        ways = dict[tuple[int, int], set[attribution.Pair]]()
        for link, some in users.items():
            a, b, _ = self._links[link]
            if network.is_direct or min(a, b) >= network.nodes:
                ways[a, b] = some
        found = dict[frozenset[attribution.Pair], Suspect]()
        for (a, b), some in sorted(ways.items()):
            kind = "cable" if network.is_direct else "switch"
            name, is_up = self._cable(a, b)
            both = frozenset(some | ways.get((b, a), set()))
            found.setdefault(both, Suspect(kind, name, both))
            one = frozenset(some)
            found.setdefault(one, Suspect(kind, name, one, "out of" if is_up else "into"))
        return [*attribution.hosts(self.names, pairs), *found.values()]

    def _cable(self, a: int, b: int) -> tuple[str, bool]:
        """The name of a cable in `--links`, and whether this direction begins at it."""
        names = self.network.names
        if self.network.is_tree and not self.network.is_direct:
            return names[min(a, b)], a < b
        return f"{names[min(a, b)]}-{names[max(a, b)]}", a < b


def _directed(measured: Measured, of: Callable[[Times], tuple[float, float]]) -> list[Directed]:
    """By round, the times of both directions of its pairs."""
    result = []
    for each in measured.rounds:
        times = Directed()
        for pair in each:
            there, back = of(pair)
            times[pair.first, pair.second], times[pair.second, pair.first] = there, back
        result.append(times)
    return result


def without_latency(seconds: float, pair: Times) -> float:
    """The time of the bytes of a long message, whose exchange includes two short ones."""
    return max(seconds - 2 * pair.latency, LEAST_OF_BYTES * seconds)


def times_of(measured: Measured, metric: str) -> list[Directed]:
    """By round, the times of a metric for all ordered pairs of hosts."""
    match metric:
        case "latency":
            return _directed(measured, lambda each: (each.latency, each.latency))
        case "stalls":
            return _directed(measured, lambda each: (each.mean / each.latency,) * 2)
        case _:
            return _directed(measured, lambda each: (without_latency(each.there, each),
                                                     without_latency(each.back, each)))  # fmt: skip


def threshold(measured: Measured, metric: str) -> float:
    """The factor from which on a pair is slow."""
    errors = [each.error for each in measured.pairs]
    return max(SLOW[metric], 1 + NOISE * median(errors)) if errors else SLOW[metric]


@dataclass(frozen=True)
class Slowness:
    """A metric of all pairs: the factors compared with the expectation."""

    factors: Directed
    expected: float  # seconds of the pairs with the fewest links; for stalls, a ratio


def of_machine(measured: Measured, site: Site, metric: str) -> Slowness:
    """Compared with the machine's own faster links."""
    relative, kind = Directed(), dict[attribution.Pair, int]()
    for times in times_of(measured, metric):
        forth = [pair for pair in times if pair[0] < pair[1]]
        for way in (forth, [(b, a) for a, b in forth]):
            sharing = site.sharing(way) if metric == "bandwidth" else dict.fromkeys(way, 1.0)
            for pair in way:
                relative[pair] = times[pair] / sharing[pair]
                kind[pair] = site.hops(*pair) if metric == "latency" else 0
    bases = dict[int, float]()
    for each in sorted(set(kind.values()), reverse=True):
        own = sorted(time for pair, time in relative.items() if kind[pair] == each)
        # More links are never faster.
        bases[each] = min(own[int(FASTEST * (len(own) - 1))], *bases.values(), float("inf"))
    factors = {pair: time / bases[kind[pair]] for pair, time in relative.items()}
    return Slowness(factors, min(bases.values(), default=0.0))


def of_baseline(measured: Measured, baseline: Measured, metric: str) -> Slowness:
    """Compared with the same pairs in a baseline; the pairs without a host there are left out."""
    number = {name: host for host, name in enumerate(baseline.hosts)}
    before = {pair: time for times in times_of(baseline, metric) for pair, time in times.items()}
    factors = Directed()
    for times in times_of(measured, metric):
        for (a, b), time in times.items():
            ends = (number.get(measured.hosts[a], -1), number.get(measured.hosts[b], -1))
            if ends in before:
                factors[a, b] = time / before[ends]
    return Slowness(factors, median(before.values()) if before else 0.0)
