#!/usr/bin/env python3
"""Real programs, bare and preloaded, and the share of the available gain that the library captures.

Runs programs of Debian packages, unmodified, in interleaved variants:

- bare;
- first: preloaded, with TOCCATA=learn:FILE and TOCCATA_SUMS=learn, without results of earlier runs;
- learned: the same with the file of a first run;
- tuned, with --tuning: preloaded, without results of earlier runs, with a file of toccata tune;
- forced: the fastest settings that a search finds.

The search is greedy. It takes the collectives with the most time in a native run. For each, it
tries native, the algorithms that the model proposes, and every algorithm that an automatic run
chose, and keeps the fastest.

The best time is the lowest median of all variants, so it is never above that of an automatic run.
The captured share is (bare - time) / (bare - best). Results of a program must agree with those of
its first bare run. Reports are written in runs that are not timed.
"""

import argparse
import csv
import itertools
import os
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import page
from programs import PROGRAMS, RANKS_OF_HOSTS, Program, Results

from toccata import _core
from toccata.launching import reports

ROOT = Path(__file__).resolve().parents[2]
WAYS = ("bare", "first", "learned", "tuned", "forced")
PRELOADING = 'LD_PRELOAD="$0${LD_PRELOAD:+:$LD_PRELOAD}" exec "$@"'
# The C library returns free memory at the end of the heap to the system, and gets it back at the
# next allocation. Whether that happens depends on small blocks of any library, and it makes LAMMPS
# 1.6 times slower. No variant returns memory, so that only collectives differ.
HEAP = ("MALLOC_TRIM_THRESHOLD_=1000000000", "MALLOC_MMAP_THRESHOLD_=33554432")  # bytes
MOST_COLLECTIVES = 3  # maximum in the search
LEAST_SHARE = 0.05  # minimum share of the time in collectives, for one collective in the search
CLEARLY = 0.97  # times a collective's time: a setting below that is faster
LEAST_GAIN = 0.02  # minimum share of the bare time; captured shares of smaller gains are noise
HOSTS = "four hosts"
SIZES = (8, 1 << 10, 64 << 10)  # bytes for which the model proposes candidates

Settings = dict[str, str]


class Failed(Exception):
    """A run that failed or took too long."""


def ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether a process ends in time. Popen.wait with a timeout looks only every 50 ms, which is
    5% of the time of the shortest program."""
    descriptor = os.pidfd_open(process.pid)
    try:
        return bool(select.select([descriptor], [], [], seconds)[0])
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Place:
    """The location of runs: the command that starts a number of ranks."""

    name: str
    ranks: int
    launcher: tuple[str, ...]

    @property
    def is_hosts(self) -> bool:
        return self.name == HOSTS


@dataclass(frozen=True)
class Bench:
    """One program in one place."""

    program: Program
    place: Place
    library: Path
    folder: Path
    limit: float
    tuning: Path | None  # a file of toccata tune for this place
    forced: Settings | None = None  # those that an earlier search found; None: search now

    @property
    def ways(self) -> list[str]:
        return [each for each in WAYS if each != "tuned" or self.tuning]

    def run(self, settings: Settings | None) -> tuple[float, Results]:
        """Seconds from start to end, and results; `settings` of the preloaded library, or None to
        run bare."""
        work = Path(tempfile.mkdtemp(dir=self.folder))
        self.program.prepare(work, self.place.ranks)
        variables = [f"{name}={value}" for name, value in (settings or {}).items()]
        preloading = ["sh", "-c", PRELOADING, str(self.library)] if settings is not None else []
        start = ["env", *HEAP, *variables, *preloading]  # env itself is not preloaded
        command = [*self.place.launcher, *start, *self.program.command]
        started = time.monotonic()
        with (work / "out").open("w") as out, (work / "err").open("w") as err:
            process = subprocess.Popen(
                command,
                cwd=work,
                stdout=out,
                stderr=err,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            try:
                if not ends_within(process, self.limit):
                    raise Failed(f"took more than {self.limit:.0f} s")
                seconds = time.monotonic() - started
                code = process.wait()
            finally:
                if process.poll() is None:
                    process.terminate()  # mpirun ends its ranks
                    process.wait(30)
        if code != 0:
            raise Failed(f"ended with {code}; its output is in {work}")
        try:
            return seconds, self.program.results(work, (work / "out").read_text(errors="replace"))
        except (ValueError, OSError) as error:
            raise Failed(f"{error}; its output is in {work}") from None

    def report(self, settings: Settings) -> reports.Report:
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        self.run({**settings, "TOCCATA_REPORT": str(path)})
        return reports.read(path)


def by_collective(report: reports.Report) -> dict[str, float]:
    """Seconds in blocking calls of each collective."""
    seconds: dict[str, float] = defaultdict(float)
    known = {each.name for each in _core.collectives()}
    for row in report.rows:
        if row.collective in known and row.ranks > 1:
            seconds[row.collective] += row.seconds
    return seconds


def chosen(automatic: Sequence[reports.Report], collective: str) -> list[str]:
    """The choices of automatic runs: each algorithm for all sizes, and all of them by size."""
    rows = [
        each
        for report in automatic
        for each in report.rows
        if each.collective == collective and not each.is_native and each.choice
    ]
    by_size = {each.bytes: each.choice for each in rows if each.bytes > 0}
    found = [each.choice for each in rows]
    if by_size:
        sized = [f"{choice}<={size}" for size, choice in sorted(by_size.items())]
        found.append(", ".join([*sized, "native"]))
    return list(dict.fromkeys(found))


def proposed(collective: str, ranks: int) -> list[str]:
    """The model's two fastest algorithms for each of some sizes."""
    model = _core.usual_model()
    found = _core.rank(collective, _core.Shape(ranks), model, list(SIZES))
    names = (choice.text for ranked in found for choice, _ in ranked[:2])
    return list(dict.fromkeys(names))


def search(bench: Bench, automatic: Sequence[reports.Report]) -> Iterator[tuple[Settings, str]]:
    """Settings, each faster than the one before, with a line that gives the reason."""
    variable = {each.name: each.variable for each in _core.collectives()}
    native = dict.fromkeys(variable.values(), "native")
    profile = by_collective(bench.report(native))
    total = sum(profile.values())
    most = sorted(profile, key=lambda each: -profile[each])[:MOST_COLLECTIVES]
    settings: Settings = dict(native)
    for collective in most:
        best = profile[collective]
        if best < LEAST_SHARE * total:
            continue
        candidates = [*chosen(automatic, collective), *proposed(collective, bench.place.ranks)]
        for candidate in dict.fromkeys(candidates):
            trial = {**settings, variable[collective]: candidate}
            try:
                seconds = by_collective(bench.report(trial))[collective]
            except Failed as failure:
                print(f"  {collective} by {candidate}: {failure}", file=sys.stderr)
                continue
            print(f"  {collective} by {candidate}: {seconds:.3f} s", file=sys.stderr)
            if seconds < CLEARLY * best:
                best, settings = seconds, trial
                yield settings, f"{collective} {profile[collective]:.3f} to {seconds:.3f} s"


@dataclass
class Row:
    """The results of one program in one place."""

    program: str
    place: str
    ranks: int
    times: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))  # by way
    collectives: float = 0  # seconds in collectives, native
    calls: int = 0
    served: dict[str, float] = field(default_factory=dict)  # share of the calls, by way
    forced: str = ""
    agrees: bool = True

    def seconds(self, way: str) -> float:
        return statistics.median(self.times[way])

    @property
    def best(self) -> float:
        return min(self.seconds(way) for way in self.times)

    def captured(self, way: str) -> float | None:
        """The share of the available gain; None if the gain is small or within the spread."""
        bare, best = self.seconds("bare"), self.best
        fastest = min(self.times, key=self.seconds)
        if bare - best <= LEAST_GAIN * bare or max(self.times[fastest]) >= min(self.times["bare"]):
            return None
        return (bare - self.seconds(way)) / (bare - best)

    def cells(self) -> dict[str, str]:
        shares = {way: self.captured(way) for way in page.AUTOMATIC if way in self.times}
        return {
            "program": self.program,
            "place": self.place,
            "ranks": str(self.ranks),
            **{f"{way}_s": f"{self.seconds(way):.3f}" for way in self.times},
            **{
                f"{way}_range_s": f"{min(times):.3f} to {max(times):.3f}"
                for way, times in self.times.items()
            },
            "collectives_s": f"{self.collectives:.3f}",
            "calls": str(self.calls),
            **{f"served_{way}": f"{share:.2f}" for way, share in self.served.items()},
            **{
                f"captured_{way}": "" if share is None else f"{share:.2f}"
                for way, share in shares.items()
            },
            "forced": self.forced,
            "results_agree": "yes" if self.agrees else "no",
        }


def served(report: reports.Report) -> float:
    rows = [each for each in report.rows if each.ranks > 1]
    calls = sum(each.calls for each in rows)
    return sum(each.calls for each in rows if not each.is_native) / calls if calls else 0


def learns_to(path: Path) -> Settings:
    return {"TOCCATA": f"learn:{path}", "TOCCATA_SUMS": "learn"}


def measure(bench: Bench, runs: int) -> Row:
    """Measures a program. Failed if a bare run fails, or if a preloaded run fails although bare
    ones succeed."""
    program, place = bench.program, bench.place
    row = Row(program.name, place.name, place.ranks)
    _, expected = bench.run(None)
    native = bench.report({"TOCCATA": "off"})
    row.collectives = sum(by_collective(native).values())
    row.calls = sum(each.calls for each in native.rows)
    learned = bench.folder / "learned.json"
    tuning = {"TOCCATA_TUNING": str(bench.tuning)}
    automatic = {way: bench.report(learns_to(learned)) for way in ("first", "learned")}
    if bench.tuning:
        automatic["tuned"] = bench.report(tuning)
    row.served = {way: served(report) for way, report in automatic.items()}
    forced = bench.forced or {}
    if bench.forced is None:
        for settings, why in search(bench, list(automatic.values())):
            forced = settings
            print(f"  faster: {why}", file=sys.stderr)
    row.forced = "; ".join(f"{name}={value}" for name, value in forced.items() if value != "native")
    for run, way in itertools.product(range(runs), bench.ways):
        print(f"  {way}, run {run + 1} of {runs}", file=sys.stderr)
        settings_of: dict[str, Settings | None] = {
            "bare": None,
            "first": learns_to(bench.folder / f"first-{run}.json"),
            "learned": learns_to(learned),
            "tuned": tuning,
            "forced": forced or None,  # nothing is faster than native
        }
        seconds, results = bench.run(settings_of[way])
        row.times[way].append(seconds)
        row.agrees = row.agrees and program.agree(expected, results)
    return row


def earlier_settings(path: Path | None, program: Program, place: Place) -> Settings | None:
    """The forced settings of that program and place in the table of an earlier run, if any."""
    if path is None:
        return None
    for row in csv.DictReader(path.read_text().splitlines()):
        if (row["program"], row["place"], row["ranks"]) == (
            program.name,
            place.name,
            str(place.ranks),
        ):
            named = dict(each.split("=", 1) for each in row["forced"].split("; ") if each)
            native = dict.fromkeys((each.variable for each in _core.collectives()), "native")
            return {**native, **named} if named else {}
    print(f"  no settings of {program.name} in {path}; searching", file=sys.stderr)
    return None


def write(rows: list[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        names = dict.fromkeys(name for row in rows for name in row.cells())
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(each.cells() for each in rows)


def check_installed(programs: list[Program], install: bool) -> list[Program]:
    """The installed programs. Installs the others only if requested."""
    missing = [each for each in programs if not each.is_installed]
    packages = [name for each in missing for name in each.packages]
    command = ["apt-get", "install", "--no-install-recommends", "-y", *packages]
    if missing and install and os.geteuid() == 0:
        print(f"applications: {' '.join(command)}", file=sys.stderr)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    elif missing:
        names = ", ".join(each.name for each in missing)
        how = "" if os.geteuid() == 0 else "sudo "
        print(
            f"applications: without {names}; to install: {how}{' '.join(command)}", file=sys.stderr
        )
    return [each for each in programs if each.is_installed]


def places(arguments: argparse.Namespace) -> list[Place]:
    script = str(ROOT / "scripts/mpiexec.sh")
    ranks = [int(each) for each in arguments.ranks.split(",") if each]
    found = [Place("one node", each, (script, "openmpi", str(each))) for each in ranks]
    if arguments.hosts:
        mpirun = str(ROOT / "bench/cluster/bin" / arguments.launcher)
        found.append(Place(HOSTS, RANKS_OF_HOSTS, (mpirun, "-n", str(RANKS_OF_HOSTS))))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [each.name for each in PROGRAMS]
    parser.add_argument("--programs", default=",".join(names), help="these only")
    parser.add_argument("--ranks", default="2,4", help="on one node; '' for none")
    parser.add_argument("--hosts", action="store_true", help="on the hosts of up.sh, too")
    parser.add_argument(
        "--launcher",
        default="mpirun",
        help="of bench/cluster/bin; mpirun.system runs the programs of the system in the folder "
        "SYSTEM (bench/cluster/system.sh)",
    )
    parser.add_argument("--family", default="openmpi", help="the library's: openmpi-5.0, ...")
    parser.add_argument("--runs", type=int, default=3, help="of each way, which take turns")
    parser.add_argument("--tuning", type=Path, help="file of toccata tune, for the hosts")
    parser.add_argument(
        "--forced",
        type=Path,
        help="table of an earlier run, whose forced settings to measure again; others are searched",
    )
    parser.add_argument("--limit", type=float, default=300, help="seconds of a run")
    parser.add_argument("--install", action="store_true", help="install missing packages, as root")
    parser.add_argument("--docs", action="store_true", help="write the table of docs/performance")
    parser.add_argument("--build", type=Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=Path, default=ROOT / "results")
    arguments = parser.parse_args()
    wanted = arguments.programs.split(",")
    if arguments.tuning and not arguments.tuning.is_file():
        parser.error(f"{arguments.tuning} does not exist; write it with toccata tune")
    if arguments.tuning and not arguments.hosts:
        parser.error("--tuning is for the four hosts; add --hosts")
    if arguments.forced and not arguments.forced.is_file():
        parser.error(f"{arguments.forced} does not exist; it is a table that this program wrote")
    if not arguments.ranks and not arguments.hosts:
        parser.error("--ranks '' needs --hosts")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # Bench.run ends its program
    if unknown := [each for each in wanted if each not in names]:
        parser.error(f"no such program: {', '.join(unknown)}; expected some of {', '.join(names)}")
    programs = check_installed(
        [each for each in PROGRAMS if each.name in wanted], arguments.install
    )
    library = (arguments.build / "lib" / arguments.family / "libtoccata.so").resolve()
    arguments.output.mkdir(parents=True, exist_ok=True)
    path = arguments.output / "applications.csv"
    rows: list[Row] = []
    failed = False
    for program, place in itertools.product(programs, places(arguments)):
        print(f"{program.name}, {place.ranks} ranks, {place.name}", file=sys.stderr)
        folder = Path(tempfile.mkdtemp(prefix=f"applications-{program.name}-"))
        tuning = arguments.tuning.resolve() if arguments.tuning and place.is_hosts else None
        forced = earlier_settings(arguments.forced, program, place)
        bench = Bench(program, place, library, folder, arguments.limit, tuning, forced)
        try:
            rows.append(measure(bench, arguments.runs))
        except Failed as failure:
            print(f"applications: {program.name}, {place.ranks} ranks: {failure}", file=sys.stderr)
            failed = True
            continue
        failed = failed or not rows[-1].agrees
        write(rows, path)
        print({k: v for k, v in rows[-1].cells().items() if v}, flush=True)
    if rows:
        cells = [each.cells() for each in rows]
        page.draw(cells, path.with_suffix(".png"))
        print(f"wrote {path} and {path.with_suffix('.png')}", file=sys.stderr)
        if arguments.docs:
            write(rows, ROOT / "docs/performance/applications.csv")
            page.draw(cells, ROOT / "docs/images/applications.png")
            page.fill(ROOT / "docs/performance/applications.md", cells)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
