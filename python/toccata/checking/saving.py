"""The topology of a machine with its measured slow links, and trees that avoid them."""

import re
from collections.abc import Sequence
from fractions import Fraction

from toccata.checking import around
from toccata.checking.expected import Site, of_machine
from toccata.checking.findings import Finding
from toccata.checking.measured import Measured
from toccata.topology import packing
from toccata.topology.networks import Network

FINEST = 100  # the denominator of a link's factor
MOST_ROOTS = 64  # nodes, if broadcasts from all nodes have trees


def slow_links(site: Site, findings: Sequence[Finding]) -> str:
    """The links with less bandwidth than expected, as in `toccata topo --links`."""
    found = []
    for each in findings:
        name = each.name.split(" or ")[0]
        if each.kind == "host":
            name = site.network.names[site.vertices[_number(site, name)]]
        if each.what == "bandwidth" and _is_link(site.network, name):
            found.append(f"{name}={Fraction(1 / each.factor).limit_denominator(FINEST)}")
    return ", ".join(found)


def _number(site: Site, name: str) -> int:
    return next(number for number, each in site.names.items() if each == name)


def _is_link(network: Network, name: str) -> bool:
    """Whether the network has the link: the path between two hosts may not be one."""
    if network.vertex(name) is not None:
        return True
    ends = [(name[: dash.start()], name[dash.end() :]) for dash in re.finditer("-", name)]
    return any((network.vertex(a), network.vertex(b)) in network.links for a, b in ends)


def _normal_link(measured: Measured, site: Site) -> tuple[float, float]:
    """The latency and the bytes per second of a link that is not slow."""
    latency, seconds = (
        of_machine(measured, site, metric).expected for metric in ("latency", "bandwidth")
    )
    return latency, measured.bytes / seconds


def saved(measured: Measured, site: Site, findings: Sequence[Finding]) -> tuple[str, str]:
    """The contents of a file for TOCCATA_TOPOLOGY and --machine, and the slow links in it.

    Trees are packed for broadcasts from every node, up to 64 nodes; with more, from the first. Up
    to 64 nodes, the file also contains the choices that gain by these trees.
    """
    links = slow_links(site, findings)
    network = site.network.changed(links) if links else site.network
    text = str(network.machine.saved)
    if not links:
        return text, links
    roots = range(network.nodes) if network.nodes <= MOST_ROOTS else range(1)
    trees = packing.with_trees(network, packing.pack(network, roots))
    text = f"{trees.saved}links {links}\n"
    if network.nodes <= MOST_ROOTS and len(site.vertices) == network.nodes:
        latency, rate = _normal_link(measured, site)
        predictor = around.Predictor(network, trees, latency, rate)
        for collective, choice in around.choices(predictor, measured.mpi).items():
            text += f"choice {collective} {choice}\n"
    return text, links
