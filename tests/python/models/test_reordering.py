"""`toccata reorder`: mappings, their effects, and files to start a job."""

from pathlib import Path

import pytest

from conftest import Toccata
from toccata import _core
from toccata.drawing import mappings
from toccata.models import reordering


def placed(machine: str, placement: str) -> tuple[_core.Placement, _core.Shape]:
    there = _core.Machine(machine)
    ranks = _core.Placement(there, there.objects(len(there.levels) - 1), placement)
    return ranks, _core.Shape(ranks)


def test_ring_comes_home_and_scotch_is_no_better() -> None:
    _, shape = placed("node:4 socket:2 core:4", "cyclic")
    ring = _core.parse_choice("allgather", "ring")
    flows = reordering.flows(ring, shape)
    label, [(players, _)] = reordering.ours(ring, shape, None)
    assert label == "RMH"
    assert sorted(players) == list(range(32))
    ours = _core.hop_bytes(shape, flows, players)
    assert ours < _core.hop_bytes(shape, flows, list(range(32)))
    least = _core.least_hop_bytes(shape, flows)
    assert least <= ours <= 1.4 * least  # a tree cannot have all neighbours in a socket
    if _core.has_scotch():
        theirs, _ = _core.map_by_scotch(flows, shape)
        assert sorted(theirs) == list(range(32))
        assert ours <= _core.hop_bytes(shape, flows, theirs)


@pytest.mark.parametrize("machine", ["torus:8x8", "torus:4x6", "torus:4x4x4", "mesh:8x8"])
@pytest.mark.parametrize("name", ["ring", "neighbor_exchange"])
def test_a_ring_on_a_torus_has_the_least_hop_bytes(name: str, machine: str) -> None:
    """Wherever the ranks are: the bound is a second yardstick beside Scotch, and tori attain it."""
    _, shape = placed(machine, "random:1")
    choice = _core.parse_choice("allgather", name)
    flows = reordering.flows(choice, shape)
    _, [(players, _)] = reordering.ours(choice, shape, None)
    ratio = _core.hop_bytes(shape, flows, players) / _core.least_hop_bytes(shape, flows)
    assert 1 <= ratio <= (1 if "torus" in machine else 1.1)


@pytest.mark.parametrize("machine", ["leaf:3 node:4,2,3 core:2", "torus:4x3 core:2", "mesh:5"])
def test_scotch_maps_one_to_one_wherever(machine: str) -> None:
    if not _core.has_scotch():
        pytest.skip("built without Scotch")
    ranks, shape = placed(machine, "random:3")
    bruck = _core.parse_choice("allgather", "bruck")
    players, _ = _core.map_by_scotch(_core.flows_of(bruck, shape), shape)
    assert sorted(players) == list(range(ranks.p))


def test_reordered_shapes_are_proved_and_predicted_like_others() -> None:
    _, shape = placed("node:4 socket:2 core:2", "block-bunch")
    choice = _core.parse_choice("allgather", "recursive_doubling")
    assert _core.orders_for(choice) == ["straight", "exchange", "shuffle"]
    players, _ = _core.map_pattern("recursive_doubling", shape)
    for order in _core.orders_for(choice):
        assert choice.verify(_core.reordered(choice, shape, players, order)) == ""
    named = _core.parse_choice("allgather", "recursive_doubling:reorder=exchange")
    assert named.text == "recursive_doubling:reorder=exchange"
    assert named.verify(shape) == ""


def test_long_rings_are_told_by_their_first_rounds() -> None:
    _, shape = placed("node:63 core:8", "cyclic")
    ring = _core.parse_choice("allgather", "ring")
    model = _core.Model.parse(
        '{"name": "m", "origin": "", "levels": [{"level": "network", "eager": '
        '{"alpha": 1e-6, "beta": 1e-9}}, {"level": "node", "eager": {"alpha": 1e-7, "beta": 0}}]}'
    )
    whole = _core.Predictor(ring, shape).seconds(4096, model)
    assert reordering.Predictor(ring, shape).seconds(4096, model) == pytest.approx(whole, rel=1e-3)


def test_picture_has_a_panel_and_bars_for_each_mapping() -> None:
    ranks, shape = placed("node:4 core:4", "cyclic")
    ring = _core.parse_choice("allgather", "ring")
    model = _core.Model.parse(
        '{"name": "m", "origin": "", "levels": [{"level": "network", '
        '"eager": {"alpha": 1e-6, "beta": 0}}]}'
    )
    all_ = [reordering.measure("as placed", ring, shape, None, 8, model)]
    _, [found] = reordering.ours(ring, shape, None)
    all_.append(reordering.measure("RMH", ring, shape, found, 8, model))
    # Before, all 15 blocks of each of 4 ranks leave a node; afterwards, those of one rank.
    node = [next(each for each in one.crossings if each[0] == "node") for one in all_]
    assert [each[2] for each in node] == [4 * 15 * 8, 15 * 8]
    figure = mappings.draw("ring", ring, shape, ranks, all_, 8)
    assert len(figure.axes) == 4


def test_command_line(toccata: Toccata, tmp_path: Path) -> None:
    rankfile = tmp_path / "rankfile"
    said = toccata(
        *("reorder", "allgather/ring", "--machine", "node:4 core:2", "--placement", "cyclic"),
        *("--rankfile", str(rankfile), "-o", str(tmp_path / "a.png")),
    )
    assert said.returncode == 0, said.stderr
    assert "RMH" in said.stdout and "as placed" in said.stdout
    assert rankfile.read_text().splitlines()[1] == "rank 1=+n0 slot=1"
    assert (tmp_path / "a.png").stat().st_size > 1000
    for arguments, complaint in {
        ("reorder",): "name an algorithm",
        ("reorder", "allgather/ring", "--order", "up"): "accepts straight, exchange, shuffle",
        ("reorder", "alltoall/bruck", "--order", "exchange"): "accepts straight, shuffle or auto",
        ("reorder", "allgather/recursive_doubling", "-p", "6"): "needs a power of two",
        ("reorder", "ring", "--paper"): "leave out ring",
    }.items():
        said = toccata(*arguments)
        assert said.returncode == 2 and complaint in said.stderr, said.stderr
