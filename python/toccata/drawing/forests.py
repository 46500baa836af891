"""Packed trees, drawn on their network."""

from collections.abc import Sequence
from math import cos, pi, sin

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toccata.topology.networks import Network
from toccata.topology.packing import Packing

COLOURS = ("#0b5fa5", "#c8553d", "#2b8a5a", "#8e5ea2", "#b8860b", "#3aa6a6", "#d16ba5", "#5c6b7a")
MOST_SHOWN = len(COLOURS)  # trees in one panel
MARGIN = 0.75  # outside the outermost vertices, for links around a ring
BETWEEN = 0.055  # of two trees on neighbouring links
BEND = 0.2  # of the arcs below the nodes, as a share of their length
Point = tuple[float, float]


def draw(network: Network, packings: Sequence[Packing]) -> Figure:
    """One panel per packing; for an allgather, only the trees of the first node.

    If nodes have links to each other, trees are drawn along these; behind switches, as arcs below
    the nodes.
    """
    across = min(3, len(packings))
    down = -(-len(packings) // across)
    places = _places(network)
    wide = max(x for x, _ in places) - min(x for x, _ in places) + 2
    high = max(y for _, y in places) - min(y for _, y in places) + 2
    if not network.is_direct:
        high += _depth_of_arcs(packings, places)
    scale = min(0.8, 5.4 / max(wide, 1))
    size = (across * (wide * scale + 0.4), down * (high * scale + 0.7))
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for axes in panels[len(packings) :]:
        axes.axis("off")
    for axes, each in zip(panels, packings, strict=False):
        _draw(axes, network, each, places)
    return figure


def _shown(packing: Packing) -> list[list[int]]:
    """The parents of the nodes in each tree of a panel."""
    all_trees = [parents for _, parents in packing.trees]
    if packing.collective == "allgather":
        all_trees = [parents for parents in all_trees if parents[0] < 0]
    return all_trees[:MOST_SHOWN]


def _depth_of_arcs(packings: Sequence[Packing], places: Sequence[Point]) -> float:
    return BEND / 2 * max(
        abs(places[node][0] - places[parent][0])
        for packing in packings
        for parents in _shown(packing)
        for node, parent in enumerate(parents)
        if parent >= 0
    )  # fmt: skip


def _places(network: Network) -> list[Point]:
    """The position of each vertex: that on the mesh, whose layers are next to each other; or, with
    switches, these above their nodes."""
    dims = network.machine.dims
    if dims and network.is_direct:
        if len(dims) == 1 and network.machine.periodic[0]:
            return _on_circle(dims[0])
        rows, columns = (1, dims[0]) if len(dims) == 1 else (dims[-2], dims[-1])
        return [
            (cell // (rows * columns) * (columns + 1.0) + cell % columns,
             -float(cell // columns % rows))
            for cell in range(network.nodes)
        ]  # fmt: skip
    below = dict[int, list[int]]()
    for a, b in network.links:
        if b >= network.nodes and b > a:
            below.setdefault(b, []).append(a)
    places = dict[int, Point]()
    levels = network.machine.levels
    x = 0.0
    for node in range(network.nodes):
        outer = network.machine.outers(network.level) if network.level > 0 else []
        if node > 0 and outer and outer[node] != outer[node - 1]:
            x += 0.6
        places[node] = (x, 0.0)
        x += 1.0
    for vertex in range(network.nodes, len(network.names)):
        under = [places[each] for each in below.get(vertex, []) if each in places]
        height = 1.0 + max((y for _, y in under), default=float(len(levels)))
        middle = sum(at for at, _ in under) / len(under) if under else x / 2
        places[vertex] = (middle, height)
    return [places[vertex] for vertex in range(len(network.names))]


def _on_circle(many: int) -> list[Point]:
    radius = max(1.0, many / (2 * pi))
    turn = 2 * pi / many
    return [(radius * sin(i * turn), radius * cos(i * turn)) for i in range(many)]


def _draw(axes: Axes, network: Network, packing: Packing, places: Sequence[Point]) -> None:
    axes.set_aspect("equal")
    axes.axis("off")
    chosen = _shown(packing)
    if not network.is_direct:
        for a, b in network.links:
            axes.plot(*zip(places[a], places[b], strict=True), color="#c3cad1", lw=0.8, zorder=1)
    for number, parents in enumerate(chosen):
        shift = (number - (len(chosen) - 1) / 2) * BETWEEN
        for node, parent in enumerate(parents):
            if parent >= 0 and network.is_direct:
                for a, b in _way(network, parent, node):
                    _arrow(axes, places[a], places[b], shift, COLOURS[number])
            elif parent >= 0:
                _arc(axes, places[parent], places[node], COLOURS[number])
    roots = {parents.index(-1) for parents in chosen}
    for vertex, (x, y) in enumerate(places):
        is_root, is_switch = vertex in roots, vertex >= network.nodes
        axes.plot(x, y, "s" if is_switch else "o", ms=6 if is_root else 4.5, zorder=3,
                  color="#1b1f23" if is_root else "#ffffff" if is_switch else "#9aa5ae",
                  mec="#5c6b7a", mew=0.8)  # fmt: skip
    name = packing.collective + (
        f" from {network.names[packing.root]}" if packing.root >= 0 else ""
    )
    many = len(packing.trees)
    trees = "1 tree" if many == 1 else f"{many} trees"
    axes.set_title(f"{name}: {trees}, depth {packing.depth}", fontsize=9)
    arcs = 0.0 if network.is_direct else _depth_of_arcs([packing], places)
    for limits, values, below in (
        (axes.set_xlim, [x for x, _ in places], 0.0),
        (axes.set_ylim, [y for _, y in places], arcs),
    ):
        limits(min(values) - MARGIN - below, max(values) + MARGIN)


def _way(network: Network, a: int, b: int) -> list[tuple[int, int]]:
    links = network.core.links
    return [links[link][:2] for link, _ in network.core.route(a, b)]


def _arc(axes: Axes, a: Point, b: Point, colour: str) -> None:
    bend = f"arc3,rad={BEND if b[0] > a[0] else -BEND}"
    axes.annotate("", b, a, arrowprops=_style(colour) | {"connectionstyle": bend})


def _arrow(axes: Axes, a: Point, b: Point, shift: float, colour: str) -> None:
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = (dx * dx + dy * dy) ** 0.5
    if length == 0:
        return
    # To the right of its direction, so that both directions of a link are visible.
    x, y = dy / length * (shift + 0.12), -dx / length * (shift + 0.12)
    if length > 1.5:  # a link around the ring: a stub at either end
        ux, uy = dx / length, dy / length
        for at, to in (
            ((a[0] + x, a[1] + y), (a[0] + x - 0.45 * ux, a[1] + y - 0.45 * uy)),
            ((b[0] + x + 0.45 * ux, b[1] + y + 0.45 * uy), (b[0] + x, b[1] + y)),
        ):
            axes.annotate("", to, at, arrowprops=_style(colour))
        return
    axes.annotate("", (b[0] + x, b[1] + y), (a[0] + x, a[1] + y), arrowprops=_style(colour))


def _style(colour: str) -> dict[str, object]:
    return {"arrowstyle": "-|>", "color": colour, "lw": 1.0, "mutation_scale": 6,
            "shrinkA": 2, "shrinkB": 3}  # fmt: skip
