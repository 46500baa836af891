#!/usr/bin/env python3
"""Does the report name injected late ranks?

    PYTHONPATH=python:build/release/python build/venv/bin/python bench/late_ranks.py \\
        LIBRARY... PROGRAM [--hosts] [--runs N]

PROGRAM is compiled from tests/preload/arrivals/arrivals.c, LIBRARY is libtoccata.so. N runs (50) of
each kind: one rank is late; with --hosts, all ranks of one host; another rank in each call; none.
The delays and the numbers of ranks vary. --hosts uses the emulated hosts of bench/cluster/up.sh,
otherwise the ranks share this machine.

For each kind, prints in how many runs `toccata explain` names what was late and nothing else. On
busy cores, other ranks may be later than the injected delay, so it also prints in how many runs
`explain` names what it would name by the times that the program itself measured; and in how many
the reported waiting agrees with these: within 5% or 20 us per call and waiting rank.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata.launching import reports

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 60  # seconds of a run
SECONDS = 0.8  # of the calls of a run
DELAYS = (100, 300, 1000, 3000, 10000)  # us
# On the hosts, a call takes 2 to 5 ms, so shorter delays are rightly not worth a name.
DELAYS_ON_HOSTS = (1000, 3000, 10000)
RANKS, RANKS_ON_HOSTS = (2, 3, 4, 8, 16), (4, 8, 16)
HOSTS = 4
FEW_US = 20e-6  # seconds


@dataclass(frozen=True)
class Kind:
    name: str
    late: str  # for the program
    named: str  # what `explain` is to name; empty: nothing


def kinds(run: int, ranks: int, on_hosts: bool) -> Iterator[Kind]:
    rank, host = run % ranks, run % HOSTS
    of_host = ranks // HOSTS
    where = f" on toccata{rank // of_host}" if on_hosts else ""
    yield Kind("one rank", str(rank), f"rank {rank}{where}")
    if on_hosts and of_host > 1:
        first = host * of_host
        yield Kind("one host", f"{first}-{first + of_host - 1}", f"host toccata{host}")
    yield Kind("any rank", "any", "")
    yield Kind("none", "-1", "")


def launcher(ranks: int, on_hosts: bool) -> tuple[list[str], dict[str, str]]:
    if on_hosts:
        settings = {"SLOTS": str(ranks // HOSTS)}
        return [str(ROOT / "bench/cluster/bin/mpirun"), "-n", str(ranks)], settings
    return [str(ROOT / "scripts/mpiexec.sh"), "openmpi", str(ranks)], {}


def named(report: reports.Report) -> str:
    """What `explain` names; empty: nothing."""
    [line] = [each for each in reports.answers(report) if "is waiting for late ranks" in each]
    return line.partition(" of this waiting is for ")[2]


@dataclass(frozen=True)
class Outcome:
    named: str
    by_program: str  # what `explain` would name by the program's own times
    ratio: float  # of reported and measured waiting
    agrees: bool


def run(options: argparse.Namespace, ranks: int, delay: int, kind: Kind) -> Outcome:
    period = (3000 if ranks <= 4 else 6000) if options.hosts else 150 * ranks
    period += delay if kind.late != "-1" else 0
    calls = max(40, min(1000, round(SECONDS * 1e6 / period)))
    command, settings = launcher(ranks, options.hosts)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        preload = ":".join(map(str, options.library))
        inside = ["sh", "-c", f'LD_PRELOAD="{preload}${{LD_PRELOAD:+:$LD_PRELOAD}}" exec "$0" "$@"']
        words = [str(options.program), str(calls), kind.late, str(delay), "-1", str(period)]
        done = subprocess.run(
            [*command, "env", f"TOCCATA_REPORT={path}", *inside, *words],
            env=os.environ | settings, capture_output=True, text=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        if done.returncode != 0:
            sys.exit(f"late_ranks: {words} ends with {done.returncode}:\n{done.stderr}")
        rows = json.loads(path.read_text())["rows"]
        report = reports.read(path)
    lines = [line.split() for line in done.stdout.splitlines()[:ranks]]
    awaited, last = ([float(line[i]) for line in lines] for i in (0, 1))
    assert report.arrivals is not None
    late = report.arrivals.late(awaited, last, report.seconds)
    known = [each for each in rows if each["collective"] == "allreduce" and "arrivals" in each]
    reported = sum(each["calls"] * each["ranks"] * each["arrivals"]["waiting"] for each in known)
    measured = sum(awaited)
    tolerance = max(0.05 * measured, FEW_US * calls * (ranks - 1))
    return Outcome(
        named(report),
        late[0] if late else "",
        reported / measured,
        abs(reported - measured) <= tolerance,
    )


def show(name: str, found: Counter[str], ratios: Sequence[float]) -> None:
    total = len(ratios)
    print(
        f"{name}: named as injected in {found['injected']} of {total}, as measured in "
        f"{found['measured']} of {total}; waiting right in {found['waiting']} of {total} "
        f"(reported / measured: {min(ratios):.3f} to {max(ratios):.3f})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("library", type=Path, nargs="+", help="preloaded, in this order")
    parser.add_argument("program", type=Path)
    parser.add_argument("--hosts", action="store_true")
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    sizes, delays = (RANKS_ON_HOSTS, DELAYS_ON_HOSTS) if options.hosts else (RANKS, DELAYS)
    found: dict[str, Counter[str]] = {}
    ratios: dict[str, list[float]] = {}
    for number in range(2 * options.runs):  # some numbers of ranks have no host with several
        ranks = sizes[number % len(sizes)]
        delay = delays[number // len(sizes) % len(delays)]
        for kind in kinds(number, ranks, options.hosts):
            if len(ratios.setdefault(kind.name, [])) == options.runs:
                continue
            outcome = run(options, ranks, delay, kind)
            counts = found.setdefault(kind.name, Counter())
            right = {
                "injected": outcome.named == kind.named,
                "measured": outcome.named == outcome.by_program,
                "waiting": outcome.agrees,
            }
            counts.update(word for word, is_right in right.items() if is_right)
            ratios[kind.name].append(outcome.ratio)
            if not all(right.values()):
                print(
                    f"  {kind.name}, {ranks} ranks, {delay} us, {kind.late}: {outcome}", flush=True
                )
    for name, counts in found.items():
        show(name, counts, ratios[name])


if __name__ == "__main__":
    main()
