"""Bienz, Gautam and Kharel's locality-aware Bruck: Figures 7 and 8 by model, 9 and 10 simulated."""

from functools import cache

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from toccata import _core
from toccata.models import predicting
from toccata.papers.page import Found, Section
from toccata.quantities import show_bytes
from toccata.simulating import platforms, simulation
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Work

TITLE = "Locality-aware Bruck (Bienz, Gautam and Kharel, 2022)"

BYTES = 8  # two integers per rank
OURS = ("bruck", "hierarchical", "multi_lane", "locality_bruck")
COLOURS = ("#4d4d4d", "#E69F00", "#009E73", "#0b5fa5", "#CC79A7")
STYLES = ("-", "-", "-", "-", "--")
MOST_PEER_RANKS = 512
FIGURES = ((9, "quartz"), (10, "lassen"))
MODELLED = "locality_bruck:local_rank_0=idles"  # as in the paper's equation 4
MODEL_BYTES = 4  # Figure 7
MODEL_SIZES = (4, 64, 1024, 4096)  # Figure 8


def _regions(quick: bool) -> list[int]:
    return [4, 16, 64] if quick else [1, 2, 4, 8, 16, 32, 64, 128]


def _local(quick: bool) -> list[int]:
    return [4, 8] if quick else [4, 8, 16, 32]


@cache
def _machine(name: str, local: int, regions: int) -> Platform:
    return platforms.find(name).on(f"node:{regions} socket:1 core:{local}")


def _cells(local: int, regions: int) -> list[Cell]:
    p = local * regions
    names = OURS if p > MOST_PEER_RANKS else (*OURS, *simulation.SELECTORS)
    return [Cell("allgather", name, p, BYTES, "sequential") for name in names]


def work(quick: bool) -> list[Work]:
    return [
        (_machine(name, local, max(_regions(quick))), cell)
        for _, name in FIGURES
        for local in _local(quick)
        for regions in _regions(quick)
        for cell in _cells(local, regions)
    ]


Times = dict[str, float]  # seconds, by algorithm; the best selector is called "selector"


def _times(found: Found, name: str, local: int, regions: int, quick: bool) -> Times:
    there = _machine(name, local, max(_regions(quick)))
    times: Times = {}
    for cell in _cells(local, regions):
        seconds = found.seconds(there, cell)
        if seconds is not None:
            label = "selector" if cell.is_peer else cell.algorithm
            times[label] = min(seconds, times.get(label, seconds))
    return times


def report(section: Section, found: Found, quick: bool) -> None:
    _report_models(section, quick)
    section.say(
        "Figures 9 and 10 are allgathers of two integers per rank, simulated on platforms of the "
        "shape of Quartz (a region is a node) and Lassen (a region is a socket, with one socket "
        f"per node). The dashed line is the best of SimGrid's selectors, up to {MOST_PEER_RANKS} "
        "ranks. The table shows the time of Bruck divided by that of locality-aware Bruck:"
    )
    rows = []
    for number, name in FIGURES:
        all_ = {
            (local, regions): _times(found, name, local, regions, quick)
            for local in _local(quick)
            for regions in _regions(quick)
        }
        section.picture(f"figure{number}", _draw(all_, name, quick), f"Figure {number}")
        rows += [[f"{name}, {local}",
                  *(f"{all_[local, each]['bruck'] / all_[local, each]['locality_bruck']:.2f}"
                    for each in _regions(quick))]
                 for local in _local(quick)]  # fmt: skip
    section.table(
        ["ranks per region", *(f"{each} regions" for each in _regions(quick))],
        rows,
    )
    section.say(
        "As in the paper, locality-aware Bruck is the fastest if the number of regions is a power "
        "of the ranks per region. Otherwise multi-lane is nearly as fast or faster, because some "
        "ranks then have no partner in the last exchange. The paper's figures are curves without "
        "numbers; its times include the costs of an MPI."
    )


def _report_models(section: Section, quick: bool) -> None:
    model = predicting.read_model("lassen")
    nodes = [4, 16, 64] if quick else [4, 16, 64, 256, 1024]
    rows = []
    for local in (4, 8, 16, 32):
        gains = [_gain(model, local, each, MODEL_BYTES) for each in nodes]
        rows.append([str(local), *(f"{each:.2f}" for each in gains)])
    section.say(
        "Figures 7 and 8 are predictions by the model `lassen`. The table shows the time of Bruck "
        "divided by that of locality-aware Bruck, for 4 bytes per rank. "
        "In the paper, the gain grows with the ranks per region. Here it grows in steps: it is "
        "highest if the number of regions is a power of the ranks per region."
    )
    section.table(["ranks per region", *(f"{each} regions" for each in nodes)], rows)
    regions = 64 if quick else 1024
    by_size = [f"{_gain(model, 16, regions, each):.2f}" for each in MODEL_SIZES]
    section.say(
        f"By bytes per rank ({', '.join(map(show_bytes, MODEL_SIZES))}), for {regions} regions of "
        f"16 ranks, it is {', '.join(by_size)}. In the paper, with 1024 regions, the size has "
        '"no notable modeled effect".'
    )


def _gain(model: _core.Model, local: int, regions: int, size: int) -> float:
    machine = _core.Machine(f"node:{regions} socket:1 core:{local}")
    shape = _core.Shape(_core.Placement(machine, local * regions, "sequential"))
    bruck, aware = (
        _core.Predictor(_core.parse_choice("allgather", name), shape).seconds(size, model)
        for name in ("bruck", MODELLED)
    )
    return bruck / aware


def _draw(all_: dict[tuple[int, int], Times], name: str, quick: bool) -> Figure:
    local = _local(quick)
    figure = Figure(figsize=(1.2 + 3.2 * len(local), 3.6), layout="constrained")
    figure.suptitle(f"allgather of {BYTES} bytes per rank on {name}: simulated", fontweight="bold")
    panels: list[Axes] = list(figure.subplots(1, len(local), sharey=True))
    for axes, each in zip(panels, local, strict=True):
        for line, colour, style in zip((*OURS, "selector"), COLOURS, STYLES, strict=True):
            there = [(r, 1e6 * all_[each, r][line]) for r in _regions(quick)
                     if line in all_[each, r]]  # fmt: skip
            axes.plot([r for r, _ in there], [t for _, t in there], style, color=colour,
                      marker="o", markersize=3, label=line)  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(_regions(quick), [str(r) for r in _regions(quick)])
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_title(f"{each} ranks per region", fontsize=10)
        axes.set_xlabel("regions")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("µs")
    panels[0].legend(frameon=False, fontsize=8)
    return figure
