"""Expectations and findings of measurements that are written down here."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from toccata import _core
from toccata.checking import expected, findings
from toccata.checking.expected import Site
from toccata.checking.findings import Finding
from toccata.checking.measured import Collective, Core, Measured, Pair, read, together
from toccata.errors import Failure, InputError
from toccata.topology import networks

LATENCY, BYTES_TIME = 1e-6, 1e-4
Factor = Callable[[int, int], float]


def one(_from: int, _to: int) -> float:
    return 1.0


def measured(
    number: int, latency: Factor = one, bandwidth: Factor = one, stalls: Factor = one
) -> Measured:
    """Hosts n0, n1, ... with factors for pairs, in the rounds of the program."""

    def pair(a: int, b: int) -> Pair:
        short = LATENCY * latency(a, b)
        there, back = (2 * short + BYTES_TIME * bandwidth(*ends) for ends in ((a, b), (b, a)))
        return Pair(a, b, short, short * stalls(a, b), there, back, 1e-3)

    rounds = [
        [pair(a, a ^ r) for a in range(number) if a < a ^ r < number] for r in range(1, number)
    ]
    cores = [Core(host, 1e-3, 1.0, 0, 2e-3) for host in range(number)]
    return Measured("Fake MPI", [f"n{host}" for host in range(number)], cores, 1 << 20, rounds)


def site(text: str) -> Site:
    """The hosts n0, n1, ... on the nodes of a machine."""
    machine = _core.Machine(text)
    number = machine.objects(machine.levels.index("node"))
    labels = f"machine {text}\nlabels node n[0-{number - 1}]\n"
    return Site.of(
        [f"n{host}" for host in range(number)],
        networks.of_machine(_core.read_saved(labels, "test")),
    )


def keys(found: list[Finding]) -> set[tuple[str, str, str]]:
    return {each.key for each in found}


def test_equal_links_are_not_slow() -> None:
    assert findings.find(measured(8), site("leaf:2 node:4 core:1")) == []


def test_messages_that_share_a_tapered_uplink_are_not_slow() -> None:
    """In rounds of 4 crossing pairs, an uplink of half the capacity doubles their times."""
    network = site("leaf:2 node:4 core:1").network.changed("leaf0=1/2, leaf1=1/2")
    there = Site.of([f"n{host}" for host in range(8)], network)
    slow = measured(8, bandwidth=lambda a, b: 2.0 if a // 4 != b // 4 else 1.0)
    assert findings.find(slow, there) == []
    (found,) = findings.find(slow, site("leaf:2 node:4 core:1"))
    assert (found.kind, found.what) == ("switch", "bandwidth")
    assert found.factor == pytest.approx(2)


def test_longer_routes_may_take_longer() -> None:
    across = measured(8, latency=lambda a, b: 1.5 if a // 4 != b // 4 else 1.0)
    assert findings.find(across, site("leaf:2 node:4 core:1")) == []
    assert keys(findings.find(across, site("node:8 core:1"))) != set()


def test_two_of_four_hosts_are_slow() -> None:
    """Most pairs are slow, so the median pair is not the expectation."""
    slow = measured(4, bandwidth=lambda a, b: 2.0 if {a, b} & {0, 3} else 1.0)
    assert keys(findings.find(slow, site("node:4 core:1"))) == {
        ("host", "n0", "bandwidth"),
        ("host", "n3", "bandwidth"),
    }


def test_lost_messages_are_stalls() -> None:
    slow = measured(4, stalls=lambda a, b: 2.0 if 1 in (a, b) else 1.02)
    assert keys(findings.find(slow, site("node:4 core:1"))) == {("host", "n1", "stalls")}


def test_the_slow_cables_of_a_host_that_loses_messages_are_its_consequences() -> None:
    slow = measured(
        4,
        stalls=lambda a, b: 2.0 if 1 in (a, b) else 1.02,
        bandwidth=lambda a, b: 1.6 if (a, b) == (3, 1) else 1.0,
    )
    assert keys(findings.find(slow, site("node:4 core:1"))) == {("host", "n1", "stalls")}


def test_late_messages_of_one_pair_are_doubtful_but_no_finding() -> None:
    late = measured(4, stalls=lambda a, b: 1.5 if (a, b) == (1, 2) else 1.02)
    assert findings.find(late, site("node:4 core:1")) == []
    assert findings.is_doubtful(late, site("node:4 core:1"))
    assert not findings.is_doubtful(measured(4), site("node:4 core:1"))


def test_noise_of_one_pair_is_not_a_slow_cable() -> None:
    noisy = measured(8, bandwidth=lambda a, b: 1.2 if (a, b) == (2, 5) else 1.0)
    assert findings.find(noisy, site("node:8 core:1")) == []


def test_a_core_that_stands_still_is_slow_but_one_with_neighbours_is_disturbed() -> None:
    whole = measured(4)
    alone = replace(whole.cores[2], share=0.4, interruptions=1)
    still = replace(whole, cores=[*whole.cores[:2], alone, whole.cores[3]])
    (found,) = findings.find(still, site("node:4 core:1"))
    assert found.key == ("host", "n2", "core")
    assert found.factor == pytest.approx(2.5)
    busy = replace(alone, interruptions=50)
    beside = replace(whole, cores=[*whole.cores[:2], busy, whole.cores[3]])
    assert findings.find(beside, site("node:4 core:1")) == []
    assert findings.disturbed(beside) == ["n2"]


def test_a_slow_cable_of_a_disturbed_host_is_not_certain() -> None:
    found = [Finding("cable", "n1-n2", "bandwidth", 3.0), Finding("cable", "n0-n3", "stalls", 3.0),
             Finding("host", "n2", "bandwidth", 2.0)]  # fmt: skip
    assert findings.certain(found, ["n2"]) == found[1:]
    assert findings.certain(found, []) == found
    stalls = Finding("host", "n1", "stalls", 1.3)
    assert findings.certain([stalls], ["n1"]) == []
    assert findings.certain([stalls], ["n2"]) == [stalls]


def test_a_slow_core_and_slow_memory_are_found() -> None:
    whole = measured(4)
    bad = replace(whole.cores[1], seconds=2e-3, memory=8e-3)
    slow = replace(whole, cores=[whole.cores[0], bad, *whole.cores[2:]])
    found = findings.find(slow, site("node:4 core:1"))
    assert {(each.name, each.what, round(each.factor)) for each in found} == {
        ("n1", "core", 2), ("n1", "memory", 4)
    }  # fmt: skip


def test_of_a_baseline_only_the_change_counts() -> None:
    slow = measured(4, bandwidth=lambda a, b: 2.0 if 3 in (a, b) else 1.0)
    there = site("node:4 core:1")
    assert findings.find(slow, there, slow) == []
    assert keys(findings.find(slow, there, measured(4))) == {("host", "n3", "bandwidth")}
    both = findings.find(measured(4, bandwidth=lambda a, b: 6.0 if 3 in (a, b) else 3.0), there,
                         measured(4))  # fmt: skip
    assert keys(both) == {
        ("machine", "the whole machine", "bandwidth"), ("host", "n3", "bandwidth")
    }  # fmt: skip


def test_the_choice_of_the_library_is_advice_without_a_baseline() -> None:
    fast = Collective("bcast", 1 << 20, 1e-3, "pipeline", 1e-3, 8e-4)
    slow = replace(fast, native=2e-3)
    old, new = replace(measured(4), collectives=[fast]), replace(measured(4), collectives=[slow])
    (advice,) = findings.of_collectives(new, None)
    assert (advice.kind, advice.is_alarm, advice.factor) == ("choice", False, 2.0)
    (alarm,) = findings.of_collectives(new, old)
    assert (alarm.kind, alarm.is_alarm) == ("choice", True)
    both = replace(new, collectives=[replace(slow, rival_seconds=2e-3)])
    (whole,) = findings.of_collectives(both, old)
    assert (whole.kind, whole.is_alarm) == ("machine", True)


def test_findings_are_confirmed_by_factors_that_agree() -> None:
    first = Finding("host", "n1", "bandwidth", 2.0)
    assert findings.confirmed([[first], [replace(first, factor=2.4)]]) == [
        replace(first, factor=2.2)
    ]
    assert findings.confirmed([[first], [replace(first, factor=6.0)]]) == []
    assert findings.confirmed([[first], [replace(first, name="n2")]]) == []


def test_the_fastest_times_of_two_runs_keep_only_a_fault() -> None:
    slow = measured(4, bandwidth=lambda a, b: 3.0 if (a, b) == (0, 1) or 2 in (a, b) else 1.0)
    other = measured(4, bandwidth=lambda a, b: 3.0 if (a, b) == (1, 3) or 2 in (a, b) else 1.0)
    backwards = replace(other, rounds=other.rounds[::-1])
    both = together([slow, backwards])
    assert keys(findings.find(both, site("node:4 core:1"))) == {("host", "n2", "bandwidth")}


def test_the_links_that_pairs_of_a_round_share_prolong_their_messages() -> None:
    there = site("leaf:2 node:2 core:1")
    narrow = Site(there.network.changed("leaf0=1/4"), there.names, there.vertices)
    assert narrow.sharing([(0, 2), (1, 3)]) == {(0, 2): 4.0, (1, 3): 4.0}
    assert narrow.sharing([(0, 1), (2, 3)]) == {(0, 1): 1.0, (2, 3): 1.0}


def test_the_output_of_the_program_is_complete_or_a_failure() -> None:
    start = {"event": "start", "mpi": "x", "hosts": ["a", "b"], "host_of": [0, 0, 1]}
    with pytest.raises(Failure, match="ended early, before the first round"):
        read([start])
    with pytest.raises(Failure, match=r"b does not answer \(rank 2\)"):
        read([start, {"event": "silent", "ranks": [2]}])
    with pytest.raises(Failure, match=r"a, b do not answer \(ranks 1, 2\)"):
        read([start, {"event": "silent", "ranks": [1, 2]}])


def test_hosts_may_have_domains_and_must_exist() -> None:
    network = site("node:4 core:1").network
    assert Site.of(["n3.cluster"], network).vertices == {0: 3}
    with pytest.raises(InputError, match="host 'x' is not on"):
        Site.of(["x"], network)


def test_expected_times_are_of_the_faster_links() -> None:
    slow = measured(8, latency=lambda a, b: 2.0 if 5 in (a, b) else 1.0)
    slowness = expected.of_machine(slow, site("node:8 core:1"), "latency")
    assert slowness.expected == pytest.approx(LATENCY)
    assert slowness.factors[5, 0] == pytest.approx(2.0)


def test_the_core_that_has_the_least_counts_in_any_order() -> None:
    whole = measured(4)
    shares = [replace(whole.cores[2], share=each, interruptions=1) for each in (0.2, 0.5)]
    for some in (shares, shares[::-1]):
        still = replace(whole, cores=[*whole.cores[:2], *some, whole.cores[3], *whole.cores[:2]])
        (found,) = findings.find(still, site("node:4 core:1"))
        assert found.key == ("host", "n2", "core")
        assert found.factor == pytest.approx(5)
