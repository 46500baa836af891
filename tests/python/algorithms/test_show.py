"""Schedules as text and as figures."""

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle
from rich.console import Console

from toccata._core import Shape
from toccata.algorithms import show
from toccata.algorithms.catalogue import find
from toccata.algorithms.trace import NOTHING, trace
from toccata.drawing import pictures, schedules
from toccata.errors import InputError


def text_of(name: str, p: int, rank: int | None = None) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    narrator = show.Narrator(find(name), Shape(p))
    console.print(narrator.all_ranks() if rank is None else narrator.one_rank(rank))
    return console.export_text()


def test_text_of_all_ranks() -> None:
    text = text_of("sparbit", 5)
    assert "round 1   r → r + 4" in text
    assert text.count("rank 4 ") == 4
    assert "→ 1: 0, 3" in text
    assert "← 4: 4, 2" in text


def test_text_of_one_rank() -> None:
    text = text_of("allgather/bruck", 20, rank=3)
    assert "scratch 0–19 ⇒ recv 3–19, 0–2" in text
    assert text.count("round ") == 6


def test_large_stays_readable() -> None:
    text = text_of("allgather/ring", 1000)
    assert len(text.splitlines()) < 60
    assert "rank 999" in text
    assert "… rounds 4 to 998 …" in text
    strided = text_of("sparbit", 4096)
    assert "(2048 blocks)" in strided
    assert max(map(len, strided.splitlines())) < 140


def test_text_names_prescribed_travel() -> None:
    assert "one message per block" in text_of("sparbit:messages=per_block", 5)
    assert "one message per block" not in text_of("sparbit", 5)


def test_blocks_keep_their_order() -> None:
    assert show.runs([3, 4, 5, 0, 1, 7]) == [(3, 5), (0, 1), (7, 7)]
    assert show.runs([4, 2]) == [(4, 4), (2, 2)]


def test_patterns() -> None:
    def pattern(name: str, p: int, number: int) -> str:
        return show.Narrator(find(name), Shape(p)).pattern(number)

    assert pattern("allgather/recursive_doubling", 8, 1) == "r ↔ r ⊕ 1"
    assert pattern("neighbor_exchange", 6, 2) == "pairs swap"
    assert pattern("allgather/ring", 6, 3) == "r → r + 1"
    assert pattern("allgather/ring", 6, 0) == ""


@pytest.mark.parametrize(
    "name",
    [
        "allgather/ring",
        "neighbor_exchange",
        "allgather/recursive_doubling",
        "allgather/bruck",
        "allgather/bruck:rotation=none",
        "sparbit",
        "sparbit:messages=per_block",
    ],
)
def test_trace_ends_with_everything_everywhere(name: str) -> None:
    whole = trace(find(name), Shape(8))
    for step in whole.steps[-1]:
        assert step.holds["recv"] == list(range(8))
    assert all(step.holds["recv"] == [NOTHING] * 8 for step in whole.before)


def test_trace_is_figure_3_of_the_paper() -> None:
    """Sparbit with 5 processes: the blocks of each one after each round, and the new ones."""
    whole = trace(find("sparbit"), Shape(5))
    rank_0 = [steps[0] for steps in whole.steps]
    held = [[block for block in range(5) if step.holds["recv"][block] >= 0] for step in rank_0]
    received = [sorted(block for _, block in step.received) for step in rank_0]
    assert held == [[0], [0, 1], [0, 1, 3], [0, 1, 2, 3, 4]]
    assert received == [[], [1], [3], [2, 4]]
    assert [step.sends_to for step in rank_0] == [[], [4], [2], [1]]


def panels(name: str, p: int) -> list[Axes]:
    return schedules.draw(find(name), Shape(p)).axes


def colours(axes: Axes, buffer: str = "recv") -> list[list[str]]:
    image = next(each for each in axes.images if each.get_gid() == buffer)
    data = np.asarray(image.get_array())
    return [[to_hex(cell) for cell in row] for row in data]


def test_picture_is_figure_3_of_the_paper() -> None:
    axes = panels("sparbit", 5)
    assert len(axes) == 4  # the initial state, and three rounds
    for number, distance in ((1, 4), (2, 2)):
        cells = colours(axes[number])
        grey = {(b, r) for b in range(5) for r in range(5) if cells[b][r] == pictures.RECEIVED}
        assert grey == {(r, (r + distance) % 5) for r in range(5)}
    assert sum(row.count(pictures.RECEIVED) for row in colours(axes[3])) == 10
    assert sum(row.count(pictures.EMPTY) for row in colours(axes[3])) == 0
    assert colours(axes[0])[0] == [pictures.COPIED] + [pictures.EMPTY] * 4


def test_picture_numbers_blocks_and_draws_messages() -> None:
    axes = panels("sparbit", 5)[1]
    arcs = [each for each in axes.patches if isinstance(each, FancyArrowPatch)]
    assert len(arcs) == 5
    words = [each.get_text() for each in axes.texts]
    assert "round 1" in words
    assert "r → r + 4" in words
    # the heading contains every rank once; the cells contain each of the ten blocks held
    assert [words.count(str(each)) for each in range(5)] == [3] * 5


def test_picture_shows_scratch() -> None:
    axes = panels("allgather/bruck", 5)
    assert [each.get_gid() for each in axes[0].images] == ["recv", "scratch"]
    assert colours(axes[1], "scratch")[1] == [pictures.RECEIVED] * 5
    assert colours(axes[-1], "recv") == [[pictures.COPIED] * 5] * 5


def test_picture_of_many_rounds_leaves_some_out() -> None:
    figure = schedules.draw(find("allgather/ring"), Shape(32))
    assert len(figure.axes) == schedules.MOST_PANELS
    assert any("14 rounds in the middle are left out" in each.get_text() for each in figure.texts)


@pytest.mark.parametrize("p", [1, 2, 32])
def test_picture_of_extreme_sizes(p: int, tmp_path: Path) -> None:
    pictures.write(schedules.draw(find("allgather/bruck"), Shape(p)), tmp_path / "new" / "x.png")
    assert (tmp_path / "new" / "x.png").read_bytes().startswith(b"\x89PNG")


def test_picture_of_a_barrier_has_messages_and_no_blocks() -> None:
    figure = schedules.draw(find("barrier/dissemination"), Shape(4))
    assert [len(axes.images) for axes in figure.axes] == [0] * 3
    assert len(figure.axes[1].patches) == 4


def test_too_large_for_a_picture() -> None:
    with pytest.raises(InputError, match="draw fewer ranks, such as -p 16"):
        schedules.draw(find("allgather/ring"), Shape(33))


def test_a_fault_is_marked() -> None:
    """A frame marks the rank in the round that the error of the proof names."""
    error = "rank 2, round 1: waits forever to receive from rank 1; rank 1 has ended"
    fault = schedules.Fault.of(error)
    assert fault is not None and (fault.rank, fault.round) == (2, 1)
    assert schedules.Fault.of("") is None
    assert schedules.Fault.of("has 3 channels") == schedules.Fault("has 3 channels", None, None)
    figure = schedules.draw(find("allgather/ring"), Shape(4), fault)
    assert framed(figure) == [("round 1", 1.5)]
    assert "wrong: rank 2, round 1: waits forever" in words_of(figure)


def test_a_fault_without_a_round_is_of_the_end() -> None:
    fault = schedules.Fault.of(
        "rank 3: at the end recv block 1 holds nothing; expected input block 1"
    )
    assert framed(schedules.draw(find("allgather/ring"), Shape(4), fault)) == [("round 3", 2.5)]


def test_a_fault_in_rounds_that_are_left_out_is_drawn() -> None:
    fault = schedules.Fault("rank 0, round 16: is wrong", 0, 16)
    figure = schedules.draw(find("allgather/ring"), Shape(32), fault)
    assert framed(figure) == [("round 16", -0.5)]


STUCK = """
from toccata.writing import algorithm, recv, send

@algorithm("allgather")
def late(shape, rank, schedule):
    right, left = (rank + 1) % shape.p, (rank - 1) % shape.p
    schedule.round().copy(send(0), recv(rank))
    for i in range(shape.p - 1):
        sent = recv((rank - i) % shape.p)
        schedule.round().recv(left, recv((left - i) % shape.p))
        if i == {stuck} - 1:
            schedule.round()
        schedule.send(right, sent)
"""


@pytest.mark.parametrize("stuck", [1, 2])
def test_a_deadlock_is_drawn(stuck: int, tmp_path: Path) -> None:
    """A ring in which all ranks receive in one round and send in the next: all wait forever."""
    file = tmp_path / "late.py"
    file.write_text(STUCK.format(stuck=stuck))
    fault = schedules.Fault.of(f"rank 0, round {stuck}: waits forever to receive from rank 3")
    figure = schedules.draw(find(f"{file}:late"), Shape(4), fault)
    assert framed(figure) == [(f"round {stuck}", -0.5)]
    last = figure.axes[-1]
    arcs = [each for each in last.patches if isinstance(each, FancyArrowPatch)]
    assert [each.get_linestyle() for each in arcs] == ["--"] * 4
    assert "never comes" in [each.get_text() for each in figure.legends[0].get_texts()]


def framed(figure: Figure) -> list[tuple[str, float]]:
    """The titles of panels with a red frame, and the position of the frame."""
    return [
        (next(each.get_text() for each in axes.texts if "round" in each.get_text()), patch.get_x())
        for axes in figure.axes
        for patch in axes.patches
        if isinstance(patch, Rectangle)
        and patch.get_edgecolor() == to_rgba(pictures.WRONG)
        and not patch.get_fill()
    ]


def words_of(figure: Figure) -> str:
    return " ".join(" ".join(each.get_text() for each in figure.texts).split())
