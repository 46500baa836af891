"""The pages that reproduce papers, without simulations."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from toccata.commands.reproduce import PaperName, reproduce
from toccata.errors import Failure
from toccata.papers import page, selectors
from toccata.simulating import platforms, simulation
from toccata.simulating.simulation import Cell, Outcome

CELL = Cell("allgather", "ring", 4, 8, "sequential")


def test_a_section_takes_its_own_place(tmp_path: Path) -> None:
    none = page.Found({})
    first, second = page.Section("sparbit", "One"), page.Section("locality", "Two")
    first.say("as it was")
    for each in (first, second):
        page.write(each, none, tmp_path)
    again = page.Section("sparbit", "One")
    again.table(["a", "b"], [[1, 2]])
    found = page.Found({(platforms.find("yahoo"), CELL): Outcome(1e-6, True)})
    page.write(again, found, tmp_path)
    text = (tmp_path / "reproduction.md").read_text()
    assert "as it was" not in text
    assert text.index("## One") < text.index("| 1 | 2 |") < text.index("## Two")
    times = (tmp_path / "reproduction" / "sparbit.csv").read_text().splitlines()
    assert times[1:] == ["yahoo,allgather,ring,4,sequential,8,block,1,"]


def test_pages_are_in_utf_8_in_every_locale(tmp_path: Path) -> None:
    (tmp_path / "reproduction.md").write_bytes("× µs ⌈log₂ p⌉\n".encode())
    script = (
        "import sys; from pathlib import Path; from toccata.papers import page; "
        "page.write(page.Section('sparbit', 'One'), page.Found({}), Path(sys.argv[1]))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    subprocess.run([sys.executable, "-c", script, tmp_path], env=environment, check=True)
    assert (tmp_path / "reproduction.md").read_bytes().startswith("× µs ⌈log₂ p⌉\n".encode())


@pytest.mark.parametrize("paper", PaperName)
def test_quick_is_a_part_and_possible(paper: PaperName) -> None:
    module = import_module(f"toccata.papers.{paper.value}")
    quick, full = module.work(True), module.work(False)
    assert 0 < len(quick) < len(full)
    for platform, cell in quick:
        assert len(platforms.cores(platform, cell.ranks, cell.placement)) == cell.ranks


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize(
    ("paper", "rows"),
    [
        ("multilink", ["| allgather/torus_multiport | not in the paper | – | 1.00 |"]),
        ("reorder", ["| hierarchical, linear: block-bunch | 0"]),
        ("selectors", [" | 1.00 | 1.00 |\n| chosen, platform's model | ", "mvapich2 1.00 (1.00)"]),
    ],
)
def test_a_report_asks_for_no_more_than_was_simulated(
    paper: str, rows: list[str], quick: bool
) -> None:
    module = import_module(f"toccata.papers.{paper}")
    section = page.Section(paper, module.TITLE)
    module.report(section, page.Found(dict.fromkeys(module.work(quick), Outcome(1e-3))), quick)
    assert section.pictures
    for row in rows:
        assert row in section.text()


def test_beside_the_selectors_is_the_best_of_right_ones_over_ours() -> None:
    place = selectors.Place("yahoo", 24, "cyclic")
    here = {
        (place.platform, cell): Outcome(1e-3, True)
        for cell in selectors.cells(place, "bcast", [8, 1024])
    }
    for (platform, cell), _ in list(here.items()):
        if cell.algorithm == "ompi":
            here[platform, cell] = Outcome(1e-6, False)  # a time with wrong data never counts
        elif cell.algorithm in ("mpich", "mvapich2", "impi"):
            here[platform, cell] = Outcome(2e-3, True)
        elif cell.algorithm == "linear" and cell.bytes == 8:
            here[platform, cell] = Outcome(0.5e-3, True)
    found = selectors.beside(page.Found(here), place, "bcast", [8, 1024])
    short, long = found
    assert (short.bytes, short.best, short.ours) == (8, 4, "linear")
    assert short.selectors == {"mpich": 1, "mvapich2": 1, "impi": 1}
    assert (long.best, long.chosen, long.usual, long.tried) == (2, 2, 2, 2)


def test_what_was_given_up_is_no_outcome(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The page does not change, and the message explains how to continue."""
    late = Outcome(why_not="did not end within 600 s")
    monkeypatch.setattr(simulation, "programs", lambda: ())
    monkeypatch.setattr(simulation, "run_all", lambda work, told: dict.fromkeys(work[:1], late))
    with pytest.raises(
        Failure, match=r"with \d+ ranks, which did not end within 600 s; the same command tries"
    ):
        reproduce(PaperName.locality, quick=True, docs=tmp_path)
    assert list(tmp_path.iterdir()) == []
