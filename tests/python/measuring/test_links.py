"""Links: bounds, the fit of the simultaneous-link benchmark, and pictures of a mesh."""

from pathlib import Path

import pytest

import fakes
from running import invoke
from toccata import _core
from toccata.algorithms.catalogue import find
from toccata.drawing import grids, pictures
from toccata.errors import InputError
from toccata.measuring import links
from toccata.measuring.links import Timing
from toccata.topology import networks


def torus(text: str, p: int) -> _core.Shape:
    return _core.Shape(_core.Placement(_core.Machine(text), p))


def test_bounds_need_links() -> None:
    with pytest.raises(InputError, match="torus:8x8x8"):
        networks.of("socket:4 core:2")
    with pytest.raises(_core.ChoiceError, match="alltoall"):
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


def test_a_size_alone_is_told_of() -> None:
    assert links.alone(made_up(2e-6, 1e-9, 0.3)) == []
    assert links.alone([Timing("send", 1, size, 1, 1, 1) for size in (8, 64, 1024)]) == [1024]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--algorithms", "ring", "--paper", "--json", "x"), "No such option: --algorithms"),
        (("--metric", "median"), "No such option: --metric"),
        (("--baseline", "all"), "No such option: --baseline"),
        (("--machine", "torus:4x4"), "has 16 cells, each of them a rank; give --ranks 16"),
        (
            ("--machine", "node:4 core:4", "--ranks", "16"),
            "is not a mesh; give one such as torus:4x4",
        ),
        (("--machine", "torus:4xx"), "torus:4xx"),
        (("--ranks", "1"), "invalid number of ranks '1': expected an integer from 2"),
        (("--ranks", "2,4"), "invalid number of ranks '2,4'"),
        (("--sizes", "0:8"), "invalid range of sizes '0:8'"),
        (("--sizes", "0,8"), "expected 1 to 1G bytes"),
        (("--sizes", "2G"), "expected 1 to 1G bytes"),
    ],
)
def test_what_links_cannot_do_is_refused_before_it_starts(
    arguments: tuple[str, ...], said: str, machine: Path
) -> None:
    code, _, stderr = invoke("bench", "links", *arguments)
    assert code == 2
    assert said in stderr
    assert stderr.count("\n") == 1


def test_links_tell_what_is_not_fitted(machine: Path) -> None:
    fakes.script(machine / "home/bench/openmpi/links", LINKS)
    code, stdout, stderr = invoke("bench", "links", "--sizes", "8,64,1K", "--ranks", "2")
    assert (code, stderr) == (0, "")
    assert "without a fit: 1K, the only size of its range; a fit needs two" in stdout
    code, stdout, _ = invoke("bench", "links", "--sizes", "8", "--ranks", "2")
    assert code == 0
    assert "fit of" not in stdout


LINKS = """
import json, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
print(json.dumps({"event": "start", "mpi": "Fake MPI"}))
for size in map(int, options["--sizes"].split(",")):
    for way in ("send", "receive", "exchange"):
        times = dict.fromkeys(("longest", "shortest", "average"), 1e-6 * (1 + size))
        print(json.dumps({"event": "result", "way": way, "links": 1, "bytes": size, **times}))
print(json.dumps({"event": "done"}))
"""


def test_fit_is_drawn(tmp_path: Path) -> None:
    timings = made_up(2e-6, 1e-9, 0.3)
    pictures.write(links.draw(timings, links.fits(timings), "made up"), tmp_path / "links.png")
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
    pictures.write(figure, tmp_path / "rounds.svg")
    assert (tmp_path / "rounds.svg").exists()


def test_others_are_drawn_as_blocks() -> None:
    assert not grids.draws(find("allgather/ring"), torus("torus:4x4", 16))
    assert not grids.draws(find("allgather/torus_bucket"), _core.Shape(4))
