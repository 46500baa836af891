"""Slow hosts, uplinks and cables on generated networks whose links are shared by several pairs."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from toccata import _core
from toccata.checking import expected, findings
from toccata.checking.expected import Site
from toccata.checking.measured import Core, Measured, Pair
from toccata.topology import networks

LATENCY, BYTES_TIME = 1e-6, 1e-4
NOISE = 0.02  # standard deviation of a pair's time
Rounds = list[list[tuple[int, int]]]


def site(machine: str, links: str = "", rates: dict[str, float] | None = None) -> Site:
    """Host n<i> on node i."""
    network = networks.of_machine(_core.Machine(machine), rates).changed(links)
    hosts = range(network.nodes)
    return Site(network, {host: f"n{host}" for host in hosts}, {host: host for host in hosts})


def measured(
    there: Site, rounds: Rounds, slow: dict[int, float], chance: random.Random | None = None
) -> Measured:
    """Each message takes as long as the slowest link on its way, with these factors of links."""

    def noise() -> float:
        return max(0.9, chance.gauss(1, NOISE)) if chance else 1.0

    result = []
    for some in rounds:
        times = {}
        for way in (some, [(b, a) for a, b in some]):
            for pair, loads in there.loads(way).items():
                factor = max([1.0, *(load * slow.get(link, 1.0) for link, load in loads.items())])
                short = 2 * LATENCY * there.hops(*pair)
                times[pair] = short + BYTES_TIME * factor * noise()
        result.append([
            Pair(a, b, LATENCY * there.hops(a, b), LATENCY * there.hops(a, b),
                 times[a, b], times[b, a], 1e-3) for a, b in some
        ])  # fmt: skip
    cores = [Core(host, 1e-3, 1.0, 0, 2e-3) for host in there.names]
    return Measured("Fake MPI", list(there.names.values()), cores, 1 << 20, result)


def exclusive(number: int, distances: Sequence[int]) -> Rounds:
    """The rounds of the program: host a meets host a xor distance."""
    return [[(a, a ^ each) for a in range(number) if a < a ^ each < number] for each in distances]


def neighbors(there: Site) -> Rounds:
    """All pairs of neighbours on a mesh, whose order and rounds do not matter here."""
    links = sorted(ends for ends in there.network.links if ends[0] < ends[1])
    return [[ends] for ends in links]


@dataclass
class Machine:
    there: Site
    rounds: Rounds
    planted: dict[tuple[str, str], frozenset[int]] = field(default_factory=dict)  # the links
    slow: dict[int, float] = field(default_factory=dict)

    @property
    def ends(self) -> list[tuple[int, int]]:
        return [(a, b) for a, b, _ in self.there.network.core.links]

    def links(self, of: int, kind: str) -> frozenset[int]:
        """The links of a host, or both directions of a link."""
        a, b = self.ends[of]
        if kind == "host":
            return frozenset(i for i, each in enumerate(self.ends) if a in each)
        return frozenset(i for i, each in enumerate(self.ends) if {a, b} == set(each))

    def isolates(self, slow: dict[int, float], host: int) -> bool:
        """Whether all links into or out of a host are slow."""
        return any(
            all(i in slow for i, ends in enumerate(self.ends) if ends[side] == host)
            for side in (0, 1)
        )

    def plant(self, chance: random.Random, kinds: Sequence[str]) -> None:
        """A host or a link between switches (a cable on a mesh), in one direction or in both."""
        kind = chance.choice(kinds)
        network = self.there.network
        some = [i for i, (a, b) in enumerate(self.ends)
                if (a < network.nodes if kind == "host" else min(a, b) >= network.nodes
                    or network.is_direct)]  # fmt: skip
        of = chance.choice(some)
        links = self.links(of, kind)
        if any(links & each for each in self.planted.values()):
            return  # one hides a part of the other
        a, b = self.ends[of]
        name, _ = (f"n{a}", "") if kind == "host" else self.there._cable(a, b)
        if chance.random() < 0.3:  # one direction
            links = frozenset(
                i for i in links
                if (self.ends[i][0] == a if kind == "host" else i == of)
            )  # fmt: skip
        slow = self.slow | dict.fromkeys(links, chance.uniform(1.3, 8))
        others = [host for host in range(network.nodes)
                  if ("host", f"n{host}") not in {*self.planted, (kind, name)}]  # fmt: skip
        if network.is_direct and any(self.isolates(slow, host) for host in others):
            return  # all cables of a host, which cannot be told from the host
        self.planted[kind, name] = links
        self.slow = slow

    def found(self, chance: random.Random) -> set[tuple[str, str]]:
        of = measured(self.there, self.rounds, self.slow, chance)
        return {(each.kind, each.name) for each in findings.find(of, self.there)}


def mesh(chance: random.Random) -> Machine:
    """A torus or a mesh. In the rounds that are not between neighbours, pairs share cables."""
    dims = [chance.randint(3, 5) for _ in range(chance.choice([2, 2, 3]))]
    there = site(chance.choice(["torus:", "mesh:"]) + "x".join(map(str, dims)))
    distances = [each for each in (5, 6, 9) if each < there.network.nodes]
    near = set(there.network.links)
    others = [[p for p in some if p not in near]
              for some in exclusive(there.network.nodes, distances)]  # fmt: skip
    return Machine(there, [*neighbors(there), *filter(None, others)])


def tree(chance: random.Random) -> Machine:
    """Groups of routers of nodes, with uplinks that are tapered by design."""
    groups, routers, nodes = (chance.choice(some) for some in ([3, 4], [3, 4], [3, 4]))
    tapers = chance.choice(["", "router=1/2, group=1/2", "group=1/4"])
    there = site(f"group:{groups} router:{routers} node:{nodes} core:1", tapers)
    number = there.network.nodes
    return Machine(there, exclusive(number, range(1, 1 << number.bit_length())))


@pytest.mark.parametrize("hundred", range(10))
def test_the_faults_of_a_hundred_meshes_are_named(hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        chance = random.Random(seed)
        machine = mesh(chance)
        for _ in range(chance.randint(0, 3)):
            machine.plant(chance, ["host", "cable", "cable"])
        assert machine.found(chance) == set(machine.planted), (seed, machine.there.network.machine)


def test_the_faults_of_a_hundred_tapered_trees_are_named() -> None:
    for seed in range(100):
        chance = random.Random(seed)
        machine = tree(chance)
        for _ in range(chance.randint(0, 3)):
            machine.plant(chance, ["host", "switch"])
        assert machine.found(chance) == set(machine.planted), (seed, machine.there.network.machine)


def test_a_slow_cable_below_a_narrow_uplink_delays_only_the_pairs_that_do_not_cross_it() -> None:
    there = site("leaf:4 node:4 core:1", "leaf=1/8")
    of = there.loads([(0, 4), (1, 5), (2, 6), (3, 7)])
    assert {max(loads.values()) for loads in of.values()} == {8.0}
    host = Machine(there, exclusive(16, range(1, 16)))
    host.slow = dict.fromkeys(host.links(0, "host"), 2.0)  # link 0 leaves node 0
    (finding,) = findings.find(measured(there, host.rounds, host.slow), there)
    assert (finding.kind, finding.name, finding.what) == ("host", "n0", "bandwidth")
    assert finding.factor == pytest.approx(2.0)


def test_the_direction_of_a_slow_cable_of_a_mesh_is_told() -> None:
    there = site("torus:4x3")
    link = there.network.core.links.index((5, 4, 1))
    (finding,) = findings.find(measured(there, neighbors(there), {link: 4.0}), there)
    assert finding.text.startswith("the link n4-n5, from n5 to n4: long messages reach 25% of")


def test_on_a_mesh_only_neighbors_compare_bandwidth_without_a_baseline() -> None:
    there = site("torus:4x4")
    far = measured(there, [[(0, 10)], [(1, 11)], [(0, 1)]], {})
    assert set(expected.of_machine(far, there, "bandwidth").factors) == {(0, 1), (1, 0)}


def test_the_program_knows_the_cells_of_the_hosts() -> None:
    network = networks.of_machine(_core.Machine("mesh:3x~4"))
    some = Site(network, {0: "a", 1: "b", 2: "c", 3: "d"}, {0: 4, 1: 5, 2: 6, 3: 0})
    assert some.mesh == ["--mesh", "3x4", "--periodic", "0x1", "--cells", "4-6,0"]
    assert site("leaf:2 node:2 core:1").mesh == []
