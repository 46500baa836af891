"""What choosing by a model is worth beside a recorded default."""

from dataclasses import replace

import pytest

from toccata import _core, decisions
from toccata.fitting import Parameters
from toccata.recorded import Case, Row

SETTING = ("here", "16", "allgather", 1 << 20)
RING = Case("here", "16", 1, "allgather", "ring", 1 << 20, 2e-3)
BRUCK = replace(RING, algorithm="bruck", seconds=1e-3)
SPARBIT = replace(RING, algorithm="sparbit:messages=per_block", seconds=1e-4)
MODEL = Parameters.of_levels("network").model()


def test_defaults_are_what_the_mpi_chose() -> None:
    row = Row("here", "16", 1, "allgather", "default_mpich", 1 << 20, 3e-3)
    rows = [
        row,
        replace(row, seconds=2e-3),
        replace(row, algorithm="ring_mpich", seconds=1e-3),
        replace(row, ranks_per_node=4, seconds=1e-3),
    ]
    assert decisions.defaults(rows) == {SETTING: 2e-3}


def test_chooses_as_the_library_would() -> None:
    ranked = [choice.text for choice, _ in _core.rank("allgather", 16, MODEL, [1 << 16])[0]]
    first = min((each for each in (RING, BRUCK)), key=lambda each: ranked.index(each.algorithm))
    (found,) = decisions.decide([RING, BRUCK, SPARBIT], [3.0, 2.0, 1.0], MODEL, {SETTING: 4e-3})
    # per_block is a setting that the library does not choose by itself; a walk may.
    assert found.chosen == first.seconds
    assert found.walked == SPARBIT.seconds
    assert (found.default, found.best) == (4e-3, SPARBIT.seconds)


def test_without_a_default_or_a_choice_nothing_is_decided() -> None:
    assert decisions.decide([RING, BRUCK], [1.0, 2.0], MODEL, {}) == []
    assert decisions.decide([RING], [1.0], MODEL, {SETTING: 1e-3}) == []


def test_table_is_of_mean_regrets() -> None:
    one = decisions.Decision(SETTING, chosen=2.0, walked=1.0, default=4.0, best=1.0)
    other = replace(one, chosen=4.0, default=2.0)
    columns = [list(each.cells) for each in decisions.table([one, other]).columns]
    assert [each[0] for each in columns] == [
        "here", "allgather", "2", "3.00", "1.00", "2.00", "3.00",
    ]  # fmt: skip
    assert columns[1] == ["allgather", "all"]


@pytest.mark.parametrize("algorithm", decisions.DEFAULTS)
def test_defaults_are_no_algorithms_of_ours(algorithm: str) -> None:
    from toccata import recorded

    assert all(algorithm not in names for each in recorded.OURS.values() for names in each.values())
