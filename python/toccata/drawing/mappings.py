"""The ranks on their cores before and after a reordering, and the busiest links."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from toccata import _core
from toccata.drawing import cells
from toccata.models.reordering import Mapped
from toccata.quantities import show_bytes
from toccata.topology import machines

NUMBERED = 160  # ranks; with more, numbers do not fit
MOST_ROWS = 40  # nodes; of more, it shows the first ones
INK, HOT = "#1b2631", "#c0392b"


def draw(
    title: str,
    choice: _core.Choice,
    shape: _core.Shape,
    placement: _core.Placement,
    all_: Sequence[Mapped],
    size: int,
) -> Figure:
    """One panel per mapping: a row is a node, a cell is a core with the role of its rank. Colours
    range from rank 0 to the last one, so that neighbours look similar. The bars show the bytes that
    leave each node."""
    level, nodes = _nodes(placement)
    rows = min(len(nodes), MOST_ROWS)
    columns = max(len(each) for each in nodes)
    height = 1.3 + 0.27 * max(rows, 4)
    figure = Figure(figsize=(max(3.4, 1.9 + 0.26 * columns) * len(all_), height))
    figure.suptitle(title, fontsize=11, fontweight="bold", color=INK)
    grid = figure.add_gridspec(
        1,
        2 * len(all_),
        width_ratios=[columns, columns * 0.35] * len(all_),
        left=0.05,
        right=0.98,
        bottom=0.3 / height,
        top=1 - 0.95 / height,
    )
    leaving = [_leaving(choice, shape, placement, each, size) for each in all_]
    most = max(max(each) for each in leaving) or 1
    for i, each in enumerate(all_):
        axes = figure.add_subplot(grid[0, 2 * i])
        _draw_ranks(axes, each, nodes[:rows], columns, shape.p)
        axes.set_ylabel(level if i == 0 else "", fontsize=8)
        bars = figure.add_subplot(grid[0, 2 * i + 1], sharey=axes)
        _draw_bytes(bars, leaving[i], rows, most, level)
    return figure


def _draw_ranks(
    axes: Axes, mapped: Mapped, nodes: Sequence[Sequence[int]], columns: int, p: int
) -> None:
    roles = {player: role for role, player in enumerate(mapped.players)}
    colour_of = cells.shades(Normalize(0, p - 1), colormaps["viridis"])
    empty = [""] * columns
    cells.draw(
        axes,
        [[*(colour_of(roles[rank]) for rank in ranks), *[cells.MISSING] * columns][:columns]
         for ranks in nodes],
        [[*(str(roles[rank]) for rank in ranks), *empty][:columns] for ranks in nodes]
        if p <= NUMBERED else None,
        rows=[str(row) for row in range(len(nodes))] if len(nodes) <= 20 else [],
        fontsize=7,
        lines=0.6,
        upwards=False,
    )  # fmt: skip
    axes.set_title(f"{mapped.label}\n{1e6 * mapped.seconds:,.0f} µs", fontsize=9, color=INK)
    axes.tick_params(labelsize=7)


def _draw_bytes(axes: Axes, leaving: Sequence[int], rows: int, most: int, level: str) -> None:
    """A bar per row: its node's share of `most`, which is the largest of all mappings."""
    values = np.array(leaving[:rows]) / most
    axes.barh(range(rows), values, color=[(*_mixed(value),) for value in values], height=0.8)
    axes.set_xlim(0, 1)
    axes.axis("off")
    axes.set_title(
        f"out of a {level}\n≤ {show_bytes(round(max(leaving)))}",
        fontsize=7,
        color=HOT if max(leaving) == most else INK,
    )


def _mixed(heat: float) -> tuple[float, float, float]:
    cold, hot = np.array([0.68, 0.78, 0.86]), np.array([0.75, 0.22, 0.17])
    mixed = cold + heat * (hot - cold)
    return (float(mixed[0]), float(mixed[1]), float(mixed[2]))


def _nodes(placement: _core.Placement) -> tuple[str, list[list[int]]]:
    """The name of the level of nodes, and the ranks of each node that has some, by core."""
    machine = placement.machine
    levels = machine.levels
    node = levels.index("node") if "node" in levels else 0
    of = machines.around(machine, node)
    found: dict[int, list[tuple[int, int]]] = {}
    for rank, (level, number) in enumerate(placement.places):
        found.setdefault(of(level, number), []).append((number, rank))
    return levels[node], [[rank for _, rank in sorted(each)] for _, each in sorted(found.items())]


def _leaving(
    choice: _core.Choice,
    shape: _core.Shape,
    placement: _core.Placement,
    mapped: Mapped,
    size: int,
) -> list[int]:
    """The bytes that leave each node, in the machine's order of nodes."""
    level, _ = _nodes(placement)
    there = shape
    if mapped.order:
        there = _core.reordered(choice, shape, mapped.players, mapped.order)
    for each in _core.crossings(choice, there, size):
        if each.level == level:
            # Regions have the order of their lowest ranks, but nodes have the order of the machine.
            _, nodes = _nodes(placement)
            order = sorted(range(len(nodes)), key=lambda node: min(nodes[node]))
            leaving = [0] * len(nodes)
            for node, region in zip(order, each.regions, strict=True):
                leaving[node] = region.bytes
            return leaving
    return [0]
