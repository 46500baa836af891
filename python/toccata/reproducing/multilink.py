"""Chan et al.'s paper on several links at once: 512 nodes of an 8 × 8 × 8 torus."""

from collections.abc import Callable

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from toccata import platforms, simulating
from toccata.quantities import show_bytes
from toccata.reproducing.page import Section
from toccata.simulating import Cell, Outcome

MB = 1 << 20
RANKS = 512
LINK = 175e6  # bytes a second, each way
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
# Figure 10, left: broadcast of short messages.
SHORT = [1 << k for k in range(3, 15)]
SHORT_BCAST = ("binomial", "torus_mst")

Told = Callable[[Cell], None]


def _unit(collective: str, whole: int) -> int:
    """What a rank contributes, of `whole` bytes in all: the paper gives the whole."""
    return whole if collective == "bcast" else whole // RANKS


def reproduce(section: Section, quick: bool, told: Told, plan: Callable[[int], None]) -> None:
    """Fills the section. `plan` hears how many cells come."""
    there = platforms.find("bluegene")
    long = {
        (*which, whole): Cell(*which, RANKS, _unit(which[0], whole), "sequential")
        for which in TABLE_2
        for whole in (LONG[-1:] if quick else LONG)
    }
    sizes = SHORT[::3] if quick else SHORT
    short = {
        (name, size): Cell("bcast", name, RANKS, size, "sequential")
        for name in SHORT_BCAST
        for size in sizes
    }
    wanted = [*long.values(), *short.values()]
    plan(len(wanted))
    outcomes = simulating.run(there, wanted, told)
    section.say(f"Platform `bluegene`: {there.origin}")
    rows = []
    for which, (name, times) in TABLE_2.items():
        row = [f"{which[0]}/{which[1]}", name]
        for whole, theirs in zip(LONG, times, strict=True):
            cell = long.get((*which, whole))
            row.append("–" if theirs is None else f"{theirs:g}")
            row.append("" if cell is None else _ms(outcomes[cell]))
        rows.append(row)
    heading = ["algorithm", "the paper's"]
    heading += [f"{show_bytes(w)}: {who}" for w in LONG for who in ("paper, ms", "ours, ms")]
    section.say("Table 2, the whole message given:")
    section.table(heading, rows)
    least = (RANKS - 1) / RANKS * 4 * MB / (6 * LINK)
    found = outcomes[long["allgather", "torus_multiport", 4 * MB]].seconds
    if found is not None:
        section.say(
            f"An allgather of 4 MB over 6 links of 175 MB/s takes at least {least * 1e3:.2f} ms; "
            f"`torus_multiport` takes {found / least:.2f} times that."
        )
    curves = {
        name: [(size, outcomes[short[name, size]].seconds) for size in sizes]
        for name in SHORT_BCAST
    }
    section.picture("bcast-short", _draw(curves), "broadcast of short messages on 8×8×8")
    section.say(
        "What is larger in the paper is not of the network: an allgather of 4 MB takes 39 ms there "
        "where six links need 4, and one link 24. Its programs copy, and the time to find indices "
        "alone is 2.3 ms (Table 3). No processor's time but the overhead of a message is simulated."
    )


def _ms(outcome: Outcome) -> str:
    return f"{outcome.seconds * 1e3:.2f}" if outcome.seconds is not None else outcome.why_not


def _draw(curves: dict[str, list[tuple[int, float | None]]]) -> Figure:
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes: Axes = figure.subplots()
    for name, points in curves.items():
        there = [(size, seconds) for size, seconds in points if seconds is not None]
        axes.plot([size for size, _ in there], [1e6 * s for _, s in there], marker="o", label=name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(
        [size for size, _ in curves["binomial"]],
        [show_bytes(size) for size, _ in curves["binomial"]],
    )
    axes.set_xlabel("bytes")
    axes.set_ylabel("µs")
    axes.set_title("bcast on 512 nodes of an 8 × 8 × 8 torus: simulated", fontsize=11)
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    return figure
