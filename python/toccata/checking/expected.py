"""The expected times of messages between hosts, and how many times as long they took.

Without a baseline, the expectation is the machine itself: its faster links, because faults and
noise only add time. With a baseline, it is the same pair of hosts in an earlier check.

    metric      time                                     expected to be equal for
    latency     lower quartile of short messages         pairs with the same number of links
    stalls      their mean divided by that               all pairs
    bandwidth   lower quartile of long messages          all pairs, if they shared no link; the
                without the latency                      links that pairs of a round share
                                                         prolong it; on a mesh, neighbours only

A slow link delays a pair only if the link takes longer than all others on the way of its messages.
For example, if 16 pairs share an uplink, a cable at half of its rate delays none of them.
"""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

from toccata.algorithms.show import runs
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
Loads = dict[int, float]  # by link


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

    def loads(self, pairs: Sequence[attribution.Pair]) -> dict[attribution.Pair, Loads]:
        """How many times as long each link would delay the message of each pair, if all pairs send
        at the same time. The largest of these numbers determines the time of the message."""
        flows = [(self.vertices[a], self.vertices[b], 1.0) for a, b in pairs]
        loads = self.network.core.loads(flows)
        scale, links = self.network.scale, self._links
        return {
            (a, b): {link: loads[link] * scale / links[link][2] for link, _ in self.route(a, b)}
            for a, b in pairs
        }

    def sharing(self, pairs: Sequence[attribution.Pair]) -> Directed:
        """How many times as long each message takes because other pairs use its links, too."""
        return {pair: _longest(of) for pair, of in self.loads(pairs).items()}

    def suspects(
        self,
        pairs: Sequence[attribution.Pair],
        loads: Mapping[attribution.Pair, Loads] | None = None,
    ) -> list[Suspect]:
        """Hosts; cables between switches, which are called by the lower switch; in a network
        without switches, cables between nodes. With `loads`, a link delays the pairs of which it is
        a bottleneck."""
        network = self.network
        users = dict[int, set[attribution.Pair]]()
        for a, b in pairs:
            for link, share in self.route(a, b):
                if share >= USES:
                    users.setdefault(link, set()).add((a, b))
        ways = dict[tuple[int, int], tuple[int, frozenset[attribution.Pair]]]()
        for link, some in users.items():
            a, b, _ = self._links[link]
            if network.is_direct or min(a, b) >= network.nodes:
                ways[a, b] = (link, frozenset(some))
        found = dict[frozenset[attribution.Pair], Suspect]()
        for (a, b), (link, one) in sorted(ways.items()):
            kind = "cable" if network.is_direct else "switch"
            name, way = self._cable(a, b)
            back, other = ways.get((b, a), (-1, frozenset[attribution.Pair]()))
            both = one | other
            weights = _weights(both, {link, back}, loads)
            found.setdefault(both, Suspect(kind, name, both, weights=weights))
            found.setdefault(one, Suspect(kind, name, one, way, weights))
        return [*self._hosts(pairs, loads), *found.values()]

    def _hosts(
        self,
        pairs: Sequence[attribution.Pair],
        loads: Mapping[attribution.Pair, Loads] | None,
    ) -> list[Suspect]:
        links = dict[str, set[int]]()
        for host, name in self.names.items():
            links[name] = self._links_of[self.vertices[host]]
        return [
            replace(each, weights=_weights(each.pairs, links[each.name], loads))
            for each in attribution.hosts(self.names, pairs)
        ]

    @cached_property
    def _links_of(self) -> dict[int, set[int]]:
        """The links of each vertex, in both directions."""
        result = defaultdict[int, set[int]](set)
        for link, (a, b, _) in enumerate(self._links):
            result[a].add(link)
            result[b].add(link)
        return result

    def _cable(self, a: int, b: int) -> tuple[str, str]:
        """The name of a cable in `--links`, and its direction."""
        names = self.network.names
        if self.network.is_direct:
            at, to = (self._hosts_at.get(each, names[each]) for each in (a, b))
            return (f"{at}-{to}" if a < b else f"{to}-{at}"), f"from {at} to {to}"
        way = "out of" if a < b else "into"
        if self.network.is_tree:
            return names[min(a, b)], way
        return f"{names[min(a, b)]}-{names[max(a, b)]}", way

    @cached_property
    def _hosts_at(self) -> dict[int, str]:
        return {vertex: self.names[host] for host, vertex in self.vertices.items()}

    @property
    def mesh(self) -> list[str]:
        """The options of the measuring program for hosts on a mesh; none for other networks."""
        machine = self.network.machine
        if not machine.dims:
            return []
        cells = runs(self.vertices[host] for host in sorted(self.vertices))
        listed = ",".join(str(a) if a == b else f"{a}-{b}" for a, b in cells)
        return ["--mesh", "x".join(map(str, machine.dims)),
                "--periodic", "x".join(str(int(each)) for each in machine.periodic),
                "--cells", listed]  # fmt: skip


def _longest(loads: Loads) -> float:
    return max(1.0, *loads.values())


def _weights(
    pairs: Iterable[attribution.Pair],
    links: Container[int],
    loads: Mapping[attribution.Pair, Loads] | None,
) -> dict[attribution.Pair, float]:
    """The share of each pair's time for which these links are responsible."""
    if loads is None:
        return {}
    result = dict[attribution.Pair, float]()
    for pair in pairs:
        of = loads.get(pair, {})
        own = [load for link, load in of.items() if link in links]
        if own:
            result[pair] = max(own) / _longest(of)
    return result


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


def link_of(measured: Measured) -> tuple[float, float]:
    """The median latency and the median bytes per second of the links."""
    times = [each for of_round in times_of(measured, "bandwidth") for each in of_round.values()]
    return median(each.latency for each in measured.pairs), measured.bytes / median(times)


def threshold(measured: Measured, metric: str) -> float:
    """The factor from which on a pair is slow."""
    errors = [each.error for each in measured.pairs]
    return max(SLOW[metric], 1 + NOISE * median(errors)) if errors else SLOW[metric]


@dataclass(frozen=True)
class Slowness:
    """A metric of all pairs: the factors compared with the expectation."""

    factors: Directed
    expected: float  # seconds of the pairs with the fewest links; for stalls, a ratio


def loads_of(measured: Measured, site: Site) -> dict[attribution.Pair, Loads]:
    """The loads of the links of all pairs in their rounds, for each direction of messages."""
    result = dict[attribution.Pair, Loads]()
    for each in measured.rounds:
        result |= site.loads([(pair.first, pair.second) for pair in each])
        result |= site.loads([(pair.second, pair.first) for pair in each])
    return result


def _is_compared(site: Site, pair: attribution.Pair, metric: str) -> bool:
    """Pairs of a round share the links of a mesh in ways that depend on its routes. Only for
    neighbours is the route certain."""
    return metric != "bandwidth" or not site.network.is_direct or site.hops(*pair) == 1


def of_machine(measured: Measured, site: Site, metric: str) -> Slowness:
    """Compared with the machine's own faster links."""
    relative, kind = Directed(), dict[attribution.Pair, int]()
    for times in times_of(measured, metric):
        forth = [pair for pair in times if pair[0] < pair[1]]
        for way in (forth, [(b, a) for a, b in forth]):
            some = [pair for pair in way if _is_compared(site, pair, metric)]
            sharing = site.sharing(some) if metric == "bandwidth" else dict.fromkeys(some, 1.0)
            for pair in some:
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
