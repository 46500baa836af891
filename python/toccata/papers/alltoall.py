"""Oliviero, Perfetto and Veneruso's all-to-all paper: its tables, measured here; and weak scaling
to 512 ranks, simulated, which the paper does not contain."""

from matplotlib.figure import Figure

from toccata import _core
from toccata.drawing import scaling
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.measuring import benchmark
from toccata.measuring.results import Results
from toccata.papers import alltoall_tables
from toccata.papers.page import Found, Section
from toccata.quantities import parse_ranks, show_bytes
from toccata.simulating import platforms, simulation
from toccata.simulating.simulation import Cell, Work

TITLE = "All-to-all by Bruck (Oliviero, Perfetto and Veneruso, 2023)"

# Medians in ms of Tables XI to XIII, by ranks and implementation, for 2^4 to 2^20 ints. The Index
# row of Table XI repeats that of Table XII, so here it is from Table IV.
PAPER = {
    2: {
        "native": (0.002, 0.0024, 0.0071, 0.0188, 0.71365),
        "bruck": (0.0018, 0.0025, 0.0083, 0.17425, 4.35995),
        "bruck_radix:radix=4": (0.0028, 0.0036, 0.0108, 0.1672, 4.3144),
        "bruck_modified": (0.0033, 0.0039, 0.0093, 0.03815, 1.2992),
        "bruck_zero_copy": (0.0035, 0.0046, 0.0115, 0.05485, 2.68345),
    },
    4: {
        "native": (0.0044, 0.0052, 0.0195, 0.0435, 1.61465),
        "bruck": (0.0033, 0.0044, 0.0156, 0.21775, 10.3298),
        "bruck_radix:radix=4": (0.0056, 0.0057, 0.02265, 0.1968, 8.37325),
        "bruck_modified": (0.0063, 0.0069, 0.0169, 0.11215, 4.3932),
        "bruck_zero_copy": (0.0083, 0.0075, 0.0164, 0.1213, 6.3566),
    },
    8: {
        "native": (0.011, 0.0137, 0.02005, 0.1331, 3.37355),
        "bruck": (0.0084, 0.0148, 0.0395, 0.46095, 25.8257),
        "bruck_radix:radix=4": (0.0134, 0.0158, 0.0443, 0.45775, 22.6371),
        "bruck_modified": (0.0148, 0.0158, 0.0464, 0.21365, 13.7419),
        "bruck_zero_copy": (0.0167, 0.0226, 0.0434, 0.34175, 15.4588),
    },
}
SHOWN = (2,)  # of the paper's 2, 4 and 8
SCALED_FROM = 64  # ranks: with fewer, `bruck` and `spread_out` are as fast as the selectors
PLATFORM = "fattree64"
SCALED = ("bruck", "bruck_radix:radix=4", "bruck_modified", "bruck_zero_copy", "pairwise",
          "spread_out", "spread_out:in_flight=4", "hierarchical")  # fmt: skip
MOST_SPREAD_OUT = 256  # ranks; with twice as many, three sizes took more than eight minutes
PEERS = ("ompi", "mpich")
# By ranks: from this block size in bytes on, SimGrid's ompi selector has all messages in flight at
# once [SimGrid 4.1, smpi_openmpi_selector.cpp]. Its upper limit is above all sizes here.
LINEAR_FROM = {128: 1024, 256: 1024, 512: 512}


def _ranks(quick: bool) -> list[int]:
    return [8, 64, 256] if quick else [8, 16, 32, 64, 128, 256, 512]


def _sizes(quick: bool) -> list[int]:
    return [1 << 12, 1 << 16] if quick else [1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20]


def _is_simulated(name: str, p: int, size: int) -> bool:
    if name == "ompi":
        return p not in LINEAR_FROM or size // p < LINEAR_FROM[p]
    if name in PEERS:
        return True
    machine = _core.Machine(platforms.find(PLATFORM).machine)
    placement = _core.Placement(machine, p, "sequential")
    impossible = _core.parse_choice("alltoall", name).why_impossible(_core.Shape(placement))
    return not impossible and not (name == "spread_out" and p > MOST_SPREAD_OUT)


def _cells(quick: bool) -> list[Cell]:
    return [
        Cell("alltoall", name, p, size // p, "sequential")
        for p in _ranks(quick)
        for name in (*SCALED, *PEERS)
        for size in _sizes(quick)
        if _is_simulated(name, p, size)
    ]


def work(quick: bool) -> list[Work]:
    there = platforms.find(PLATFORM)
    return [(there, cell) for cell in _cells(quick)]


def report(section: Section, found: Found, quick: bool) -> None:
    _report_tables(section, quick)
    there = platforms.find(PLATFORM)
    outcomes = {cell: found.outcomes[there, cell] for cell in _cells(quick)}
    results = alltoall_tables.as_the_paper(Results(simulation.measurements(there, outcomes)))
    section.say(
        f"**Weak scaling, simulated** on `{PLATFORM}` ({there.machine}), by the bytes that a rank "
        "sends to all others. Ranks fill one node of 64 cores after the other. Each entry is "
        "the fastest of our algorithms, its time in µs, and in parentheses the time of the faster "
        "selector divided by it:"
    )
    section.picture("scaling", _draw(results), "weak scaling of alltoall")
    section.table(
        ["ranks", *map(show_bytes, _sizes(quick))],
        [
            [str(p), *(_fastest(results, p, size) for size in _sizes(quick))]
            for p in _ranks(quick)
            if p >= SCALED_FROM
        ],
    )
    section.say(
        "The four forms of Bruck's algorithm differ in copying, which takes no time in a "
        "simulation, so the table names one of them. Left out, because the simulator takes many "
        "minutes for many messages in flight: `linear`; `spread_out` (32 messages at a time; "
        f"mpich has 4) beyond {MOST_SPREAD_OUT} ranks; and `ompi` where it is linear, with blocks "
        "of at least "
        + ", ".join(f"{least} bytes ({p} ranks)" for p, least in LINEAR_FROM.items())
        + "."
    )
    if wrong := found.wrong():
        section.say(f"Left out because their data was wrong: {', '.join(wrong)}.")


def _fastest(results: Results, p: int, size: int) -> str:
    def times(names: tuple[str, ...]) -> dict[str, float]:
        return {name: each.max for name in names if (each := results.get(p, size, name))}

    ours, theirs = times(SCALED), times(PEERS)
    best = min(ours, key=ours.__getitem__)
    us = 1e6 * ours[best]
    ratio = f"{min(theirs.values()) / ours[best]:.2f}" if theirs else "–"
    return f"`{best}` {us:.{0 if us >= 100 else 1}f} ({ratio})"


def _draw(results: Results) -> Figure:
    title = f"alltoall on {PLATFORM}: simulated"
    return scaling.draw(results, "max", title, alltoall_tables.SIZES_OF)


def _report_tables(section: Section, quick: bool) -> None:
    sizes = alltoall_tables.SIZES
    repetitions = 100 if quick else alltoall_tables.REPETITIONS
    limit = 2 if quick else 60
    ranks = parse_ranks(alltoall_tables.RANKS)
    plans = {
        p: benchmark.Plan("alltoall", list(PAPER[2]), alltoall_tables.blocks(sizes, p), repetitions,
                          5, limit, True)
        for p in ranks
    }  # fmt: skip
    beside = launcher.others_running()
    try:
        starter = launcher.find()
        runs = [benchmark.measure(plan, benchmark.command_for(plan, starter, p, []), p)
                for p, plan in plans.items()]  # fmt: skip
    except InputError as error:
        section.say(f"Tables XI to XIII were not measured: {error}.")
        return
    measured = Results(each for run in runs for each in run.measurements)
    results = alltoall_tables.as_the_paper(measured)
    section.say(
        f"Tables XI to XIII: medians in ms over {repetitions} repetitions (the paper: 1000), the "
        f"paper's (6 cores with 12 threads) / ours ({runs[0].mpi}, {launcher.cores()} cores, "
        f"{beside} other threads at the beginning). `toccata bench alltoall --paper` produces all "
        "tables."
    )
    heading = ["ranks, implementation", *(f"2^{k} ints" for k in (4, 8, 12, 16, 20))]
    rows = []
    for p in SHOWN:
        for name, theirs in PAPER[p].items():
            row = [f"{p}, {alltoall_tables.NAMES[name]}"]
            for size, paper in zip(sizes, theirs, strict=True):
                ours = results.get(p, size, name)
                row.append(f"{paper:.4f} / {1e3 * ours.median:.4f}" if ours else f"{paper:.4f} / –")
            rows.append(row)
    section.table(heading, rows)
    last = {name: each.median for name in PAPER[8] if (each := results.get(8, sizes[-1], name))}
    best = min((name for name in last if name != "native"), key=last.__getitem__)
    section.say(
        "With 8 ranks and 2^20 ints, the baseline is 4.8 times (the paper's text) or 4.07 times "
        "(Table XIII) as fast as the next one, datatypes. Here it is "
        f"{last[best] / last['native']:.2f} times as fast as {alltoall_tables.NAMES[best].lower()}."
    )
