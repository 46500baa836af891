"""Placements by the launcher at hand, on machines that exist as text only."""

import re
import shlex
from pathlib import Path

import pytest

import fakes
from conftest import Toccata
from real_launchers import LAUNCHERS, launcher
from running import invoke
from toccata import _core
from toccata.errors import InputError
from toccata.launching import maps, start_files
from toccata.topology import machines


def asked(starter: str, arguments: str, machine: str, p: int) -> str:
    there = machines.named(machine)
    return maps.asked(f"{starter} {arguments}", there, p)


PACKAGES = "node:1 socket:2 core:4"


@pytest.mark.parametrize(
    ("name", "arguments", "machine", "expected"),
    [
        ("openmpi-4", "", PACKAGES, "socket:0 socket:1 socket:0 socket:1"),
        ("openmpi-4", "--map-by socket", PACKAGES, "socket:0 socket:1 socket:0 socket:1"),
        ("openmpi-4", "--map-by core", PACKAGES, "core:0 core:1 core:2 core:3"),
        ("openmpi-4", "--bind-to none", PACKAGES, "node:0 node:0 node:0 node:0"),
        ("openmpi-4", "", "node:2 socket:2 core:1", "socket:0 socket:1 socket:2 socket:3"),
        ("openmpi-5", "", PACKAGES, "core:0 core:1 core:2 core:3"),
        ("openmpi-5", "--map-by package", PACKAGES, "socket:0 socket:0 socket:1 socket:1"),
        ("openmpi-5", "--map-by package:SPAN", PACKAGES, "socket:0 socket:1 socket:0 socket:1"),
        (
            "openmpi-5", "--map-by package --rank-by slot", PACKAGES,
            "socket:0 socket:1 socket:0 socket:1",
        ),
        ("openmpi-5", "--map-by node", "node:2 core:4 pu:2", "node:0 node:1 node:0 node:1"),
        ("openmpi-5", "--bind-to none", PACKAGES, "node:0 node:0 node:0 node:0"),
        ("mpich", "", "node:2 core:2", "node:0 node:0 node:1 node:1"),
        ("mpich", "-ppn 1", "node:2 core:2", "node:0 node:1 node:0 node:1"),
        ("mpich", "-bind-to core", PACKAGES, "core:0 core:1 core:2 core:3"),
        (
            "mpich", "-bind-to core -map-by socket", "node:1 socket:2 core:4 pu:2",
            "core:0 core:4 core:1 core:5",
        ),
        ("mpich", "-bind-to socket", "node:2 socket:2 core:1", "core:0 core:1 core:2 core:3"),
    ],
)  # fmt: skip
def test_the_launcher_at_hand_maps_the_ranks(
    name: str, arguments: str, machine: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On two packages, Open MPI 4 goes round their NUMA nodes, and Open MPI 5 fills cores."""
    names = [each for each in LAUNCHERS if each.startswith(name) and LAUNCHERS[each]]
    if not names:
        pytest.skip(f"there is no {name}")
    for each in names:
        found = asked(launcher(each, monkeypatch), arguments, machine, 4)
        assert _places(found, machine) == _places(expected, machine), each


def _places(text: str, machine: str) -> list[tuple[int, int]]:
    """The objects with cores and sockets of one core alike."""
    there = machines.named(machine)
    innermost = len(there.levels) - 1
    same = [
        level
        for level in range(len(there.levels))
        if there.objects(level) == there.objects(innermost)
    ]
    places = _core.Placement(there, len(text.split()), text).places
    return [(innermost if level in same else level, number) for level, number in places]


@pytest.mark.parametrize("name", LAUNCHERS)
def test_several_programs_share_the_machine(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starter = launcher(name, monkeypatch)
    if name == "intelmpi":
        with pytest.raises(InputError, match="does not tell where it would place ranks"):
            asked(starter, "", PACKAGES, 4)
        return
    found = asked(starter, "-n 3 ./one : -n 5 ./two", "node:2 core:4", 8)
    assert [int(each.split(":")[1]) // (4 if "core" in each else 1) for each in found.split()] == [
        0, 0, 0, 0, 1, 1, 1, 1,
    ]  # fmt: skip


def test_open_mpi_5_reads_our_rankfile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Open MPI 4 does not show the map of a rankfile."""
    starter = launcher("openmpi-5", monkeypatch)
    players = [5, 2, 7, 0, 1, 6, 3, 4]
    there = "node:1 socket:2 core:4"
    file = tmp_path / "ranks"
    seats = start_files.seats(_core.Placement(_core.Machine(there), 8, "block-bunch"))
    file.write_text(start_files.text(seats, players, "openmpi").replace("+n0", "localhost"))
    found = asked(starter, f"--map-by rankfile:file={file}", there, 8)
    assert found.split() == [f"core:{each}" for each in players]


@pytest.mark.parametrize("name", ["mpich-4", "mpich-5"])
def test_hydra_reads_our_host_list(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starter = launcher(name, monkeypatch)
    machine, file = tmp_path / "machine.txt", tmp_path / "hosts"
    machine.write_text("machine node:2 core:2\nlabels node a,b\n")
    seats = start_files.seats(_core.Placement(_core.Machine(str(machine)), 4, "block-bunch"))
    file.write_text(start_files.text(seats, [0, 2, 1, 3], "mpich"))
    assert asked(starter, f"-f {file}", str(machine), 4) == "node:0 node:1 node:0 node:1"


@pytest.mark.parametrize("name", LAUNCHERS)
def test_wrong_arguments_are_one_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    starter = launcher(name, monkeypatch)
    for words in (
        ("--ranks", "4", "--placement", f"{starter} --no-such-option"),
        ("--ranks", "4", "--placement", f"{starter} 'open"),
        ("--ranks", "4", "--placement", f"{starter} -n 3"),
    ):
        code, _, stderr = invoke("topo", "node:1 core:4", *words)
        assert (code, stderr.count("\n")) == (2, 1), stderr
        assert "--placement" in stderr


def test_nodes_must_be_equal(tmp_path: Path) -> None:
    starter = fakes.launcher(tmp_path / "mpirun", "openmpi")
    with pytest.raises(InputError, match="only onto identical nodes, but these have different"):
        asked(str(starter), "", "node:2 core:2,3", 4)
    with pytest.raises(InputError, match="places no rank"):
        asked(str(starter), "", "node:2 core:2", 4)


def test_commands_ask_the_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toccata: Toccata
) -> None:
    starter = launcher("mpich-4", monkeypatch)
    placement = f"{starter} -ppn 1 -bind-to core"
    machine, file = "node:2 socket:2 core:2", tmp_path / "ranks"
    _, shown, _ = invoke("topo", machine, "-p", "4", "--placement", placement)
    assert "node 1   ranks 1, 3" in shown
    code, shown, stderr = invoke(
        "reorder", "allgather/ring", "--machine", machine, "--placement", placement,
        "--rankfile", str(file), "--launcher", "cray",
    )  # fmt: skip
    assert (code, stderr) == (0, "")
    assert "MPICH_RANK_REORDER_METHOD=3" in shown
    assert sorted(file.read_text().split()) == ["0,1,2,3", "4,5,6,7"]
    for command in (
        ("traffic", "allgather/ring", "-p", "4"),
        ("show", "allgather/ring", "-p", "4"),
        ("verify", "allgather/ring", "--max-p", "4"),
        ("predict", "allgather/ring", "--model", "usual", "--ranks", "4"),
    ):
        code, _, stderr = invoke(*command, "--machine", machine, "--placement", placement)
        assert (code, stderr) == (0, "")


PROGRAM = """#!/bin/sh
echo "$(basename $0): $TOCCATA_BCAST, $TOCCATA, $LD_PRELOAD, $OWN"
"""


@pytest.mark.parametrize("name", LAUNCHERS)
def test_every_program_of_a_command_gets_the_settings(
    name: str, tmp_path: Path, toccata: Toccata, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of the environment. `-x` of one program reaches the others in Open MPI 5 only."""
    starter = launcher(name, monkeypatch)
    for each in ("one", "two", "three"):
        (tmp_path / each).write_text(PROGRAM)
        (tmp_path / each).chmod(0o755)
    own = ["-x", "OWN=1"] if "openmpi" in name else ["-env", "OWN", "1"]
    done = toccata(
        "run", "--bcast", "binomial", "--", starter, *_as_root(name), "-n", "1", *own, "./one",
        ":", "-n", "1", "./two", ":", "-n", "1", "./three",
        TOCCATA="off",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = sorted(line for line in done.stdout.splitlines() if "libtoccata" in line)
    programs = [line.split(": ")[0] for line in lines]
    assert programs == ["one", "three", "two"], done.stdout + done.stderr
    assert all(": binomial, off, " in line for line in lines)
    owners = [line.split(": ")[0] for line in lines if line.endswith(", 1")]
    assert owners == (programs if name == "openmpi-5" else ["one"])


@pytest.mark.parametrize("name", LAUNCHERS)
def test_variables_of_the_user_are_kept(
    name: str, tmp_path: Path, toccata: Toccata, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LD_PRELOAD in an option of the launcher; in Open MPI's list of variables, and in a script."""
    starter = launcher(name, monkeypatch)
    (tmp_path / "one").write_text(PROGRAM)
    (tmp_path / "one").chmod(0o755)
    start = [str(starter), *_as_root(name), "-n", "1"]
    setting = ["LD_PRELOAD=libm.so.6"] if "openmpi" in name else ["LD_PRELOAD", "libm.so.6"]
    listed = ["--mca", "mca_base_env_list", "LD_PRELOAD=libm.so.6;OWN"]
    commands = [
        [*start, option, *setting, "./one"]
        for option in (["-x"] if "openmpi" in name else ["-genv", "-env"])
    ]
    if "openmpi" in name:
        job = tmp_path / "job"
        job.write_text(f"#!/bin/sh\n{shlex.join(start)} -x OWN ./one\n")
        job.chmod(0o755)
        commands += [[*start, *listed, "./one"], ["env", "LD_PRELOAD=libm.so.6", "./job"]]
    for command in commands:
        done = toccata("run", "--bcast", "binomial", "--", *command, OWN="7")
        assert done.returncode == 0, done.stderr
        assert re.search(r"one: binomial, learn, .*/libtoccata.so:libm.so.6, 7", done.stdout)


def _as_root(name: str) -> list[str]:
    if "openmpi" not in name:
        return []
    over = "--map-by :OVERSUBSCRIBE" if name == "openmpi-5" else "--oversubscribe"
    return ["--allow-run-as-root", *over.split()]
