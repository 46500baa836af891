"""Trees that share the links of a network as evenly as possible, packed before any program runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import lcm
from time import perf_counter

from rich.table import Table

from toccata import _core
from toccata.errors import InputError
from toccata.plain_table import PlainTable
from toccata.topology import network_bounds
from toccata.topology.networks import FINEST, Network

Tree = tuple[int, list[int]]

MOST_TREES = 24  # the maximum number of parts of a message, or of a node's block
MOST_OF_ALL = 128  # nodes, if every node has its own trees
MOST_OF_TORUS = 512  # the same, if a torus lacks some links
SLOW = 0.5  # share of the capacity of other nodes below which a node does not forward
CLOSE_ENOUGH = 1.005  # times the lowest possible load


@dataclass(frozen=True)
class Packing:
    """Trees for one collective, with the root if it is a broadcast."""

    collective: str
    root: int
    trees: tuple[Tree, ...]
    seconds: float  # of the packing

    @property
    def depth(self) -> int:
        return max(_depth(parents) for _, parents in self.trees)

    @property
    def pieces(self) -> int:
        """The number of parts of the message, or of a node's block."""
        all_of_them = sum(weight for weight, _ in self.trees)
        nodes = len(self.trees[0][1]) if self.collective == "allgather" else 1
        return all_of_them // nodes

    def busiest(self, network: Network) -> float:
        """The load of the busiest link by the fixed routes, for a message or block of 1, converted
        to a link of capacity 1."""
        used = Counter[tuple[int, int]]()
        for weight, parents in self.trees:
            for node, parent in enumerate(parents):
                if parent >= 0:
                    used[parent, node] += weight
        flows = [(*ends, weight / self.pieces) for ends, weight in used.items()]
        if self.collective == "allreduce":
            flows += [(b, a, volume) for a, b, volume in flows]
        core = network.core
        loads = core.loads(flows)
        shares = (load / capacity for load, (_, _, capacity) in zip(loads, core.links, strict=True))
        return max(shares) * network.scale


def _depth(parents: Sequence[int]) -> int:
    depths = dict[int, int]()
    for node in range(len(parents)):
        way = []
        while node >= 0 and node not in depths:
            way.append(node)
            node = parents[node]
        for each in reversed(way):
            depths[each] = depths[parents[each]] + 1 if parents[each] >= 0 else 0
    return max(depths.values())


def pack(network: Network, roots: Iterable[int], of_all: bool | None = None) -> list[Packing]:
    """Packs trees for broadcasts from these nodes, for allreduces, and for allgathers.

    By default, there are none for allgathers on more than MOST_OF_ALL nodes, except on a torus with
    changed links. Raises InputError if the network is disconnected.
    """
    try:
        links = _among_nodes(network)
        result = [
            _shallowest(network, _timed("bcast", root, partial(_broadcast, network, links, root)))
            for root in roots
        ]
        allreduce = _timed("allreduce", -1, partial(_allreduce, network, links))
        result.append(_shallowest(network, allreduce))
        if of_all or (of_all is None and network.nodes <= MOST_OF_ALL):
            allgather = _timed("allgather", -1, partial(_allgather, network, links))
            result.append(_without_slow_relays(network, allgather))
        elif of_all is None and _is_changed_torus(network):
            of_torus = _timed("allgather", -1, partial(_allgather_on_torus, network, links))
            result += [of_torus] if of_torus.trees else []
        return result
    except ValueError as error:
        raise InputError(f"{network.machine.text}: {error}") from None


def packed(network: Network, roots: str) -> tuple[Network, list[Packing]]:
    """Packs trees for the roots that a user names. InputError if they are not nodes."""
    if roots == "all":
        return network, pack(network, range(network.nodes))
    numbers = []
    for each in roots.split(","):
        vertex = network.vertex(each.strip())
        if vertex is None and each.strip().isdigit():
            vertex = int(each)
        if vertex is None or vertex >= network.nodes:
            raise InputError(
                f"--trees '{roots}': '{each.strip()}' is not a node; expected all, or nodes by "
                "number "
                f"or name, such as 0,{network.nodes - 1}"
            )
        numbers.append(vertex)
    return network, pack(network, numbers)


def as_table(network: Network, packings: Sequence[Packing]) -> Table:
    """One row per packing, with the load of the busiest link and the lower bound for all
    algorithms."""
    table = PlainTable()
    table.add_column("Trees for", style="cyan")
    for heading in ("Pieces", "Trees", "Depth", "Bytes on the\nbusiest link", "s"):
        table.add_column(heading, justify="right", no_wrap=True)
    weights = [1] * network.nodes
    for each in packings:
        root = max(each.root, 0)
        n = network.nodes if each.collective == "allgather" else 1
        bound = network_bounds.find(network, weights, each.collective, root, float(n), False).free
        busiest = each.busiest(network)
        name = each.collective + (f" from {network.names[root]}" if each.root >= 0 else "")
        load = f"{busiest:.4g} n ({busiest / bound:.2f})"
        numbers = (str(each.pieces), str(len(each.trees)), str(each.depth))
        table.add_row(name, *numbers, load, f"{each.seconds:.2f}")
    return table


def with_trees(network: Network, packings: Sequence[Packing]) -> _core.Machine:
    """The machine with its trees, for a file that TOCCATA_TOPOLOGY names."""

    def of(collective: str) -> list[Tree]:
        return [tree for each in packings if each.collective == collective for tree in each.trees]

    return _core.with_trees(network.machine, of("bcast"), of("allreduce"), of("allgather"))


def _timed(collective: str, root: int, found: Callable[[], list[Tree]]) -> Packing:
    start = perf_counter()
    trees = found()
    return Packing(collective, root, tuple(trees), perf_counter() - start)


Links = dict[tuple[int, int], Fraction]


def _among_nodes(network: Network) -> Links:
    """The links among nodes. With switches, they form a ring of the nodes in the machine's order.

    The capacity of its links is the one that all have at the same time with the fixed routes.
    """
    if network.is_direct:
        return network.links
    nodes = network.nodes
    ring = [(node, (node + 1) % nodes) for node in range(nodes)] if nodes > 1 else []
    loads = network.core.loads([(a, b, 1.0) for a, b in ring])
    most = max(
        (load / capacity for load, (_, _, capacity) in zip(loads, network.core.links, strict=True)),
        default=1.0,
    )
    width = Fraction(1 / (most * network.scale)).limit_denominator(1000)
    return dict.fromkeys(ring, width)


def _shallowest(network: Network, packing: Packing) -> Packing:
    """Two binary trees instead of a chain through switches, unless they load a link more.

    A chain through all nodes needs many segments until all links are busy. In binary trees in the
    order of the nodes, most edges are below one switch, so its uplink often has room for the rest.
    Nodes with slow links only receive.
    """
    if network.is_direct or network.nodes < 2:
        return packing
    root = max(packing.root, 0)
    trees = _binary_trees(network.nodes, root, _slow_nodes(network) - {root})
    binary = Packing(packing.collective, packing.root, tuple(trees), packing.seconds)
    close = packing.busiest(network) * CLOSE_ENOUGH
    return binary if binary.busiest(network) <= close else packing


def _without_slow_relays(network: Network, packing: Packing) -> Packing:
    """On a tree of switches, trees of an allgather in which nodes with slow links forward nothing,
    unless they load a link more.

    Each tree is a chain through the fast nodes. Its last node also sends to the slow nodes, so each
    fast node does so for a part of the trees.
    """
    slow = _slow_nodes(network)
    fast = [node for node in range(network.nodes) if node not in slow]
    if network.is_direct or not slow or not fast:
        return packing
    trees = []
    for root in range(network.nodes):
        first = fast.index(root) if root in fast else root % len(fast)
        chain = [*([root] if root in slow else []), *fast[first:], *fast[:first]]
        parents = [-1] * network.nodes
        for above, node in pairwise(chain):
            parents[node] = above
        for node in slow - {root}:
            parents[node] = chain[-1]
        trees.append((1, parents))
    made = Packing(packing.collective, packing.root, tuple(trees), packing.seconds)
    close = packing.busiest(network) * CLOSE_ENOUGH
    return made if made.busiest(network) <= close else packing


def _slow_nodes(network: Network) -> set[int]:
    """The nodes whose links have less than SLOW of the capacity of the others."""
    into = dict.fromkeys(range(len(network.names)), Fraction(0))
    for (_, to), capacity in network.links.items():
        into[to] += capacity
    most = max(into[node] for node in range(network.nodes))
    return {node for node in range(network.nodes) if into[node] < SLOW * most}


def _binary_trees(nodes: int, root: int, slow: set[int]) -> list[Tree]:
    """The two trees of bcast/double_tree, each for half of a message [sanders2009].

    They contain the nodes that are not slow. A slow node is below a leaf of each tree, because
    leaves send nothing else there.
    """
    fast = [node for node in range(nodes) if node not in slow]
    algorithm = _core.parse_choice("bcast", "double_tree:segments=2")
    shape = _core.Shape(len(fast), fast.index(root))
    parents = [[-1] * nodes, [-1] * nodes]
    for number, node in enumerate(fast if len(fast) > 1 else []):
        schedule = algorithm.schedule(shape, number)
        for i in range(len(schedule)):
            for message in schedule.round(i).recvs:
                for each in message.ranges:
                    for block in range(each.first, each.first + each.count):
                        parents[block][node] = fast[message.peer]
    for tree in parents:
        leaves = [node for node in fast if node not in tree] or [root]
        for node in sorted(slow):
            nearest = min(leaves, key=lambda leaf: (tree.count(leaf), abs(leaf - node)))
            tree[node] = nearest
    return [(1, each) for each in parents]


def _core_of(network: Network, links: Links, factor: Fraction) -> _core.Network:
    """The network in numbers of trees per link, if a link of capacity 1 carries `factor` trees."""
    rooms = [(a, b, int(capacity * factor)) for (a, b), capacity in links.items()]
    return _core.Network(network.nodes, network.nodes, [each for each in rooms if each[2] > 0])


def _best(
    factors: Iterable[Fraction],
    attempt: Callable[[Fraction], tuple[Fraction, list[int], _core.Network] | None],
    least: float,
) -> list[Tree]:
    """The trees for the first factor with a load near `least`; without one, for the best factor."""
    best: tuple[Fraction, list[int], _core.Network] | None = None
    for factor in factors:
        found = attempt(factor)
        if found is not None and (best is None or found[0] < best[0]):
            best = found
        if best is not None and float(best[0]) <= least * CLOSE_ENOUGH:
            break
    if best is None:
        raise ValueError("the network is disconnected")
    return _core.pack_trees(best[2], best[1])


def _exact(links: Links) -> int:
    """A factor that makes all capacities integers, or nearly."""
    whole = lcm(*(each.denominator for each in links.values()), 1)
    return whole if whole <= FINEST else FINEST


def _broadcast(network: Network, links: Links, root: int) -> list[Tree]:
    """As many trees as the minimum cut allows [edmonds1973]."""
    nodes = network.nodes
    exact = _exact(links)
    cut = _core_of(network, links, Fraction(exact)).broadcast_cut([1] * nodes, root)
    rate = Fraction(cut.capacity, exact)  # of capacity 1

    def attempt(factor: Fraction) -> tuple[Fraction, list[int], _core.Network] | None:
        core = _core_of(network, links, factor)
        try:
            trees = core.broadcast_cut([1] * nodes, root).capacity
        except ValueError:  # too many links are rounded down to 0
            return None
        return factor / trees, [trees if i == root else 0 for i in range(nodes)], core

    factors = (Fraction(trees) / rate for trees in range(1, MOST_TREES + 1))
    return _best(factors, attempt, 1 / float(rate))


def _allreduce(network: Network, links: Links) -> list[Tree]:
    """Every tree is used upwards and downwards, so each direction has half of each link.

    Nodes with little capacity become roots, because a root does not receive the result.
    """
    both = Fraction(2 * (network.nodes - 1)) / sum(links.values())

    def attempt(factor: Fraction) -> tuple[Fraction, list[int], _core.Network] | None:
        core = _core_of(network, links, factor / 2)
        most = int(sum(capacity for _, _, capacity in core.links)) // max(1, network.nodes - 1)
        low, high = 0, min(most, MOST_TREES)
        roots: list[int] = []
        while low < high:
            middle = (low + high + 1) // 2
            found = _core.balanced_roots(core, middle)
            if found is None:
                high = middle - 1
            else:
                low, roots = middle, found
        return (factor / low, roots, core) if low > 0 else None

    return _best((Fraction(2 * i) for i in range(1, 9)), attempt, float(both))


def _is_changed_torus(network: Network) -> bool:
    machine = network.machine
    is_torus = network.is_direct and bool(machine.periodic) and all(machine.periodic)
    return is_torus and not network.is_whole_mesh and network.nodes <= MOST_OF_TORUS


def _allgather_on_torus(network: Network, links: Links) -> list[Tree]:
    """The trees of `torus_multiport`, changed around missing and slow links; none if they load a
    link 1.5 times as much as necessary."""
    pieces = 2 * len(network.machine.dims)
    into = [Fraction(0)] * network.nodes
    for (_, to), capacity in links.items():
        into[to] += capacity
    if min(into) == 0:
        raise ValueError("the network is disconnected")
    least = Fraction(pieces * (network.nodes - 1)) / min(into)
    for percent in (0, 1, 2, 3, 5, 10, 20, 50):
        core = _core_of(network, links, least * (100 + percent) / 100)
        if (trees := _core.pack_torus(network.machine, core)) is not None:
            return trees
    return []


def _allgather(network: Network, links: Links) -> list[Tree]:
    """The same number of trees from each node [zhao2024], with little loss by rounding."""
    nodes = network.nodes
    exact = _exact(links)
    cut = _core_of(network, links, Fraction(exact)).allgather_cut([1] * nodes)
    least = Fraction(cut.demand * exact, cut.capacity)

    def attempt(factor: Fraction) -> tuple[Fraction, list[int], _core.Network] | None:
        core = _core_of(network, links, factor)
        try:
            found = core.allgather_cut([1] * nodes)
        except ValueError:
            return None
        pieces = found.capacity // found.demand
        return (factor / pieces, [pieces] * nodes, core) if pieces > 0 else None

    # If capacities are integers, this is the least integer factor with room for these pieces.
    whole = (Fraction(-(-pieces * least.numerator // least.denominator)) for pieces in range(1, 5))
    return _best(whole, attempt, float(least))
