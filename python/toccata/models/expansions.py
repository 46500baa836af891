"""The messages of algorithms: ours, and those of MPI libraries that differ from ours."""

from collections.abc import Callable
from functools import lru_cache

from toccata import _core

# Of all entries together: expanding a million takes about a second.
MOST_MESSAGES = 2_000_000
# Broadcasts, and the algorithm of their allgather.
SCATTER_ALLGATHERS = {
    "scatter_allgather": "ring",
    "scatter_allgather:allgather=recursive_doubling": "recursive_doubling",
}

Expanded = list[tuple[int, int, int, float]]  # sender, receiver, messages and units of each pair

parsed = lru_cache(maxsize=256)(_core.parse_choice)


def expanded(choice: _core.Choice, shape: _core.Shape) -> Expanded | None:
    """None if there are too many messages."""
    found = _core.pairs_of(choice, shape, MOST_MESSAGES)
    if found is None:
        return None
    parts = choice.completed(shape).parts
    return [
        (sender, receiver, messages, blocks / parts) for sender, receiver, messages, blocks in found
    ]


@lru_cache(maxsize=64)
def anywhere(mpi: str | None, collective: str, choice: str, p: int, root: int) -> Expanded | None:
    """The messages of an algorithm that does not follow the placement: that of an MPI library,
    some of which differ from ours of that name, or else ours."""
    if mpi is None:
        return expanded(parsed(collective, choice), _core.Shape(p, root))
    if mpi.startswith("Open MPI") and choice == "binomial" and collective in ("bcast", "reduce"):
        return open_mpi_tree(collective, p, root)
    if choice in SCATTER_ALLGATHERS and collective == "bcast":
        return scatter_allgather(SCATTER_ALLGATHERS[choice], p, root)
    if choice == "recursive_halving" and collective == "reduce_scatter":
        return recursive_halving(p)
    return expanded(parsed(collective, choice), _core.Shape(p, root))


def open_mpi_tree(collective: str, p: int, root: int) -> Expanded:
    """The edges of Open MPI's binomial trees, which connect other ranks than ours.

    Ranks count from the root. In a broadcast, a rank gets its data from that without its highest
    binary one; in a reduction, it sends to that without its lowest.
    """
    edges = []
    for rank in range(1, p):
        if collective == "bcast":
            ends = rank - (1 << rank.bit_length() - 1), rank
        else:
            ends = rank, rank & (rank - 1)
        edges.append(((ends[0] + root) % p, (ends[1] + root) % p, 1, 1.0))
    return edges


def scatter_allgather(second: str, p: int, root: int) -> Expanded | None:
    """The broadcast of Open MPI and MPICH. Unlike ours, its allgather counts ranks from the root,
    and sends to the root, too."""
    scatter = expanded(_core.parse_choice("scatter", "binomial"), _core.Shape(p, root))
    allgather = expanded(_core.parse_choice("allgather", second), _core.Shape(p, 0))
    if scatter is None or allgather is None:
        return None
    turned = [((a + root) % p, (b + root) % p, n, units) for a, b, n, units in allgather]
    return [(a, b, n, units / p) for a, b, n, units in scatter + turned]


def recursive_halving(p: int) -> Expanded:
    """The reduce_scatter of Open MPI and MPICH. Unlike in ours, the first halves go to far ranks.

    If p is not a power of two, some even ranks take part through the next rank.
    """
    power = 1 << p.bit_length() - 1
    extra = p - power
    members = [2 * i + 1 for i in range(extra)] + list(range(2 * extra, p))
    blocks = [2.0] * extra + [1.0] * (power - extra)
    edges = [(2 * i, 2 * i + 1, 1, float(p)) for i in range(extra)]
    away = power // 2
    while away:
        for i in range(power):
            first = (i ^ away) // away * away  # of the half that is sent
            units = sum(blocks[first : first + away])
            edges.append((members[i], members[i ^ away], 1, units))
        away //= 2
    return edges + [(2 * i + 1, 2 * i, 1, 1.0) for i in range(extra)]


def reduced_to(p: int, root: int) -> Expanded:
    """A reduction among a power of two ranks: halving with near ranks first, and a gather."""
    edges: Expanded = []
    units, away = 0.5, 1
    while away < p:
        edges += [(rank, rank ^ away, 1, units) for rank in range(p)]
        units, away = units / 2, away * 2
    units, away, left = 1 / p, p // 2, set(range(p))
    while away:
        senders = [each for each in left if (each ^ away) // away == root // away]
        edges += [(each, each ^ away, 1, units) for each in senders]
        left.difference_update(senders)
        units, away = units * 2, away // 2
    return edges


def between_leaders(
    found: Expanded, nodes: list[int], root: int, edges: Callable[[int, int], Expanded]
) -> Expanded:
    """Replaces the messages between the leaders of nodes by edges(leaders, root)."""
    leader_of = {
        nodes[rank]: rank for a, b, _, _ in found for rank in (a, b) if nodes[a] != nodes[b]
    }
    leaders = [leader_of[node] for node in dict.fromkeys(nodes)]
    new = edges(len(leaders), leaders.index(leader_of[nodes[root]]))
    inside = [each for each in found if nodes[each[0]] == nodes[each[1]]]
    return inside + [(leaders[a], leaders[b], n, units) for a, b, n, units in new]
