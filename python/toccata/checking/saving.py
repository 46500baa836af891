"""The topology of a machine with its measured slow links, and trees that avoid them."""

from collections.abc import Sequence
from fractions import Fraction

from toccata.checking.expected import Site
from toccata.checking.findings import Finding
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
    ends = [each for each in range(len(network.names)) if name.startswith(network.names[each])]
    return network.vertex(name) is not None or any(
        network.vertex(name.removeprefix(f"{network.names[each]}-")) is not None for each in ends
    )


def saved(site: Site, findings: Sequence[Finding]) -> tuple[str, str]:
    """The contents of a file for TOCCATA_TOPOLOGY and --machine, and the slow links in it.

    Trees are packed for broadcasts from every node, up to 64 nodes; with more, from the first.
    """
    links = slow_links(site, findings)
    network = site.network.changed(links) if links else site.network
    text = str(network.machine.saved)
    if not links:
        return text, links
    roots = range(network.nodes) if network.nodes <= MOST_ROOTS else range(1)
    trees = packing.with_trees(network, packing.pack(network, roots)).saved
    return f"{trees}links {links}\n", links
