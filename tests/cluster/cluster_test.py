"""On several hosts with different numbers of ranks: every algorithm by name, and the preload.

`make test-cluster` runs this between bench/cluster/up.sh and down.sh.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

from toccata import _core
from toccata.algorithms import catalogue
from toccata.launching import reports

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
MPIRUN = ROOT / "bench/cluster/bin/mpirun"
SLOTS = "5,5,3,3"  # ranks on the four hosts
RANKS = 16
PLACES = _core.Placement(_core.Machine(f"node:4 core:{SLOTS}"), RANKS, "sequential")
# Topology-aware algorithms, one of each kind.
BY_NODES = {
    "allgather": "locality_bruck", "allreduce": "hierarchical", "alltoall": "hierarchical",
    "barrier": "hierarchical", "bcast": "hierarchical", "exscan": "hierarchical",
    "gather": "hierarchical", "reduce": "hierarchical", "reduce_scatter": "multi_lane",
    "scan": "hierarchical", "scatter": "hierarchical",
}  # fmt: skip
LIMIT = 120  # seconds of one run
LATENCY = 1e-3  # seconds from one host to another, in bench/cluster/up.sh
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*command: str, ranks: int = RANKS, slots: str = SLOTS) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(MPIRUN), "-n", str(ranks), *command],
        env=os.environ | AS_ROOT | {"SLOTS": slots},
        capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done


def results(output: str) -> list[dict]:
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert events[0]["nodes"] == 4
    assert events[-1]["event"] == "done"
    return [each for each in events if each["event"] == "result"]


def benchmark(collective: str, *algorithms: str, repetitions: int = 1) -> list[str]:
    return [
        str(BUILD / "bench/openmpi/toccata_bench"), "--collective", collective,
        "--algorithms", ";".join(algorithms), "--sizes", "4,1000,100000",
        "--warmup", "0", "--repetitions", str(repetitions),
    ]  # fmt: skip


@pytest.mark.parametrize("collective", [each.name for each in _core.collectives()])
def test_every_algorithm_gives_the_right_data(collective: str) -> None:
    possible = [
        each.name
        for each in catalogue.of_collective(collective)
        if not _core.parse_choice(collective, each.name).why_impossible(_core.Shape(PLACES))
    ]
    found = results(run(*benchmark(collective, *possible)).stdout)
    assert {each["algorithm"] for each in found} == set(possible)
    assert all(each["valid"] for each in found)


def test_no_broadcast_takes_less_than_the_latency() -> None:
    """After a barrier alone, ranks start up to a latency apart: it seems to take 0.03 ms."""
    command = benchmark("bcast", "native", "knomial", "linear", repetitions=20)
    times = results(run(*command, ranks=4, slots="1").stdout)
    assert len(times) == 9
    assert all(each["median"] >= LATENCY for each in times), times


def preloaded(**settings: str) -> list[str]:
    libraries = (BUILD / "lib/openmpi/libtoccata.so", ROOT / "build/cluster/sleep_on_yield.so")
    words = {"LD_PRELOAD": " ".join(map(str, libraries))} | settings
    return ["env", *(f"{name}={value}" for name, value in words.items())]


@pytest.mark.parametrize("collective", BY_NODES)
def test_what_is_asked_of_the_preloaded_library_runs_by_nodes(
    collective: str, tmp_path: Path
) -> None:
    name, report = BY_NODES[collective], tmp_path / "report.json"
    asked = preloaded(TOCCATA_REPORT=str(report), **{f"TOCCATA_{collective.upper()}": name})
    done = run(*asked, *benchmark(collective, "auto"))
    assert all(each["valid"] for each in results(done.stdout))
    found = [(each.collective, each.ranks, each.choice) for each in reports.read(report).rows]
    assert (collective, RANKS, name) in found, done.stderr


@pytest.mark.parametrize("program", ["c", "alltoall_c", "rooted_c"])
def test_programs_that_know_nothing_of_it(program: str) -> None:
    asked = preloaded(
        TOCCATA_ALLGATHER="hierarchical", TOCCATA_ALLTOALL="hierarchical",
        TOCCATA_ALLREDUCE="hierarchical", TOCCATA_BCAST="hierarchical",
    )  # fmt: skip
    done = run(*asked, str(BUILD / "tests/preload/openmpi" / program))
    assert done.stdout.split() == ["right"], done.stderr


def test_a_rule_replaces_open_mpis_sums_and_broadcasts_among_four_hosts(tmp_path: Path) -> None:
    """Without settings: one round instead of two, from the 33rd call on, the same in every run."""
    program = BUILD / "tests/preload/choosing/openmpi/repeats"
    served = []
    for number in range(2):
        report = tmp_path / f"{number}.json"
        run(*preloaded(TOCCATA_REPORT=str(report)), str(program), "200", "16", ranks=4, slots="1")
        rows = [each for each in reports.read(report).rows if each.reason == "network"]
        assert "bcast" in {each.collective for each in rows}
        served.append({each.choice: each.calls for each in rows if each.collective == "allreduce"})
    assert served[0] == served[1]
    assert set(served[0]) == {"recursive_multiplying"}
