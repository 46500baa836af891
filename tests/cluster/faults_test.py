"""Faults of the network: links are cut, lose packets or slow down, bare and preloaded.

`make faults-hosts` runs this between bench/cluster/up.sh and down.sh. During a fault, a program
calls collectives and checks every result: the results must be right, bare and preloaded.
"""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build/release"
MPIRUN = ROOT / "bench/cluster/bin/mpirun"
RANKS = 8
CALLS = 2000  # about 15 s on an idle machine
LIMIT = 180  # seconds of one run
LATER = 4.0  # seconds from the start to the fault: after MPI_Init, during trials
HOST = "toccata3"
SETTINGS: dict[str, dict[str, str]] = {
    "trials": {},
    "forced": {"TOCCATA_ALLGATHER": "ring", "TOCCATA_ALLREDUCE": "recursive_doubling"},
    "model": {"TOCCATA": "model"},
}


def on_host(*command: str) -> None:
    subprocess.run(["ip", "netns", "exec", HOST, *command], check=True)


def rate(value: str) -> None:
    shape = ["tbf", "rate", value, "burst", "9100", "limit", "4mb"]
    on_host("tc", "qdisc", "replace", "dev", "eth0", "root", *shape)


def lose(number: str) -> None:
    drop = ["-i", "eth0", "-m", "statistic", "--mode", "random", "--probability", number]
    on_host("iptables-legacy", "-I", "INPUT", *drop, "-j", "DROP")


def lose_none() -> None:
    on_host("iptables-legacy", "-D", "INPUT", "1")


def link(state: str) -> None:
    """Cuts the port of the switch: the host keeps its address and routes."""
    port = f"port{HOST.removeprefix('toccata')}"
    subprocess.run(["ip", "-n", "toccata-switches", "link", "set", port, state], check=True)


@dataclass(frozen=True)
class Fault:
    begin: Callable[[], None]
    end: Callable[[], None]
    seconds: float


FAULTS = {
    "cut": Fault(lambda: link("down"), lambda: link("up"), 3),
    "loss": Fault(lambda: lose("0.05"), lose_none, 4),
    "slow": Fault(lambda: rate("10mbit"), lambda: rate("100mbit"), 5),
}


def start(settings: dict[str, str] | None) -> subprocess.Popen[str]:
    """Runs the program preloaded with these settings, or bare (None)."""
    sleeper = str(ROOT / "build/cluster/sleep_on_yield.so")
    library = [] if settings is None else [str(BUILD / "lib/openmpi/libtoccata.so")]
    words = {"LD_PRELOAD": " ".join([*library, sleeper])} | (settings or {})
    given = [f"{name}={value}" for name, value in words.items()]
    program = [str(BUILD / "tests/preload/faults/openmpi/deaths"), "none", "0", str(CALLS)]
    environment = os.environ | {"SLOTS": "2"}
    return subprocess.Popen(
        [str(MPIRUN), "-n", str(RANKS), "env", *given, *program],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip


def seconds_with(fault: Fault | None, settings: dict[str, str] | None) -> float:
    begin = time.monotonic()
    job = start(settings)
    try:
        if fault is not None:
            time.sleep(LATER)
            assert job.poll() is None, "the program ends before the fault"
            fault.begin()
            try:
                time.sleep(fault.seconds)
            finally:
                fault.end()
        output, error = job.communicate(timeout=LIMIT)
    finally:
        if job.poll() is None:
            job.terminate()
            job.communicate(timeout=30)
    assert (job.returncode, output.split()) == (0, ["right"]), error[-4000:]
    return time.monotonic() - begin


@pytest.mark.parametrize("name", FAULTS)
def test_the_program_ends_with_right_results(name: str) -> None:
    fault = FAULTS[name]
    words = [f"{name}: bare {seconds_with(fault, None):.0f} s"]
    words += [f"{kind} {seconds_with(fault, each):.0f} s" for kind, each in SETTINGS.items()]
    print(", ".join(words))
