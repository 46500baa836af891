"""Lower bounds on a network with known links, and the load that each algorithm reaches."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table

from toccata import _core
from toccata.algorithms.catalogue import check_root, path_of
from toccata.algorithms.counting import MOST_MESSAGES
from toccata.launching import maps
from toccata.plain_table import PlainTable
from toccata.quantities import show_microseconds
from toccata.topology import machines, network_bounds
from toccata.topology.networks import Network


class On:
    """Ranks on a network, and their bounds."""

    def __init__(
        self, network: Network, p: int | None, placement: str | None = None, root: int = 0
    ) -> None:
        self.network = network
        ranks = p or machines.cores(network.machine)
        check_root(root, ranks)
        placed = maps.placed(network.machine, ranks, placement)
        self.shape = _core.Shape(placed, root)
        self.node_of = network.node_of(placed)
        on_node = Counter(self.node_of)
        self.weights = [on_node[node] for node in range(network.nodes)]

    def bound(self, collective: str, n: float) -> network_bounds.Bound:
        """The bound of a collective. Raises InputError if none is known."""
        root = self.node_of[self.shape.root]
        return network_bounds.find(self.network, self.weights, collective, root, n)

    def block(self, choice: _core.Choice, n: float) -> float:
        """The bytes of a block of n bytes in total; 0 for a barrier, which has none."""
        blocks = choice.data(self.shape)
        return n / blocks if blocks else 0.0

    def busiest(self, choice: _core.Choice, n: float) -> float:
        """Bytes over the busiest link by the fixed routes, converted to a link like a node's."""
        core, block = self.network.core, self.block(choice, n)
        loads = core.loads(_core.node_flows(choice, self.shape, self.node_of))
        shares = (load / capacity for load, (_, _, capacity) in zip(loads, core.links, strict=True))
        return max(shares, default=0.0) * self.network.scale * block


def overview(on: On, n: float) -> Table:
    """One row per collective."""
    table = PlainTable()
    table.add_column("Collective", style="cyan")
    table.add_column("Rounds", justify="right")
    table.add_column("Bytes, any\nroutes", justify="right", no_wrap=True)
    table.add_column("Bytes, own\nroutes", justify="right", no_wrap=True)
    if on.network.rate is not None:
        table.add_column("µs", justify="right", no_wrap=True)
    table.add_column("Narrowest")
    for collective in network_bounds.COLLECTIVES:
        found = on.bound(collective, n)
        most = found.free if found.fixed is None else found.fixed
        row = [
            collective,
            str(found.rounds),
            _bytes(found.free),
            "[dim]–[/]" if found.fixed is None else _bytes(found.fixed),
        ]
        if on.network.rate is not None:
            row.append(show_microseconds(most / on.network.rate))
        table.add_row(*row, found.why)
    return table


@dataclass(frozen=True)
class _Limits:
    """The bounds of one collective. Bytes are those over the busiest link."""

    rounds: int
    free: float  # bytes, for any routes
    fixed: float | None  # bytes, over the network's own routes
    reduced: float  # bytes per rank

    @classmethod
    def of(cls, collective: str, on: On, n: int) -> "_Limits":
        reduced = 0.0
        if collective != "alltoall":
            reduced = _core.lower_bounds(collective, on.shape, n).reduced_bytes
        if collective in network_bounds.COLLECTIVES:
            found = on.bound(collective, n)
            return cls(found.rounds, found.free, found.fixed, reduced)
        of_mesh = _core.lower_bounds(collective, on.shape, n)
        return cls(of_mesh.rounds, of_mesh.link_bytes, None, reduced)

    @property
    def fixed_is_larger(self) -> bool:
        return self.fixed is not None and self.fixed > self.free * (1 + network_bounds.TOLERANCE)


def as_table(collective: str, choices: Sequence[_core.Choice], on: On, n: int) -> Table:
    """The bounds, then one row per choice, with the ratio to the bound in brackets.

    Bytes are those over the busiest link, for n bytes of the whole vector. On a mesh, each link
    carries one message at a time, and rounds are at least those of the busiest rank.
    """
    is_mesh = on.network.is_whole_mesh
    limits = _Limits.of(collective, on, n)
    table = PlainTable()
    table.add_column("", style="cyan", overflow="fold")
    headings = ["Rounds", "Bytes on the\nbusiest link"]
    if is_mesh:
        headings.append("Messages on a\nlink at a time")
    headings.append("Reduced\nper rank")
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)

    def add(name: str, rounds: str, link: str, conflicts: str, reduced: str) -> None:
        table.add_row(name, rounds, link, *([conflicts] if is_mesh else []), reduced)

    add(
        "[bold]lower bound, any algorithm[/]",
        f"[bold]{limits.rounds}[/]",
        f"[bold]{_bytes(limits.free)}[/]",
        "",
        f"[bold]{_bytes(limits.reduced)}[/]" if limits.reduced else "",
    )
    least = limits.free
    if limits.fixed is not None and limits.fixed_is_larger:
        direct = "directly from rank to rank" if collective == "alltoall" else "by own routes"
        beside = _beside(_bytes(limits.fixed), limits.fixed, limits.free)
        add(f"[bold]{direct}[/]", "", beside, "", "")
        least = limits.free if collective == "alltoall" else limits.fixed
    for choice in choices:
        add(path_of(choice), *_cells(choice, on, n, limits, least))
    return table


def _cells(
    choice: _core.Choice, on: On, n: int, limits: _Limits, link_bytes: float
) -> tuple[str, str, str, str]:
    """Rounds, bytes on the busiest link, messages on a link at a time, and reduced bytes."""
    if choice.why_impossible(on.shape):
        return ("[dim]–[/]",) * 4
    cost = choice.cost(on.shape)
    turns, conflicts = cost.rounds, ""
    if cost.messages * on.shape.p > MOST_MESSAGES:
        return _beside(str(turns), turns, limits.rounds), "[dim]too many to count[/]", "", ""
    if on.network.is_whole_mesh:
        traffic = _core.link_traffic(choice, on.shape, n)
        busiest = traffic.largest if choice.data(on.shape) else 0.0  # a barrier has no bytes
        turns = max(turns, traffic.turns)
        conflicts = str(max(traffic.conflicts, default=0))
    else:
        busiest = on.busiest(choice, n)
    reduced = cost.reduced * on.block(choice, n)
    return (
        _beside(str(turns), turns, limits.rounds),
        _beside(_bytes(busiest), busiest, link_bytes),
        conflicts,
        _beside(_bytes(reduced), reduced, limits.reduced) if cost.reduced else "",
    )


def _bytes(size: float) -> str:
    return f"{size:.0f}" if size >= 100 or size == round(size) else f"{size:.2f}"


def _beside(text: str, found: float, least: float) -> str:
    if least == 0:
        return text
    ratio = found / least
    style = "green" if ratio < 1.005 else "dim"
    return f"{text} [{style}]({ratio:.2f})[/]"
