#!/usr/bin/env python3
"""simulated_check.py [--ranks] [--planted N] [PLATFORM MACHINE]...: `toccata check` on 1024 hosts.

For each machine, plants one of N slow links at a time (a host's, the uplink of a switch, or a cable
of a torus), and prints whether the attribution names exactly this link. Also prints how long the
check takes on the machine.

The times of the messages follow from the platform: its latency, and the bytes on the busiest link
of their route while all pairs of the round send, with 1% of noise. With --ranks, SimGrid simulates
the program of the check on all hosts; a pair then exchanges 2 messages of each kind instead of 600
and 12, because times do not vary there.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from math import prod
from pathlib import Path

from toccata.checking import attribution, findings, measured
from toccata.checking.expected import Site
from toccata.launching import launcher
from toccata.measuring import benchmark
from toccata.simulating import platforms, simulation
from toccata.simulating.platforms import Platform
from toccata.topology.networks import Network

MACHINES = (
    "fattree64", "leaf:64 node:16 core:1",
    "dragonfly", "group:8 router:16 node:8 core:1",
    "bluegene", "torus:16x8x8 core:1",
)  # fmt: skip
# Long messages are long enough that their handshakes do not count, as in the real check.
FEW = ("--work", "0", "--pings", "2", "--messages", "2", "--bytes", str(4 << 20))
PINGS, LONG = 601, 13  # messages of a pair in the check, with the untimed ones; LONG per direction
BYTES = 4 << 20
LIMIT = 4.0  # seconds of the short messages of a pair; for long ones, a quarter
TURNS, SECONDS_OF_TURN = 16, 0.2  # of computing hosts; the probe of a core takes 0.1 s
NOISE = 0.01  # standard deviation


def rounds_of(site: Site) -> list[list[attribution.Pair]]:
    """The rounds of the program (bench/toccata_check.cpp)."""
    hosts, mesh = len(site.names), site.network.machine.dims
    distances = set[int]()
    for power in range((hosts - 1).bit_length()):
        distance = 1 << power
        distances |= {distance + i * 2654435761 % 2**32 % distance for i in range(min(4, distance))}
    near = set(site.network.links) if mesh else set()
    rounds = [
        [(a, a ^ each) for a in range(hosts) if a < a ^ each < hosts and (a, a ^ each) not in near]
        for each in sorted(distances)
    ]
    by_part = dict[tuple[int, int], list[attribution.Pair]]()
    for a, b in sorted(near):
        if a < b:
            stride = next(each for each in _strides(mesh) if (b - a) % each == 0)
            size = mesh[_strides(mesh).index(stride)]
            at = a // stride % size if b - a == stride else size - 1
            by_part.setdefault((stride, at % 2), []).append((a, b))
    return [*by_part.values(), *filter(None, rounds)]


def _strides(mesh: Sequence[int]) -> list[int]:
    return [prod(mesh[i + 1 :]) for i in range(len(mesh))]


def computed(platform: Platform, site: Site, links: str) -> measured.Measured:
    """The measurement by the routes of the platform."""
    chance = random.Random(links)
    network = platform.network()
    slow = network.changed(links)
    factors = [
        float(network.links[a, b] / slow.links[a, b]) for a, b, _ in network.core.links
    ]  # changed links have the same routes
    rate = network.rate or 1.0
    model = platform.model
    values = dict(zip(model.term_names, model.coefficients, strict=True))
    latency = max(each for name, each in values.items() if name.endswith("alpha"))
    hop = float(json.loads(platform.text).get("hop", 0.0))

    def noisy(seconds: float) -> float:
        return seconds * max(1.0, chance.gauss(1, NOISE))

    result = []
    for some in rounds_of(site):
        times = dict[attribution.Pair, float]()
        for way in (some, [(b, a) for a, b in some]):
            for pair, loads in site.loads(way).items():
                busiest = max(load * factors[link] for link, load in loads.items())
                times[pair] = BYTES / rate * busiest
        pairs = []
        for a, b in some:
            short = latency + hop * max(0, site.hops(a, b) - 1)
            there, back = (noisy(2 * short + times[pair]) for pair in ((a, b), (b, a)))
            pairs.append(measured.Pair(a, b, noisy(short), noisy(short), there, back, NOISE / 25))
        result.append(pairs)
    names = list(site.names.values())
    return measured.Measured("", names, [], BYTES, result)


def seconds_of(result: measured.Measured) -> float:
    """How long the program takes, without the start of the ranks: the slowest pair of each round,
    and computing."""
    seconds = TURNS * SECONDS_OF_TURN
    for each in result.rounds:
        seconds += max(min(PINGS * 2 * pair.latency, LIMIT) for pair in each)
        for long in ([pair.there for pair in each], [pair.back for pair in each]):
            seconds += max(min(LONG * one, max(LIMIT / 4, 4 * one)) for one in long)
    return seconds


def simulate(platform: Platform, site: Site, arguments: Sequence[str]) -> measured.Measured:
    """The measurement of simulated ranks."""
    network = site.network
    with tempfile.TemporaryDirectory() as folder:
        words, environment = simulation.command(
            platform, network.nodes, "sequential", Path(folder), arguments,
            program=launcher.benchmark(simulation.FAMILY, "toccata_check"),
        )  # fmt: skip
        run = subprocess.run(
            words, env=environment, capture_output=True, text=True, timeout=1800, check=False
        )
    events = [event for line in run.stdout.splitlines() if (event := benchmark.event_of(line))]
    try:
        result = measured.read(events)
    except Exception:
        print(run.stderr[-2000:], file=sys.stderr)
        raise
    hosts = [network.names[int(name.removeprefix("c"))] for name in result.hosts]
    return replace(result, hosts=hosts)


def planted(network: Network, number: int) -> list[tuple[str, str]]:
    """Slow links as in --links, and the names that findings must have."""
    chance = random.Random(number)
    result = []
    for i in range(number):
        factor = chance.choice(["1/2", "1/4", "7/10"])
        if network.is_direct:
            a, b = sorted(chance.choice(sorted(network.links)))
            name = f"{network.names[a]}-{network.names[b]}"
        elif i % 2 == 0:
            name = network.names[chance.randrange(network.nodes)]
        else:
            name = network.names[chance.randrange(network.nodes, len(network.names) - 1)]
        result.append((f"{name}={factor}", name))
    return result


def check(platform: Platform, number: int, with_ranks: bool) -> None:
    network = platform.network()
    hosts = range(network.nodes)
    site = Site(network, {host: network.names[host] for host in hosts}, {i: i for i in hosts})
    right = 0
    for links, name in [("", ""), *planted(network, number)]:
        begin = time.monotonic()
        if with_ranks:
            slow = platform.with_links(links) if links else platform
            result = simulate(slow, site, [*FEW, *site.mesh])
        else:
            result = computed(platform, site, links)
        middle = time.monotonic()
        found = findings.find(result, site)
        good = {each.name for each in found} == ({name} if name else set())
        right += bool(good and name)
        words = [
            platform.machine, links or "healthy", "yes" if good else "**no**",
            f"{middle - begin:.0f} s to simulate, {time.monotonic() - middle:.1f} s to attribute",
            "; ".join(each.text for each in found[:4]) + " ..." * (len(found) > 4),
        ]  # fmt: skip
        if not with_ranks:
            words.append(f"{seconds_of(result):.1f} s of the machine, {len(result.rounds)} rounds")
        print(" | ".join(words), flush=True)
    print(f"{platform.machine}: {right} of {number} named")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--ranks", action="store_true")
    options.add_argument("--planted", type=int, default=16, metavar="N")
    options.add_argument("machines", nargs="*", default=MACHINES, metavar="PLATFORM MACHINE")
    given = options.parse_args()
    for platform, machine in zip(given.machines[::2], given.machines[1::2], strict=True):
        check(platforms.find(platform).on(machine), given.planted, given.ranks)


if __name__ == "__main__":
    main()
