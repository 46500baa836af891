"""Files for launchers: which host and core each rank gets."""

from pathlib import Path

import pytest

from toccata import _core
from toccata.errors import InputError
from toccata.launching.start_files import FORMATS, how_to_start, seats, text

PLAYERS = [0, 2, 1, 3]


def placed(machine: str, ranks: int = 4) -> _core.Placement:
    return _core.Placement(_core.Machine(machine), ranks, "block-bunch")


def test_hosts_without_names_have_numbers() -> None:
    there = seats(placed("node:2 core:2"))
    assert text(there, PLAYERS, "openmpi").splitlines() == [
        "rank 0=+n0 slot=0",
        "rank 1=+n1 slot=0",
        "rank 2=+n0 slot=1",
        "rank 3=+n1 slot=1",
    ]
    assert text(there, PLAYERS, "cray") == "0,2\n1,3\n"
    for launcher in ("openmpi-hosts", "slurm", "mpich", "flux"):
        with pytest.raises(InputError, match=f"a host list for {launcher} needs names of hosts"):
            text(there, PLAYERS, launcher)
    with pytest.raises(InputError, match="expected one of openmpi, openmpi-hosts, slurm, mpich"):
        text(there, PLAYERS, "lsf")


def test_hosts_with_names(tmp_path: Path) -> None:
    file = tmp_path / "machine.txt"
    file.write_text("machine node:2 core:2\nlabels node a,b\n")
    there = seats(placed(str(file)))
    assert text(there, PLAYERS, "openmpi").startswith("rank 0=a slot=0\n")
    assert text(there, PLAYERS, "slurm") == "a\nb\na\nb\n"
    assert text(there, PLAYERS, "mpich") == "a:1\nb:1\na:1\nb:1\n"


def test_recorded_cores_are_those_of_the_node() -> None:
    there = seats(placed("node:2 core:2"), [5, 7, 2, 3])
    assert text(there, PLAYERS, "openmpi").splitlines()[1:3] == [
        "rank 1=+n1 slot=2",
        "rank 2=+n0 slot=7",
    ]


def test_a_rankfile_needs_cores() -> None:
    machine = _core.Machine("node:2 core:2")
    unbound = seats(_core.Placement(machine, 4, "node:0,0,1,1"))
    with pytest.raises(InputError, match="bind ranks to cores"):
        text(unbound, PLAYERS, "openmpi")
    assert text(unbound, PLAYERS, "cray") == "0,2\n1,3\n"
    one_per_node = seats(placed("node:4"))
    assert text(one_per_node, PLAYERS, "openmpi").splitlines()[1] == "rank 1=+n2 slot=0"


def test_cores_with_several_processing_units() -> None:
    there = seats(_core.Placement(_core.Machine("node:2 core:4 pu:2"), 16, "block-bunch"))
    cores = [each.core for each in there]
    assert cores == [0, 0, 1, 1, 2, 2, 3, 3] * 2
    on_core = seats(_core.Placement(_core.Machine("node:2 core:4 pu:2"), 2, "core:3,4"))
    assert [(each.node, each.core) for each in on_core] == [(0, 3), (1, 0)]


def test_every_format_says_how_to_start() -> None:
    for launcher in FORMATS:
        assert "ranks.txt" in how_to_start("ranks.txt", launcher)
    assert how_to_start("rf", "slurm").endswith("--nodelist=./rf")  # not the host rf
    assert how_to_start("/a/rf", "slurm").endswith("--nodelist=/a/rf")
    assert "-f 'my file' " in how_to_start("my file", "mpich")
