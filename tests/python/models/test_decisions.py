"""The regret of a model's choices, compared with a recorded default."""

import json
from dataclasses import replace
from statistics import fmean

import pytest

from conftest import ROOT
from toccata import _core
from toccata.models import cross_validation, decisions, recorded
from toccata.models.fitting import Parameters
from toccata.models.recorded import Case, Row

RECORDED = ROOT / "../shared/data/recorded/collectives.csv"
FITTED = ROOT / "tests/data/fitted"

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


def test_proposes_what_beats_the_price_of_the_mpis_own() -> None:
    # With 8 KiB each among 12 ranks, MPICH's allgather is a ring, and Open MPI's is Bruck's
    # algorithm.
    block = 8192
    cases = [replace(each, nodes="12", total_bytes=12 * block) for each in (RING, BRUCK, SPARBIT)]
    ranked = dict(_prices(12, block))
    assert ranked["bruck"] * decisions.MARGIN < ranked["ring"]

    def decided(mpi: str, cases: list[Case]) -> decisions.Decision:
        setting, seconds = cases[0].setting, [3.0, 2.0, 1.0][: len(cases)]
        (found,) = decisions.decide(cases, seconds, MODEL, {setting: 4e-3}, {"here": mpi})
        return found

    found = decided("mpich", cases[:2])
    assert (found.chosen, found.first, found.walked) == (BRUCK.seconds,) * 3
    assert (found.default, found.best) == (4e-3, BRUCK.seconds)
    assert decisions.named([found]) == (1, 1)
    for mpi in ("open_mpi", ""):
        found = decided(mpi, cases[:2])
        assert found.chosen == 4e-3  # no gain, or too little to be certain
        assert found.first == BRUCK.seconds
        assert decisions.named([found]) == (0, 1)
    # One message per block needs no packing, and is predicted to be faster.
    for mpi in ("mpich", "open_mpi"):
        assert decided(mpi, cases).chosen == SPARBIT.seconds


def _prices(p: int, size: int) -> list[tuple[str, float]]:
    (ranked,) = _core.rank("allgather", _core.Shape(p), MODEL, [size], standard=True)
    return [(choice.text, seconds) for choice, seconds in ranked]


def test_the_settings_of_a_broadcast_are_priced_each() -> None:
    ring = replace(RING, collective="bcast", algorithm="scatter_allgather:allgather=ring")
    doubling = replace(
        ring, algorithm="scatter_allgather:allgather=recursive_doubling", seconds=1e-4
    )
    setting = ("here", "16", "bcast", 1 << 20)
    (found,) = decisions.decide([ring, doubling], [2.0, 1.0], MODEL, {setting: 1.0}, {})
    assert found.first == doubling.seconds


def test_without_a_default_or_a_choice_nothing_is_decided() -> None:
    assert decisions.decide([RING, BRUCK], [1.0, 2.0], MODEL, {}, {}) == []
    assert decisions.decide([RING], [1.0], MODEL, {SETTING: 1e-3}, {}) == []


@pytest.mark.parametrize(
    ("mpi", "collective", "p", "size", "expected"),
    [
        ("open_mpi", "allgather", 32, 512, "recursive_doubling"),
        ("open_mpi", "allgather", 60, 4096, "neighbor_exchange"),
        ("open_mpi", "allgather", 60, 256, "bruck"),
        ("open_mpi", "allgather", 60, 1 << 20, "ring"),
        ("open_mpi", "alltoall", 32, 511, "bruck"),
        ("open_mpi", "allreduce", 32, 256, "rabenseifner"),
        ("open_mpi", "bcast", 32, 2048, "knomial"),
        ("open_mpi", "reduce_scatter", 40, 12 << 10, "recursive_halving"),
        ("open_mpi", "reduce_scatter", 40, 13 << 10, "ring"),
        ("open_mpi", "barrier", 60, 0, "recursive_multiplying:radix=2"),
        ("mpich", "allgather", 16, 1 << 15, "ring"),
        ("mpich", "allgather", 100, 163, "bruck"),
        ("mpich", "allreduce", 16, 2048, "recursive_doubling"),
        ("mpich", "reduce_scatter", 100, 10486, "pairwise"),
    ],
)
def test_decision_functions(mpi: str, collective: str, p: int, size: int, expected: str) -> None:
    found = _core.native_algorithm(mpi, collective, p, size)
    assert found is not None
    assert found.text == _core.parse_choice(collective, expected).text


def test_an_unknown_function_has_no_algorithm() -> None:
    assert _core.native_algorithm("", "allgather", 16, 8) is None
    assert _core.native_algorithm("intel_mpi", "allgather", 16, 8) is None
    assert _core.native_algorithm("open_mpi", "scan", 16, 8) is None


def test_every_recorded_collective_has_a_decision_function() -> None:
    for mpi in ("open_mpi", "mpich"):
        for collective in recorded.OURS:
            for p in (2, 3, 8, 16, 60, 64, 100, 256, 1000, 4096):
                for size in (2**i for i in range(25)):
                    assert _core.native_algorithm(mpi, collective, p, size) is not None


# Measured 2026-11-23, with a model of the machine, and with one fitted to the other machines.
# First: the time of the proposed algorithm is at most this multiple of the best time. Second: the
# share of the slow defaults that the model replaces by a faster algorithm.
LIMITS = json.loads((FITTED / "limits.json").read_text())


@pytest.mark.skipif(not RECORDED.exists(), reason=f"the recorded times, {RECORDED}, are not here")
@pytest.mark.parametrize("name", sorted(LIMITS))
def test_what_the_model_proposes_on_recorded_machines(name: str) -> None:
    limits = LIMITS[name]
    found = cross_validation.load(RECORDED, [name.removeprefix("without-")], [])
    model = _core.Model.parse((FITTED / f"{name}.json").read_text())
    decided = decisions.decide(
        found.cases, [1.0] * len(found.cases), model, found.defaults, found.libraries
    )
    assert len(decided) > 60
    assert fmean(each.chosen / each.best for each in decided) <= limits["chosen"]
    trials = fmean(min(each.first, each.default) / each.best for each in decided)
    assert trials <= limits["trials"]
    named, worth = decisions.named(decided)
    assert named / worth >= limits["named"]


def test_table_is_of_mean_regrets() -> None:
    one = decisions.Decision(SETTING, first=3.0, chosen=2.0, walked=1.0, default=4.0, best=1.0)
    other = replace(one, chosen=4.0, default=2.0)
    columns = [list(each.cells) for each in decisions.table([one, other]).columns]
    assert [each[0] for each in columns] == [
        "here", "allgather", "2", "3.00", "3.00", "1.00", "2.50", "3.00", "1 of 2",
    ]  # fmt: skip
    assert columns[1] == ["allgather", "all"]


@pytest.mark.parametrize("algorithm", decisions.DEFAULTS)
def test_defaults_are_no_algorithms_of_ours(algorithm: str) -> None:
    assert all(algorithm not in names for each in recorded.OURS.values() for names in each.values())
