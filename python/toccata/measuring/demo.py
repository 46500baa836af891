"""The automatic choice compared with the MPI library's own, here and on four emulated hosts.

Both are interleaved in one run of a program with the library preloaded, without settings. The
native calls use MPI's other names, PMPI_..., which the library does not intercept. If the quartiles
of the two overlap, there is no winner.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean

from rich.table import Table

from toccata import _core
from toccata.errors import Failure
from toccata.launching import launcher
from toccata.measuring import benchmark
from toccata.measuring.benchmark import AUTO, Plan
from toccata.measuring.results import Measurement
from toccata.plain_table import PlainTable
from toccata.quantities import show_bytes, show_microseconds

COLLECTIVES = ("allgather", "allreduce", "alltoall", "bcast")
# The first calls of a size, in which the library makes its trials; and then a few of native, too.
# Neither is timed.
TRIALS, WARMUP = 300, 10


@dataclass(frozen=True)
class Place:
    """A place, and the measurements in it."""

    name: str
    ranks: int
    sizes: Sequence[int]
    collectives: Sequence[str] = COLLECTIVES
    repetitions: int = 100
    limit: float = 5  # seconds for one size
    trials: int = TRIALS


HERE = (
    Place("2 ranks", 2, (8, 1 << 10, 32 << 10, 256 << 10)),
    Place("4 ranks", 4, (8, 1 << 10, 32 << 10, 256 << 10)),
)
# Calls here take milliseconds. Trials may take 2% of the time, so they end after this number of
# calls. Sums of floating-point numbers are not tried (TOCCATA_SUMS=all tries them).
HOSTS = Place(
    "16 ranks\non 4 hosts", 16, (8, 1 << 10), ("allgather", "alltoall", "bcast"),
    repetitions=20, limit=20, trials=350,
)  # fmt: skip


ALL = tuple(each.name for each in _core.collectives() if each.name == each.regular)
# All collectives. With many more ranks than cores, calls would take long.
WHOLE_HERE = tuple(
    Place(f"{p} ranks", p, (8, 1 << 10, 32 << 10, 1 << 20), ALL, 60, limit=2) for p in (2, 4, 8)
)
WHOLE_HOSTS = Place(
    "16 ranks\non 4 hosts", 16, (8, 1 << 10, 64 << 10), ALL, repetitions=20, limit=20, trials=400
)
WORSE = 1.05  # times native's time
AGAIN = 2  # additional runs of slower cells; the middle result counts


@dataclass(frozen=True)
class Cell:
    """One collective in one place with one size."""

    place: Place
    collective: str
    bytes: int
    native: Measurement
    auto: Measurement

    @property
    def speedup(self) -> float:
        """The native median divided by Toccata's."""
        return self.native.median / self.auto.median

    @property
    def clear(self) -> bool:
        """Whether the quartiles do not overlap."""
        return self.auto.q75 < self.native.q25 or self.native.q75 < self.auto.q25


def runs(places: Sequence[Place]) -> int:
    return sum(len(each.collectives) for each in places)


def measure(place: Place, mpi: str, told: Callable[[str], None]) -> tuple[str, list[Cell]]:
    """All cells of a place, and its MPI. Failure if a run fails."""
    cells: list[Cell] = []
    for collective in place.collectives:
        told(f"{collective}, {place.name.replace(chr(10), ' ')}")
        library, found = _measure(place, collective, mpi)
        cells += found
    return library, cells


def measure_again(cells: Sequence[Cell], mpi: str, told: Callable[[str], None]) -> list[Cell]:
    """The cells. Those slower than native are measured again, and the middle result counts."""
    result = list(cells)
    for i, cell in enumerate(cells):
        if cell.speedup >= 1 / WORSE:
            continue
        told(f"{cell.collective} once more, {cell.place.name.replace(chr(10), ' ')}")
        place = replace(cell.place, sizes=(cell.bytes,))
        runs = [cell] + [_measure(place, cell.collective, mpi)[1][0] for _ in range(AGAIN)]
        result[i] = sorted(runs, key=lambda each: each.speedup)[len(runs) // 2]
    return result


def _measure(place: Place, collective: str, mpi: str) -> tuple[str, list[Cell]]:
    starter = launcher.find(mpi)
    plan = Plan(
        collective, ["native", AUTO], benchmark.sizes_of(collective, place.sizes),
        place.repetitions, WARMUP, place.limit, validate=True, trials=place.trials,
    )  # fmt: skip
    command = benchmark.command_for(plan, starter, place.ranks, [])
    run = benchmark.measure(plan, command, place.ranks)
    by_size: dict[int, dict[str, Measurement]] = {}
    for each in run.measurements:
        by_size.setdefault(each.bytes, {})[each.algorithm] = each
    cells = []
    for size, both in by_size.items():
        cells.append(Cell(place, collective, size, both["native"], both[AUTO]))
    return run.mpi, cells


def why_no_hosts() -> str:
    """Why this machine cannot emulate four hosts; empty if it can."""
    if not (scripts() / "up.sh").exists():
        return "their scripts exist only in a checkout of Toccata"
    if os.geteuid() != 0:
        return "only root can create network namespaces"
    return ""


def scripts() -> Path:
    """bench/cluster of the checkout."""
    return Path(__file__).resolve().parents[3] / "bench/cluster"


@contextmanager
def hosts() -> Iterator[None]:
    """Brings up the four hosts for the duration of the context; `mpirun` starts ranks on them.
    Failure if they cannot be brought up."""
    made = subprocess.run(
        [scripts() / "up.sh"], capture_output=True, text=True, errors="replace", check=False
    )
    if made.returncode != 0:
        raise Failure(made.stderr.strip().splitlines()[-1] if made.stderr else "up.sh failed")
    path = os.environ["PATH"]
    os.environ["PATH"] = f"{scripts() / 'bin'}:{path}"
    try:
        yield
    finally:
        os.environ["PATH"] = path
        subprocess.run([scripts() / "down.sh"], check=False)


def table(cells: Sequence[Cell]) -> Table:
    """One row per collective, place and size; `?` marks a speedup without a clear winner."""
    result = PlainTable(kept=3)
    result.add_column("Collective")
    result.add_column("Where")
    for heading in ("Size", "Native\nµs", "spread", "Toccata\nµs", "spread", "speedup "):
        result.add_column(heading, justify="right", no_wrap=True)
    for each in cells:
        colour = "dim" if not each.clear else "green" if each.speedup > 1 else "red"
        result.add_row(
            each.collective,
            each.place.name.replace("\n", " "),
            show_bytes(each.bytes),
            show_microseconds(each.native.median),
            f"±{each.native.spread:.0%}",
            show_microseconds(each.auto.median),
            f"±{each.auto.spread:.0%}",
            f"[{colour}]{each.speedup:.2f}×{' ' if each.clear else '?'}[/]",
        )
    return result


def summary(cells: Sequence[Cell]) -> str:
    """One line per place. A cell without a clear winner counts as 1 in the mean.

    Otherwise, a single noisy cell could look like a gain of all cells.
    """
    lines = []
    for place in dict.fromkeys(each.place.name for each in cells):
        here = [each for each in cells if each.place.name == place]
        clear = [each.speedup for each in here if each.clear]
        faster, slower = [s for s in clear if s > 1], [s for s in clear if s <= 1]
        name, mean = (
            place.replace("\n", " "),
            geometric_mean(each.speedup if each.clear else 1 for each in here),
        )
        lines.append(
            f"{name}: Toccata is clearly faster in {len(faster)} of {len(here)} cases"
            + (f" (at most {max(faster):.2f}× faster)" if faster else "")
            + f", clearly slower in {len(slower)}"
            + (f" (at most {1 / min(slower):.2f}× slower)" if slower else "")
            + f", without a clear winner in {len(here) - len(clear)}"
            + f" (speedups counted as 1); geometric mean of the speedups over native: {mean:.2f}×"
        )
    return "\n".join(lines)
