"""`toccata explain before.json after.json`."""

import json
from pathlib import Path
from typing import Any

import pytest

from running import invoke
from toccata.launching import comparing, reports

# As Toccata 0.3 wrote it.
OLD: dict[str, Any] = {
    "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": 4, "seconds": 1.0, "devices": [],
    "rows": [{
        "collective": "allreduce", "ranks": 4, "nodes": 1, "bytes": 8, "calls": 100,
        "total_bytes": 800, "seconds": 0.02, "outside": 0.0, "choice": "native",
        "reason": "native", "why": "rounds", "predicted": 0.0, "measured": 0.0, "native": 0.0,
        "bound": 0.0,
    }],
}  # fmt: skip


def row(working: float, calls: int = 100, waiting: float = 1e-4, **more: Any) -> dict[str, Any]:
    arrivals = {
        "sampled": 10, "waiting": waiting, "working": working, "after_first": [0.0] * 4,
        "awaited": [0.0] * 4, "last": [0.0] * 4,
    }  # fmt: skip
    first: dict[str, Any] = OLD["rows"][0]
    return first | {"calls": calls, "arrivals": arrivals} | more


def report(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:
    arrivals = {
        "hosts": ["n"] * 4, "waiting": [0.01] * 4, "working": [0.02] * 4, "left_out": 0,
        "clock_error": 0.0,
    }  # fmt: skip
    return OLD | {"rows": list(rows), "arrivals": arrivals, "node": ""} | more


def compared(
    before: dict[str, Any], after: dict[str, Any], folder: Path
) -> tuple[list[comparing.Change], list[str]]:
    found = []
    for name, document in (("before", before), ("after", after)):
        path = folder / f"{name}.json"
        path.write_text(json.dumps(document))
        found.append(reports.read(path))
    first, second = found
    changes = comparing.compare(first, second)
    return changes, comparing.answers(first, second, changes)


def test_the_same_calls_are_compared(tmp_path: Path) -> None:
    """Sums of 8 bytes take half the time; those of 64 bytes occur before only."""
    before = report(row(2e-4), row(1e-3, bytes=64, seconds=0.1))
    after = report(row(1e-4, calls=50, waiting=3e-4, choice="ring", reason="guarded"))
    [long, short], lines = compared(before, after, tmp_path)
    assert (long.size, long.ratio, long.in_both, long.after.calls) == ("64", None, False, 0)
    assert short.ratio == pytest.approx(0.5) and short.name == "allreduce of 8 B, 4 ranks"
    assert (short.before.calls, short.after.calls) == (100, 50)
    assert short.before.waiting == pytest.approx(1e-4)
    assert short.after.waiting == pytest.approx(3e-4)
    assert (short.before.choices, short.after.choices) == (["native"], ["ring"])
    assert lines[0].startswith("before: blocking collectives: ")
    assert lines[3].startswith("after: blocking collectives: ")
    assert lines[6].startswith("working time per call, for calls in both reports: ×0.50 (after")
    assert len(lines) == 7


def test_choices_of_a_class_are_one_row(tmp_path: Path) -> None:
    """Means over all calls, the choice of the most calls first."""
    before = report(row(1e-4, calls=30), row(4e-4, calls=60, choice="ring"))
    [change], _ = compared(before, report(row(6e-4)), tmp_path)
    assert change.before.calls == 90 and change.before.choices == ["ring", "native"]
    assert change.before.working == pytest.approx(3e-4) and change.ratio == pytest.approx(2)


def test_a_forced_choice_has_no_sizes(tmp_path: Path) -> None:
    """Then all sizes of that collective are one row, but not those of others."""
    before = report(
        row(1e-4), row(3e-4, bytes=64), row(1e-4, collective="bcast", bytes=-1),
        row(1e-4, collective="bcast", bytes=8),
    )  # fmt: skip
    after = report(
        row(1e-4, calls=200, bytes=-1, choice="ring", reason="forced"),
        row(1e-4, collective="bcast", bytes=-1), row(5e-5, collective="bcast", bytes=8),
    )  # fmt: skip
    changes, _ = compared(before, after, tmp_path)
    found = {(each.collective, each.size): each.ratio for each in changes}
    assert found == {
        ("allreduce", "all"): pytest.approx(0.5), ("bcast", "?"): pytest.approx(1),
        ("bcast", "8"): pytest.approx(0.5),
    }  # fmt: skip
    assert changes[0].name == "allreduce, all sizes, 4 ranks"


def test_reports_of_0_3(tmp_path: Path) -> None:
    """They have no arrivals, so only the times on rank 0 are compared."""
    [change], lines = compared(OLD, report(row(1e-4, seconds=0.01)), tmp_path)
    assert change.ratio is None and change.before.waiting is None
    assert change.before.per_call == pytest.approx(2e-4)
    assert change.after.per_call == pytest.approx(1e-4)
    assert lines[0] == ("before: rank 0 was in collectives for 20.00 ms, 2% of the run's 1.00 s")
    assert lines[-1].startswith("no working times: a report has no arrivals; set TOCCATA_REPORT")
    page = tmp_path / "change.html"
    paths = (str(tmp_path / "before.json"), str(tmp_path / "after.json"))
    code, stdout, _ = invoke("explain", *paths, "--html", str(page))
    assert code == 0 and "both, on rank 0" in page.read_text()
    assert "before: 4 ranks   Open MPI v4.1.4" in stdout
    for name in ("before", "after"):
        assert invoke("explain", str(tmp_path / f"{name}.json"), "--html", str(page))[0] == 0


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (report(row(1e-4, collective="bcast")), "the reports have no calls in common"),
        (report(), "the reports have no calls in common"),
        (report(row(1e-4), mpi="MPICH 4.2"), "different MPI libraries: Open MPI v4.1.4 and MPICH"),
        (
            OLD | {"ranks": 2, "rows": []},
            "the reports have 4 and 2 ranks; only communicators with the same number of ranks",
        ),
    ],
)
def test_what_cannot_be_compared_is_said(after: dict[str, Any], said: str, tmp_path: Path) -> None:
    _, lines = compared(report(row(1e-4)), after, tmp_path)
    assert any(said in line for line in lines), lines
    paths = (str(tmp_path / "before.json"), str(tmp_path / "after.json"))
    page, picture = tmp_path / "change.html", tmp_path / "change.png"
    code, stdout, stderr = invoke("explain", *paths, "--html", str(page), "-o", str(picture))
    assert (code, stderr) == (0, "") and said in stdout and said in page.read_text()
    assert picture.stat().st_size > 1000


def test_working_that_is_not_positive_has_no_ratio(tmp_path: Path) -> None:
    """Clocks have errors."""
    for working in (-1e-9, 0.0):
        [change], _ = compared(report(row(working)), report(row(1e-4)), tmp_path)
        assert change.ratio is None


def test_wrong_second_reports(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(OLD))
    missing = str(tmp_path / "missing.json")
    cases: list[tuple[tuple[str, ...], str]] = [
        ((str(path), missing), f"{missing}: cannot be read"),
        (("allgather", str(path), "-p", "4"), "a second report requires a first one"),
        ((missing, str(path), "--html", str(path)), "is also the input"),
        ((str(path), str(path), "-p", "4"), "a report has its own ranks and machine"),
    ]
    for arguments, said in cases:
        code, _, stderr = invoke("explain", *arguments)
        assert code == 2 and said in stderr and stderr.count("\n") == 1, stderr
    assert json.loads(path.read_text()) == OLD


def test_names_of_two_reports_are_not_markup(tmp_path: Path) -> None:
    before = report(row(1e-4, choice="[/red]", collective="<b>[/red]"), mpi="[/red]<b>")
    compared(before, before, tmp_path)
    paths = (str(tmp_path / "before.json"), str(tmp_path / "after.json"))
    page = tmp_path / "change.html"
    code, stdout, stderr = invoke("explain", *paths, "--html", str(page))
    assert code == 0 and stdout.count("[/red]") >= 4, stderr
    assert "<b>" not in page.read_text() and "&lt;b&gt;" in page.read_text()
