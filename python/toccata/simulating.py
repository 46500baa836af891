"""Runs the benchmark program under SimGrid, a cell at a time, and keeps what it found.

A cell is one collective by one algorithm at one size. What comes out depends on the program, the
platform and the cell alone, so it is kept under the digest of these, and a repeated cell is free.
"""

import hashlib
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from toccata import _core, launcher, platforms
from toccata.errors import Failure, InputError
from toccata.platforms import Platform
from toccata.results import Measurement

FAMILY = "simgrid"
# SimGrid's own choices of an algorithm, after those of the libraries of these names.
SELECTORS = ("ompi", "mpich", "mvapich2", "impi")
PEER = "simgrid/"  # before the name of one of SimGrid's algorithms
# Deterministic, with time passing in messages alone. What each is for: docs/simulation.md.
OPTIONS = (
    "network/model:raw",
    "smpi/simulate-computation:0",
    "smpi/async-small-thresh:65536",
    "smpi/privatization:no",
    "smpi/display-timing:no",
    "contexts/guard-size:0",
    "contexts/stack-size:256",
    "smpi/barrier:ompi_bruck",
    "smpi/bcast:binomial_tree",
    "smpi/allreduce:rdb",
)
MOST_DATA = 1 << 29  # bytes that all ranks together hold, where data is looked at
# Of these collectives each rank holds the blocks of all.
OF_ALL_RANKS = ("allgather",)
VECTOR_FORMS = ("alltoallv", "gatherv", "scatterv")  # sizes travel with the data
SAID_LINES = 6


@dataclass(frozen=True)
class Cell:
    """What is simulated: `algorithm` is one of ours, a selector, or `simgrid/NAME`."""

    collective: str
    algorithm: str
    ranks: int
    bytes: int  # that a rank contributes
    placement: str

    @property
    def is_peer(self) -> bool:
        return self.algorithm in SELECTORS or self.algorithm.startswith(PEER)

    @property
    def with_data(self) -> bool:
        """Whether the data is looked at; there is no memory for it in the large ones."""
        whole = self.ranks if self.collective in OF_ALL_RANKS else 1
        return self.collective in VECTOR_FORMS or self.ranks * whole * self.bytes <= MOST_DATA


@dataclass(frozen=True)
class Outcome:
    """The time, in seconds, of the slowest rank; or why there is none."""

    seconds: float | None = None
    valid: bool | None = None  # None where the data was not looked at
    why_not: str = ""


@cache
def simgrid() -> Path:
    """Where SimGrid is built. InputError where it is not."""
    prefix = cache_home() / "simgrid-4.1"
    if not (prefix / "complete").exists():
        raise InputError("SimGrid is not built; run `make simgrid` (about 10 minutes, once)")
    return prefix


def cache_home() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "toccata"


@cache
def programs() -> tuple[Path, Path]:
    """The benchmark program and the platforms' library. InputError where they are not built."""
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
    """Under which the outcome of a cell is kept."""
    what = [_digest_of_code(), platform.text, asdict(cell), OPTIONS]
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()


def _kept(name: str) -> Path:
    return cache_home() / "simulated" / name[:2] / f"{name}.json"


def known(platform: Platform, cell: Cell) -> Outcome | None:
    """What was found before, if it was."""
    try:
        return Outcome(**json.loads(_kept(key(platform, cell)).read_text()))
    except (OSError, ValueError, TypeError):
        return None


def _keep(platform: Platform, cell: Cell, outcome: Outcome) -> None:
    path = _kept(key(platform, cell))
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write(json.dumps(asdict(outcome)))
    Path(file.name).rename(path)  # whole, or not at all


def command(
    platform: Platform,
    ranks: int,
    placement: str,
    directory: Path,
    arguments: Sequence[str],
    options: Sequence[str] = (),
    program: Path | None = None,
) -> tuple[list[str], dict[str, str]]:
    """How to run a program's ranks on a platform, and in which environment.

    The program is the benchmark unless told; `options` are more of SimGrid's. The files that it
    needs go to `directory`.
    """
    cores = platforms.cores(platform, ranks, placement)
    hosts, description = directory / "hosts", directory / "platform.json"
    hosts.write_text("".join(f"c{core}\n" for core in cores))
    description.write_text(platform.text)
    benchmark, library = programs()
    # The last of a name holds.
    all_options = {
        each.split(":")[0]: each
        for each in (*OPTIONS, f"smpi/hostfile:{hosts}", f"smpi/np:{ranks}", *options)
    }
    words = [str(simgrid() / "bin/smpimain"), str(program or benchmark), str(library)]
    words += [f"--cfg={each}" for each in all_options.values()]
    words += ["--log=root.thresh:error", *arguments]
    environment = {n: v for n, v in os.environ.items() if not n.startswith(("TOCCATA_", "OMPI_"))}
    environment |= {
        "LD_LIBRARY_PATH": str(simgrid() / "lib"),
        "TOCCATA_PLATFORM": str(description),
        "TOCCATA_TOPOLOGY": platform.machine,
        "TOCCATA_PLACEMENT": placement,
    }
    return words, environment


def _command_of(
    platform: Platform, cell: Cell, directory: Path
) -> tuple[list[str], dict[str, str]]:
    peer = f"smpi/{cell.collective}:{cell.algorithm.removeprefix(PEER)}"
    arguments = ["--collective", cell.collective, "--sizes", str(cell.bytes)]
    arguments += ["--algorithms", "native" if cell.is_peer else cell.algorithm]
    arguments += ["--warmup", "0", "--repetitions", "1"]
    arguments += [] if cell.with_data else ["--no-validate"]
    options = [peer] if cell.is_peer else []
    return command(platform, cell.ranks, cell.placement, directory, arguments, options)


def simulate(platform: Platform, cell: Cell, limit: float) -> Outcome:
    """Runs a cell, or remembers it; after `limit` seconds it is given up.

    Raises Failure where one of ours fails or gives wrong data. Peers' failures are outcomes.
    """
    if found := known(platform, cell):
        return found
    with tempfile.TemporaryDirectory(prefix="toccata-sim-") as directory:
        words, environment = _command_of(platform, cell, Path(directory))
        try:
            done = subprocess.run(
                words, env=environment, capture_output=True, text=True, timeout=limit, check=False
            )
        except subprocess.TimeoutExpired:
            return Outcome(why_not=f"has not ended within {limit:g} s")
    outcome = _read(done.stdout)
    if done.returncode not in (0, 1) or outcome is None:
        said = [line for line in done.stderr.splitlines() if line.strip()][-SAID_LINES:]
        reason = "\n  ".join([f"exit code {done.returncode}", *said])
        if not cell.is_peer:
            raise Failure(f"{_name(cell)} failed under SimGrid: {reason}")
        outcome = Outcome(why_not=f"failed ({said[0] if said else reason})")
    if outcome.valid is False:
        if not cell.is_peer:
            raise Failure(f"{_name(cell)} gave wrong data under SimGrid")
        outcome = Outcome(valid=False, why_not="gave wrong data")
    _keep(platform, cell, outcome)
    return outcome


def _name(cell: Cell) -> str:
    return (
        f"{cell.collective} by {cell.algorithm} with {cell.ranks} ranks ({cell.placement}) and "
        f"{cell.bytes} bytes"
    )


def _read(output: str) -> Outcome | None:
    """What the program told."""
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        event: dict[str, Any] = json.loads(line)
        if event.get("event") == "impossible":
            return Outcome(why_not=str(event["reason"]))
        if event.get("event") == "result":
            return Outcome(seconds=float(event["max"]), valid=event["valid"])
    return None


def run(
    platform: Platform,
    cells: Sequence[Cell],
    told: Callable[[Cell], None] = lambda cell: None,
    limit: float = 600,
    jobs: int | None = None,
) -> dict[Cell, Outcome]:
    """All cells, on as many cores as there are; `told` hears of each that has ended."""
    programs()
    pool = ThreadPoolExecutor(jobs or launcher.cores())
    try:
        futures = {pool.submit(simulate, platform, cell, limit): cell for cell in cells}
        outcomes = {}
        for future in as_completed(futures):
            outcomes[futures[future]] = future.result()
            told(futures[future])
    finally:
        pool.shutdown(cancel_futures=True)
    return {cell: outcomes[cell] for cell in cells}


def measurements(platform: Platform, outcomes: dict[Cell, Outcome]) -> list[Measurement]:
    """As `toccata bench` has them, of the cells that have a time."""
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


def impossible(choice: _core.Choice, platform: Platform, p: int, placement: str) -> str:
    """Why one of ours cannot run there; "" if it can."""
    there = _core.Placement(_core.Machine(platform.machine), p, placement)
    return choice.why_impossible(_core.Shape(there, 0))
