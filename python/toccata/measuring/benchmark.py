"""Runs the benchmark program and reads its measurements."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Timer
from typing import Any

from toccata import quantities as q
from toccata.algorithms import outside
from toccata.errors import Failure, InputError
from toccata.launching import launcher as mpi
from toccata.measuring.results import Measurement

SHOWN_LINES = 12  # of the output of a failed run
MOST_BYTES = 1 << 30  # of a message, or of a block
AUTO = "auto"  # the "algorithm" that means the automatic choice of the preloaded library
# Starts a program with a library before those that are preloaded already.
PRELOADED = ("sh", "-c", 'LD_PRELOAD=$0${LD_PRELOAD:+:$LD_PRELOAD} exec "$@"')


def parse_sizes(text: str, least: int = 1, most: int = MOST_BYTES) -> list[int]:
    """Like quantities.parse_sizes; also InputError for sizes that the programs would reject."""
    sizes = q.parse_sizes(text)
    if sizes[0] < least or sizes[-1] > most:
        raise InputError(f"--sizes {text}: expected {least} to {q.show_bytes(most)} bytes")
    return sizes


def sizes_of(collective: str, sizes: Sequence[int]) -> Sequence[int]:
    """The sizes to measure: for a barrier, which has no bytes, only the smallest one."""
    return [1] if collective == "barrier" else sizes


@dataclass(frozen=True)
class Plan:
    """A requested measurement."""

    collective: str
    algorithms: Sequence[str]
    sizes: Sequence[int]  # bytes of a block, or of the message
    repetitions: int
    warmup: int
    limit: float  # approximate seconds for one size; reduces repetitions
    validate: bool
    distribution: str | None = None  # of a vector form's bytes over its blocks
    device: str | None = None  # the GPU runtime in whose memory buffers lie; None: the host's
    race: bool = False  # whether clearly slower algorithms are dropped during the run
    trials: int = 0  # calls before the warm-up, not of native, in which the library makes trials

    def arguments(self) -> list[str]:
        """The arguments of the benchmark program."""
        return [
            "--collective", self.collective,
            "--algorithms", ";".join(map(outside.runnable, self.algorithms)),
            "--sizes", ",".join(map(str, self.sizes)),
            "--repetitions", str(self.repetitions),
            "--warmup", str(self.warmup),
            "--limit", f"{self.limit:g}",
            *([] if self.validate else ["--no-validate"]),
            *(["--race"] if self.race else []),
            *(["--trials", str(self.trials)] if self.trials else []),
            *(["--distribution", self.distribution] if self.distribution else []),
            *(["--device", self.device] if self.device else []),
        ]  # fmt: skip


@dataclass
class Run:
    """The output of one run of the program, with one number of ranks."""

    ranks: int
    mpi: str = ""
    nodes: int = 1  # the ranks' machine; "" if it was not requested
    machine: str = ""
    measurements: list[Measurement] = field(default_factory=list)
    impossible: dict[str, str] = field(default_factory=dict)  # algorithm -> reason


def measure(
    plan: Plan,
    command: Sequence[str],
    ranks: int,
    told: Callable[[Measurement], None] = lambda _: None,
    sized: Callable[[Run, int], None] = lambda *_: None,
    limit: float | None = None,
) -> Run:
    """Runs `command`, which starts the benchmark on that many ranks.

    Calls `told` with each result, and `sized` with the bytes of each completed size.

    Raises Failure if the program fails, prints unreadable output, finds wrong data, or takes more
    than `limit` seconds.
    """
    run = Run(ranks)
    done = False
    with started(command, ranks, limit) as lines:
        for line in lines:
            event = event_of(line)
            if event is None:
                continue  # a launcher's line
            match event["event"]:
                case "start":
                    run.mpi = " ".join(str(event["mpi"]).split())
                    run.nodes = max(1, int(event.get("nodes", 1)))
                    run.machine = str(event.get("machine", ""))
                case "impossible":
                    run.impossible[outside.shown(str(event["algorithm"]))] = str(event["reason"])
                case "result":
                    measurement = _measurement(plan, run, event)
                    run.measurements.append(measurement)
                    told(measurement)
                    if measurement.valid is False:
                        raise Failure(
                            f"{plan.collective} by {measurement.algorithm} gave wrong data with "
                            f"{q.plural('rank', ranks)} and {q.plural('byte', measurement.bytes)}"
                        )
                    here = [each for each in run.measurements if each.bytes == measurement.bytes]
                    if len(here) + len(run.impossible) == len(plan.algorithms):
                        sized(run, measurement.bytes)
                case "done":
                    done = True
    if not done:
        raise Failure(f"the run with {q.plural('rank', ranks)} ended early: {' '.join(command)}")
    return run


OUT_OF_LINE = 3  # times the expectation from the neighbouring sizes


def out_of_line(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Times that are far longer than those of the sizes on both sides, for one algorithm and run.

    The largest size has only one neighbour; its time may be longer in proportion to its bytes.
    """
    found = []
    for algorithm in dict.fromkeys(each.algorithm for each in measurements):
        line = sorted(
            (each for each in measurements if each.algorithm == algorithm),
            key=lambda each: each.bytes,
        )
        for i, each in enumerate(line):
            beside = [other.median for other in line[i + 1 : i + 2]]
            if i > 0 and beside:
                beside.append(line[i - 1].median)
            elif i > 0:
                grown = max(1.0, each.bytes / max(1, line[i - 1].bytes))
                beside.append(line[i - 1].median * grown)
            if beside and each.median > OUT_OF_LINE * max(beside):
                found.append(each)
    return found


def straightened(first: Run, again: Callable[[Sequence[int]], Run]) -> list[Measurement]:
    """A run's measurements, after sizes with an outlier have been measured again.

    These runs include all algorithms, because their times are compared. Remaining outliers are
    marked.
    """
    suspects = {each.bytes for each in out_of_line(first.measurements)}
    if not suspects:
        return first.measurements
    second = again(sorted(suspects)).measurements
    kept = [each for each in first.measurements if each.bytes not in suspects]
    whole = [*kept, *(replace(each, remark="again") for each in second)]
    still = {(each.bytes, each.algorithm) for each in out_of_line(whole)}
    return [
        replace(each, remark="out of line") if (each.bytes, each.algorithm) in still else each
        for each in whole
    ]


def events(
    command: Sequence[str],
    ranks: int | None,
    limit: float | None = None,
    others: list[str] | None = None,
) -> Generator[dict[str, Any]]:
    """The output of a benchmark program; Failure if it fails, or takes more than `limit` seconds.

    The number of ranks is for messages; None if the command determines it. `others` gets the lines
    of the launcher.
    """
    with started(command, ranks, limit) as lines:
        for line in lines:
            if event := event_of(line):
                yield event
            elif others is not None:
                others.append(line)


def event_of(line: str) -> dict[str, Any] | None:
    """The event in a line of a benchmark program; None for the lines of launchers."""
    if not line.startswith("{"):
        return None
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) and "event" in event else None


def _measurement(plan: Plan, run: Run, event: dict[str, Any]) -> Measurement:
    try:
        times = {"average" if name == "avg" else name: event[name] for name in _EVENT_TIMES}
        return Measurement(
            collective=plan.collective,
            mpi=run.mpi,
            ranks=int(event["ranks"]),
            bytes=int(event["bytes"]),
            algorithm=outside.shown(str(event["algorithm"])),
            repetitions=int(event["repetitions"]),
            valid=event.get("valid") if plan.validate else None,
            wins=int(event.get("wins", 0)),
            pairs=int(event.get("pairs", 0)),
            final_wins=int(event.get("final_wins", 0)),
            final_pairs=int(event.get("final_pairs", 0)),
            nodes=run.nodes,
            min=float(times["min"]),
            average=float(times["average"]),
            max=float(times["max"]),
            median=float(times["median"]),
            q25=float(times["q25"]),
            q75=float(times["q75"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise Failure(f"cannot read the output of the benchmark program: {error!r}") from None


_EVENT_TIMES = ("min", "avg", "max", "median", "q25", "q75")


@contextmanager
def started(
    command: Sequence[str], ranks: int | None, limit: float | None = None
) -> Iterator[Iterator[str]]:
    """The lines of a command's output; the command always ends with the iteration.

    The library's warnings are passed to our stderr. Raises Failure, with the last of the other
    lines there, if the exit code is not 0, or after `limit` seconds.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        try:
            process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=said,
                stdin=subprocess.DEVNULL,
                text=True,
                errors="replace",
            )
        except OSError as error:
            raise Failure(f"{Path(command[0]).name} cannot be started: {error.strerror}") from None
        with process:
            assert process.stdout is not None
            late = Event()

            def give_up() -> None:
                late.set()
                _end(process)

            timer = Timer(limit or 0.0, give_up)
            if limit is not None:
                timer.start()
            try:
                yield iter(process.stdout)
                code = process.wait()
            finally:
                timer.cancel()
                if process.poll() is None:
                    _end(process)
                said.seek(0)
                lines = [line.rstrip() for line in said if line.strip("- \n")]
                ours = [line for line in lines if line.startswith("toccata:")]
                for line in dict.fromkeys(ours):
                    print(line, file=sys.stderr)
        with_ranks = "" if ranks is None else f" with {q.plural('rank', ranks)}"
        if late.is_set():
            raise Failure(
                f"the run{with_ranks} did not end within {limit:.0f} s; give more --seconds"
            )
        if code != 0:
            last = [line for line in lines if line not in ours][-SHOWN_LINES:]
            reason = "\n  ".join(["", *last]) if lines else " (no output)"
            raise Failure(
                f"the run{with_ranks} failed with exit code {code}: {' '.join(command)}{reason}"
            )


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a process: first by SIGTERM, so that a launcher can end its ranks."""
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()


def command_for(
    plan: Plan, launcher: mpi.Launcher, ranks: int, launcher_arguments: Sequence[str]
) -> list[str]:
    """The whole command of one run; InputError if the program is not built for that MPI."""
    program = [str(mpi.benchmark(launcher.family)), *plan.arguments()]
    if AUTO in plan.algorithms:
        program = [*PRELOADED, str(mpi.library(launcher.family)), *program]
    return mpi.start(launcher, ranks, launcher_arguments, program)
