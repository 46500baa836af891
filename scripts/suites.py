"""Tests of mpi4py, MPICH, ScaLAPACK, FFTW and HPCC, bare and preloaded.

Each test runs bare first. Tests that fail bare are left out. The others must pass with the library
preloaded: with no settings, with the choices of the model, with sets of forced algorithms that
together contain all algorithms, and with all collectives from files of schedules.
"""

import argparse
import csv
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "preload"))
from jobs import Job  # noqa: E402

PATIENCE = 120  # seconds per test
FORCED_SETS = 10
MOST_RANKS = 10  # per test
RANKS_IN_FILES = f"1:{MOST_RANKS}:1"
MPI4PY_RANKS = (1, 3, 4)

Settings = dict[str, str]


@dataclass(frozen=True)
class Test:
    suite: str
    name: str
    ranks: int
    command: tuple[str, ...]
    passed: str = ""  # what its output contains if it passes


def mpi4py_tests(suites: Path, family: str) -> Iterable[Test]:
    python = suites / f"venv-{family}" / "bin" / "python"
    folder = next(suites.glob("mpi4py-*/test"))
    for module in sorted(folder.glob("test_cco_*.py")):
        for ranks in MPI4PY_RANKS:
            command = (str(python), str(folder / "main.py"), "-q", module.stem)
            yield Test("mpi4py", module.stem, ranks, command)


def mpich_tests(suites: Path, family: str) -> Iterable[Test]:
    folder = suites / f"mpich-{family}" / "coll"
    for line in (folder / "testlist").read_text().splitlines():
        words = line.split()
        if len(words) < 2 or line.startswith("#") or not (folder / words[0]).exists():
            continue
        arguments = [word.removeprefix("arg=") for word in words[2:] if word.startswith("arg=")]
        # Tests of MPICH's own algorithms differ only in its control variables, so their calls are
        # the same.
        ranks = min(int(words[1]), MOST_RANKS)
        command = (str(folder / words[0]), *arguments)
        yield Test("MPICH", " ".join([words[0], *arguments]), ranks, command, "No Errors")


# Programs of Debian's package scalapack-mpi-test, for routines in double precision. They check
# their results. Programs that take more than a minute bare on two cores are left out.
SCALAPACK = ("xdinv", "xdgblu", "xdnep", "xdqr", "xdhrd", "xddblu", "xddtlu", "xdllt", "xdpbllt")
SCALAPACK += ("xdptllt", "xdbrd", "xdtrd", "xdls")


def scalapack_tests(suites: Path, family: str) -> Iterable[Test]:
    for folder in Path("/usr/lib").glob(f"*/scalapack/{family}-tests"):
        for name in SCALAPACK:
            command = ("env", "-C", str(folder), str(folder / name))
            yield Test("ScaLAPACK", name, 4, command, " 0 tests completed and failed residual")


# Transforms in the notation of FFTW's benchmark: in place (i) or not (o), real (r) or complex (c),
# forwards (f) or backwards (b), with transposed output (/) or not.
FFTW = ("ocf8x9", "icb16x12x10", "orf12x15", "irb10x12x8", "ocf37x11", "icf64x64", "orb9x20x6")


def fftw_tests(suites: Path, family: str) -> Iterable[Test]:
    program = suites / f"mpi-bench-{family}"
    for ranks in (3, 4) if program.exists() else ():
        for problem in FFTW:
            command = (str(program), "--verify-rounds=2", "--verify", problem)
            yield Test("FFTW", f"mpi-bench {problem}", ranks, command)


def hpcc_tests(suites: Path, family: str) -> Iterable[Test]:
    """The test of Debian's HPCC, which is built for Open MPI. It writes its success into a file."""
    if family != "openmpi" or shutil.which("hpcc") is None:
        return
    folder = suites / "hpcc"
    folder.mkdir(exist_ok=True)
    example = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt").read_text()
    (folder / "hpccinf.txt").write_text(re.sub(r"^1000 +Ns", "200 Ns", example, flags=re.M))
    script = "rm -f hpccoutf.txt; hpcc && grep -h ^Success= hpccoutf.txt"
    command = ("env", "-C", str(folder), "sh", "-c", script)
    yield Test("HPCC", "hpcc", 4, command, "Success=1")


SUITES = {
    "mpi4py": mpi4py_tests,
    "MPICH": mpich_tests,
    "ScaLAPACK": scalapack_tests,
    "FFTW": fftw_tests,
    "HPCC": hpcc_tests,
}


def algorithms() -> dict[str, list[str]]:
    """All algorithms, by collective."""
    told = subprocess.run(
        [ROOT / "toccata", "list", "--json"], check=True, stdout=subprocess.PIPE, text=True
    )
    result: dict[str, list[str]] = {}
    for entry in json.loads(told.stdout):
        result.setdefault(entry["collective"], []).append(entry["name"].split("/")[1])
    return result


def forced_sets(known: dict[str, list[str]], number: int) -> Iterable[tuple[str, Settings]]:
    """Sets of forced algorithms that together contain every one. A set has two algorithms per
    collective, for short and for long messages."""
    for i in range(number):
        settings = {}
        for collective, names in known.items():
            first, second = (names[(2 * i + k) % len(names)] for k in range(2))
            # The tests have messages below and above 64 bytes.
            settings[f"TOCCATA_{collective.upper()}"] = f"{first}<=64,{second}"
        yield f"forced {i + 1}", settings


def from_files(known: dict[str, list[str]], folder: Path) -> Settings:
    """Settings that serve every collective from a file, which this function writes.

    The file contains the first algorithm that can be written for all numbers of ranks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    settings = {}
    for collective, names in known.items():
        path = folder / f"{collective}.json"
        for name in names:
            command = [str(ROOT / "toccata"), "prove", f"{collective}/{name}", "-o", str(path)]
            command += ["--ranks", RANKS_IN_FILES]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                settings[f"TOCCATA_{collective.upper()}"] = f"file:{path}"
                print(f"suites: {collective} from a file: {name}", flush=True)
                break
        else:
            print(f"suites: {collective} from no file: {done.stderr.strip()}", flush=True)
    return settings


class Family:
    """One MPI: starts its tests."""

    def __init__(self, name: str) -> None:
        self.name = name
        build = ROOT / "build" / "release"
        self.library = str(build / "lib" / name / "libtoccata.so")
        self.launcher = [f"mpiexec.{name}"]
        self.always: list[str] = []
        if name == "openmpi":
            self.launcher += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
            self.launcher += ["--allow-run-as-root"] if os.getuid() == 0 else []
        else:  # waiting ranks of MPICH do not release the core
            self.always = [str(build / "tests" / "mpi" / "libpatience.so")]

    def outcome(self, test: Test, settings: Settings | None) -> tuple[bool, str]:
        """Whether the test passes, preloaded with these settings or (None) bare; and its output."""
        loaded = self.always + ([] if settings is None else [self.library])
        environment = {"LD_PRELOAD": " ".join(loaded), **(settings or {})}
        done = Job(self.launcher, PATIENCE, test.command, test.ranks, environment).outcome()
        output = done.stdout + done.stderr
        return done.returncode == 0 and test.passed in output, output


@dataclass
class Row:
    """Counts of one suite under one MPI with one kind of settings."""

    suite: str
    mpi: str
    settings: str
    passed: int = 0
    failed: int = 0
    left_out: int = 0  # tests that fail bare


def run(
    family: Family, tests: list[Test], kinds: dict[str, list[tuple[str, Settings]]], log: Path
) -> list[Row]:
    rows = {
        (suite, kind): Row(suite, family.name, kind)
        for suite in dict.fromkeys(test.suite for test in tests)
        for kind in kinds
    }
    started = time.monotonic()
    unsteady: set[Test] = set()
    for at, test in enumerate(tests):
        clock = time.monotonic() - started
        words = f"{test.suite} {test.name}, {test.ranks} ranks"
        print(f"[{clock:5.0f} s] {family.name} {at + 1}/{len(tests)}: {words}", flush=True)
        if not family.outcome(test, None)[0]:
            print("  fails bare: left out", flush=True)
            unsteady.add(test)
        for kind, sets in kinds.items():
            row = rows[test.suite, kind]
            if test in unsteady:
                row.left_out += 1
                continue
            failed = [
                (name, settings, output)
                for name, settings in sets
                for passed, output in [family.outcome(test, settings)]
                if not passed
            ]
            if failed and not all(family.outcome(test, None)[0] for _ in range(5)):
                unsteady.add(test)  # it sometimes fails bare, too
                row.left_out += 1
                continue
            row.passed += not failed
            row.failed += bool(failed)
            for name, settings, output in failed:
                print(f"  FAILED: {name}: {words}", flush=True)
                with log.open("a") as file:
                    file.write(f"== {family.name}, {words}, {name}: {settings}\n{output}\n")
    return list(rows.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--suites", type=Path, required=True, help="where suites.sh built them")
    parser.add_argument("--mpi", default="openmpi,mpich", help="of openmpi, mpich")
    parser.add_argument("--suite", default=",".join(SUITES), help=f"of {', '.join(SUITES)}")
    parser.add_argument("--only", default="", help="tests whose name contains this")
    parser.add_argument(
        "--kinds", default="unset,model,forced,files", help="of unset, model, forced, files"
    )
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "suites")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    log = options.output / "failures.log"
    log.write_text("")

    known = algorithms()
    wanted = options.kinds.split(",")
    kinds: dict[str, list[tuple[str, Settings]]] = {}
    if "unset" in wanted:
        kinds["no settings"] = [("no settings", {})]
    if "model" in wanted:
        kinds["model chooses"] = [("model chooses", {"TOCCATA": "model"})]
    if "forced" in wanted:
        kinds[f"{FORCED_SETS} forced sets"] = list(forced_sets(known, FORCED_SETS))
    if "files" in wanted:
        kinds["files"] = [("files", from_files(known, options.output / "files"))]

    rows: list[Row] = []
    for name in options.mpi.split(","):
        if shutil.which(f"mpiexec.{name}") is None:
            print(f"suites: {name} is not installed; left out")
            continue
        family = Family(name)
        tests = [
            test
            for suite, find in SUITES.items()
            if suite in options.suite.split(",")
            for test in find(options.suites, name)
            if options.only in test.name
        ]
        rows += run(family, tests, kinds, log)

    if not rows:
        print("suites: no test of these suites exists for these MPIs")
        return 0
    table = options.output / "suites.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["date", *vars(rows[0])])
        for row in rows:
            writer.writerow([datetime.date.today().isoformat(), *vars(row).values()])
    print("\n| suite | MPI | settings | pass | fail | fail bare, left out |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(map(str, vars(row).values())) + " |")
    failures = sum(row.failed for row in rows)
    print(f"\nsuites: {sum(row.passed for row in rows)} pass, {failures} fail ({table})")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
