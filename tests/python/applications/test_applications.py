"""`make applications`: the search for settings, the shares of the gain, and results."""

import csv
from dataclasses import replace
from pathlib import Path

import page
import programs
import pytest

import applications
from toccata.launching import reports

PROGRAM = next(each for each in programs.PROGRAMS if each.name == "espresso")


def report(**seconds: float) -> reports.Report:
    rows = [
        reports.Row(
            collective=name, ranks=4, nodes=1, bytes=64, calls=100, total_bytes=6400,
            seconds=time, choice="native", reason="native", predicted=0, measured=0, native=0,
            bound=0,
        )
        for name, time in seconds.items()
    ]  # fmt: skip
    return reports.Report("Open MPI", 4, 20, rows)


class FakeBench(applications.Bench):
    """Allreduce takes 10 s, or 6 s with `ring`; bcast always 3 s; a barrier almost nothing."""

    tried: list[dict[str, str]]

    def report(self, settings: dict[str, str]) -> reports.Report:
        self.tried.append(settings)
        wins = settings["TOCCATA_ALLREDUCE"] == "ring"
        return report(allreduce=6 if wins else 10, bcast=3, barrier=0.1)


def bench(folder: Path) -> FakeBench:
    place = applications.Place("one node", 4, ("mpiexec",))
    made = FakeBench(PROGRAM, place, folder / "lib.so", folder, 10, None)
    object.__setattr__(made, "tried", [])
    return made


def test_the_search_takes_what_is_faster_and_tries_what_runs_chose(tmp_path: Path) -> None:
    [row] = report(allreduce=8).rows
    chose = replace(row, choice="ring", reason="trials")
    automatic = [reports.Report("Open MPI", 4, 20, [row, chose])]
    fake = bench(tmp_path)
    found = list(applications.search(fake, automatic))
    [(settings, why)] = found
    assert settings["TOCCATA_ALLREDUCE"] == "ring" and why == "allreduce 10.000 to 6.000 s"
    assert settings["TOCCATA_BCAST"] == "native", "no broadcast was faster"
    assert fake.tried[0]["TOCCATA_ALLREDUCE"] == "native", "the profile is native's"
    tried = [each["TOCCATA_ALLREDUCE"] for each in fake.tried]
    assert {"ring", "ring<=64, native"} <= set(tried)
    assert all(each["TOCCATA_BARRIER"] == "native" for each in fake.tried), "takes no time"


def test_shares_of_the_gain() -> None:
    row = applications.Row("lammps", "one node", 4)
    row.times = {"bare": [10, 11, 12], "first": [10, 10, 9], "learned": [8], "forced": [7, 7, 7]}
    assert (row.best, row.captured("first"), row.captured("learned")) == (7, 0.25, 0.75)
    row.times["learned"] = [6]
    assert row.best == 6 and row.captured("learned") == 1, "never above an automatic run"
    row.times = {"bare": [10, 11], "first": [9, 9], "learned": [9, 10.5], "forced": [9.5, 11]}
    assert row.captured("learned") is not None and row.captured("first") == 1
    row.times["first"] = row.times["learned"] = [8, 10]
    assert row.captured("first") is None, "within the spread"
    row.times = {way: [10.0] for way in applications.WAYS}
    assert row.captured("learned") is None and row.cells()["captured_learned"] == ""


def test_results_are_compared(tmp_path: Path) -> None:
    text = "!    total energy              =     -62.62607899 Ry\n"
    first = PROGRAM.results(tmp_path, text)
    assert first == {"energy": -62.62607899}
    assert PROGRAM.agree(first, {"energy": -62.6260790})
    assert not PROGRAM.agree(first, {"energy": -62.6261})
    with pytest.raises(ValueError, match="the output has no energy"):
        PROGRAM.results(tmp_path, "no convergence")


def test_inputs_are_there(tmp_path: Path) -> None:
    for each in programs.PROGRAMS:
        if each.name == "espresso" and not programs.PSEUDOPOTENTIAL.exists():
            continue
        each.prepare(tmp_path, 6)
    assert " npband 6" in (tmp_path / "abinit.abi").read_text()
    lines = (tmp_path / "hpccinf.txt").read_text().splitlines()
    assert [lines[10].split()[0], lines[11].split()[0]] == ["2", "3"]


def test_the_page_gets_the_table_and_a_figure(tmp_path: Path) -> None:
    row = applications.Row("lammps", "one node", 4)
    row.times = {"bare": [10.0], "first": [9.0], "learned": [8.0], "forced": [7.0]}
    target = tmp_path / "page.md"
    target.write_text(f"# Before\n{page.BEGIN}old\n{page.END}After\n")
    page.fill(target, [row.cells()])
    text = target.read_text()
    assert text.startswith("# Before\n") and text.endswith("After\n") and "old" not in text
    assert "| lammps | 4, one node | 0.000 | 10.000 (10.000 to 10.000) |" in text
    assert "| 0.33 | 0.67 | – | yes |" in text, "it was not measured with a tuning file"
    tuned = applications.Row("lammps", "four hosts", 16)
    tuned.times = {**row.times, "tuned": [7.5]}
    page.fill(target, [row.cells(), tuned.cells()])
    assert "| 0.33 | 0.67 | 0.83 | yes |" in target.read_text()
    applications.write([row, tuned], tmp_path / "rows.csv")
    assert [each["captured_tuned"] for each in csv.DictReader((tmp_path / "rows.csv").open())] == [
        "",
        "0.83",
    ]
    page.draw([row.cells(), tuned.cells()], tmp_path / "figure.png")
    assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"
    target.write_text("no place")
    with pytest.raises(ValueError, match="no place for the table"):
        page.fill(target, [row.cells()])
