"""Times of single algorithms that were recorded on other machines, and which of them are ours.

A file is a table with one line per machine, job, collective, algorithm and size, in the form of the
PICO benchmark [pasqualoni2025]:

    machine,nodes,ranks_per_node,collective,algorithm,total_bytes,...,median_us
    lumi,100,1,allgather,ring_mpich,16384,...,363.51

Algorithms have the names of that benchmark: `*_mpich`, `*_ompi` and `default-*` belong to the
vendor's MPI; `*_over` are the benchmark's own, written with MPI's messages. The module also reads
tables of `toccata bench`: their machine is the MPI library, and their algorithms are ours.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from statistics import median

from toccata import documents
from toccata.errors import InputError
from toccata.measuring.results import block_bytes
from toccata.quantities import MOST_RANKS

COLUMNS = (
    "machine", "nodes", "ranks_per_node", "collective", "algorithm", "total_bytes", "median_us",
)  # fmt: skip
OF_BENCH = ("mpi", "nodes", "ranks", "collective", "algorithm", "bytes", "median_us")
LONGEST = 18  # digits of a number
ELEMENT = 4  # bytes: the benchmark counts int32

# By collective and algorithm of ours: the recorded names of the same algorithm.
OURS: dict[str, dict[str, list[str]]] = {
    "allgather": {
        "ring": ["ring_mpich", "ring_ompi", "ring_over", "default-ring"],
        "bruck": ["brucks_mpich", "default-bruck"],
        "recursive_doubling": [
            "recursive_doubling_mpich", "recursive_doubling_ompi", "default-recursive-doubling",
        ],
        "neighbor_exchange": ["neighbor_ompi", "default-neighbor"],
        "sparbit:messages=per_block": ["sparbit_over"],
    },
    "alltoall": {
        "linear": ["linear_ompi", "default-linear"],
        "pairwise": ["pairwise_ompi", "default-pairwise"],
        "bruck": ["modified_bruck_ompi", "default-modified-bruck", "BRUCK-LOG-MPI-0-1"],
    },
    "allreduce": {
        "recursive_doubling": [
            "recursive_doubling_mpich", "recursive_doubling_ompi", "recursive_doubling_over",
            "default-recursive_doubling",
        ],
        "ring": ["ring_ompi", "ring_over", "default-ring"],
        "rabenseifner": ["rabenseifner_mpich", "rabenseifner_ompi", "rabenseifner_over"],
    },
    "reduce_scatter": {
        "ring": ["ring_ompi", "ring_over", "default-ring"],
        "recursive_halving": [
            "recursive_halving_mpich", "recursive_halving_ompi", "recursive_halving_over",
            "default-recursive-halving",
        ],
        "pairwise": ["pairwise_mpich"],
    },
    "bcast": {
        "binomial": ["binomial_ompi", "default-binomial"],
        "scatter_allgather:allgather=recursive_doubling": ["scatter_allgather_ompi"],
        "scatter_allgather:allgather=ring": ["scatter_allgather_ring_ompi"],
    },
    "reduce": {
        "binomial": ["binomial_mpich", "binomial_ompi", "default-binomial"],
        "reduce_scatter_gather": ["rabenseifner_mpich", "rabenseifner_ompi"],
    },
    "gather": {
        "binomial": ["binomial_ompi", "default-binomial"],
        "linear": ["linear_ompi", "default-basic-linear"],
    },
    "scatter": {
        "binomial": ["binomial_ompi", "default-binomial"],
        "linear": ["linear_ompi", "linear_nb_ompi", "default-basic-linear"],
    },
}  # fmt: skip

# Collectives in which one block of each rank is 1/p of the whole.
IN_BLOCKS = ("allgather", "alltoall", "gather", "scatter", "reduce_scatter")


@dataclass(frozen=True)
class Timed:
    """A recorded time of an algorithm."""

    machine: str
    nodes: str  # such as "32", or "4x4x4" if the shape of the job is known
    ranks_per_node: int
    collective: str
    algorithm: str
    total_bytes: int  # of the whole vector
    seconds: float  # the median, of the slowest rank

    @property
    def number_of_nodes(self) -> int:
        return prod(map(int, self.nodes.split("x")))

    @property
    def p(self) -> int:
        return self.number_of_nodes * self.ranks_per_node


@dataclass(frozen=True)
class Row(Timed):
    """One line of a file."""

    is_ours: bool = False  # measured by toccata bench


@dataclass(frozen=True)
class Aside:
    """Recorded times that are excluded although they have the name of an algorithm of ours."""

    why: str
    applies: Callable[[Row], bool]


ASIDE = (
    Aside(
        "sends or receives one message after the other; ours posts all of them at once",
        lambda row: (
            row.collective in ("gather", "scatter")
            and row.algorithm in ("linear_ompi", "default-basic-linear")
        ),
    ),
    Aside(
        "sends to all children at once, which share the link; ours to one after the other",
        lambda row: (
            row.collective == "bcast" and row.algorithm in ("binomial_ompi", "default-binomial")
        ),
    ),
    Aside(
        "ran the library's default algorithm instead: the times agree within 1%",
        lambda row: (
            (row.machine, row.collective, row.algorithm)
            == ("lumi", "allreduce", "recursive_doubling_mpich")
        ),
    ),
    Aside(
        "has the times of default-pairwise (within 1%): probably mislabelled, because a message "
        "takes over twice as long as in a job of 4x4x4",
        lambda row: (
            (row.machine, row.nodes, row.collective, row.algorithm)
            == ("fugaku", "64x64", "alltoall", "default-linear")
        ),
    ),
    Aside(
        "falls back to recursive doubling, having fewer elements than ranks",
        lambda row: (
            row.collective in ("allreduce", "reduce")
            and row.algorithm.startswith(("ring", "default-ring", "rabenseifner"))
            and row.total_bytes < ELEMENT * row.p
        ),
    ),
)


@dataclass(frozen=True)
class Case(Timed):
    """A recorded time of an algorithm of ours, such as "sparbit:messages=per_block".

    The median over all recorded names of the algorithm."""

    @property
    def job(self) -> str:
        """Such as "4x4x4", or "64, 4 per node"."""
        return self.nodes + (f", {self.ranks_per_node} per node" if self.ranks_per_node > 1 else "")

    @property
    def unit_bytes(self) -> int:
        """The bytes of a block or of the message, depending on the collective."""
        if self.collective not in IN_BLOCKS:
            return self.total_bytes
        return max(1, round(self.total_bytes / self.p))

    @property
    def setting(self) -> tuple[str, str, str, int]:
        """The setting in which algorithms are compared."""
        return self.machine, self.job, self.collective, self.total_bytes


def read(path: Path) -> list[Row]:
    """All lines of a file. Raises InputError, naming file, line and column, if it is not such a
    table; OSError if it cannot be read."""
    documents.check(path)
    with path.open(newline="", encoding="utf-8", errors="replace") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            names = reader.fieldnames or []
            of_bench = all(each in names for each in OF_BENCH)
            missing = [] if of_bench else [each for each in COLUMNS if each not in names]
            if missing:
                raise InputError(
                    f"{path}: line 1: there is no column {', '.join(missing)}; a table of recorded "
                    f"times has {', '.join(COLUMNS)}, unless `toccata bench --csv` wrote it"
                )
            rows = [
                _row(_of_bench(each, where) if of_bench else each, where)
                for each in reader
                for where in [f"{path}: line {reader.line_num}"]
            ]
        except csv.Error as error:
            raise InputError(f"{path}: line {reader.line_num + 1}: {error}") from None
    if not rows:
        raise InputError(f"{path}: has only a heading")
    return rows


def _number(text: str) -> int:
    """An integer of at least 1; 0 for any other text, and for one with too many digits."""
    return int(text) if text.isdecimal() and len(text) <= LONGEST else 0


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def _text(cells: dict[str, str | None], column: str, where: str) -> str:
    value = (cells[column] or "").strip()
    if not value:
        raise InputError(f"{where}, column {column}: the value is missing")
    return value


def _count(cells: dict[str, str | None], column: str, where: str) -> int:
    value = _text(cells, column, where)
    if not (number := _number(value)):
        raise InputError(
            f"{where}, column {column}: '{_short(value)}' is not an integer of at least 1, or has "
            f"more than {LONGEST} digits"
        )
    return number


def _of_bench(cells: dict[str, str | None], where: str) -> dict[str, str | None]:
    """A line of `toccata bench`, with the column names of the other tables."""
    nodes, ranks, size = (_count(cells, each, where) for each in ("nodes", "ranks", "bytes"))
    collective = cells["collective"] or ""
    block = block_bytes(cells, collective, ranks, size)
    # For an all-to-all, the other tables count the total that one rank sends.
    total = block * ranks if collective in IN_BLOCKS else size
    return {
        **cells,
        "machine": cells["mpi"],
        "ranks_per_node": str(-(-ranks // nodes)),
        "total_bytes": str(total),
        "is_ours": "yes",
    }


def _row(cells: dict[str, str | None], where: str) -> Row:
    text = partial(_text, cells, where=where)
    count = partial(_count, cells, where=where)

    def nodes(column: str) -> str:
        value = text(column)
        # The product of many numbers would exceed the range of floating-point numbers.
        if len(value) > LONGEST or not all(map(_number, value.split("x"))):
            raise InputError(
                f"{where}, column {column}: '{_short(value)}' is not a number of nodes; "
                "expected 32, or a shape such as 4x4x4"
            )
        return value

    def time(column: str) -> float:
        value = text(column)
        try:
            microseconds = float(value)
        except ValueError:
            microseconds = 0
        if not 0 < microseconds < float("inf"):
            raise InputError(f"{where}, column {column}: '{_short(value)}' is not a time")
        return microseconds * 1e-6

    row = Row(
        machine=text("machine"),
        nodes=nodes("nodes"),
        ranks_per_node=count("ranks_per_node"),
        collective=text("collective"),
        algorithm=text("algorithm"),
        total_bytes=count("total_bytes"),
        seconds=time("median_us"),
        is_ours="is_ours" in cells,
    )
    if row.p > MOST_RANKS:
        raise InputError(f"{where}: the row is of {row.p} ranks; expected at most {MOST_RANKS}")
    return row


def why_aside(row: Row) -> str | None:
    """Why a line is excluded although its name is one of ours; None if it is included."""
    if row.is_ours:
        return None
    return next((each.why for each in ASIDE if each.applies(row)), None)


def ours(collective: str, recorded: str) -> str | None:
    """Our algorithm for a recorded name; None if there is none."""
    return next(
        (mine for mine, names in OURS.get(collective, {}).items() if recorded in names), None
    )


def cases(rows: Iterable[Row]) -> list[Case]:
    """The times of our algorithms, sorted: one for each job, collective, algorithm and size."""
    times: dict[tuple[str, str, int, str, str, int], list[float]] = defaultdict(list)
    for row in rows:
        mine = row.algorithm if row.is_ours else ours(row.collective, row.algorithm)
        if mine is not None and mine != "native" and why_aside(row) is None:
            key = (row.machine, row.nodes, row.ranks_per_node, row.collective, mine)
            times[*key, row.total_bytes].append(row.seconds)
    found = [Case(*key, seconds=median(each)) for key, each in times.items()]
    return sorted(found, key=lambda each: (each.machine, each.p, each.setting, each.algorithm))


def set_aside(rows: Sequence[Row]) -> dict[str, list[str]]:
    """By reason: the excluded times, such as "lumi allreduce/recursive_doubling_mpich"."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        why = why_aside(row) if ours(row.collective, row.algorithm) else None
        if why is not None:
            name = f"{row.machine} {row.collective}/{row.algorithm}"
            found.setdefault(why, {})[name] = None
    return {why: list(names) for why, names in found.items()}
