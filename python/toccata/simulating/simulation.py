"""Runs the benchmark program under SimGrid and stores its results by cell.

A cell is one collective with one algorithm and one size. Its result depends only on the program,
the platform and the cell, so it is stored under the digest of these, and a repeated cell is free.
All sizes of an algorithm share one run, because start-up dominates short runs.
"""

import hashlib
import json
import math
import os
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from threading import Lock, Timer
from typing import Any

from toccata import _core, store
from toccata import quantities as q
from toccata.algorithms import outside
from toccata.errors import Failure, InputError
from toccata.launching import launcher
from toccata.measuring.results import Measurement
from toccata.simulating import platforms
from toccata.simulating.platforms import Platform
from toccata.store import Store

FAMILY = "simgrid"
# SimGrid's selectors, each of which imitates the choices of the library with this name.
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")
PEER = "simgrid/"  # before the name of one of SimGrid's algorithms
# Deterministic; only messages take time.
OPTIONS = (
    "network/model:raw",  # the platform's numbers, without factors fitted to another machine
    "smpi/simulate-computation:0",
    "smpi/async-small-thresh:65536",  # shorter messages do not wait for their receivers
    "smpi/privatization:no",  # all ranks share global data
    "smpi/display-timing:no",
    "contexts/guard-size:0",
    "contexts/stack-size:256",  # KiB, so that thousands of ranks fit
    # The algorithms of collectives for which the cell's peer sets none.
    "smpi/barrier:ompi_bruck",
    "smpi/bcast:binomial_tree",
    "smpi/allreduce:rdb",
    "smpi/reduce:binomial",
)
# In these collectives, a rank sends repeatedly without waiting for receives. In the simulation, its
# messages would share the link, but a real connection sends one after the other. So messages of at
# least 4 KiB wait for their receivers. The simulation then omits the receiver's o. For shorter
# messages, o matters more, so they do not wait.
ONE_WAY = ("bcast", "exscan", "reduce", "scan", "scatter", "scatterv")
IN_TURN = ("smpi/async-small-thresh:4096", "smpi/send-is-detached-thresh:4096")
# For programs that poll: the seconds of a call of MPI_Iprobe or MPI_Test.
POLLING = ("smpi/iprobe:1e-7", "smpi/test:1e-7", "smpi/grow-injected-times:no")
MOST_DATA = 1 << 29  # total bytes of all ranks up to which data is checked
# In these collectives, each rank holds a block for, or from, every rank.
OF_ALL_RANKS = ("allgather", "alltoall", "reduce_scatter")
# Maximum number of ranks with all messages of an all-to-all in flight at once. 512 ranks have a
# quarter of a million messages, and the simulator takes longer than ten minutes.
MOST_AT_ONCE = 128
VECTOR_FORMS = ("alltoallv", "gatherv", "scatterv")  # sizes travel with the data
SAID_LINES = 6


def options_of(collective: str) -> tuple[str, ...]:
    """SimGrid's options for one collective, in addition to the general ones."""
    return IN_TURN if collective in ONE_WAY else ()


@dataclass(frozen=True)
class Cell:
    """A cell to simulate: `algorithm` is one of ours, a selector, or `simgrid/NAME`."""

    collective: str
    algorithm: str
    ranks: int
    bytes: int  # of a block, or of the message
    placement: str
    distribution: str | None = None  # of a vector form's bytes over its blocks; None: uniform
    late: tuple[tuple[int, float], ...] = ()  # ranks that arrive late, and their delays in seconds

    @property
    def is_peer(self) -> bool:
        return self.algorithm in SELECTORS or self.algorithm.startswith(PEER)

    @property
    def options(self) -> tuple[str, ...]:
        """SimGrid's options for this cell, in addition to the general ones or instead of them."""
        own = options_of(self.collective)
        if self.is_peer:
            own += (f"smpi/{self.collective}:{self.algorithm.removeprefix(PEER)}",)
        return own

    @property
    def with_data(self) -> bool:
        """Whether the data is checked; large cells have no memory for it."""
        whole = self.ranks if self.collective in OF_ALL_RANKS else 1
        return self.collective in VECTOR_FORMS or self.ranks * whole * self.bytes <= MOST_DATA


@dataclass(frozen=True)
class Outcome:
    """The time, in seconds, of the slowest rank, after the last arrival; or the reason why there is
    none."""

    seconds: float | None = None
    valid: bool | None = None  # None if the data was not checked
    why_not: str = ""

    @property
    def late(self) -> bool:
        """Ended by the time limit. Not stored, because the cell may succeed with more time."""
        return self.why_not.startswith(_LATE)


@cache
def simgrid() -> Path:
    """The folder of SimGrid. InputError if it is not built."""
    prefix = store.cache_home() / "simgrid-4.1"
    if not (prefix / "complete").exists():
        raise InputError("SimGrid is not built; run `make simgrid` (about 10 minutes, once)")
    return prefix


@cache
def programs() -> tuple[Path, Path]:
    """The benchmark program and the platforms' library. InputError if they are not built."""
    simgrid()
    program = launcher.benchmark(FAMILY)
    return program, program.with_name("libplatform.so")


@cache
def _digest_of_code() -> str:
    digest = hashlib.sha256()
    for path in programs():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def key(platform: Platform, cell: Cell) -> str:
    """The key under which the outcome of a cell is stored."""
    run = replace(cell, algorithm=outside.runnable(cell.algorithm))  # a file is named by its digest
    fields = {name: each for name, each in asdict(run).items() if name != "late" or each}
    what = [_digest_of_code(), platform.text, fields, (*OPTIONS, *cell.options)]
    if Path(platform.machine).is_file():
        what.append(Path(platform.machine).read_text(encoding="utf-8", errors="replace"))
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def kept() -> Store:
    """The store with the results of earlier commands."""
    return store.at(store.cache_home() / "results.sqlite")


def known(platform: Platform, cell: Cell) -> Outcome | None:
    """The stored result, if there is one."""
    found = kept().get(key(platform, cell))
    try:
        return None if found is None else Outcome(**json.loads(found))
    except (ValueError, TypeError):  # stored by another version
        return None


def _keep(platform: Platform, cell: Cell, outcome: Outcome) -> None:
    kept().put({key(platform, cell): json.dumps(asdict(outcome))})


def command(
    platform: Platform,
    ranks: int,
    placement: str,
    directory: Path,
    arguments: Sequence[str],
    options: Sequence[str] = (),
    program: Path | None = None,
) -> tuple[list[str], dict[str, str]]:
    """The command that runs the ranks of a program on a platform, and its environment.

    The default program is the benchmark. `options` are additional options of SimGrid. The necessary
    files are written to `directory`.
    """
    cores = platforms.cores(platform, ranks, placement)
    hosts, description = directory / "hosts", directory / "platform.json"
    hosts.write_text("".join(f"c{core}\n" for core in cores), encoding="utf-8")
    description.write_text(_description(platform), encoding="utf-8")
    benchmark, library = programs()
    # The last option with a name replaces earlier ones.
    all_options = {
        each.split(":")[0]: each
        for each in (*OPTIONS, f"smpi/hostfile:{hosts}", f"smpi/np:{ranks}", *options)
    }
    words = [str(simgrid() / "bin/smpimain"), str(program or benchmark), str(library)]
    words += [f"--cfg={each}" for each in all_options.values()]
    words += ["--log=root.thresh:error", *arguments]
    # Stored results must not depend on the user's settings, in the environment or in toccata.conf.
    environment = {
        name: value
        for name, value in os.environ.items()
        if not launcher.is_setting(name) and not name.startswith("OMPI_")
    }
    environment |= {
        "XDG_CONFIG_HOME": str(directory),
        "TOCCATA_TUNING": "off",
        "LD_LIBRARY_PATH": str(simgrid() / "lib"),
        "TOCCATA_PLATFORM": str(description),
        "TOCCATA_TOPOLOGY": f"{platform.machine} placement:{placement}",
    }
    return words, environment


def _description(platform: Platform) -> str:
    """The platform for platform.cpp: its JSON, and all links of a mesh or with changed ones."""
    is_mesh = not all(_core.Machine(platform.machine).periodic)
    if not (platform.links or is_mesh):
        return platform.text
    network = platform.network()
    assert network.rate is not None
    fields = {"nodes": network.nodes, "vertices": len(network.names), "level": network.level,
              "links": network.core.links, "rate": network.rate / network.scale}  # fmt: skip
    return json.dumps(json.loads(platform.text) | {"network": fields})


def _command_of(
    platform: Platform, cells: Sequence[Cell], directory: Path, options: Sequence[str] = ()
) -> tuple[list[str], dict[str, str]]:
    """The command for cells that differ in size only; `options` override their options."""
    cell = cells[0]
    arguments = ["--collective", cell.collective]
    arguments += ["--sizes", ",".join(str(each.bytes) for each in cells)]
    arguments += ["--algorithms", "native" if cell.is_peer else outside.runnable(cell.algorithm)]
    if cell.distribution is not None:
        arguments += ["--distribution", cell.distribution]
    if cell.late:
        arguments += ["--late", ",".join(str(rank) for rank, _ in cell.late)]
        arguments += ["--delays", ",".join(f"{delay:.9g}" for _, delay in cell.late)]
    arguments += ["--warmup", "0", "--repetitions", "1"]
    arguments += [] if cell.with_data else ["--no-validate"]
    return command(platform, cell.ranks, cell.placement, directory, arguments,
                   [*cell.options, *options])  # fmt: skip


class _Runs:
    """The running programs. All are ended if the command ends early."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._lock = Lock()
        self._ended = False

    @contextmanager
    def started(
        self, words: Sequence[str], environment: dict[str, str], said: Path
    ) -> Iterator[subprocess.Popen[str]]:
        with said.open("w", encoding="utf-8") as stderr, self._lock:
            if self._ended:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                words,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                errors="replace",
            )
            self._running.add(process)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
            with self._lock:
                self._running.remove(process)

    def end(self) -> None:
        with self._lock:
            self._ended = True
            for each in self._running:
                each.kill()


def _simulate(
    platform: Platform, cells: Sequence[Cell], limit: float, runs: _Runs
) -> Iterator[tuple[Cell, Outcome]]:
    """Simulates cells that differ in size only, in one run.

    If a run ends early, its current size is the cause, and another run continues after it.

    Raises Failure if an algorithm of Toccata fails or gives wrong data. Failures of peers, and
    deadlocks of SimGrid, are outcomes.
    """
    left = list(cells)
    while left:
        with tempfile.TemporaryDirectory(prefix="toccata-sim-") as directory:
            said = Path(directory) / "said"
            words, environment = _command_of(platform, left, Path(directory))
            late = False

            def give_up(process: subprocess.Popen[str]) -> None:
                nonlocal late
                late = True
                process.kill()

            with runs.started(words, environment, said) as process:
                assert process.stdout is not None
                timer = Timer(limit, give_up, [process])
                timer.start()
                for line in process.stdout:
                    outcome = _read(line, left[0]) if left else None
                    if outcome is None:
                        continue
                    timer.cancel()
                    timer = Timer(limit, give_up, [process])
                    timer.start()
                    if outcome.valid is False and not left[0].is_peer:
                        timer.cancel()
                        raise Failure(f"{_name(left[0])} gave wrong data under SimGrid")
                    yield left.pop(0), outcome
                timer.cancel()
                code = process.wait()
            lines = [each for each in said.read_text().splitlines() if each.strip()]
        lines = lines[-SAID_LINES:]
        if late:
            yield left.pop(0), Outcome(why_not=f"{_LATE} {limit:g} s")
        elif left or code not in (0, 1):
            blamed = left.pop(0) if left else cells[-1]
            reason = "\n  ".join([f"exit code {code}", *lines])
            if blamed.is_peer:
                yield blamed, Outcome(why_not=f"failed ({lines[0] if lines else reason})")
            elif DEADLOCK in " ".join(lines) and _ends_where_all_wait(
                platform, blamed, limit, runs
            ):
                yield blamed, Outcome(why_not=LOST_COUNT)
            else:
                raise Failure(f"{_name(blamed)} failed under SimGrid: {reason}")


_LATE = "did not end within"
DEADLOCK = "Deadlock detected"
LOST_COUNT = "ended in a deadlock of SimGrid's: see docs/simulation.md"
ALL_WAIT = ("smpi/async-small-thresh:0", "smpi/send-is-detached-thresh:0")


def _ends_where_all_wait(platform: Platform, cell: Cell, limit: float, runs: _Runs) -> bool:
    """Whether a cell of ours succeeds if all messages wait for their receivers.

    If so, its data is correct, and SimGrid causes the deadlock.
    """
    with tempfile.TemporaryDirectory(prefix="toccata-sim-") as directory:
        words, environment = _command_of(platform, [cell], Path(directory), ALL_WAIT)
        with runs.started(words, environment, Path(directory) / "said") as process:
            try:
                process.communicate(timeout=limit)
            except subprocess.TimeoutExpired:
                return False
            return process.returncode == 0


def _name(cell: Cell) -> str:
    return (
        f"{cell.collective} by {cell.algorithm} with {q.plural('rank', cell.ranks)} "
        f"({cell.placement}) and {q.plural('byte', cell.bytes)}"
    )


def _read(line: str, cell: Cell) -> Outcome | None:
    """The outcome in a line of the program's output; None if it has none."""
    if not line.startswith("{"):
        return None
    event: dict[str, Any] = json.loads(line)
    if event.get("event") != "result":
        return None
    if not event["valid"]:
        return Outcome(valid=False, why_not="gave wrong data")
    return Outcome(float(event["max"]), True if cell.with_data else None)


def run(
    platform: Platform,
    cells: Sequence[Cell],
    told: Callable[[Cell], None] = lambda cell: None,
    limit: float = 600,
    jobs: int | None = None,
) -> dict[Cell, Outcome]:
    """Like run_all, on one platform."""
    found = run_all([(platform, cell) for cell in cells], told, limit, jobs)
    return {cell: found[platform, cell] for cell in cells}


Work = tuple[Platform, Cell]


def run_all(
    work: Sequence[Work],
    told: Callable[[Cell], None] = lambda cell: None,
    limit: float = 600,
    jobs: int | None = None,
) -> dict[Work, Outcome]:
    """Simulates all cells on all cores, the longest first. The result has the given order.

    Calls `told` with each finished cell. Ends a cell after `limit` seconds. Stores finished cells
    even if others fail.
    """
    programs()
    outcomes: dict[Work, Outcome] = {}
    batches: dict[tuple[Platform, Cell, bool], list[Cell]] = defaultdict(list)
    for platform, cell in dict.fromkeys(work):
        if found := known(platform, cell):
            outcomes[platform, cell] = found
            told(cell)
        else:
            # On a noisy platform, each cell has its own run: noise depends on earlier calls.
            same = cell if platform.is_noisy else replace(cell, bytes=0)
            batches[platform, same, cell.with_data].append(cell)
    runs = _Runs()

    def simulate(platform: Platform, cells: Sequence[Cell]) -> None:
        for cell, outcome in _simulate(platform, cells, limit, runs):
            if not outcome.late:
                _keep(platform, cell, outcome)
            outcomes[platform, cell] = outcome
            told(cell)

    longest_first = sorted(
        ((platform, sorted(cells, key=lambda each: each.bytes))
         for (platform, _, _), cells in batches.items()),
        key=lambda batch: -sum(map(effort, batch[1])),
    )  # fmt: skip
    pool = ThreadPoolExecutor(jobs or launcher.cores())
    try:
        for future in as_completed([pool.submit(simulate, *batch) for batch in longest_first]):
            future.result()
    except BaseException:
        runs.end()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
    return {each: outcomes[each] for each in work}


def effort(cell: Cell) -> float:
    """The approximate seconds of a simulation. Messages dominate, then ranks."""
    # Peers and neighbour collectives make a complete first call; ours only needs a short one.
    calls = 2 if cell.is_peer or cell.collective.startswith("neighbor") else 1
    return (
        0.02
        + 5e-4 * cell.ranks
        + calls * SECONDS_A_MESSAGE * _messages(cell.collective, cell.algorithm, cell.ranks)
    )


SECONDS_A_MESSAGE = 1.5e-5
CROWDED = 4500  # messages in flight at once, for which the time per message doubles


def effort_of(choice: _core.Choice, shape: _core.Shape) -> float:
    """The approximate seconds to simulate one call with these ranks, on any platform."""
    sent, at_once = sent_by_a_rank(choice, shape)
    crowd = shape.p * at_once / CROWDED
    return 0.1 + 1.5e-3 * shape.p + shape.p * sent * SECONDS_A_MESSAGE * (1 + crowd * crowd)


def sent_by_a_rank(choice: _core.Choice, shape: _core.Shape) -> tuple[float, float]:
    """A rank's messages in total, and its maximum per round: means of some ranks.

    The ranks are in different places: a root or the first rank of a power of two sends more.
    """
    some = {((2 * i + 1) * shape.p // 16 + i) % shape.p for i in range(8)}
    in_rounds = [
        [len(schedule.round(i).sends) for i in range(len(schedule))]
        for schedule in (choice.schedule(shape, rank) for rank in sorted(some))
    ]
    in_all = sum(map(sum, in_rounds)) / len(some)
    return in_all, sum(max(each, default=0) for each in in_rounds) / len(some)


@cache
def _messages(collective: str, algorithm: str, p: int) -> float:
    if algorithm in SELECTORS or algorithm.startswith(PEER):
        return p * (p if collective.startswith("alltoall") else 4 * math.log2(p))
    choice = _core.parse_choice(collective, algorithm)
    shape = _core.Shape(p)
    if choice.algorithm is None or choice.why_impossible(shape):
        return p * math.log2(p)
    return p * (1 + sent_by_a_rank(choice, shape)[0])


def measurements(platform: Platform, outcomes: dict[Cell, Outcome]) -> list[Measurement]:
    """The cells with a time, as measurements of `toccata bench`."""
    return [
        Measurement(
            collective=cell.collective,
            mpi=f"SimGrid, {platform.name}, {cell.placement}",
            ranks=cell.ranks,
            bytes=cell.bytes,
            algorithm=cell.algorithm,
            repetitions=1,
            valid=outcome.valid,
            min=outcome.seconds,
            average=outcome.seconds,
            max=outcome.seconds,
            median=outcome.seconds,
            q25=outcome.seconds,
            q75=outcome.seconds,
        )
        for cell, outcome in outcomes.items()
        if outcome.seconds is not None
    ]
