"""`toccata explain`."""

import json
from pathlib import Path
from typing import Any

import pytest

from test_cli import invoke
from toccata import reports
from toccata.errors import InputError


def row(**more: Any) -> dict[str, Any]:
    return {
        "collective": "allgather", "ranks": 16, "nodes": 4, "bytes": 4096, "calls": 1000,
        "total_bytes": 4096000, "seconds": 0.025, "choice": "locality_bruck:lanes=all",
        "reason": "guarded", "predicted": 2.1e-5, "measured": 2.5e-5, "native": 5e-5, "bound": 0,
    } | more  # fmt: skip


SAMPLE = {
    "toccata_report": 1,
    "mpi": "Open MPI\tv4.1.4",
    "ranks": 16,
    "seconds": 0.1,
    "rows": [
        row(),
        row(choice="native", reason="native", calls=64, seconds=0.005, measured=5e-5),
        row(collective="alltoallv", bytes=-1, choice="native", reason="native", seconds=0.01,
            predicted=0, measured=0, native=0),
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
    assert found.before == pytest.approx(0.065)  # what was compared took twice as long
    assert [each.before for each in found.rows] == pytest.approx([0.05, 0.005, 0.01])


def test_explain_a_report(report: Path, tmp_path: Path) -> None:
    picture = tmp_path / "run.png"
    code, stdout, stderr = invoke("explain", str(report), "-o", str(picture))
    assert (code, stderr) == (0, "")
    assert "16 ranks   Open MPI v4.1.4" in stdout
    assert "in collectives for 40.00 ms, 40% of the run's 100.00 ms" in stdout
    assert "by native it would have been 65.00 ms: won 25.00 ms, 38%" in stdout
    assert "native was compared for 62% of the time" in stdout
    assert "most of it in allgather of 4K by locality_bruck:lanes=all: 25.00 ms" in stdout
    assert "×2.00" in stdout
    assert "guarded: found by trials in this run" in stdout
    assert picture.stat().st_size > 1000


def test_a_loss_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(SAMPLE | {"rows": [row(native=1e-5, reason="forced")]}))
    found = reports.read(path)
    assert "lost 15.00 ms" in reports.summary(found)[1]
    path.write_text(json.dumps(SAMPLE | {"rows": []}))
    assert "nothing was served" in reports.summary(reports.read(path))[1]
    assert invoke("explain", str(path))[0] == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nothing", "is no report; TOCCATA_REPORT=FILE.json"),
        ('{"toccata_report": 7}', "is of version 7"),
        ('{"toccata_report": 1}', "rows is missing"),
        ('{"toccata_report": 1, "rows": [{}], "mpi": "", "ranks": 1}', "collective is missing"),
        ('{"toccata_report": 1, "rows": [], "mpi": "", "ranks": "x"}', "cannot be understood"),
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
    assert "among 16 ranks on 4 node(s)" in lines[0]
    tried = [line.split()[0] for line in lines[first:-1] if "*" in line]
    assert 1 <= len(tried) <= 5
    assert lines[first].startswith(tried[0])
    assert f": {tried[0].rstrip('*')}, modelled: nothing was measured" in lines[0]
    assert any(line.startswith("bruck") for line in lines)
    assert "no algorithm takes less than" in lines[-1]


def test_explain_what_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    point = {"collective": "allgather", "ranks": 16, "nodes": 4, "bytes": 1000, "choice": "ring"}
    path.write_text(json.dumps({"toccata_tuning": 1, "points": [point]}))
    _, stdout, _ = invoke("explain", "allgather", *PLACE, "--tuning", str(path))
    assert ": ring, tuned: the nearest point of" in stdout
    far = ("--ranks", "2", "--tuning", str(path))
    assert "has no point that is near" in invoke("explain", "allgather", *far)[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("explain quick", "'quick' is no file and no collective"),
        ("explain nothing.json", "nothing.json: cannot be read"),
        ("explain allgather", "Give --ranks"),
        ("explain allgather -p 4 -o x.png", "--output draws reports"),
        ("explain allgather -p 4 --tuning x.json", "x.json: cannot be read"),
        ("explain allgather -p 4 --model nobody", "'nobody'"),
        ("explain x.json -o x.gif", "x.gif"),
    ],
)
def test_bad_input(arguments: str, said: str) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr
