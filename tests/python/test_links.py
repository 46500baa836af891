"""Links: bounds, the fit of the simultaneous-link benchmark, and pictures on a mesh."""

from pathlib import Path

import pytest

from toccata import _core, bounds, drawing, grids, links
from toccata.catalogue import find
from toccata.errors import InputError
from toccata.links import Timing


def torus(text: str, p: int) -> _core.Shape:
    return _core.Shape(_core.Placement(_core.Machine(text), p))


def test_bounds_are_reached_by_multiport() -> None:
    shape = bounds.shape("torus:4x4", None, None, 0)
    assert shape.p == 16
    least = _core.lower_bounds("allgather", shape, 1 << 20)
    found = _core.link_traffic(find("allgather/torus_multiport"), shape, 1 << 20)
    assert least.rounds == 2
    assert found.largest == pytest.approx(least.link_bytes)
    assert max(found.conflicts) == 1


def test_bounds_need_links() -> None:
    with pytest.raises(InputError, match="torus:8x8x8"):
        bounds.shape("node:4 core:2", None, None, 0)
    with pytest.raises(_core.RequestError, match="alltoall"):
        _core.lower_bounds("alltoall", torus("torus:4x4", 16), 1)


def made_up(alpha: float, beta: float, tau: float) -> list[Timing]:
    sizes = [8, 64, 512, 1024, 8192, 32768, 65536, 1 << 20]
    return [
        Timing(way, count, size, seconds, seconds, seconds)
        for way in links.WAYS
        for count in (1, 2, 3, 4)
        for size in sizes
        for seconds in [(alpha + size * beta) * (1 + (count - 1) * tau)]
    ]


@pytest.mark.parametrize("tau", [0.0, 0.1792, 0.9797, 1.0])
def test_fit_finds_what_was_put_in(tau: float) -> None:
    found = links.fits(made_up(2e-6, 1e-9, tau))
    assert len(found) == 9
    for each in found:
        assert each.alpha == pytest.approx(2e-6, rel=1e-2)
        assert each.beta == pytest.approx(1e-9, rel=2e-2)
        assert each.tau == pytest.approx(tau, abs=1e-3)
        assert each.error < 1e-3


def test_fit_is_drawn(tmp_path: Path) -> None:
    timings = made_up(2e-6, 1e-9, 0.3)
    drawing.write(links.draw(timings, links.fits(timings), "made up"), tmp_path / "links.png")
    assert (tmp_path / "links.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("name", "machine", "p"),
    [
        ("bcast/torus_mst", "torus:4x4", 16),
        ("allgather/torus_multiport", "mesh:3x4", 12),
        ("allreduce/torus_short", "torus:3x3x3", 27),
        ("scatter/torus_mst", "mesh:9", 9),
    ],
)
def test_rounds_are_drawn_on_the_mesh(name: str, machine: str, p: int, tmp_path: Path) -> None:
    choice, shape = find(name), torus(machine, p)
    assert grids.draws(choice, shape)
    figure = grids.draw(choice, shape)
    talking = sum(
        any(
            i < len(each) and each.round(i).sends
            for each in (choice.schedule(shape, rank) for rank in range(p))
        )
        for i in range(64)
    )
    assert len(figure.axes) == min(talking, grids.MOST_PANELS)
    drawing.write(figure, tmp_path / "rounds.svg")
    assert (tmp_path / "rounds.svg").exists()


def test_others_are_drawn_as_blocks() -> None:
    assert not grids.draws(find("allgather/ring"), torus("torus:4x4", 16))
    assert not grids.draws(find("allgather/torus_bucket"), _core.Shape(4))
