"""The output of `toccata topo` for a machine and its ranks."""

from pathlib import Path

import pytest

from running import invoke
from toccata import _core, quantities
from toccata.drawing import topologies
from toccata.launching.launcher import LAUNCHED, launchers, libraries
from toccata.topology import tree

DATA = Path(__file__).parents[2] / "data"


def placed(machine: str, p: int, name: str = "sequential") -> tuple[_core.Machine, _core.Placement]:
    there = _core.Machine(machine)
    return there, _core.Placement(there, p, name)


def test_this_machine_has_cores() -> None:
    code, stdout, stderr = invoke("topo")
    assert (code, stderr) == (0, "")
    assert "core" in stdout.splitlines()[0]
    assert "node 0" in stdout


def test_ranks_stand_where_they_are() -> None:
    arguments = ("node:2 socket:2 core:2", "--ranks", "6", "--placement", "cyclic-scatter")
    code, stdout, _ = invoke("topo", *arguments)
    assert code == 0
    assert "2 nodes, 4 sockets, 8 cores   6 ranks" in stdout
    assert "node 1   ranks 1, 3, 5" in stdout
    assert "socket 0   2 cores   ranks 0, 4" in stdout


def test_many_that_are_alike_are_told_of_once() -> None:
    _, stdout, _ = invoke("topo", "leaf:32 node:16 core:8", "--ranks", "2048")
    assert len(stdout.splitlines()) == 5
    assert "leaf 0–15   16 alike; first shown   ranks 0–2047, 128 in each" in stdout
    assert "leaf 16–31   16 alike; first shown   no rank" in stdout


def test_files_are_read_and_saved(tmp_path: Path) -> None:
    saved = tmp_path / "machine.txt"
    _, first, _ = invoke("topo", str(DATA / "topology-tree.conf"), "--save", str(saved))
    assert "leaf 2 leaf3   8 nodes cn[021-028]" in first
    _, second, _ = invoke("topo", str(saved))
    assert second == first.replace(f"wrote {saved}\n", "")


@pytest.mark.parametrize(
    ("name", "summary"),
    [
        ("hwloc-two-memories.xml", "2 sockets, 8 cores"),
        ("hwloc-3.xml", "2 sockets, 4 cores"),  # written by hwloc 3.0.0a1
        ("topology-two-cores.conf", "1 spine, 2 leaves, 8 nodes"),
        ("topology-block.conf", "2 block72s, 3 block36s, 5 blocks, 90 nodes"),
        ("scontrol-tree.txt", "1 switch3, 2 spines, 3 leaves, 9 nodes"),
        ("scontrol-block.txt", "1 block12, 2 block6s, 4 blocks, 12 nodes"),
        ("ibnetdiscover-grouped.txt", "2 leaves, 3 nodes"),
    ],
)
def test_every_kind_of_file_is_read(name: str, summary: str) -> None:
    code, stdout, stderr = invoke("topo", str(DATA / name))
    assert (code, stderr) == (0, "")
    assert stdout.splitlines()[0] == summary


def test_adapters_without_names_are_told_of_once() -> None:
    file = str(DATA / "ibnetdiscover-same-names.txt")
    code, stdout, stderr = invoke("topo", file, "--ranks", "3")
    assert code == 0
    assert stdout.startswith("2 leaves, 3 nodes")
    assert stderr.startswith(f"toccata: {file}: 3 adapters have names without a host, such as")
    assert len(stderr.splitlines()) == 1


def test_an_unbound_rank_is_on_its_node() -> None:
    machine, placement = placed("node:2 core:2", 3, "node:0 core:0,3")
    assert tree.items(machine, placement)[0].ranks == [0]
    assert tree.items(machine, placement)[0].all_ranks() == [0, 1]


def test_numbers_are_described() -> None:
    assert tree.describe_numbers([3, 0, 1, 2, 7]) == "0–3, 7"
    assert tree.describe_numbers(range(0, 64, 8)) == "0, 8, 16, … 56 (8 of them)"
    assert quantities.plural("leaf", 2) == "2 leaves"
    assert tree.summary(_core.Machine("torus:4x4 core:2")) == "torus of 4×4 nodes, 32 cores"
    assert "periodic in dimension 1" in tree.summary(_core.Machine("mesh:2x~4"))


def texts(machine: str, p: int, name: str = "sequential") -> list[str]:
    (axes,) = topologies.draw(*placed(machine, p, name)).axes
    return [each.get_text() for each in axes.texts]


def test_a_picture_shows_all_of_a_small_machine() -> None:
    shown = texts("node:2 socket:2 core:2", 8, "cyclic")
    assert {"node 0", "node 1", "socket 3", *map(str, range(8))} <= set(shown)


def test_a_picture_leaves_out_what_is_alike() -> None:
    shown = texts("leaf:32 node:16 core:8", 2048)
    assert "⋯ 14 alike" in shown
    assert len(shown) < 80


def test_a_picture_of_a_torus_has_a_cell_for_each_node() -> None:
    shown = texts("torus:3x3 core:2", 18, "cyclic")
    assert "8, 17" in shown
    assert {"plane 0", "plane 1"} <= set(texts("torus:2x3x3", 18))
    assert any(each.startswith("only the first 12×12") for each in texts("mesh:20x20", 4))


def test_a_picture_is_written(tmp_path: Path) -> None:
    for name in ("x.png", "x.svg"):
        assert invoke("topo", "node:2 core:2", "-o", str(tmp_path / name))[0] == 0
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize("family", LAUNCHED)
def test_ranks_find_out_where_they_run(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if family not in libraries() or family not in {each.family for each in launchers()}:
        pytest.skip(f"not built for {family}, or without its launcher in PATH")
    code, stdout, stderr = invoke("topo", "--ranks", "2", "--mpi", family)
    assert code == 0, stderr
    assert "1 node" in stdout
    assert "2 ranks" in stdout
    monkeypatch.setenv("TOCCATA_TOPOLOGY", "node:2 core:1")
    _, stdout, _ = invoke("topo", "--ranks", "2", "--mpi", family)
    assert "2 nodes, 2 cores   2 ranks" in stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("no/such.conf",), "there is no file"),
        (("node:2 core",), "a count is missing"),
        (("node:2", "--placement", "cyclic"), "no effect without --ranks"),
        (("--placement", "cyclic"), "no effect without MACHINE"),
        (("node:2", "--ranks", "3"), "has 2 places"),
        (("node:2", "--mpi", "mpich"), "leave out MACHINE"),
        (("--mpi", "mpich"), "no effect without --ranks"),
        (("node:2", "-o", "x.doc"), ".doc"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments: tuple[str, ...], why: str) -> None:
    code, _, stderr = invoke("topo", *arguments)
    assert code == 2
    assert why in stderr
    assert len(stderr.splitlines()) == 1
