"""`toccata demo`."""

from pathlib import Path

import pytest

from test_cli import bench, invoke
from toccata import demo


def test_demo(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, stderr = invoke("demo", "--no-hosts", "--mpi", "openmpi")
    assert (code, stderr) == (0, "")
    # The fake's second algorithm takes twice as long as its first.
    for place in ("2 ranks", "4 ranks"):
        assert f"{place}: Toccata takes 2.00 of native's time in the geometric mean" in stdout
    assert (machine / "results/demo.png").stat().st_size > 1000
    runs = (machine / "log").read_text().splitlines()
    # Two places, four collectives of four sizes; what is slower is measured twice more.
    assert len(runs) == 8 + 32 * demo.AGAIN
    library = machine / "home/lib/openmpi/libtoccata.so"
    assert all(f'exec "$@" {library} ' in each for each in runs)
    assert all("--algorithms native;auto" in each for each in runs)


def test_demo_of_everything(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    monkeypatch.setattr(demo, "WHOLE_HERE", (demo.Place("2 ranks", 2, (8, 64), ("bcast",)),))
    code, stdout, stderr = invoke("demo", "--no-hosts", "--whole", "--mpi", "openmpi")
    assert (code, stderr) == (0, "")
    # By the fake all are twice as slow, and so each is measured twice more.
    runs = (machine / "log").read_text().splitlines()
    assert len(runs) == 1 + 2 * demo.AGAIN
    assert "2 ranks: Toccata takes 2.00" in stdout


def test_demo_says_why_there_are_no_hosts(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "why_no_hosts", lambda: "there is no room")
    code, stdout, _ = invoke("demo")
    assert code == 0
    assert "without the four hosts, where there is more to win: there is no room" in stdout


def test_bench_of_the_automatic_choice(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert bench("--algorithms", "native,auto,ring")[0] == 0
    assert "libtoccata.so" in (machine / "log").read_text()
    (machine / "log").unlink()
    assert bench("--algorithms", "native,ring")[0] == 0
    assert "libtoccata.so" not in (machine / "log").read_text()
