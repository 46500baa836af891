"""The hybrid heat map: its data and its picture."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

from toccata.commands.common import console
from toccata.drawing import cells, heatmap
from toccata.measuring import benchmark, tables, winners
from toccata.measuring.results import (
    Measurement,
    Results,
    clear_winner,
    read_csv,
    write_csv,
    write_json,
)


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
        # 3 ranks: native wins at 1 byte; there is no measurement at 1 KiB
        measurement(3, 1, "native", 1), measurement(3, 1, "ring", 2),
        measurement(3, 1, "sparbit", 3),
    ]
)  # fmt: skip


def assert_cell(cell: winners.Cell | None, winner: str, gain: float) -> None:
    assert cell is not None
    assert cell.winner == winner
    assert cell.gain == pytest.approx(gain)


def test_winners_and_gains() -> None:
    grid = winners.grid(RESULTS, "sparbit", None, "median")
    assert (grid.ranks, grid.sizes) == ([2, 3], [1, 1024])
    assert_cell(grid.cells[0][0], "sparbit", 0.25)
    assert_cell(grid.cells[0][1], "native", 0.5)
    assert_cell(grid.cells[1][0], "ring", 0.25)
    assert grid.cells[1][1] is None
    assert grid.other_winners == ["native", "ring"]
    assert winners.summary(grid) == (
        "sparbit is clearly fastest at 1 of 3 points, by 25.0% on average, 25.0% (median), "
        "25.0% at most"
    )


def test_baseline_leaves_others_out() -> None:
    grid = winners.grid(RESULTS, "sparbit", ["native"], "median")
    assert_cell(grid.cells[1][0], "sparbit", 1 / 9)


def test_without_highlight_there_are_only_winners() -> None:
    grid = winners.grid(RESULTS, None, None, "median")
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
    palette = heatmap.colours(winners.grid(each_wins_once, None, None, "median"))
    assert len(set(palette.values())) == len(palette) == 20


def test_picture_has_the_cells_colours() -> None:
    grid = winners.grid(RESULTS, "sparbit", None, "median")
    figure = heatmap.draw(grid, "a title")
    axes, bar = figure.axes
    image = np.asarray(axes.images[0].get_array())
    assert image.shape == (2, 2, 3)
    assert tuple(image[0, 1]) == pytest.approx(to_rgb(heatmap.NATIVE))
    assert tuple(image[1, 0]) == pytest.approx(
        to_rgb(heatmap.palette("allgather", ["ring"])["ring"])
    )
    assert to_hex(image[1, 1]) == cells.MISSING
    shade = heatmap.SHADES(heatmap.scale(grid)(0.25))
    assert tuple(image[0, 0]) == pytest.approx(shade[:3])
    assert [each.get_text() for each in axes.texts] == ["1.33", "1.00", "1.50"]
    assert heatmap.MEANING in [each.get_text() for each in figure.texts]
    assert [each.get_text() for each in axes.get_xticklabels()] == ["2", "3"]
    assert [each.get_text() for each in axes.get_yticklabels()] == ["1", "1K"]
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
    assert rows[0]["mean_of_slowest_rank_us"] == "8.000"
    assert (rows[0]["ranks"], rows[0]["bytes"], rows[0]["valid"]) == ("2", "1", "true")
    write_json(RESULTS, tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())[0]["median_s"] == pytest.approx(4e-6)
    assert [each.median for each in read_csv(tmp_path / "deep" / "r.csv").all] == [
        pytest.approx(each.median) for each in RESULTS.all
    ]


def spread(algorithm: str, median: float, q25: float, q75: float) -> Measurement:
    each = measurement(2, 1, algorithm, median)
    return replace(each, q25=q25 * 1e-6, q75=q75 * 1e-6)


def test_within_the_spread_nobody_wins() -> None:
    """The medians are 9 and 10, but a quarter of the second's repetitions took below 8.5."""
    near = [spread("ring", 9, 8.8, 9.3), spread("native", 10, 8.5, 12)]
    assert clear_winner(near, "median") is None
    grid = winners.grid(Results(near), "ring", None, "median")
    assert grid.gains == [] and grid.other_winners == []
    assert winners.summary(grid) == (
        "ring is clearly fastest at 0 of 1 points; 1 has no clear winner"
    )
    assert heatmap.colours_of_cells(grid) == [[heatmap.UNCLEAR]]
    far = [spread("ring", 9, 8.8, 9.3), spread("native", 10, 9.5, 12)]
    assert clear_winner(far, "median") is far[0]
    assert far[1].spread == pytest.approx(0.125)


def test_a_colour_stays_with_its_algorithm() -> None:
    alone = heatmap.palette("allgather", ["sparbit"])
    among = heatmap.palette("allgather", ["native", "bruck", "ring", "sparbit"])
    assert alone["sparbit"] == among["sparbit"]
    assert len(set(among.values())) == 4


def test_the_axis_says_what_the_size_is_of() -> None:
    bcast = Results([replace(each, collective="bcast") for each in RESULTS.all])
    figure = heatmap.draw(winners.grid(bcast, None, None, "median"), "")
    assert figure.axes[0].get_ylabel() == "bytes of the message"


def test_what_changed() -> None:
    old = Results([spread("ring", 10, 9, 11), spread("bruck", 10, 9, 11), spread("x", 1, 1, 1)])
    new = Results([spread("ring", 5, 5, 5), spread("bruck", 9.5, 9, 11), spread("y", 1, 1, 1)])
    with console.capture() as said:
        console.print(tables.changes(old, new, "median"))
    text = said.get()
    assert "1 faster and 0 slower than before, 1 within the spread; 1 have no earlier time" in text
    assert "0.50 times" in text


def test_out_of_line_is_measured_again() -> None:
    def run(*microseconds: float) -> benchmark.Run:
        times = enumerate(microseconds)
        return benchmark.Run(2, measurements=[measurement(2, 1 << i, "a", t) for i, t in times])

    assert benchmark.out_of_line(run(1, 2, 4, 8, 16).measurements) == []
    [found] = benchmark.out_of_line(run(1, 90, 4, 8, 16).measurements)
    assert found.bytes == 2
    first = run(1, 90, 4, 8, 16)
    better = [measurement(2, 2, "a", 2)]
    after = benchmark.straightened(first, lambda sizes: benchmark.Run(2, measurements=better))
    assert [(each.bytes, each.remark) for each in after if each.remark] == [(2, "again")]
    worse = [measurement(2, 2, "a", 80)]
    after = benchmark.straightened(first, lambda sizes: benchmark.Run(2, measurements=worse))
    assert [(each.bytes, each.remark) for each in after if each.remark] == [(2, "out of line")]
