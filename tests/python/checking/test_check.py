"""`toccata check` with a launcher and a program that are scripts."""

import json
from pathlib import Path

import pytest

import fakes
from running import invoke
from toccata import _core
from toccata.checking import session
from toccata.commands import check as commands_check
from toccata.topology import networks

COMMAND = ("--", "mpirun", "-n", "4")
SRUN = """
import os, sys
ranks = sys.argv[sys.argv.index("-N") + 1]
program = next(i for i, word in enumerate(sys.argv) if i > 0 and word.startswith("/"))
os.execvp("mpirun", ["mpirun", "-n", ranks, *sys.argv[program:]])
"""


@pytest.fixture
def hosts(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fakes.script(machine / "home/bench/openmpi/toccata_check", fakes.CHECK)
    monkeypatch.setattr(session, "PAUSE", 0.0)
    return machine


def check(*options: str, command: tuple[str, ...] = COMMAND) -> tuple[int, str, str]:
    return invoke("check", "--no-collectives", *options, *command)


def checked(path: Path, *options: str) -> Path:
    """A check of a healthy machine in a file."""
    assert check("--json", str(path), *options)[0] == 0
    return path


def test_a_healthy_machine_passes_after_one_measurement(hosts: Path) -> None:
    code, output, _ = check()
    assert code == 0
    assert "4 hosts, Fake MPI 1.0" in output
    assert "measured once: nothing is slow" in output


def test_a_slow_host_is_one_line_and_an_exit_code(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_SLOW", "2")
    code, output, _ = check("--json", "check.json", "--heatmap", "map.png")
    assert code == 3
    assert "n2: long messages reach 49% of the expected bandwidth" in output
    (finding,) = json.loads((hosts / "check.json").read_text())["findings"]
    assert (finding["kind"], finding["name"], finding["what"]) == ("host", "n2", "bandwidth")
    assert finding["factor"] == pytest.approx(2.02, rel=0.01)
    assert (hosts / "map.png").stat().st_size > 1000


def test_a_fault_that_another_measurement_does_not_show_is_no_alarm(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_SLOW", "2")
    monkeypatch.setenv("FAKE_ONCE", str(hosts / "once"))
    code, output, _ = check()
    assert code == 0
    assert "not confirmed, so not counted: n2: long messages" in output
    assert "measured 2 times: nothing is slow" in output


def test_a_silent_host_is_named(hosts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SILENT", "1")
    assert check() == (1, "", "toccata: n2 does not answer (rank 2)\n")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "stderr:rank 1 on node n1 exited on signal 9",
            "n1: the measurement ended early, in round 1; the launcher says: rank 1 on node n1 "
            "exited on signal 9",
        ),
        (
            "stdout:=   RANK 2 PID 3 RUNNING AT n2\n=   KILLED BY SIGNAL: 9 (Killed)",
            "n2: the measurement ended early, in round 1; the launcher says: RANK 2 PID 3 RUNNING "
            "AT n2",
        ),
        (
            "stderr:[n3:0] *** An error occurred in Socket closed\nprterun has exited due to "
            'process rank 3 with PID 7 on node n3 calling\n"abort".',
            "the measurement ended early, in round 1: n3 lost its connection to another host",
        ),
        (
            "stderr:TCP failed to send\n  Local host: n0",
            "the measurement ended early, in round 1: n0 lost its connection to another host",
        ),
        (
            "stderr:the variable OMPI_ALLOW_RUN_AS_ROOT=1 to indicate the desire\nWe reiterate "
            "our advice against doing so - please proceed at your own risk.",
            "the measurement ended early, in round 1: the launcher refuses to run as root; add "
            "--allow-run-as-root to it",
        ),
        (
            "stderr:process rank 1 on node n1 exited on signal 14 (Alarm clock).",
            "the measurement ended early, in round 1; give more --seconds",
        ),
    ],
)
def test_a_dead_host_is_named_by_the_launchers_line(
    hosts: Path, monkeypatch: pytest.MonkeyPatch, said: str, told: str
) -> None:
    monkeypatch.setenv("FAKE_DEATH", said)
    assert check() == (1, "", f"toccata: {told}\n")


def test_a_slower_machine_is_found_with_a_baseline_only(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = checked(hosts / "base.json")
    monkeypatch.setenv("FAKE_WHOLE", "2")
    assert check()[0] == 0
    code, output, _ = check("--baseline", str(baseline))
    assert code == 3
    assert "the whole machine: long messages reach 50% of the expected bandwidth" in output


def test_fewer_and_new_hosts_are_one_line_each(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    baseline = checked(hosts / "base.json")
    code, output, _ = check("--baseline", str(baseline), command=("--", "mpirun", "-n", "3"))
    assert code == 0
    assert "in the baseline, but not in this run: n3\n" in output
    code, output, _ = check("--baseline", str(baseline), command=("--", "mpirun", "-n", "6"))
    assert code == 0
    assert "not in the baseline, so not compared: n4, n5\n" in output
    monkeypatch.setenv("FAKE_NAME", "other")
    code, _, error = check("--baseline", str(baseline))
    assert code == 2
    assert error.startswith("toccata: --baseline has other hosts (n0, n1, n2 and 1 more")


def test_a_single_host_has_a_baseline(hosts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, four = ("--", "mpirun", "-n", "1"), ("--", "mpirun", "-n", "4")
    assert check("--json", "one.json", command=one)[0] == 0
    code, output, _ = check("--baseline", "one.json", command=one)
    assert code == 0 and "1 host, Fake MPI 1.0, measured once: nothing is slow" in output
    code, output, _ = check("--baseline", "one.json", command=four)
    assert code == 0 and "not in the baseline, so not compared: n1, n2, n3" in output
    assert check("--json", "four.json", command=four)[0] == 0
    code, output, _ = check("--baseline", "four.json", command=one)
    assert code == 0 and "in the baseline, but not in this run: n1, n2, n3" in output
    monkeypatch.setenv("FAKE_NAME", "other")
    code, _, error = check("--baseline", "one.json", command=one)
    assert code == 2
    assert error.startswith("toccata: --baseline has other hosts (n0) than this run (other0)")


@pytest.mark.parametrize(
    ("contents", "complaint"),
    [
        ("", "is not a check"),
        ("[1]", "is not a check"),
        ('{"toccata_tuning": 1}', "is not a check"),
        ('{"toccata_check": 99}', "has version 99"),
        ('{"toccata_check": 1, "mpi": "x"}', "hosts is missing"),
        ('{"toccata_check": 1, "mpi": "x", "hosts": ["a"], "cores": [], "bytes": 1, "rounds": '
         '[[{"first": 0, "second": 7, "latency": 1, "mean": 1, "there": 1, "back": 1, "error": 0}]]'
         "}", "the pair of hosts 0 and 7 is invalid"),
        ('{"toccata_check": 1, "mpi": "x", "hosts": ["a"], "cores": [], "bytes": 1, "rounds": [], '
         '"collectives": [{"name": "bcast", "bytes": 8, "native": 0, "rival": "pipeline", '
         '"rival_seconds": 1, "expected": 1}]}', "a time of bcast is not more than 0"),
    ],
)  # fmt: skip
def test_a_broken_baseline_is_one_line(hosts: Path, contents: str, complaint: str) -> None:
    (hosts / "base.json").write_text(contents)
    code, output, error = check("--baseline", "base.json")
    assert (code, output) == (2, "")
    assert error.startswith("toccata: base.json: ")
    assert complaint in error
    assert error.count("\n") == 1


def test_the_history_shows_the_trend_and_survives_broken_lines(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "no earlier check of these hosts" in check("--history", "past.jsonl")[1]
    with (hosts / "past.jsonl").open("a") as file:
        file.write("half a li")
    monkeypatch.setenv("FAKE_WHOLE", "1.25")
    output = check("--history", "past.jsonl")[1]
    assert "past.jsonl: left out line 2, not from this version" in output
    assert "compared with the last check: latency +25%, bandwidth -20%; 0 had findings" in output
    assert len((hosts / "past.jsonl").read_text().splitlines()) == 3


def test_a_history_that_is_not_text_is_found_before_the_measurement(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hosts / "past.jsonl").write_bytes(b"\xff\xfe\x00")
    monkeypatch.setattr(session, "check", lambda *_: pytest.fail("measured"))
    code, output, error = check("--history", "past.jsonl")
    assert (code, output, error) == (2, "", "toccata: past.jsonl: is not text\n")


def test_files_are_written_before_anything_is_printed(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(*_: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr(commands_check, "_report", closed)
    names = ("c.json", "past.jsonl", "map.png", "slow.txt")
    json, history, heatmap, save = map(Path, names)
    with pytest.raises(BrokenPipeError):
        commands_check.check(
            ["mpirun", "-n", "4"], json=json, history=history, heatmap=heatmap, save=save,
            no_collectives=True,
        )  # fmt: skip
    assert all((hosts / name).stat().st_size > 0 for name in names)


def test_the_history_of_a_single_host(hosts: Path) -> None:
    for _ in range(2):
        code, output, _ = check("--history", "past.jsonl", command=("--", "mpirun", "-n", "1"))
        assert code == 0
    assert "compared with the last check: a single host has no links; 0 had findings" in output


def test_the_saved_topology_has_the_slow_link(hosts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_SLOW", "2")
    assert check("--save", "slow.txt")[0] == 3
    text = (hosts / "slow.txt").read_text()
    assert "labels node n[0-3]\n" in text
    assert "\nlinks node2=" in text
    network = networks.of(str(hosts / "slow.txt"))
    whole = networks.of_machine(_core.Machine(str(hosts / "slow.txt")))
    link = (2, whole.nodes)
    assert float(network.links[link] / whole.links[link]) == pytest.approx(0.495, abs=0.01)
    code, output, _ = invoke("bounds", "--machine", "slow.txt")
    assert code == 0
    assert "into node2" in output


def test_only_launchers_are_accepted(hosts: Path) -> None:
    code, _, error = check(command=("--", "ls"))
    assert (code, error.count("\n")) == (2, 1)
    assert "'ls' is not a launcher" in error


def test_srun_starts_the_program_with_its_options(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slurm has no MPI of its own, so --mpi names it. Here, a script starts mpirun instead."""
    fakes.script(hosts / "bin/srun", SRUN)
    monkeypatch.setenv("FAKE_LOG", str(hosts / "log"))
    command = ("--", "srun", "-N", "4", "--ntasks-per-node", "1", "--mpi=pmix")
    code, output, _ = check("--mpi", "openmpi", "--save", "x.txt", command=command)
    assert (code, "4 hosts, Fake MPI 1.0" in output) == (0, True)
    (line,) = (hosts / "log").read_text().splitlines()
    program = hosts / "home/bench/openmpi/toccata_check"
    assert line == f"preload None -n 4 {program} --lifetime 300"
    code, _, error = check(command=command)
    assert (code, error.count("\n")) == (2, 1)
    assert "--mpi" in error


def test_hosts_on_a_mesh_are_named_first_and_then_measured_with_their_cells(
    hosts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hosts / "ring.txt").write_text("machine torus:4 core:1\nlabels node n2,n3,n0,n1\n")
    monkeypatch.setenv("FAKE_LOG", str(hosts / "log"))
    monkeypatch.setenv("FAKE_SLOW", "2")
    code, output, _ = check("--machine", "ring.txt", "--save", "slow.txt")
    assert code == 3
    assert "n2: long messages reach 49% of the expected bandwidth" in output
    ends = [line.split("toccata_check ")[1] for line in (hosts / "log").read_text().splitlines()
            if "toccata_check" in line]  # fmt: skip
    cells = "--lifetime 300 --mesh 4 --periodic 1 --cells 2-3,0-1"
    assert ends == ["--lifetime 300 --names", cells, f"{cells} --backwards --pings 1200"]
    assert "\nlinks 0=" in (hosts / "slow.txt").read_text()


def test_hosts_that_the_topology_does_not_have_are_one_line(hosts: Path) -> None:
    code, _, error = check("--machine", "node:4 core:1")
    assert (code, error.count("\n")) == (2, 1)
    assert "host 'n0' is not on 'node:4 core:1'" in error
