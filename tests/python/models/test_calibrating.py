"""Fits to artificial times with known parameters; and the program under mpirun, if present."""

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import fakes
from running import invoke
from toccata.errors import Failure
from toccata.models import calibrating, predicting

SIZES = [2**i for i in range(21)]
THRESHOLD = 8192


def one(size: int) -> float:
    """Ping-pong with o = 0.2 µs, alpha = 1 µs and 2 GB/s, then 5 µs and 10 GB/s."""
    return 1.4e-6 + size / 2e9 if size < THRESHOLD else 5.4e-6 + size / 10e9


def burst(size: int, number: int) -> float:
    added = max(0.2e-6, size / 2e9 if size < THRESHOLD else size / 10e9)
    return one(size) + (number - 1) * added + one(0)


def events(limit: float | None = None) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = [{"event": "start", "ranks": 8, "mpi": "Some MPI 1.0"}]

    def tell(event: str, level: str, size: int, number: int, seconds: float) -> None:
        told.append(
            {"event": event, "level": level, "bytes": size, "number": number, "seconds": seconds}
        )

    for size in [0, *SIZES]:
        tell("message", "network", size, 1, one(size))
        tell("burst", "network", size, 16, burst(size, 16))
    for size in SIZES:
        tell("message", "node", size, 1, 0.5e-6 + size / 20e9)
        tell("publishing", "node", size, 1, 0.2e-6 + size / 10e9 + size / 4e9)
    if limit is not None:
        for pairs in (1, 2, 4):
            for size in SIZES:
                tell("pairs", "node", size, pairs, max(one(size), 1.4e-6 + pairs * size / limit))
    for step, rate in (("copy", 10e9), ("pack", 5e9), ("gamma", 2e9)):
        tell("step", step, 1000, 1, 1000 / rate)
    told.append({"event": "done"})
    return told


def test_parameters_are_found_again() -> None:
    measured = calibrating.read(events())
    model, fitted = calibrating.fit(measured, "ours")
    assert model.levels == ["network", "node"]
    assert [line.first for line in fitted["network"]] == [0, THRESHOLD]
    network, node = json.loads(model.json)["levels"]
    assert network["threshold"] == THRESHOLD
    assert network["eager"] == pytest.approx({"alpha": 1e-6, "beta": 0.5e-9, "o": 0.2e-6}, rel=1e-6)
    assert network["rendezvous"]["beta"] == pytest.approx(1e-10)
    assert node["eager"] == pytest.approx({"alpha": 0.5e-6, "beta": 0.05e-9})
    assert "rendezvous" not in node
    assert "injection" not in node
    assert json.loads(model.json)["gamma"] == pytest.approx(0.5e-9)
    assert max(line.worst_error for line in fitted["network"]) < 1e-9
    assert json.loads(model.json)["publishing"] == pytest.approx(
        {"latency": 0.2e-6, "write": 0.1e-9, "read": 0.25e-9}
    )


def test_without_two_ranks_in_a_node_nothing_is_published() -> None:
    kept = [each for each in events() if each["event"] != "publishing"]
    measured = calibrating.read(kept)
    model, lines = calibrating.fit(measured, "ours")
    assert "publishing" not in json.loads(model.json)
    console = Console(file=io.StringIO(), record=True, width=120)
    console.print(calibrating.report(measured, model, lines))
    assert "not measured, because no node has two ranks" in console.export_text()


def test_a_disturbed_time_counts_as_that_of_a_longer_message() -> None:
    points = [(8, 2e-6), (1, 1e-6), (4, 9e-6), (16, 3e-6)]
    assert calibrating.without_noise(points) == [(1, 1e-6), (4, 2e-6), (8, 2e-6), (16, 3e-6)]


def test_a_nodes_limit_is_found() -> None:
    model, _ = calibrating.fit(calibrating.read(events(limit=12e9)), "ours")
    node = json.loads(model.json)["levels"][1]
    assert node["injection"] == pytest.approx(12e9, rel=0.02)
    model, _ = calibrating.fit(calibrating.read(events(limit=1e15)), "ours")
    assert "injection" not in json.loads(model.json)["levels"][1], "no limit was reached"


def test_one_node_stands_for_the_network() -> None:
    kept = [each for each in events() if each.get("level") != "network"]
    model, _ = calibrating.fit(calibrating.read(kept), "ours")
    assert model.levels == ["network", "node"]
    assert "network: a copy of the outermost level" in model.origin


def test_an_unfinished_run_is_a_failure() -> None:
    with pytest.raises(Failure, match="before it had finished"):
        calibrating.read(events()[:-1])


def test_a_failed_run_says_why(machine: Path) -> None:
    text = "import sys; print('a launcher may talk'); sys.exit('rank 1 fell over\\nand so did all')"
    fakes.script(machine / "home/bench/openmpi/toccata_calibrate", text)
    code, _, stderr = invoke("calibrate", "-o", "x.json")
    assert code == 1
    assert "the run with 2 ranks failed with exit code 1" in stderr
    assert "rank 1 fell over\n  and so did all" in stderr


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="there is no mpirun")
@pytest.mark.parametrize("node", [0, 1])
def test_calibrate_command(tmp_path: Path, node: int) -> None:
    output = tmp_path / "here.json"
    code, out, err = invoke(
        "calibrate", "-o", str(output), "--sizes", "1:64K:4", "--repetitions", "5",
        "--node", str(node),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "worst" in out
    model = predicting.read_model(str(output))
    assert model.levels[0] == "network"
    assert all(value >= 0 for value in model.coefficients)
    assert ("measured: network" in model.origin) == (node == 1)
    assert ("publishing" in json.loads(model.json)) == (node == 0)
    assert invoke("predict", "allgather/ring", "--model", str(output), "--ranks", "2")[0] == 0
