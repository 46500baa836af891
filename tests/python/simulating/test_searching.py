"""`toccata search`, with a model in place of the simulator, and the compositions that it tries."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from toccata import _core
from toccata.algorithms import catalogue, compositions
from toccata.errors import InputError
from toccata.simulating import platforms, searching, simulation
from toccata.simulating.platforms import Platform

MACHINES = {"leaf:2 node:4": 8, "leaf:3 node:2 core:2": 12, "torus:2x3": 6, "node:5": 5}


@pytest.mark.parametrize("collective", ["allgather", "reduce_scatter", "allreduce"])
@pytest.mark.parametrize("machine", MACHINES)
def test_compositions_are_proved(collective: str, machine: str) -> None:
    placed = _core.Placement(_core.Machine(machine), MACHINES[machine], "sequential")
    shape = _core.Shape(placed)
    proved = 0
    for choice in searching._composed(collective):
        if not choice.why_impossible(shape):
            assert choice.verify(shape) == "", choice.text
            proved += 1
    assert proved >= 48


def test_compositions_need_a_grid() -> None:
    name = f"{compositions.__file__}:allgather_by_levels:cut=1"
    uneven = _core.Shape(_core.Placement(_core.Machine("node:2 core:3,2"), 5))
    assert "as many ranks" in catalogue.find(name).why_impossible(uneven)
    flat = _core.Shape(_core.Placement(_core.Machine("node:4"), 4))
    assert catalogue.find(name.replace("cut=1", "cut=2")).why_impossible(flat)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("radix", [1, 2, 3, 16, 100])
def test_an_exchange_brings_every_block_once(size: int, radix: int) -> None:
    held = {0}
    for moves in compositions.exchange(size, radix):
        # All positions have the same number of blocks, rotated: each sender has the blocks that it
        # sends.
        assert all(first + n in held for _, first, many in moves for n in range(many))
        come = [far + first + n for far, first, many in moves for n in range(many)]
        assert not held.intersection(come)
        held.update(come)
    assert held == set(range(size))


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> searching.Task:
    """A search whose simulated times are the model's plus a small addition."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(simulation, "programs", lambda: None)

    def run(
        platform: Platform, cells: Sequence[simulation.Cell],
        told: Callable[[simulation.Cell], None],
    ) -> dict[simulation.Cell, simulation.Outcome]:  # fmt: skip
        found = {}
        for cell in cells:
            placed = _core.Placement(_core.Machine(platform.machine), cell.ranks, cell.placement)
            choice = catalogue.parse(cell.collective, cell.algorithm)
            found[cell] = simulation.Outcome(
                _core.Predictor(choice, _core.Shape(placed)).seconds(cell.bytes, platform.model)
            )
            told(cell)
        return found

    monkeypatch.setattr(simulation, "run", run)
    return searching.Task(
        "allgather", platforms.find("leaf:2 node:4 core:2"), 16, "sequential", 4096, 4.0, 1
    )


def nothing(what: str, effort: float) -> None:
    pass


def test_a_seed_names_one_result(task: searching.Task) -> None:
    first, again = searching.run(task, nothing), searching.run(task, nothing)
    assert [(each.candidate.label, each.priced, each.simulated) for each in first.all] == [
        (each.candidate.label, each.priced, each.simulated) for each in again.all
    ]
    assert first.spent == again.spent <= task.seconds
    assert len(first.simulated) > 20
    ours = first.best_of_ours
    assert ours is not None and first.best.simulated is not None and ours.simulated is not None
    assert first.bound <= first.best.simulated <= ours.simulated


def test_all_of_the_librarys_are_simulated(task: searching.Task) -> None:
    shape = _core.Shape(task.placed)
    possible = {
        each.name for each in catalogue.of_collective("allgather")
        if not catalogue.standard(each).why_impossible(shape)
    }  # fmt: skip
    assert possible <= {
        each.candidate.label
        for each in searching.run(replace(task, seconds=10.0), nothing).simulated
    }


def test_an_interrupted_search_goes_on(
    task: searching.Task, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    walked: list[int] = []
    predictor = _core.Predictor

    def count(choice: _core.Choice, shape: _core.Shape) -> _core.Predictor:
        walked.append(1)
        return predictor(choice, shape)

    def stop(what: str, effort: float, steps: list[str] = []) -> None:  # noqa: B006
        steps.append(what)
        if len(steps) == 30:
            raise KeyboardInterrupt

    monkeypatch.setattr(searching, "_core", _Counting(count))
    with pytest.raises(KeyboardInterrupt):
        searching.run(task, stop)
    assert len(walked) == 30
    again = searching.run(task, nothing)
    continued = len(walked) - 30
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    walked.clear()
    whole = searching.run(task, nothing)
    assert continued == len(walked) - 30 > 0
    assert [each.candidate.label for each in again.all] == [
        each.candidate.label for each in whole.all
    ]


class _Counting:
    """Replaces the Predictor of the module _core."""

    def __init__(self, predictor: Callable[..., _core.Predictor]) -> None:
        self.Predictor = predictor

    def __getattr__(self, name: str) -> object:
        return getattr(_core, name)


def test_too_little_is_said(task: searching.Task) -> None:
    with pytest.raises(InputError, match=r"--seconds 0\.02 is too few"):
        searching.run(replace(task, seconds=0.02), nothing)
