"""Platforms, and what is kept of a simulation; the simulation itself is tests/simulator's."""

import json
from pathlib import Path

import pytest

from conftest import Toccata
from toccata import _core, platforms, simulating
from toccata.errors import InputError
from toccata.simulating import Cell, Outcome

CELL = Cell("allgather", "ring", 4, 8, "sequential")


@pytest.mark.parametrize("name", platforms.names())
def test_every_platform_is_a_machine_and_a_model(name: str) -> None:
    platform = platforms.find(name)
    assert platform.name == name
    assert "Assumed" in platform.origin or "assumed" in platform.origin
    assert _core.Machine(platform.machine).levels
    assert platform.model.name == name


def test_a_machines_text_is_a_platform() -> None:
    platform = platforms.find("node:2 core:2")
    assert platforms.cores(platform, 4, "cyclic") == [0, 2, 1, 3]


def test_what_is_no_platform_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no platform 'yaho'; known are bluegene"):
        platforms.find("yaho")
    with pytest.raises(InputError, match="has a model of its own"):
        platforms.find("yahoo", "lassen")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with pytest.raises(InputError, match="is no platform"):
        platforms.find(str(wrong))


def test_a_rank_needs_a_core() -> None:
    with pytest.raises(InputError, match="leaves rank 0 anywhere in a node"):
        platforms.cores(platforms.find("node:2 core:2"), 2, "node:0,1")


def test_a_changed_platform_is_another() -> None:
    yahoo = platforms.find("yahoo")
    slow = yahoo.changed("slow", {"alpha": 1e-3}, noise=1e-6)
    costs = json.loads(slow.text)
    assert [level["eager"]["alpha"] for level in costs["levels"]] == [1e-3, 1e-3, 4e-7]
    assert costs["noise"] == 1e-6
    assert slow.model.name == "slow"


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that stands in for the benchmark, and a cache of its own."""
    program, library = tmp_path / "bench", tmp_path / "platform"
    program.write_text("one")
    library.write_text("platform")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(simulating, "programs", lambda: (program, library))
    simulating._digest_of_code.cache_clear()
    return program


def test_outcomes_are_kept_by_code_platform_and_cell(code: Path) -> None:
    yahoo = platforms.find("yahoo")
    assert simulating.known(yahoo, CELL) is None
    simulating._keep(yahoo, CELL, Outcome(1e-6, True))
    assert simulating.known(yahoo, CELL) == Outcome(1e-6, True)
    assert simulating.simulate(yahoo, CELL, 1) == Outcome(1e-6, True)
    assert simulating.known(platforms.find("cervino"), CELL) is None
    assert simulating.known(yahoo, Cell("allgather", "ring", 4, 9, "sequential")) is None
    code.write_text("two")
    simulating._digest_of_code.cache_clear()
    assert simulating.known(yahoo, CELL) is None
    simulating._digest_of_code.cache_clear()


def test_large_cells_go_without_data() -> None:
    assert Cell("allgather", "ring", 512, 1024, "cyclic").with_data
    assert not Cell("allgather", "ring", 1024, 1024, "cyclic").with_data
    assert Cell("bcast", "binomial", 4096, 1024, "cyclic").with_data
    assert Cell("alltoallv", "pairwise", 4096, 1 << 20, "cyclic").with_data


def test_sim_names_what_is_wrong(toccata: Toccata, tmp_path: Path) -> None:
    nowhere = {"XDG_CACHE_HOME": str(tmp_path)}
    asked = toccata("sim", "allgather", "--platform", "node:2 core:2", **nowhere)
    assert asked.returncode == 2
    assert asked.stderr.strip().endswith("run `make simgrid` (about 10 minutes, once)")
    asked = toccata("sim", "allgather", "--platform", "nowhere")
    assert asked.returncode == 2
    assert "no platform 'nowhere'" in asked.stderr
