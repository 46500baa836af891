"""The rule for networks is right in the settings for which it was not made."""

import csv
from collections import defaultdict
from statistics import geometric_mean

import pytest

from conftest import ROOT
from toccata import _core
from toccata.models import decisions, recorded
from toccata.papers import selectors

RECORDED = ROOT / "../shared/data/recorded/collectives.csv"
SIMULATED = ROOT / "docs/reproduction/selectors.csv"
SELECTORS = {"open_mpi": "ompi", "mpich": "mpich"}
FOUR = ("ompi", "mpich", "mvapich2", "impi")
SUMS = ("allreduce", "reduce")
RIGHT = 0.98  # of the speed of the MPI's own algorithm: within the precision of the times

is_recorded = pytest.mark.skipif(not RECORDED.exists(), reason=f"{RECORDED} is not here")

Times = dict[tuple[str, int, str, str, int], dict[str, float]]


@pytest.fixture(scope="module")
def times() -> Times:
    """By place, collective and bytes: the simulated microseconds by algorithm."""
    found: Times = defaultdict(dict)
    with SIMULATED.open() as file:
        for row in csv.DictReader(file):
            where = row["platform"], int(row["ranks"]), row["placement"], row["collective"]
            if row["microseconds"]:
                found[*where, int(row["bytes"])][row["algorithm"]] = float(row["microseconds"])
    return found


def gains(times: Times, collectives: tuple[str, ...], most_sum: int) -> list[float]:
    """The selector's time divided by that of the rule's choice, where the rule has one."""
    found = []
    for place in selectors.places(quick=False):
        for collective in set(place.collectives) & set(collectives):
            sizes = place.sizes(collective, quick=False)
            units = [place.unit(collective, size) for size in sizes if size <= most_sum]
            for mpi, selector in SELECTORS.items():
                rule = _core.network_rule(mpi, collective, place.shape(), units)
                for unit, choice in zip(units, rule, strict=True):
                    here = times.get((place.name, place.ranks, place.placement, collective, unit))
                    if not here or selector not in here or choice is None:
                        continue
                    if choice.text in here:  # in almost all
                        found.append(here[selector] / here[choice.text])
    return found


def share_of_right(found: list[float]) -> float:
    return sum(each >= RIGHT for each in found) / len(found)


def test_is_right_in_95_percent_of_the_simulated_sums(times: Times) -> None:
    found = gains(times, SUMS, 64 << 10)
    assert len(found) > 90
    assert share_of_right(found) >= 0.95
    assert min(found) > 0.85
    assert geometric_mean(found) > 1.7


def test_is_right_in_95_percent_of_all_simulated_settings(times: Times) -> None:
    found = gains(times, (*SUMS, "allgather", "alltoall", "barrier", "bcast", "scatter"), 1 << 20)
    assert len(found) > 250
    assert share_of_right(found) >= 0.95
    assert geometric_mean(found) > 1.8


def test_has_no_choice_for_gathers_and_reduce_scatters(times: Times) -> None:
    assert gains(times, ("gather", "reduce_scatter"), 1 << 20) == []


def regrets(times: Times, ethernet: bool, platforms: tuple[str, ...] = ()) -> list[float]:
    """The times of four selectors, of which the rule knows nothing, divided by its choice's."""
    found = []
    for place in selectors.places(quick=False):
        if platforms and place.name not in platforms:
            continue
        for collective in place.collectives:
            sizes = place.sizes(collective, quick=False)
            units = [place.unit(collective, size) for size in sizes]
            rule = _core.network_rule("", collective, place.shape(), units, ethernet=ethernet)
            for unit, choice in zip(units, rule, strict=True):
                here = times.get((place.name, place.ranks, place.placement, collective, unit), {})
                if choice is not None and choice.text in here:
                    found += [here[each] / here[choice.text] for each in FOUR if each in here]
    return found


def test_is_right_without_knowledge_of_the_mpi(times: Times) -> None:
    found = regrets(times, ethernet=False)
    assert len(found) > 500
    assert share_of_right(found) >= 0.98
    assert geometric_mean(found) > 1.6


def test_is_right_on_ethernet(times: Times) -> None:
    found = regrets(times, ethernet=True, platforms=("yahoo",))
    assert len(found) > 300
    assert share_of_right(found) >= 0.98
    assert geometric_mean(found) > 1.6


def recorded_gains(with_mpi: bool) -> list[float]:
    """The default's time divided by that of the rule's choice, which may know the MPI library. One
    rank per node; most choices were not recorded, so there are few settings. Without Fugaku, whose
    MPI has algorithms for its own network."""
    rows = recorded.read(RECORDED)
    defaults, libraries = decisions.defaults(rows), decisions.libraries(rows)
    measured: dict[decisions.Setting, dict[str, float]] = defaultdict(dict)
    found = []
    for case in recorded.cases(rows):
        text = _core.parse_choice(case.collective, case.algorithm).text
        measured[case.setting][text] = case.seconds
    for case in {each.setting: each for each in recorded.cases(rows)}.values():
        if case.setting not in defaults or case.machine not in libraries:
            continue
        mpi = libraries[case.machine] if with_mpi else ""
        (choice,) = _core.network_rule(mpi, case.collective, _core.Shape(case.p), [case.unit_bytes])
        is_long_sum = case.collective in SUMS and case.total_bytes > 64 << 10
        if choice and choice.text in measured[case.setting] and not is_long_sum:
            found.append(defaults[case.setting] / measured[case.setting][choice.text])
    return found


@is_recorded
def test_is_right_on_the_recorded_machines() -> None:
    found = recorded_gains(with_mpi=True)
    assert len(found) >= 7
    assert share_of_right(found) >= 0.95


@is_recorded
def test_loses_little_on_the_recorded_machines_without_knowledge_of_the_mpi() -> None:
    found = recorded_gains(with_mpi=False)
    assert len(found) >= 20
    assert min(found) > 0.95
    assert geometric_mean(found) > 1.3
