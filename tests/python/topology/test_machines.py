"""Machines and placements, and the options that name them."""

import pytest

from running import invoke
from toccata import _core


def test_a_machine_knows_its_levels() -> None:
    machine = _core.Machine("leaf:2 node:2,1 core:4")
    assert machine.levels == ["leaf", "node", "core"]
    assert [machine.objects(level) for level in range(3)] == [2, 3, 12]
    assert machine.outers(1) == [0, 0, 1]
    assert machine.outer(1, 2) == 1
    assert (machine.dims, machine.labels(1)) == ([], [])
    assert _core.Machine("torus:4x4").periodic == [True, True]
    with pytest.raises(IndexError):
        machine.objects(3)
    with pytest.raises(IndexError):
        machine.outer(1, 3)


def test_a_placement_knows_who_is_near() -> None:
    placement = _core.Placement(_core.Machine("node:2 core:2"), 4, "cyclic")
    assert placement.text == "core:0,2,1,3"
    assert placement.places[1] == (1, 2)
    assert (placement.common_level(0, 2), placement.common_level(0, 1)) == (0, -1)
    assert _core.Shape(_core.Placement(_core.Machine("mesh:2x2 core:2"), 8)).dims == [2, 2, 2]
    assert _core.Shape(5).dims == []


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--machine", "node:2 core"), "a count is missing"),
        (("--machine", "node:2 core:2"), "has 4 places"),
        (("--machine", "node:8", "--placement", "odd"), "expected one of block-bunch"),
        (("--placement", "cyclic"), "no effect without --machine"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments: tuple[str, ...], why: str) -> None:
    for command in (
        ("show", "allgather/ring", "-p", "8"),
        ("verify", "allgather/ring", "--max-p", "8"),
        ("traffic", "-p", "8"),
    ):
        code, stdout, stderr = invoke(*command, *arguments)
        assert (code, stdout) == (2, "")
        assert why in stderr
        assert len(stderr.splitlines()) == 1


def test_commands_take_a_machine() -> None:
    arguments = ("--machine", "node:4 core:2", "--placement", "cyclic")
    assert invoke("show", "allgather/ring", "-p", "8", *arguments)[0] == 0
    assert invoke("traffic", "allgather/ring", "-p", "8", *arguments)[0] == 0
    code, stdout, _ = invoke("verify", "allgather/ring", "--max-p", "8", *arguments)
    assert code == 0
    assert "up to 8 ranks" in stdout
