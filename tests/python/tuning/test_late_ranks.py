"""`toccata tune --report`: choices for a rank that was late in an earlier run."""

import json
from pathlib import Path
from typing import Any

import pytest

from running import invoke
from toccata import _core
from toccata.launching import reports
from toccata.models import predicting
from toccata.tuning import late_ranks, session, tuning_file

RANKS = 16
HOSTS = [f"n{rank}" for rank in range(RANKS)]


def row(late: int, share: float = 0.9, **other: Any) -> dict[str, Any]:
    """1000 allreduces of 64 KiB. A share of them waits for the late rank, 5 ms on average."""
    last = [(1 - share) * 1000 / (RANKS - 1)] * RANKS
    last[late] = share * 1000
    after_first = [5e-3 if rank == late else 0.0 for rank in range(RANKS)]
    return {
        "collective": "allreduce", "ranks": RANKS, "nodes": RANKS, "bytes": 65536, "calls": 1000,
        "total_bytes": 65536000, "seconds": 6.0, "choice": "native", "reason": "native",
        "predicted": 0, "measured": 0, "native": 0, "bound": 1e-4, "why": "few",
        "arrivals": {
            "sampled": 100, "waiting": 5e-3, "working": 1e-3, "after_first": after_first,
            "awaited": [5.0 * each / 1000 for each in last], "last": last,
        },
    } | other  # fmt: skip


def report(folder: Path, *rows: dict[str, Any], **other: Any) -> Path:
    path = folder / "run.json"
    document = {
        "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": RANKS, "seconds": 10.0,
        "node": "", "devices": [], "rows": rows,
        "arrivals": {
            "hosts": HOSTS, "waiting": [5.0] * RANKS, "working": [1.0] * RANKS,
            "left_out": 0, "clock_error": 1e-6,
        },
    } | other  # fmt: skip
    path.write_text(json.dumps({key: each for key, each in document.items() if each is not None}))
    return path


def choices(path: Path) -> dict[int, str]:
    found = late_ranks.tuning(reports.read(path), predicting.read_model("usual"))
    return {each.bytes: each.choice for each in found.points}


def test_a_late_rank_gets_the_algorithm_that_names_it(tmp_path: Path) -> None:
    [choice] = choices(report(tmp_path, row(5))).values()
    assert choice.startswith("late:late=5")
    assert not _core.parse_choice("allreduce", choice).why_impossible(_core.Shape(RANKS))


@pytest.mark.parametrize(
    "other",
    [
        {"collective": "bcast"},  # no algorithm for a late rank
        {"ranks": RANKS // 2},  # unknown ranks
        {"bytes": -1},
        {"arrivals": None},
    ],
)
def test_other_calls_get_no_choice(tmp_path: Path, other: dict[str, Any]) -> None:
    assert choices(report(tmp_path, row(5, **other))) == {}


def test_a_rank_that_is_seldom_last_gets_no_choice(tmp_path: Path) -> None:
    assert choices(report(tmp_path, row(5, share=0.6))) == {}


def test_too_short_waiting_gets_no_choice(tmp_path: Path) -> None:
    """The others cannot reduce in a nanosecond."""
    short = row(5)
    short["arrivals"]["after_first"][5] = 1e-9
    assert choices(report(tmp_path, short)) == {}


def test_tune_writes_a_file(tmp_path: Path) -> None:
    output = tmp_path / "late.json"
    picture = tmp_path / "late.png"
    code, stdout, stderr = invoke(
        "tune", "--report", str(report(tmp_path, row(5))), "-o", str(output),
        "--heatmap", str(picture),
    )  # fmt: skip
    assert (code, stderr) == (0, "")
    assert picture.exists()
    assert "late:late=5" in stdout
    [point] = tuning_file.read(output).points
    assert (point.collective, point.ranks, point.nodes) == ("allreduce", RANKS, RANKS)
    others = [seconds for name, seconds in point.medians.items() if not name.startswith("late")]
    assert 0 < point.seconds * late_ranks.LEAST_GAIN <= min(others)


@pytest.mark.parametrize(
    ("other", "complaint"),
    [
        ({}, "no call has a late rank for which allreduce/late is predicted to be faster"),
        ({"arrivals": None}, "contains no arrivals; set TOCCATA_REPORT on all ranks"),
    ],
)
def test_tune_complains(tmp_path: Path, other: dict[str, Any], complaint: str) -> None:
    path, output = report(tmp_path, **other), tmp_path / "late.json"
    code, _, stderr = invoke("tune", "--report", str(path), "-o", str(output))
    assert code == 1
    assert complaint in stderr
    assert stderr.count("\n") == 1
    assert not output.exists()


def test_tune_knows_the_hosts_of_a_report(tmp_path: Path) -> None:
    path = report(tmp_path, row(5))
    code, _, stderr = invoke("tune", "--report", str(path), "--machine", "node:4 core:4")
    assert code == 2
    assert "leave out --machine and --placement: --report contains the hosts" in stderr


def test_tune_measures_no_algorithm_for_a_late_rank() -> None:
    assert "late" not in session._candidates("allreduce", "all")
    assert not any(each.startswith("late") for each in session._candidates("allreduce", "variants"))
    assert "late:late=3" in session._candidates("allreduce", "late:late=3")
