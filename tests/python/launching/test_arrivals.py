"""Waiting and working in `toccata explain`."""

import json
from pathlib import Path
from typing import Any

import pytest

from running import invoke
from toccata.launching import reports
from toccata.launching.arrivals import Arrivals

RANKS = 4


def row(collective: str, waiting: float, working: float, awaited: list[float]) -> dict[str, Any]:
    """1000 calls; the rank that is awaited most arrives last."""
    most = awaited.index(max(awaited))
    return {
        "collective": collective, "ranks": RANKS, "nodes": 2, "bytes": 4096, "calls": 1000,
        "total_bytes": 4096000, "seconds": 1.5, "choice": "native", "reason": "native",
        "predicted": 0, "measured": 0, "native": 0, "bound": 1e-4, "why": "few",
        "arrivals": {
            "sampled": 100, "waiting": waiting, "working": working,
            "after_first": [1e-3 if rank == most else 0.0 for rank in range(RANKS)],
            "awaited": awaited, "last": [1000.0 if rank == most else 0.0 for rank in range(RANKS)],
        },
    }  # fmt: skip


def sample(awaited: list[float], hosts: list[str] | None = None) -> dict[str, Any]:
    return {
        "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": RANKS, "seconds": 10.0,
        "node": "", "devices": [],
        "rows": [
            row("allreduce", 1e-3, 5e-4, awaited),
            row("bcast", 0.0, 5e-5, [0.0] * RANKS),
        ],
        "arrivals": {
            "hosts": hosts or ["n1", "n1", "n2", "n2"], "waiting": [1.0] * RANKS,
            "working": [0.55] * RANKS, "left_out": 0, "clock_error": 1e-6,
        },
    }  # fmt: skip


def answers(document: dict[str, Any], folder: Path) -> list[str]:
    path = folder / "run.json"
    path.write_text(json.dumps(document))
    return reports.answers(reports.read(path))


def test_the_first_lines_answer_three_questions(tmp_path: Path) -> None:
    lines = answers(sample([0.0, 0.2, 3.6, 0.2]), tmp_path)
    assert lines == [
        "blocking collectives: 16% of the time, 1.55 s of 10.00 s (mean over ranks)",
        "waiting for ranks that arrive later: 65% of that, 1.00 s; 90% of it for rank 2 on n2",
        "available to better algorithms: at most 400.00 ms, 4% of the time (working, above the "
        "lower bound where it is known)",
    ]
    stdout = invoke("explain", str(tmp_path / "run.json"))[1]
    assert stdout.splitlines()[:3] == lines


def test_available_contains_no_waiting(tmp_path: Path) -> None:
    """Working of 500 µs with a bound of 100 µs; the broadcasts are faster than their bound."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(sample([0.0, 0.2, 3.6, 0.2])))
    first, second = reports.read(path).rows
    assert first.available == pytest.approx(0.4) and second.available == 0


@pytest.mark.parametrize(
    ("awaited", "hosts", "said"),
    [
        ([1.0, 1.0, 1.0, 1.0], ["n1"] * RANKS, "no single rank is late"),
        ([2.0, 1.5, 0.3, 0.2], ["n1"] * RANKS, "no single rank is late"),
        ([3.0, 0.5, 0.3, 0.2], ["n1"] * RANKS, "75% of it for rank 0"),
        ([0.1, 0.1, 2.0, 1.8], ["n1", "n1", "n2", "n2"], "95% of it for host n2"),
        ([1.0, 1.0, 1.0, 1.0], ["n1", "n1", "n2", "n2"], "no single rank is late"),
    ],
)
def test_for_which_ranks(awaited: list[float], hosts: list[str], said: str, tmp_path: Path) -> None:
    assert answers(sample(awaited, hosts), tmp_path)[1].endswith(said)


def test_short_waiting_makes_no_rank_late() -> None:
    arrivals = Arrivals(["n"] * 2, [0.01, 0.0], [1.0, 1.0], 0, 0.0)
    assert arrivals.late([0.0, 0.01], [0.0, 10.0]) is None


def test_reports_without_arrivals(tmp_path: Path) -> None:
    """Toccata 0.3 wrote such reports."""
    old = sample([1.0] * RANKS)
    del old["arrivals"]
    for each in old["rows"]:
        del each["arrivals"]
    assert answers(old, tmp_path) == []
    code, stdout, _ = invoke("explain", str(tmp_path / "run.json"))
    assert code == 0 and "waiting for ranks" not in stdout
