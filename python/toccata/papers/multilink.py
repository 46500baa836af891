"""Chan et al.'s paper on several links at once: 512 nodes of an 8 × 8 × 8 torus."""

from functools import cache
from math import prod
from time import perf_counter

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from toccata import _core
from toccata.algorithms import catalogue
from toccata.papers.page import Found, Section
from toccata.quantities import show_bytes
from toccata.simulating import platforms
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Work

TITLE = "Several links at once (Chan, van de Geijn, Gropp and Thakur, 2006)"

MB = 1 << 20
DIMS = (8, 8, 8)
P = prod(DIMS)
LINKS = 2 * len(DIMS)
# Milliseconds of Table 2 at 1, 2 and 4 MB: a linear array ("old"), and the torus ("new").
TABLE_2 = {
    ("bcast", "scatter_allgather"): ("my-bcast-Bucket-old", (39, 47, 58)),
    ("bcast", "torus_long"): ("my-bcast-Bucket-new", (36, 42, 49)),
    ("scatter", "binomial"): ("my-scatter-MST-old", (3.7, 7.1, 14)),
    ("scatter", "torus_mst"): ("my-scatter-MST-new", (3.2, 5.6, 10)),
    ("allgather", "ring"): ("my-allgather-Bucket-old", (35, 39, 45)),
    ("allgather", "torus_bucket"): ("my-allgather-Bucket-new", (33, 36, 39)),
    ("allgather", "torus_multiport"): ("not in the paper", (None, None, None)),
}
LONG = (1 * MB, 2 * MB, 4 * MB)
# Table 1: the bound as a multiple of n·β/2N, and our algorithms for short and for long messages.
TABLE_1 = {
    "bcast": (1.0, "torus_mst", "torus_trees:segments=64"),
    "reduce": (1.0, "torus_mst", "torus_trees:segments=64"),
    "scatter": ((P - 1) / P, "torus_mst", "torus_mst"),
    "gather": ((P - 1) / P, "torus_mst", "torus_mst"),
    "allgather": ((P - 1) / P, "torus_bucket", "torus_multiport"),
    "reduce_scatter": ((P - 1) / P, "torus_bucket", "torus_multiport"),
    "allreduce": (2 * (P - 1) / P, "torus_short", "torus_multiport"),
}
TABLE_3 = {  # microseconds of overhead besides communication, on a torus
    ("bcast", "torus_mst"): 30,
    ("scatter", "torus_mst"): 520,
    ("allgather", "torus_bucket"): 2300,
}
# Figure 10, left: broadcast of short messages; right: allgather.
SHORT = [1 << k for k in range(3, 15)]
SHORT_BCAST = ("binomial", "torus_mst")
FIGURE_10 = ("ring", "torus_bucket", "torus_multiport")
PEERS = ("mpich",)  # the paper's MPI was MPICH
# For longer messages, ranks exchange with rank ± i across the torus in SimGrid's mpich. Each cell
# would take minutes.
MOST_OF_PEERS = P * 512
COLOURS = {"binomial": "#4d4d4d", "ring": "#4d4d4d", "torus_mst": "#0b5fa5",
           "torus_bucket": "#0b5fa5", "torus_multiport": "#009E73", "mpich": "#E69F00"}  # fmt: skip


@cache
def measured() -> Platform:
    """The platform with the τ that the paper measured."""
    return platforms.find("bluegene")


@cache
def ideal() -> Platform:
    """The platform if a node's links do not delay each other, as in the paper's model."""
    return measured().changed("bluegene, tau 0", {"tau": 0.0})


def _cell(collective: str, name: str, whole: int) -> Cell:
    """The cell for a whole message, as in the paper. Our sizes are per block if there are any."""
    part = P if catalogue.size_is_of(collective) == "block" else 1
    return Cell(collective, name, P, max(1, whole // part), "sequential")


def _long(quick: bool) -> tuple[int, ...]:
    return LONG[-1:] if quick else LONG


def _short(quick: bool) -> list[int]:
    return SHORT[::3] if quick else SHORT


def _gathered(quick: bool) -> list[int]:
    return [P * each for each in ((8, 512, 8192) if quick else (8, 64, 512, 2048, 8192))]


def work(quick: bool) -> list[Work]:
    found = [(measured(), _cell(*which, whole)) for which in TABLE_2 for whole in _long(quick)]
    found += [(ideal(), _cell(collective, each[2], LONG[-1]))
              for collective, each in TABLE_1.items()]  # fmt: skip
    found += [
        (measured(), _cell(collective, name, whole))
        for collective, names, wholes in _figure_10(quick)
        for name in names
        for whole in _wholes(name, wholes)
    ]
    return list(dict.fromkeys(found))


def _figure_10(quick: bool) -> list[tuple[str, tuple[str, ...], list[int]]]:
    """The two panels of Figure 10: collective, algorithms, total bytes."""
    return [
        ("bcast", (*SHORT_BCAST, *PEERS), _short(quick)),
        ("allgather", (*FIGURE_10, *PEERS), _gathered(quick)),
    ]


def _wholes(name: str, wholes: list[int]) -> list[int]:
    return [each for each in wholes if name not in PEERS or each <= MOST_OF_PEERS]


def report(section: Section, found: Found, quick: bool) -> None:
    section.say(
        "Platform `bluegene`: 8 × 8 × 8 nodes on a torus, one rank per node. The paper's text "
        "does not state the bandwidth of a link; 175 MB/s is the known value of Blue Gene/L. The "
        "simulation uses the τ of 64 KiB for all sizes: a rank sends 3.16 times the bandwidth of "
        "one link in total. Figures 8 and 9 are not reproduced, because the platform is derived "
        "from them; `toccata bench links` measures them on a real machine."
    )
    _report_bounds(section, found)
    _report_times(section, found, quick)
    _report_overheads(section)
    section.say(
        "Figure 10 shows short broadcasts, and allgathers. `mpich` is SimGrid's selector, for "
        f"allgathers up to {show_bytes(MOST_OF_PEERS)} in total:"
    )
    section.picture("figure10", _draw(found, quick), "bcast and allgather on 8×8×8")
    short, long = (_ratio(found, _short(quick)[i], *SHORT_BCAST) for i in (0, -1))
    section.say(
        f"A broadcast over the tree of the torus is {short:.2f} times as fast as over a binomial "
        f"one at {show_bytes(_short(quick)[0])} bytes and {long:.2f} times at "
        f"{show_bytes(_short(quick)[-1])}. In the paper, it gains a factor of two at about 2 KiB, "
        "and loses below 1 KiB: there τ is 0.9797, and finding indices takes 30 µs. The "
        "simulation has neither effect."
    )


def _ratio(found: Found, whole: int, one: str, other: str) -> float:
    times = [found.seconds(measured(), _cell("bcast", name, whole)) for name in (one, other)]
    assert times[0] is not None and times[1] is not None
    return times[0] / times[1]


def _report_times(section: Section, found: Found, quick: bool) -> None:
    rows = []
    for which, (name, times) in TABLE_2.items():
        row = [f"{which[0]}/{which[1]}", name]
        for whole, theirs in zip(LONG, times, strict=True):
            if whole in _long(quick):
                row.append("–" if theirs is None else f"{theirs:g}")
                row.append(_ms(found.seconds(measured(), _cell(*which, whole))))
        rows.append(row)
    heading = ["algorithm", "the paper's"]
    heading += [f"{show_bytes(w)}: {who}" for w in _long(quick) for who in ("paper, ms", "ours")]
    section.say("Table 2, by the size of the whole message, with the measured τ:")
    section.table(heading, rows)
    section.say(
        "Our times differ from the paper's for these reasons:\n\n"
        "- *The paper's allgathers take 32 ms at zero bytes* on the linear array, or 62 µs for "
        "each of 511 steps. Here a step takes 5 µs (assumed).\n"
        f"- *Bytes take longer here*: a link of 175 MB/s needs {6e3 * _least('bcast', MB):.1f} ms "
        "per MB. The paper's scatter, 4 MB in 14 ms on a linear array, means 300 MB/s at the "
        "root.\n"
        "- *Not simulated*: the paper's machine was a torus in two of three dimensions only, and "
        "its τ was nearly twice as large if all ranks send and receive, as in a bucket."
    )


def _report_bounds(section: Section, found: Found) -> None:
    machine = _core.Machine(measured().machine)
    shape = _core.Shape(_core.Placement(machine, P, "sequential"))
    least_rounds = 1
    while (LINKS + 1) ** least_rounds < P:
        least_rounds += 1
    rows = []
    for collective, (_, short, long) in TABLE_1.items():
        rounds = _core.parse_choice(collective, short).cost(shape).rounds
        least = _least(collective, LONG[-1])
        ours = found.seconds(ideal(), _cell(collective, long, LONG[-1]))
        assert ours is not None
        rows.append([collective, least_rounds, f"{rounds}: `{short}`", f"{1e3 * least:.2f}",
                     f"{1e3 * ours:.2f}: `{long}`", f"{ours / least:.2f}"])  # fmt: skip
    section.say(
        "Table 1 compares the paper's lower bounds with our algorithms, if links of a node do not "
        f"delay each other (τ = 0). A long message has {show_bytes(LONG[-1])} in total. The paper "
        "says that no allgather can reach the bound; `torus_multiport` comes near it, because it "
        "divides blocks into 2N parts for N dimensions. `torus_trees` puts the least possible "
        "load on every link; the remaining time passes until the first segment has crossed 22 "
        "links. For scatter and gather, `torus_mst` does not come near the bound:"
    )
    section.table(
        ["operation", "short: bound, rounds", "ours", "long: bound, ms", "ours", "ours / bound"],
        rows,
    )


def _least(collective: str, whole: int) -> float:
    """The least seconds for which the links of one node are busy."""
    model = measured().model
    beta = dict(zip(model.term_names, model.coefficients, strict=True))["network.eager.beta"]
    return TABLE_1[collective][0] * whole * beta / LINKS


def _report_overheads(section: Section) -> None:
    machine = _core.Machine(measured().machine)
    shape = _core.Shape(_core.Placement(machine, P, "sequential"))
    all_ = []
    for (collective, name), theirs in TABLE_3.items():
        choice = _core.parse_choice(collective, name)
        times = []
        for rank in range(16):
            start = perf_counter()
            choice.schedule(shape, rank)
            times.append(perf_counter() - start)
        all_.append(f"{collective}/{name} {theirs:g} / {1e6 * min(times):.0f}")
    section.say(
        "Table 3 is the time to compute the schedule. The paper's programs do so in every call, "
        "the library once per communicator. In µs, the paper's / ours (measured): "
        f"{', '.join(all_)}."
    )


def _ms(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e3:.2f}"


def _draw(found: Found, quick: bool) -> Figure:
    figure = Figure(figsize=(9.6, 3.6), layout="constrained")
    figure.suptitle("512 nodes of an 8 × 8 × 8 torus: simulated", fontweight="bold")
    for axes, panel in zip(figure.subplots(1, 2), _figure_10(quick), strict=True):
        _curves(axes, found, *panel)
    return figure


def _curves(
    axes: Axes, found: Found, collective: str, names: tuple[str, ...], wholes: list[int]
) -> None:
    for name in names:
        points = [(each, found.seconds(measured(), _cell(collective, name, each)))
                  for each in _wholes(name, wholes)]  # fmt: skip
        there = [(each, 1e6 * seconds) for each, seconds in points if seconds is not None]
        axes.plot([each for each, _ in there], [time for _, time in there], marker="o",
                  markersize=3, label=name, color=COLOURS[name],
                  linestyle="--" if name in PEERS else "-")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xticks(wholes, [show_bytes(each) for each in wholes])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("bytes in total")
    axes.set_ylabel("µs")
    axes.set_title(collective, fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize=8)
