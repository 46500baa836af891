#!/usr/bin/env python3
"""simulated_check.py [MACHINE...]: `toccata check` on 1024 simulated hosts with planted slow links.

For each machine, plants one slow link at a time, a host's or the uplink of a switch, simulates
the program of the check with SimGrid, and prints whether the attribution names exactly this link.
Also prints the simulated seconds, which are those of the machine, and a healthy run.
"""

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from toccata.checking import findings, measured
from toccata.checking.expected import Site
from toccata.launching import launcher
from toccata.measuring import benchmark
from toccata.simulating import platforms, simulation
from toccata.topology.networks import Network

MACHINES = ("leaf:32 node:32 core:1", "spine:8 leaf:8 node:16 core:1", "leaf:64 node:16 core:1")
PLANTED = 16
# Times do not vary in a simulation.
ARGUMENTS = ("--work", "0", "--pings", "2", "--messages", "2", "--bytes", "262144")


def simulate(machine: str, links: str) -> tuple[measured.Measured, float]:
    """The measurement with slow links, and the simulated seconds."""
    platform = platforms.find(machine)
    if links:
        platform = platform.with_links(links)
    network = platforms.network(machine)
    with tempfile.TemporaryDirectory() as folder:
        words, environment = simulation.command(
            platform, network.nodes, "sequential", Path(folder), ARGUMENTS,
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
    seconds = next(float(each["seconds"]) for each in events if each["event"] == "done")
    return measured.replace(result, hosts=hosts), seconds


def planted(network: Network, number: int) -> list[tuple[str, str]]:
    """Slow links as in --links, and the names that findings must have: hosts and switches."""
    chance = random.Random(number)
    result = []
    for i in range(number):
        factor = chance.choice(["1/2", "1/4", "7/10"])
        if i % 2 == 0:
            name = network.names[chance.randrange(network.nodes)]
        else:
            name = network.names[chance.randrange(network.nodes, len(network.names) - 1)]
        result.append((f"{name}={factor}", name))
    return result


def main() -> None:
    for machine in sys.argv[1:] or MACHINES:
        network = platforms.network(machine)
        right = 0
        for links, name in [("", ""), *planted(network, PLANTED)]:
            begin = time.monotonic()
            result, seconds = simulate(machine, links)
            middle = time.monotonic()
            site = Site.of(result.hosts, network)
            found = findings.find(result, site)
            names = {each.name for each in found}
            good = names == ({name} if name else set())
            right += bool(good and name)
            print(
                f"{machine} | {links or 'healthy'} | {'yes' if good else '**no**'} | "
                f"{seconds:.2f} s simulated, {middle - begin:.0f} s to simulate, "
                f"{time.monotonic() - middle:.1f} s to attribute | "
                f"{'; '.join(each.text for each in found[:4])}{' ...' * (len(found) > 4)}",
                flush=True,
            )
        print(f"{machine}: {right} of {PLANTED} named")


if __name__ == "__main__":
    main()
