"""`toccata explain`."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import BUILD, ROOT, Toccata
from running import invoke
from toccata import _core
from toccata.errors import InputError
from toccata.launching import reports


def row(**more: Any) -> dict[str, Any]:
    return {
        "collective": "allgather", "ranks": 16, "nodes": 4, "bytes": 4096, "calls": 1000,
        "total_bytes": 4096000, "seconds": 0.025, "choice": "locality_bruck:lanes=all",
        "reason": "trials", "predicted": 2.1e-5, "measured": 2.5e-5, "native": 5e-5, "bound": 0,
        "why": "",
    } | more  # fmt: skip


SAMPLE = {
    "toccata_report": 1,
    "mpi": "Open MPI\tv4.1.4",
    "ranks": 16,
    "seconds": 0.1,
    "node": "here: ranks share memory",
    "devices": [],
    "rows": [
        row(),
        row(choice="native", reason="native", calls=64, seconds=0.005, measured=5e-5),
        row(collective="alltoallv", bytes=-1, choice="native", reason="native", seconds=0.01,
            predicted=0, measured=0, native=0, why="first"),
    ],
}  # fmt: skip


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLE))
    return path


def test_what_was_won(report: Path) -> None:
    found = reports.read(report)
    assert found.after == pytest.approx(0.04)
    assert found.before == pytest.approx(0.065)  # the compared calls took twice as long
    assert [found.native_time(each) for each in found.rows] == pytest.approx([0.05, 0.005, 0.01])


def test_explain_a_report(report: Path, tmp_path: Path) -> None:
    picture = tmp_path / "run.png"
    code, stdout, stderr = invoke("explain", str(report), "-o", str(picture))
    assert (code, stderr) == (0, "")
    assert "16 ranks   Open MPI v4.1.4" in stdout
    assert "in collectives for 40.00 ms, 40% of the run's 100.00 ms" in stdout
    assert "with native, it would have been 65.00 ms: Toccata saved 25.00 ms, 38%." in stdout
    assert "devices" not in stdout
    assert "node: here: ranks share memory" in stdout
    assert "Native was measured for calls with 75% of the time in collectives" in stdout
    assert "the largest saving: allgather of 4 KiB by locality_bruck:lanes=all, 25.00 ms" in stdout
    assert "2.00×" in stdout
    assert "trials: fastest in trials of this run" in stdout
    assert picture.stat().st_size > 1000


def test_reports_of_older_libraries_have_another_word_for_trials(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLE | {"rows": [row(reason="guarded")]}))
    assert "guarded: fastest in trials, by an older library" in invoke("explain", str(path))[1]


def test_devices_are_named(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLE | {"devices": ["CUDA is loaded; the MPI library accepts"]}))
    assert "devices: CUDA is loaded; the MPI library accepts" in invoke("explain", str(path))[1]
    older = {key: value for key, value in SAMPLE.items() if key not in ("devices", "node")}
    path.write_text(json.dumps(older))
    assert reports.read(path).devices == []


def test_a_loss_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLE | {"rows": [row(native=1e-5, reason="forced")]}))
    found = reports.read(path)
    assert "lost 15.00 ms" in reports.summary(found)[1]
    assert reports.summary(found)[2].startswith(
        "the largest loss: allgather of 4 KiB by locality_bruck"
    )
    assert len(reports.summary(found)) == 3
    path.write_text(json.dumps(SAMPLE | {"rows": []}))
    assert "no algorithm of Toccata was compared" in reports.summary(reports.read(path))[1]
    assert invoke("explain", str(path))[0] == 0


def of(*rows: dict[str, Any], path: Path) -> reports.Report:
    path.write_text(json.dumps(SAMPLE | {"rows": list(rows)}))
    return reports.read(path)


def test_times_of_several_communicators_are_means_over_all_ranks(tmp_path: Path) -> None:
    """Four communicators of two ranks each: each rank was in collectives for 1 s, not for 4."""
    row = {
        "collective": "bcast", "ranks": 2, "nodes": 1, "bytes": 8, "calls": 400,
        "total_bytes": 3200, "seconds": 4.0, "outside": 0.0, "choice": "native",
        "reason": "native", "why": "few",
        "predicted": 0, "measured": 0, "native": 0, "bound": 0,
        "arrivals": {"sampled": 400, "waiting": 7.5e-3, "working": 2.5e-3, "after_first": [0] * 8,
                     "awaited": [0] * 8, "last": [0] * 8},
    }  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps({
        "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": 8, "seconds": 2.0, "rows": [row],
        "arrivals": {"hosts": ["a"] * 8, "waiting": [0.75] * 8, "working": [0.25] * 8,
                     "clock_error": 0.0, "left_out": 0},
    }))  # fmt: skip
    code, stdout, stderr = invoke("explain", str(path))
    assert (code, stderr) == (0, "")
    assert "blocking collectives: 50% of the time, 1.00 s of 2.00 s (mean over ranks)" in stdout
    assert "the ranks were, on average, in collectives for 1.00 s, 50% of the run's" in stdout
    assert "native served 100% of the time" in stdout


def test_gains_and_losses_are_told_apart(tmp_path: Path) -> None:
    """The largest gain is not reported as a loss; native calls count as compared."""
    nothing = {"choice": "native", "reason": "native", "why": ""}
    report = of(
        row(collective="bcast", choice="bine", seconds=0.001, measured=1e-5, native=4e-5),
        row(choice="ring", seconds=0.010, measured=5e-5, native=2.5e-5),
        row(seconds=0.089, measured=2.5e-5, native=2.5e-5, **nothing),
        row(collective="alltoall", seconds=0.1, measured=2.5e-5, native=2.5e-5, **nothing),
        path=tmp_path / "run.json",
    )
    _, total, won, lost = reports.summary(report)
    assert "lost 2.00 ms" in total and "measured for calls with 50% of the time" in total
    assert won == "the largest saving: bcast of 4 KiB by bine, 3.00 ms"
    assert lost == "the largest loss: allgather of 4 KiB by ring, 5.00 ms"


def test_why_native_serves(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    native = {"choice": "native", "reason": "native", "measured": 0, "native": 0, "bytes": 512}
    report = of(
        row(collective="allreduce", seconds=0.052, **native, why="rounds"),
        row(collective="scan", seconds=0.01, **native, why=""),
        row(collective="bcast", choice="bine", bytes=1024, calls=6, seconds=1e-5, measured=4e-6,
            native=5e-6),
        row(collective="bcast", seconds=0.02, calls=152844, **{**native, "bytes": 1024}),
        row(collective="gather", choice="linear", calls=6, seconds=1e-5, measured=6e-6,
            native=5e-6, bytes=512),
        row(collective="gather", seconds=0.01, **native, why=""),
        row(collective="exscan", seconds=1e-5, **{**native, "bytes": 8}, why="rounds"),
        row(collective="exscan", nodes=2, reason="network", seconds=1e-5, calls=9, bytes=8,
            measured=0, native=0),
        row(choice="native, for neighbor_exchange", reason="forced", ranks=3, bytes=-1,
            seconds=0.005, measured=0, native=0),
        row(collective="reduce", choice="native, for ring", reason="forced", bytes=-1,
            seconds=0.003, measured=0, native=0),
        path=path,
    )  # fmt: skip
    first, *lines = reports.reasons(report)
    assert first == "native served 100% of the time in collectives, because:"
    told = {line.split()[1].rstrip(":"): line for line in lines}
    assert told["allreduce"] == (
        "   52%  allreduce: floating-point sums and user-defined operations: Toccata changes no "
        "algorithm by trials here, so that every run gives the same bits; for the sums, "
        "TOCCATA=learn with TOCCATA_SUMS=learn finds the fastest algorithm for the next run, "
        "TOCCATA_SUMS=all for this run"
    )
    assert "too few calls: trials begin" in told["scan"]
    assert (
        "bine is 1.25× faster than native in trials (6 calls), but not chosen yet" in told["bcast"]
    )
    assert "the best candidate of 1 is not faster: linear takes 1.20×" in told["gather"]
    assert "needs an even number of ranks (there are 3 ranks)" in told["allgather"]
    assert "reduce: ring cannot run here" in told["reduce"]
    words = {each.collective: reports.why_native(each, report.rows)[0] for each in report.rows}
    assert words["allreduce"] == "same bits"
    assert "a fixed rule serves the later ones" in told["exscan"]
    assert words["allgather"] == "impossible"
    assert [reports._reason(each, report.rows) for each in report.rows[2:5:2]] == 2 * ["tried"]
    stdout = invoke("explain", str(path))[1]
    assert "nothing else was better" not in stdout
    rows = [each for each in stdout.splitlines() if each.startswith("bcast")]
    # Time per call has its own column, so that readers do not confuse it with the time of trials.
    assert "Per call" in stdout and "In trials" in stdout
    assert [" 0.13 " in each for each in rows if "native" in each] == [True]


def test_reports_of_before_do_not_say_why(tmp_path: Path) -> None:
    old = row(choice="native", reason="native", bytes=-1, measured=0, native=0)
    del old["why"]
    report = of(old, path=tmp_path / "run.json")
    assert "run again with this library" in reports.reasons(report)[1]


def test_a_real_run_says_why(toccata: Toccata, tmp_path: Path) -> None:
    program, library = (BUILD / "examples/openmpi/cg", BUILD / "lib/openmpi/libtoccata.so")
    if not program.exists() or not library.exists():
        pytest.skip("not built for Open MPI")
    command = [str(ROOT / "scripts/mpiexec.sh"), "openmpi", "3", str(program), "32"]
    done = subprocess.run(
        [*command[:3], "env", f"LD_PRELOAD={library}", f"TOCCATA_REPORT={tmp_path / 'run.json'}",
         *command[3:]],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = reports.read(tmp_path / "run.json")
    sums = [each for each in report.rows if each.collective == "allreduce" and each.is_native]
    assert {each.why for each in sums} == {"rounds"} and all(each.bytes > 0 for each in sums)
    assert "every run gives the same bits" in toccata("explain", str(tmp_path / "run.json")).stdout


class Deadlock:
    """The model gives an error for a wrong algorithm, and the times of all others."""

    def __init__(self, choice: Any, shape: Any) -> None:
        self.name = choice.text

    def seconds(self, size: int, model: Any, *_arrivals: object) -> float:
        if self.name == "ring":
            raise _core.ChoiceError("rank 2, round 0: waits forever")
        return 1e-6


def test_a_wrong_algorithm_is_named_and_others_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_core, "Predictor", Deadlock)
    code, stdout, stderr = invoke("explain", "allgather", "-p", "4")
    assert code == 1
    assert stderr == (
        "toccata: allgather/ring is wrong: rank 2, round 0: waits forever; `toccata verify "
        "allgather` shows all\n"
    )
    rows = {line.split()[0].rstrip("*"): line for line in stdout.splitlines() if "×" in line}
    assert "wrong" in rows["ring"] and "1.00" in rows["bruck"]
    code, _, stderr = invoke("predict", "allgather/ring", "--ranks", "4", "--model", "usual")
    assert (code, stderr) == (1, "toccata: allgather/ring is wrong: rank 2, round 0: waits "
                                 "forever\n")  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "is not a report; TOCCATA_REPORT=FILE.json"),
        ('{"toccata_report": 7}', "has version 7"),
        ('{"toccata_report": 1, "mpi": "", "ranks": 1, "seconds": 1}', "rows is missing"),
        (
            '{"toccata_report": 1, "rows": [{}], "mpi": "", "ranks": 1, "seconds": 1}',
            "rows[0].collective is missing; TOCCATA_REPORT=FILE.json",
        ),
        (
            '{"toccata_report": 1, "rows": [], "mpi": "", "ranks": "x", "seconds": 1}',
            "ranks: expected 'int', got 'str'",
        ),
    ],
)
def test_what_is_wrong_with_a_report(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"run\.json") as caught:
        reports.read(path)
    assert said in str(caught.value)


PLACE = ("--ranks", "16", "--bytes", "1K", "--machine", "node:4 core:4")


def test_explain_a_call() -> None:
    code, stdout, _ = invoke("explain", "allgather", *PLACE, "--model", "gigabit")
    assert code == 0
    lines = stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("Candidate")) + 1
    assert "with 16 ranks on 4 nodes" in lines[0]
    tried = [line.split()[0] for line in lines[first:-1] if "*" in line]
    assert 1 <= len(tried) <= 6
    assert lines[first].startswith(tried[0])
    assert f": {tried[0].rstrip('*')}, modelled: no measurement exists" in lines[0]
    assert any(line.startswith("bruck") for line in lines)
    assert "lower bound by this model" in lines[-1]


def test_explain_a_fixed_rule() -> None:
    code, stdout, _ = invoke("explain", "allreduce", *PLACE, "--native", "openmpi-5.0")
    assert code == 0
    rule = "hierarchical:between=recursive_multiplying,travel=published, by a fixed rule of Toccata"
    assert f"16 ranks on 4 nodes: {rule} for openmpi-5.0\n" in stdout
    assert "trials" not in stdout
    _, stdout, _ = invoke("explain", "bcast", *PLACE, "--native", "openmpi-5.0")
    assert "knomial, by a fixed rule of Toccata" in stdout
    assert "trials compare it with native" in stdout
    _, stdout, _ = invoke("explain", "allreduce", "-p", "4", "--native", "mpich-5.0")
    assert "4 ranks on 1 node: shared:reducers=whole, by a fixed rule of Toccata" in stdout
    ethernet = ("--native", "openmpi-5.0", "--model", "gigabit")
    _, stdout, _ = invoke("explain", "allgather", *PLACE[:2], *PLACE[4:], "--bytes", "8", *ethernet)
    assert "locality_bruck:travel=published, by a fixed rule" in stdout
    assert "--native MPI applies them" in invoke("explain", "bcast", *PLACE)[1]


def test_explain_what_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    point = {"collective": "allgather", "ranks": 16, "nodes": 4, "bytes": 1000, "choice": "ring"}
    path.write_text(json.dumps({"toccata_tuning": 1, "points": [point]}))
    _, stdout, _ = invoke("explain", "allgather", *PLACE, "--tuning", str(path))
    assert ": ring, tuned: by the nearest point of" in stdout
    far = ("--ranks", "2", "--tuning", str(path))
    assert "has no point nearby" in invoke("explain", "allgather", *far)[1]


@pytest.mark.parametrize(
    ("native", "machine", "said"),
    [
        ("openmpi-4.1", "node:4 core:4", "openmpi-4.1 uses recursive_doubling, predicted: "),
        ("openmpi-5.0", "node:4 core:4", "uses hierarchical:between=reduce_bcast, predicted: "),
        ("openmpi-5.0.11", "node:16 core:1", "openmpi-5.0.11 uses recursive_doubling, predicted: "),
        ("mpich-5.0", "node:4 core:4", "mpich-5.0 uses hierarchical:between=rabenseifner, "),
    ],
)
def test_explain_the_native_algorithm(native: str, machine: str, said: str) -> None:
    where = ("--ranks", "16", "--bytes", "1K", "--machine", machine)
    code, stdout, _ = invoke("explain", "allreduce", *where, "--native", native)
    assert code == 0
    assert said in stdout
    unknown = invoke("explain", "scan", *where, "--native", native)[1]
    assert f"{native}: its algorithm for scan is not known" in unknown


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("explain allgather -p 4 --native intelmpi-2021.18", "expected openmpi or mpich"),
        ("explain allgather -p 4 --native openmpi", "'openmpi' are not known"),
        ("explain quick", "'quick' is neither a file nor a collective"),
        ("explain nothing.json", "nothing.json: cannot be read"),
        ("explain allgather", "give --ranks"),
        ("explain allgather -p 4 -o x.png", "--output requires a report"),
        ("explain allgather -p 4 --html x.html", "--html requires a report"),
        ("explain allgather -p 4 --tuning x.json", "x.json: cannot be read"),
        ("explain allgather -p 4 --model unknown", "'unknown'"),
        ("explain x.json -o x.gif", "x.gif"),
    ],
)
def test_bad_input(arguments: str, said: str) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr
