"""Trees that share the links of a network as evenly as possible, packed before any program runs."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import gcd, lcm
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
PARTS = 12  # of a message that slow nodes forward in part; two trees carry each
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
    if network.nodes < 2:
        raise InputError(f"{network.machine.text}: trees need at least two nodes")
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
    for heading in ("Pieces", "Trees", "Depth", "Busiest link\n(n bytes)", "s"):
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
    ring = [(node, (node + 1) % nodes) for node in range(nodes)]
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
    if network.is_direct:
        return packing
    trees = _binary_trees(network, packing.root, _relayed(network, packing.root))
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


def _into(links: Links, nodes: int) -> list[Fraction]:
    """By node, the capacity of the links that lead to it. ValueError if a node has none."""
    into = [Fraction(0)] * nodes
    for (_, to), capacity in links.items():
        if to < nodes:
            into[to] += capacity
    if min(into) == 0:
        raise ValueError("the network is disconnected")
    return into


def _slow_nodes(network: Network) -> set[int]:
    """The nodes whose links have less than SLOW of the capacity of the others."""
    into = _into(network.links, network.nodes)
    return {node for node, capacity in enumerate(into) if capacity < SLOW * max(into)}


def _relayed(network: Network, root: int) -> list[int]:
    """How many of PARTS parts of a message each node forwards in trees behind switches.

    In a broadcast (from `root`), slow nodes forward nothing, because the trees below them would be
    late. In an allreduce (root -1), a leaf receives the message once. An inner node receives it
    twice: in parts from below, and as the result. All this takes at least `time` [chen2026], in
    which a node of rate r can receive r * time messages, and so forward one less.
    """
    if root >= 0:
        slow = _slow_nodes(network) - {root}
        return [0 if node in slow else PARTS for node in range(network.nodes)]
    rates = _into(network.links, network.nodes)
    time = max(2 * (len(rates) - 1) / sum(rates), 2 / max(rates), 1 / min(rates))
    return [round(PARTS * min(1, rate * time - 1)) for rate in rates]


def _binary_trees(network: Network, root: int, relayed: Sequence[int]) -> list[Tree]:
    """Pairs of binary trees, as in bcast/double_tree [sanders2009]; each pair carries some parts.

    A node forwards the first parts, as many as `relayed` tells. In the other trees, it is below the
    node that has received the least so far: in an allreduce first below the root, to which no node
    sends the result.

        0 <- 2 <- 1, 3     0 <- 3 <- 1, 2     parts that node 2 forwards
        0 <- 3 <- 1        0 <- 1 <- 2, 3     the other parts
        0 <- 2
    """
    work = Counter[int]()
    trees = list[tuple[int, list[int]]]()
    first = root if root >= 0 else relayed.index(max(relayed))
    for begun, done in pairwise(sorted({0, *relayed, PARTS})):
        fast = [node for node, parts in enumerate(relayed) if parts >= done]
        for parents in _double_tree(network.nodes, fast, fast.index(first)):
            trees.append((done - begun, parents))
            for node in set(fast) - {first}:
                work[parents[node]] += done - begun
                work[node] += done - begun if root < 0 else 0
    for weight, parents in trees:
        fast = [node for node in range(network.nodes) if parents[node] >= 0 or node == first]
        for node in set(range(network.nodes)) - set(fast):
            parents[node] = min(fast, key=lambda each: (work[each], abs(each - node)))
            work[parents[node]] += weight
    common = gcd(*(weight for weight, _ in trees))
    return [(weight // common, parents) for weight, parents in trees]


def _double_tree(nodes: int, fast: Sequence[int], root: int) -> list[list[int]]:
    """The parents in the two trees of bcast/double_tree among some of the nodes."""
    algorithm = _core.parse_choice("bcast", "double_tree:segments=2")
    shape = _core.Shape(len(fast), root)
    parents = [[-1] * nodes, [-1] * nodes]
    for number, node in enumerate(fast if len(fast) > 1 else []):
        schedule = algorithm.schedule(shape, number)
        for i in range(len(schedule)):
            for message in schedule.round(i).recvs:
                for each in message.ranges:
                    for block in range(each.first, each.first + each.count):
                        parents[block][node] = fast[message.peer]
    return parents


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
    least = max(both, 1 / min(_into(links, network.nodes)))

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

    # With the slowest links as units, all other links are rounded down a little.
    units = {Fraction(1), min(links.values())}
    factors = (2 * i / unit for i in range(1, 9) for unit in units)
    return _best(factors, attempt, float(least))


def _is_changed_torus(network: Network) -> bool:
    machine = network.machine
    is_torus = network.is_direct and bool(machine.periodic) and all(machine.periodic)
    return is_torus and not network.is_whole_mesh and network.nodes <= MOST_OF_TORUS


def _allgather_on_torus(network: Network, links: Links) -> list[Tree]:
    """The trees of `torus_multiport`, changed around missing and slow links; none if they load a
    link 1.5 times as much as necessary."""
    pieces = 2 * len(network.machine.dims)
    into = _into(links, network.nodes)
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
