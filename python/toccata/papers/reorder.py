"""Mirsadeghi and Afsahi's rank reordering: Figures 3 and 4, simulated."""

from dataclasses import dataclass
from functools import cache

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toccata import _core
from toccata.papers import reordering_figures
from toccata.papers.page import Found, Section
from toccata.papers.reordering_figures import FLAT, LAST_SMALL
from toccata.quantities import show_bytes
from toccata.simulating import platforms
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Work

TITLE = "Rank reordering (Mirsadeghi and Afsahi, 2016)"

PLATFORM = "gpc"
CORES, NODES = 8, 30  # per node, per leaf switch
# The paper's initComm, and the order of its ring, here for all algorithms. The paper's endShfl is
# missing: it only copies, which takes no time in a simulation.
ORDERS = ("exchange", "straight")
COLOURS = {"exchange": "#0b5fa5", "straight": "#1e8449"}


@dataclass(frozen=True)
class Panel:
    """A placement, and the algorithms for sizes up to 1 KiB and above."""

    placement: str
    local: str = ""  # the algorithm inside a node, if hierarchical; otherwise ""

    @property
    def title(self) -> str:
        return f"hierarchical, {self.local}: {self.placement}" if self.local else self.placement

    def algorithm(self, size: int) -> str:
        exchange = "recursive_doubling" if size <= LAST_SMALL else "ring"
        return f"hierarchical:exchange={exchange},local={self.local}" if self.local else exchange

    def orders(self, size: int, quick: bool) -> list[str]:
        if self.algorithm(size) == "ring":
            return ["straight"]
        return ["exchange"] if quick else list(ORDERS)

    def cell(self, size: int, order: str, quick: bool) -> Cell:
        name = self.algorithm(size)
        if order:
            name += f"{',' if ':' in name else ':'}reorder={order}"
        small = size <= LAST_SMALL
        many = small or self.local  # a ring of all ranks has p(p-1) messages
        ranks = (1024 if many else 512) if quick else (4096 if many else 1024)
        return Cell("allgather", _core.parse_choice("allgather", name).text, ranks, size,
                    self.placement)  # fmt: skip


PANELS = [
    *(Panel(each) for each in FLAT),
    *(Panel(each, local) for local in ("binomial", "linear") for each in FLAT[:2]),
]


@cache
def _platform(ranks: int) -> Platform:
    """A platform that the ranks fill. Cyclic placements would use all nodes of a larger one."""
    whole, rest = divmod(ranks // CORES, NODES)
    nodes = [NODES] * whole + [rest] * (rest > 0)
    machine = f"leaf:{len(nodes)} node:{','.join(map(str, nodes))} socket:2 core:4"
    return platforms.find(PLATFORM).on(machine)


def _work(panel: Panel, size: int, order: str, quick: bool) -> Work:
    cell = panel.cell(size, order, quick)
    return _platform(cell.ranks), cell


def _sizes(quick: bool) -> list[int]:
    return [1024, 65536] if quick else [16, 256, 1024, 4096, 65536, 262144]


def work(quick: bool) -> list[Work]:
    return [
        _work(panel, size, order, quick)
        for panel in PANELS
        for size in _sizes(quick)
        for order in ("", *panel.orders(size, quick))
    ]


Gains = dict[str, dict[int, float]]  # percent, by order and bytes


def _gains(found: Found, panel: Panel, quick: bool) -> Gains:
    gains: Gains = {}
    for size in _sizes(quick):
        before = found.seconds(*_work(panel, size, "", quick))
        for order in panel.orders(size, quick):
            after = found.seconds(*_work(panel, size, order, quick))
            if before is not None and after is not None:
                gains.setdefault(order, {})[size] = 100 * (1 - after / before)
    return gains


def report(section: Section, found: Found, quick: bool) -> None:
    all_ = {panel: _gains(found, panel, quick) for panel in PANELS}
    sizes = _sizes(quick)
    doubling, ring, nodes = (
        PANELS[number].cell(size, "", quick).ranks
        for number, size in ((0, sizes[0]), (0, sizes[-1]), (-1, sizes[0]))
    )
    section.say(
        f"Platform `{PLATFORM}`: leaf switches with {NODES} nodes of two sockets of 4 cores and 6 "
        "uplinks (5:1), with as many nodes as the ranks fill.\n\nFigures 3 and 4 show the gain by "
        "reordering: the percentage by which an allgather becomes faster, by bytes per rank. The "
        "algorithm is recursive doubling up to 1 KiB and the ring above, as in the paper's "
        f"MVAPICH2. Recursive doubling is simulated with {doubling} ranks, the ring with {ring}, "
        f"and the hierarchical algorithms with {nodes} (the paper: 4096; "
        "[reordering.md](reordering.md) has the model's results for 4096). *exchange* is the "
        "paper's initComm. *straight* puts each block into its place on arrival, as the paper's "
        "ring does. The paper's endShfl copies at the end, which takes no time in a simulation."
    )
    section.picture("gains", _draw(all_, quick), "gains by reordering")
    rows = []
    for panel, gains in all_.items():
        small, large = reordering_figures.PAPER[panel.title]
        here = [
            " / ".join(f"{by[size]:z.0f}" for each in ORDERS if size in (by := gains.get(each, {})))
            for size in sizes
        ]
        rows.append([panel.title, *here, small, large])
    heading = [f"gain, %: {' / '.join(ORDERS)}", *(show_bytes(each) for each in sizes)]
    section.table([*heading, "paper's best up to 1K", "beyond"], rows)
    section.say(
        "The cases that gain in the paper gain here too, except hierarchical algorithms by "
        "binomial trees with the ring. Here one order of a node's ranks serves both its gather "
        "and its broadcast, and it is chosen for the gather; the paper uses a separate order for "
        "each. Recursive doubling on block placements gains more than in the paper, because only "
        "links, adapters and the overheads of messages take time here. The gain of the ring on "
        "block-scatter depends on the bandwidth between a node's sockets, which is assumed. "
        "Figure 5, an application, is not simulated: the paper states neither the sizes of its "
        "allgathers nor the time of the rest. `toccata reorder --paper` measures Figure 7, the "
        "overhead of reordering ([results](reordering.md#results))."
    )


def _draw(all_: dict[Panel, Gains], quick: bool) -> Figure:
    sizes = _sizes(quick)
    small = sum(size <= LAST_SMALL for size in sizes)
    figure = Figure(figsize=(4.8 + 1.2 * len(sizes), 6), layout="constrained")
    figure.suptitle(
        f"Allgather on {PLATFORM}, reordered: gain in simulated time, by bytes per rank",
        fontweight="bold",
    )
    panels: list[Axes] = list(figure.subplots(2, 4, sharex=True, sharey=True).flat)
    width = 0.8 / len(ORDERS)
    for axes, (panel, gains) in zip(panels, all_.items(), strict=True):
        ends = ((-0.5, small - 0.5), (small - 0.5, len(sizes) - 0.5))
        for (left, right), best in zip(ends, reordering_figures.PAPER[panel.title], strict=True):
            axes.hlines(best, left, right, color="#c0392b", linestyle=":", linewidth=2,
                        label="the paper's best")  # fmt: skip
        for at, size in enumerate(sizes):
            there = [each for each in ORDERS if size in gains.get(each, {})]
            for i, order in enumerate(there):
                axes.bar(at + (i - (len(there) - 1) / 2) * width, gains[order][size], width,
                         color=COLOURS[order], label=order)  # fmt: skip
        axes.axhline(0, color="#1b2631", linewidth=0.6)
        axes.set_xticks(range(len(sizes)), [show_bytes(each) for each in sizes])
        axes.set_title(panel.title.replace(": ", ":\n"), fontsize=9)
        axes.tick_params(labelsize=8)
        axes.grid(axis="y", alpha=0.3)
    handles = {
        label: handle
        for axes in panels
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=5, fontsize=9)
    figure.supylabel("gain, %", fontsize=9)
    return figure
