"""The hybrid heat map: the data that go into the picture, and the picture."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from toccata import heatmap
from toccata.results import Measurement, Results, write_csv, write_json


def measurement(ranks: int, size: int, algorithm: str, microseconds: float) -> Measurement:
    time = microseconds * 1e-6
    return Measurement(
        "allgather", "MPI", ranks, size, algorithm, 7, time / 2, time, time * 2, time, time, time,
        True,
    )  # fmt: skip


RESULTS = Results(
    [
        # 2 ranks: sparbit wins at 1 byte by 25 % of native's time; ring wins at 1 KiB
        measurement(2, 1, "native", 4), measurement(2, 1024, "native", 9),
        measurement(2, 1, "ring", 5), measurement(2, 1024, "ring", 6),
        measurement(2, 1, "sparbit", 3), measurement(2, 1024, "sparbit", 8),
        # 3 ranks: native wins at 1 byte; nothing was measured at 1 KiB
        measurement(3, 1, "native", 1), measurement(3, 1, "ring", 2),
        measurement(3, 1, "sparbit", 3),
    ]
)  # fmt: skip


def assert_cell(cell: heatmap.Cell | None, winner: str, gain: float) -> None:
    assert cell is not None
    assert cell.winner == winner
    assert cell.gain == pytest.approx(gain)


def test_winners_and_gains() -> None:
    grid = heatmap.grid(RESULTS, "sparbit", None, "median")
    assert (grid.ranks, grid.sizes) == ([2, 3], [1, 1024])
    assert_cell(grid.cells[0][0], "sparbit", 0.25)
    assert_cell(grid.cells[0][1], "native", 0.5)
    assert_cell(grid.cells[1][0], "ring", 0.25)
    assert grid.cells[1][1] is None
    assert grid.other_winners == ["native", "ring"]
    assert heatmap.summary(grid) == (
        "sparbit is fastest in 1 of 3 settings, by 25.0% in the mean, 25.0% in the median, "
        "25.0% at most"
    )


def test_baseline_leaves_others_out() -> None:
    grid = heatmap.grid(RESULTS, "sparbit", ["native"], "median")
    assert_cell(grid.cells[1][0], "sparbit", 1 / 9)


def test_without_highlight_there_are_only_winners() -> None:
    grid = heatmap.grid(RESULTS, None, None, "median")
    assert [each.winner for each in grid.measured] == ["sparbit", "native", "ring"]
    assert grid.gains == []
    assert len(heatmap.draw(grid, "").axes) == 1


def test_no_two_winners_have_the_same_colour() -> None:
    many = [f"a{i}" for i in range(20)]
    each_wins_once = Results(
        [
            measurement(p, 1, name, 1 if i == p else 2)
            for p in range(20)
            for i, name in enumerate(many)
        ]
    )
    palette = heatmap.colours(heatmap.grid(each_wins_once, None, None, "median"))
    assert len(set(palette.values())) == len(palette) == 20


def test_picture_has_the_cells_colours() -> None:
    grid = heatmap.grid(RESULTS, "sparbit", None, "median")
    figure = heatmap.draw(grid, "a title")
    cells, bar = figure.axes
    image = np.asarray(cells.images[0].get_array())
    assert image.shape == (2, 2, 3)
    assert tuple(image[0, 1]) == pytest.approx(to_rgb(heatmap.NATIVE))
    assert tuple(image[1, 0]) == pytest.approx(to_rgb(heatmap.OTHERS[0]))
    assert to_hex(image[1, 1]) == heatmap.MISSING
    shade = heatmap.SHADES(heatmap.scale(grid)(0.25))
    assert tuple(image[0, 0]) == pytest.approx(shade[:3])
    assert [each.get_text() for each in cells.texts] == ["25%"]
    assert [each.get_text() for each in cells.get_xticklabels()] == ["2", "3"]
    assert [each.get_text() for each in cells.get_yticklabels()] == ["1", "1K"]
    assert "sparbit" in bar.get_title(loc="left")
    (legend,) = figure.legends
    assert [each.get_text() for each in legend.get_texts()] == ["native", "ring"]


def test_more_gain_is_darker() -> None:
    darkness = [sum(heatmap.SHADES(x)[:3]) for x in np.linspace(0, 1, 11)]
    assert darkness == sorted(darkness, reverse=True)


def test_files(tmp_path: Path) -> None:
    write_csv(RESULTS, tmp_path / "deep" / "r.csv")
    rows = list(csv.DictReader((tmp_path / "deep" / "r.csv").open()))
    assert len(rows) == 9
    assert rows[0]["median_us"] == "4.000"
    assert rows[0]["max_us"] == "8.000"
    assert (rows[0]["ranks"], rows[0]["bytes"], rows[0]["valid"]) == ("2", "1", "true")
    write_json(RESULTS, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())[0]["median"] == pytest.approx(4e-6)
