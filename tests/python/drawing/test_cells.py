"""Coloured cells, the parts of all heat maps."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import Normalize, to_hex, to_rgb
from matplotlib.figure import Figure

from conftest import ROOT
from toccata.drawing import cells


def test_cells_have_their_colours_texts_and_labels() -> None:
    axes = Figure().add_subplot()
    colours = [["#ffffff", "#000000", "#009E73"], ["#F0E442", "#E69F00", "#0b5fa5"]]
    texts = [["a", "b", ""], ["c", "", "d"]]
    cells.draw(axes, colours, texts, columns=["1", "", "3"], rows=["low", "high"])
    image = np.asarray(axes.images[0].get_array())
    assert image.shape == (2, 3, 3)
    assert to_hex(image[1, 2]) == "#0b5fa5"
    assert [(each.get_text(), each.get_position()) for each in axes.texts] == [
        ("a", (0, 0)), ("b", (1, 0)), ("c", (0, 1)), ("d", (2, 1)),
    ]  # fmt: skip
    assert list(axes.get_xticks()) == [0, 2]
    assert [each.get_text() for each in axes.get_xticklabels()] == ["1", "3"]
    assert [each.get_text() for each in axes.get_yticklabels()] == ["low", "high"]


def test_texts_contrast_with_their_cells() -> None:
    axes = Figure().add_subplot()
    cells.draw(axes, [["#ffffff", "#000000", "#F0E442", "#0b5fa5"]], [["x"] * 4])
    dark, light = "#1c2833", "white"
    assert [each.get_color() for each in axes.texts] == [dark, light, dark, light]


@pytest.mark.parametrize("upwards", [True, False])
def test_the_first_row_is_at_the_bottom_unless_told_otherwise(upwards: bool) -> None:
    axes = Figure().add_subplot()
    cells.draw(axes, [["#ffffff"], ["#000000"]], upwards=upwards)
    bottom, top = axes.get_ylim()
    assert (bottom < top) == upwards
    assert len(axes.texts) == 0 and list(axes.get_xticks()) == []


def test_shades_follow_the_scale() -> None:
    shade = cells.shades(Normalize(0, 10), colormaps["Blues"])
    assert shade(5) == to_rgb(colormaps["Blues"](0.5))
    assert shade(20) == shade(10)


def test_heat_maps_are_drawn_in_one_place() -> None:
    """In a drawing of a schedule, the cells of a buffer lie between arrows."""
    package = ROOT / "python/toccata"
    drawing = {path for path in package.rglob("*.py") if ".imshow(" in path.read_text()}
    assert {str(each.relative_to(package)) for each in drawing} == {
        str(Path("drawing/cells.py")), str(Path("drawing/schedules.py")),
    }  # fmt: skip
