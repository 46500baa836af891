"""The experiments of the rank-reordering paper, predicted: its figures 3, 4 and 7.

4096 ranks on the paper's GPC: nodes of two sockets of four cores, 30 nodes per leaf switch. The
algorithm is recursive doubling up to 1 KiB and the ring above, as in MVAPICH2 there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from toccata import _core
from toccata.drawing import pictures
from toccata.models import predicting, reordering
from toccata.plain_table import PlainTable
from toccata.quantities import show_bytes

MACHINE = "leaf:18 node:30 socket:2 core:4"
RANKS = 4096
SIZES = [16, 64, 256, 1024, 4096, 16384, 65536, 262144]
LAST_SMALL = 1024
FLAT = ["block-bunch", "block-scatter", "cyclic-bunch", "cyclic-scatter"]
# The paper's best results, in percent: up to 1 KiB, and beyond.
PAPER = {
    "block-bunch": (67, 0),
    "block-scatter": (67, 50),
    "cyclic-bunch": (50, 78),
    "cyclic-scatter": (50, 78),
    "hierarchical, binomial: block-bunch": (30, 0),
    "hierarchical, binomial: block-scatter": (30, 30),
    "hierarchical, linear: block-bunch": (30, 0),
    "hierarchical, linear: block-scatter": (30, 0),
}
COLOURS = {
    "ours, exchange": "#0b5fa5",
    "ours, shuffle": "#7fb3d5",
    "ours, straight": "#1e8449",
    "Scotch, exchange": "#c0392b",
}


@dataclass
class Panel:
    """Gains in percent over the original placement, by order and by size."""

    title: str
    gains: dict[str, dict[int, float]] = field(default_factory=dict)


def run(console: Console, output: Path | None) -> None:
    """Prints all gains and overheads, compared with the paper's, and draws them."""
    model = predicting.read_model("gpc")
    console.print(
        f"\n[bold cyan]{RANKS} ranks[/] on {MACHINE}, model {model.name}: gain in predicted time "
        "over the ranks as placed, in %"
    )
    panels = []
    for placement in FLAT:
        panels.append(_panel(placement, placement, "recursive_doubling", "ring", model))
        console.print(_table(panels[-1]), crop=False)
    for local in ("binomial", "linear"):
        for placement in FLAT[:2]:
            small = f"hierarchical:exchange=recursive_doubling,local={local}"
            large = f"hierarchical:exchange=ring,local={local}"
            title = f"hierarchical, {local}: {placement}"
            panels.append(_panel(title, placement, small, large, model))
            console.print(_table(panels[-1]), crop=False)
    console.print(_overheads(), crop=False)
    if not _core.has_scotch():
        console.print(f"[dim]{reordering.NO_SCOTCH}[/]")
    if output is not None:
        pictures.write(_draw(panels), output)


def _shape(placement: str, ranks: int = RANKS) -> _core.Shape:
    return _core.Shape(_core.Placement(_core.Machine(MACHINE), ranks, placement))


def _panel(title: str, placement: str, small: str, large: str, model: _core.Model) -> Panel:
    panel = Panel(title)
    shape = _shape(placement)
    for text, sizes in (
        (small, [size for size in SIZES if size <= LAST_SMALL]),
        (large, [size for size in SIZES if size > LAST_SMALL]),
    ):
        choice = _core.parse_choice("allgather", text)
        before = _times(choice, shape, sizes, model)
        candidates = _core.mappings_for(choice, shape)
        found = [("ours", players) for players in candidates]
        if _core.has_scotch() and not text.startswith("hier"):
            found.append(("Scotch", _core.map_by_scotch(reordering.flows(choice, shape), shape)[0]))
        for who, players in found:
            orders = ["exchange"] if who == "Scotch" else _core.orders_for(choice)
            for order in orders:
                if players == list(range(shape.p)):  # nothing to do
                    after = before
                else:
                    there = _core.reordered(choice, shape, players, order)
                    after = _times(choice, there, sizes, model)
                gains = panel.gains.setdefault(f"{who}, {order}", {})
                for size, one, other in zip(sizes, before, after, strict=True):
                    gains[size] = max(gains.get(size, -1e9), 100 * (1 - other / one))
    return panel


def _times(
    choice: _core.Choice, shape: _core.Shape, sizes: Sequence[int], model: _core.Model
) -> list[float]:
    predictor = reordering.Predictor(choice, shape)
    return [predictor.seconds(size, model) for size in sizes]


def _table(panel: Panel) -> Table:
    small, large = PAPER[panel.title]
    table = PlainTable()
    table.add_column(panel.title, min_width=38)
    for size in SIZES:
        table.add_column(show_bytes(size), justify="right")
    table.add_column("paper, up to 1K / beyond", justify="right")
    for label, gains in panel.gains.items():
        cells = [f"{gains[size]:z.0f}" for size in SIZES]
        table.add_row(label, *cells, f"{small} / {large}" if label == "ours, exchange" else "")
    return table


_OVERHEADS = ["overheads in ms", "distances", "RDMH", "RMH", "BBMH", "BGMH", "Scotch, doubling",
             "Scotch, ring"]  # fmt: skip


def _measured_overheads() -> list[list[str]]:
    """The time to find the distances and to map, for Toccata and Scotch: a row per number of ranks,
    and one for the paper."""
    rows = []
    for ranks in (1024, 2048, 4096):
        best = min(_timed_shape(ranks) for _ in range(3))
        shape = _shape("cyclic-scatter", ranks)
        cells = [f"{1e3 * best:.1f}"]
        for pattern in ("recursive_doubling", "ring", "binomial_bcast", "binomial_gather"):
            took = min(_core.map_pattern(pattern, shape)[1] for _ in range(5))
            cells.append(f"{1e3 * took:.2f}")
        for name in ("recursive_doubling", "ring"):
            if _core.has_scotch():
                choice = _core.parse_choice("allgather", name)
                took = _core.map_by_scotch(reordering.flows(choice, shape), shape)[1]
                cells.append(f"{1e3 * took:.0f}")
            else:
                cells.append("–")
        rows.append([f"{ranks}", *cells])
    return [*rows, ["paper, 4096", "3300", "24", "24", "24", "24", "", ""]]


def _overheads() -> Table:
    table = PlainTable()
    for heading in _OVERHEADS:
        table.add_column(heading, justify="right")
    for row in _measured_overheads():
        table.add_row(*row)
    return table


def _timed_shape(ranks: int) -> float:
    start = perf_counter()
    _shape("cyclic-scatter", ranks)
    return perf_counter() - start


def _draw(panels: Sequence[Panel]) -> Figure:
    figure = Figure(figsize=(14, 7), layout="constrained")
    figure.suptitle(
        f"Allgather of {RANKS} ranks on GPC, reordered: gain in predicted time, by bytes of a rank",
        fontweight="bold",
    )
    axes = figure.subplots(2, 4, sharex=True, sharey=True).flat
    for each, panel in zip(axes, panels, strict=True):
        small, large = PAPER[panel.title]
        for first, last, best in ((SIZES[0], LAST_SMALL, small), (4096, SIZES[-1], large)):
            each.plot(
                [first, last],
                [best, best],
                color="#7f8c8d",
                linestyle=":",
                linewidth=2,
                label="the paper's best" if first == SIZES[0] else None,
            )
        for label, gains in panel.gains.items():
            each.plot(
                SIZES,
                [gains[size] for size in SIZES],
                marker="o",
                markersize=3.5,
                color=COLOURS[label],
                label=label,
            )
        each.axhline(0, color="#1b2631", linewidth=0.6)
        each.axvline(2048, color="#d5d8dc", linewidth=0.8)
        each.set_xscale("log", base=2)
        each.set_ylim(-60, 100)
        each.set_xticks([16, 256, 4096, 65536], ["16", "256", "4K", "64K"])
        each.set_title(panel.title, fontsize=9)
        each.tick_params(labelsize=8)
        each.grid(alpha=0.3)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=5, fontsize=9)
    figure.supylabel("gain, %", fontsize=9)
    return figure
