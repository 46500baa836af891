"""Lower bounds for every algorithm on a network: by cuts, by flows, and over its fixed routes.

A bound is a number of bytes over a link of capacity 1, the capacity of a node's link. Messages
inside a node use no link. docs/models.md explains each bound.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from toccata import _core
from toccata.errors import InputError
from toccata.topology import machines
from toccata.topology.networks import Network

# The maximum for linear programs; for more nodes, they take minutes.
MOST_NODES = 64
COLLECTIVES = ("bcast", "reduce", "scatter", "gather", "allgather", "reduce_scatter", "allreduce",
               "alltoall")  # fmt: skip
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Bound:
    """Bytes over a link of capacity 1; None if unknown."""

    rounds: int
    free: float  # for any routes
    fixed: float | None  # over the fixed routes
    why: str  # the reason for `free`


def find(
    network: Network,
    weights: Sequence[int],
    collective: str,
    root: int,
    n: float,
    with_routes: bool = True,
) -> Bound:
    """The bound for n bytes of the whole vector, of which each rank has an equal part.

    `weights` are the numbers of ranks per node, `root` is a node. The bound for the fixed routes
    takes long, so it is left out unless `with_routes` is set.

    Raises InputError if the network is disconnected, or for other collectives.
    """
    if collective not in COLLECTIVES:
        raise InputError(
            f"there are no known bounds for {collective} on a network; expected one of "
            f"{', '.join(COLLECTIVES)}"
        )
    used = sum(each > 0 for each in weights)
    if used < 2:
        return Bound(0, 0.0, 0.0, "one node")
    try:
        return _find(network, weights, collective, root, n, with_routes)
    except ValueError as error:
        raise InputError(f"{network.machine.text}: {error}") from None


def _find(
    network: Network,
    weights: Sequence[int],
    collective: str,
    root: int,
    n: float,
    with_routes: bool,
) -> Bound:
    core, scale = network.core, network.scale
    backwards = collective in ("reduce", "gather", "reduce_scatter")
    seen = core.reversed() if backwards else core
    block = n / sum(weights)
    fixed: float | None = None
    if collective in ("bcast", "reduce"):
        cut = seen.broadcast_cut(weights, root)
        free, why = n * cut.ratio * scale, _told(network, cut)
    elif collective in ("scatter", "gather"):
        cut = seen.scatter_cut(weights, root)
        free, why = block * cut.ratio * scale, _told(network, cut)
    elif collective in ("allgather", "reduce_scatter"):
        cut = seen.allgather_cut(weights)
        free, why = block * cut.ratio * scale, _told(network, cut)
    elif collective == "allreduce":
        free, why = _allreduce(network, weights, n)
    else:
        free, why = _alltoall(network, weights, block / sum(weights))
        fixed = _direct(network, weights, block / sum(weights))
        return Bound(_rounds(network, weights), free, fixed, why)
    if network.is_tree:
        fixed = free  # any two nodes have only one route
    elif with_routes and sum(each > 0 for each in weights) <= MOST_NODES and _has_solver():
        unit = n if collective in ("bcast", "reduce", "allreduce") else block
        fixed = max(free, unit * _over_routes(network, weights, collective, root))
    return Bound(_rounds(network, weights), free, fixed, why)


def _rounds(network: Network, weights: Sequence[int]) -> int:
    """The number of consecutive messages, if a node sends over all its links at once."""
    nodes = sum(each > 0 for each in weights)
    ends = [a for a, _ in network.links if a < network.nodes]
    links = max((ends.count(node) for node in set(ends)), default=1)
    rounds, reached = 0, 1
    while reached < nodes:
        reached *= links + 1
        rounds += 1
    return rounds


def _told(network: Network, cut: _core.Cut) -> str:
    inside = [i for i in range(network.nodes) if cut.inside[i]]
    outside = [i for i in range(network.nodes) if not cut.inside[i]]
    fewer, what = (inside, "out of") if len(inside) < len(outside) else (outside, "into")
    if len(fewer) == 1:
        return f"{what} {network.names[fewer[0]]}"
    return f"{what} {len(fewer)} of {network.nodes} nodes"


def _allreduce(network: Network, weights: Sequence[int], n: float) -> tuple[float, str]:
    """The larger one of two bounds for an allreduce [chen2026].

    By cuts: all data must leave, and reach, every set of nodes. By parts: m parts of the nodes
    receive the message 2(m-1) times in total, because each receive combines two partial results, or
    distributes one. So a slow link costs little as long as the other links have room for its share.
    """
    root = next(i for i, each in enumerate(weights) if each > 0)
    core, scale = network.core, network.scale
    out = core.broadcast_cut(weights, root)
    back = core.reversed().broadcast_cut(weights, root)
    cut = max(out, back, key=lambda each: each.ratio)
    bounds = [(n * cut.ratio * scale, _told(network, cut))]
    for name, parts in _partitions(network, weights):
        room = min(_room(network, parts), _room(network, parts, backwards=True))
        bounds.append((n * 2 * (len(set(parts.values())) - 1) / room, name))
    return max(bounds, key=lambda each: each[0])


def _partitions(network: Network, weights: Sequence[int]) -> Iterator[tuple[str, dict[int, int]]]:
    """The part of each node that has ranks: itself, or its object of an outer level."""
    nodes = [i for i, each in enumerate(weights) if each > 0]
    yield "all links of nodes", {node: node for node in nodes}
    for level in range(network.level):
        of = machines.around(network.machine, level)
        parts = {node: of(network.level, node) for node in nodes}
        if 1 < len(set(parts.values())) < len(nodes):
            yield f"all links of each {network.machine.levels[level]}", parts


def _room(network: Network, parts: Mapping[int, int], backwards: bool = False) -> float:
    """The sum of the capacities by which each part can receive from the others, or send to them."""
    names = {part: i for i, part in enumerate(dict.fromkeys(parts.values()))}
    kept = [v for v in range(len(network.names)) if v not in parts]
    vertex = {node: names[part] for node, part in parts.items()}
    vertex |= {each: len(names) + i for i, each in enumerate(kept)}
    joined = Counter[tuple[int, int]]()
    for a, b, capacity in network.core.links:
        ends = (vertex[b], vertex[a]) if backwards else (vertex[a], vertex[b])
        if ends[0] != ends[1]:
            joined[ends] += capacity
    core = _core.Network(len(names), len(vertex), [(*ends, c) for ends, c in joined.items()])
    plenty = sum(joined.values()) + 1  # no part is limited by what it has
    room = 0
    for part in range(len(names)):
        others = [0 if each == part else plenty for each in range(len(names))]
        [cut] = core.cuts_to(others, [part])
        room += cut.capacity
    return room / network.scale


def _alltoall(network: Network, weights: Sequence[int], block: float) -> tuple[float, str]:
    """Up to MOST_NODES nodes, a bound by flows; for more, one by the distances of all pairs."""
    by_distance, why = _distances(network, weights)
    if sum(each > 0 for each in weights) > MOST_NODES or not _has_solver():
        return block * by_distance, why
    found = _flows(network, weights)
    return block * found, why if found <= by_distance * (1 + TOLERANCE) else "flows"


def _classes(network: Network) -> dict[str, list[int]]:
    """Classes of links: all, those of a dimension, or those of a level."""
    links = network.core.links
    classes = {"all links": list(range(len(links)))}
    for number, (a, b, _) in enumerate(links):
        if network.machine.dims and network.is_direct:
            at, to = (network.names[each].split(".") for each in (a, b))
            [dimension] = [i for i, each in enumerate(at) if each != to[i]]
            classes.setdefault(f"links along dimension {dimension}", []).append(number)
        else:
            names = sorted(network.names[each].rstrip("0123456789") for each in (a, b))
            classes.setdefault(f"links {'-'.join(names)}", []).append(number)
    return classes


def _distances(network: Network, weights: Sequence[int]) -> tuple[float, str]:
    """A bound for an all-to-all by the distances of all pairs.

    Each link of a class has length 1, or 1 / its capacity; other links have length 0. The traffic
    of each pair, times its distance, adds up to a load that the links of the class must carry. Any
    lengths give a valid bound.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import dijkstra

    links = network.core.links
    size = len(network.names)
    demand = np.array(weights, dtype=float)
    best = (0.0, "")
    for name, members in _classes(network).items():
        for lengths_of in (lambda _: 1.0, lambda capacity: 1.0 / capacity):
            chosen = set(members)
            tiny = 1e-12  # csr_matrix takes 0 for a missing link
            lengths = [lengths_of(c) if i in chosen else tiny for i, (_, _, c) in enumerate(links)]
            ends = ([a for a, _, _ in links], [b for _, b, _ in links])
            graph = csr_matrix((lengths, ends), shape=(size, size))
            nodes = [i for i, each in enumerate(weights) if each > 0]
            far = dijkstra(graph, indices=nodes)[:, nodes]
            if not np.isfinite(far).all():
                raise ValueError("a node cannot be reached: the network is disconnected")
            carried = demand[nodes] @ far @ demand[nodes]
            room = sum(links[i][2] * lengths[i] for i in members) / network.scale
            best = max(best, (float(carried / room), name))
    return best


def _direct(network: Network, weights: Sequence[int], block: float) -> float:
    """The load if every block goes directly from its source, by the fixed routes."""
    flows = [
        (a, b, float(weights[a] * weights[b]))
        for a in range(network.nodes)
        for b in range(network.nodes)
        if a != b and weights[a] and weights[b]
    ]
    loads = network.core.loads(flows)
    most = max(
        load / capacity for load, (_, _, capacity) in zip(loads, network.core.links, strict=True)
    )
    return block * most * network.scale


def _has_solver() -> bool:
    try:
        import scipy.optimize  # noqa: F401
    except ImportError:
        return False
    return True


def _flows(network: Network, weights: Sequence[int]) -> float:
    """The least load for any routes and shares of blocks: a linear program with flows by source."""
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, coo_matrix, csr_matrix, hstack, vstack

    links = network.core.links
    size, many = len(network.names), len(links)
    sources = [i for i, each in enumerate(weights) if each > 0]
    # The flow into a vertex minus the flow out of it is the data that it receives.
    rows = [b for _, b, _ in links] + [a for a, _, _ in links]
    values = [1.0] * many + [-1.0] * many
    balance = csr_matrix((values, (rows, [*range(many), *range(many)])), shape=(size, many))
    blocks, wanted = [], []
    for source in sources:
        others = [i for i in range(size) if i != source]
        blocks.append(balance[others])
        wanted += [weights[source] * weights[i] if i < network.nodes else 0 for i in others]
    balances = block_diag(blocks, format="csr")
    zero = csr_matrix((balances.shape[0], 1))
    capacities = np.array([c for _, _, c in links]) / network.scale
    over = hstack([csr_matrix(np.eye(many))] * len(sources) + [coo_matrix(-capacities[:, None])])
    cost = np.zeros(balances.shape[1] + 1)
    cost[-1] = 1
    found = linprog(cost, A_ub=vstack([over]).tocsr(), b_ub=np.zeros(many),
                    A_eq=hstack([balances, zero]).tocsr(), b_eq=np.array(wanted, dtype=float),
                    method="highs-ipm")  # fmt: skip
    return _value(found)


def _loads(network: Network, pairs: Sequence[tuple[int, int]]) -> Any:
    """A row per link: the share of each pair's traffic on it, then its capacity, negated."""
    from scipy.sparse import coo_matrix

    rows, columns, values = list[int](), list[int](), list[float]()
    for number, ends in enumerate(pairs):
        for link, share in network.core.route(*ends):
            rows.append(link)
            columns.append(number)
            values.append(share)
    links = network.core.links
    for link, (_, _, capacity) in enumerate(links):
        rows.append(link)
        columns.append(len(pairs))
        values.append(-capacity / network.scale)
    return coo_matrix((values, (rows, columns)), shape=(len(links), len(pairs) + 1)).tocsr()


def _over_routes(network: Network, weights: Sequence[int], collective: str, root: int) -> float:
    """The least load of the busiest link over the fixed routes, for a block or message of 1.

    It is the solution of a linear program whose unknowns are the traffic between pairs of nodes.
    Every cut among the nodes must carry its demand. Cuts are added if a solution violates them.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix, vstack

    nodes = [i for i, each in enumerate(weights) if each > 0]
    pairs = [(a, b) for a in range(len(nodes)) for b in range(len(nodes)) if a != b]
    links = network.core.links
    backwards = collective in ("reduce", "gather", "reduce_scatter")
    ends = [(nodes[b], nodes[a]) if backwards else (nodes[a], nodes[b]) for a, b in pairs]
    loads = _loads(network, ends)
    cost = np.zeros(len(pairs) + 1)
    cost[-1] = 1
    if collective in ("scatter", "gather"):  # the traffic between nodes is a single flow
        balance = np.zeros((len(nodes), len(pairs) + 1))
        for number, (a, b) in enumerate(pairs):
            balance[b, number], balance[a, number] = 1, -1
        kept = [i for i in range(len(nodes)) if nodes[i] != root]
        wanted = np.array([float(weights[nodes[i]]) for i in kept])
        found = linprog(cost, A_ub=loads, b_ub=np.zeros(len(links)), method="highs",
                        A_eq=balance[kept], b_eq=wanted)  # fmt: skip
        return _value(found)
    separate = _separation(collective, [weights[i] for i in nodes], nodes.index(root))
    cuts, needs = list[np.ndarray](), list[float]()

    def add(inside: np.ndarray) -> None:
        cuts.append(np.array([-1.0 if inside[a] and not inside[b] else 0.0 for a, b in pairs]))
        needs.append(-_need(collective, weights, nodes, inside, nodes.index(root)))

    for node in range(len(nodes)):
        for is_inside in (True, False):
            inside = np.full(len(nodes), not is_inside)
            inside[node] = is_inside
            add(inside)
    if collective == "allreduce":
        cuts.append(-np.ones(len(pairs)))
        needs.append(-2.0 * (len(nodes) - 1))
    for _ in range(200):
        held = coo_matrix(np.hstack([np.array(cuts), np.zeros((len(cuts), 1))]))
        found = linprog(cost, A_ub=vstack([loads, held]).tocsr(), method="highs",
                        b_ub=np.concatenate([np.zeros(len(links)), needs]))  # fmt: skip
        _value(found)
        violated = separate(found.x[:-1], pairs)
        if not violated:
            break
        for inside in violated:
            add(inside)
    return _value(found)


def _value(found: Any) -> float:
    """The value of scipy's solution."""
    if found.status != 0:
        raise ValueError("a node cannot be reached: the network is disconnected")
    return float(found.fun)


def _need(
    collective: str, weights: Sequence[int], nodes: list[int], inside: np.ndarray, root: int
) -> float:
    """The data that must leave these nodes, for messages or blocks of 1."""
    if not inside.any() or inside.all():
        return 0.0
    here = np.array([weights[i] for i in nodes])
    if collective in ("bcast", "reduce"):
        return 1.0 if inside[root] else 0.0
    if collective in ("allgather", "reduce_scatter"):
        return float(here[inside].sum())
    return 1.0


Separation = Callable[[np.ndarray, list[tuple[int, int]]], list[np.ndarray]]


def _separation(collective: str, weights: list[int], root: int) -> Separation:
    """A function that finds violated cuts."""
    fine = 1 << 24
    nodes = len(weights)

    def separate(volumes: np.ndarray, pairs: list[tuple[int, int]]) -> list[np.ndarray]:
        links = [(a, b, round(v * fine)) for (a, b), v in zip(pairs, volumes, strict=True)]
        core = _core.Network(nodes, nodes, [each for each in links if each[2] > 0])
        turned = core.reversed()
        one = [fine if node == root else 0 for node in range(nodes)]
        others = [node for node in range(nodes) if node != root]
        found = list[tuple[_core.Cut, bool]]()
        if collective in ("bcast", "reduce", "allreduce"):
            found += [(cut, False) for cut in core.cuts_to(one, others)]
        if collective == "allreduce":
            found += [(cut, True) for cut in turned.cuts_to(one, others)]
        if collective in ("allgather", "reduce_scatter"):
            supplies = [fine * each for each in weights]
            found += [(cut, False) for cut in core.cuts_to(supplies, list(range(nodes)))]
        result = dict[bytes, np.ndarray]()
        for cut, is_turned in found:
            if cut.capacity < cut.demand * (1 - TOLERANCE):
                inside = np.array(cut.inside) != is_turned
                result[inside.tobytes()] = inside
        return list(result.values())

    return separate
