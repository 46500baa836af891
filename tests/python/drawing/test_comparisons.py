"""The figure of `toccata demo`."""

from dataclasses import replace

import numpy as np
from matplotlib.colors import to_hex

from demo_cells import CELLS
from toccata.drawing import comparisons
from toccata.measuring import demo


def test_noise_is_grey() -> None:
    figure = comparisons.draw(CELLS, "")
    axes = figure.axes[0]
    image = np.asarray(axes.images[0].get_array())
    grey = [to_hex(each) == comparisons.UNCLEAR for each in image[:, 0]]
    assert grey == [False, True, True, False]
    assert [each.get_text() for each in axes.texts] == ["2.00×", "1.67×?", "0.50×?", "0.67×"]
    assert "no clear winner" in figure.legends[0].get_texts()[0].get_text()
    assert not comparisons.draw(CELLS[:1], "").legends


def test_faster_is_blue_and_slower_is_red() -> None:
    image = np.asarray(comparisons.draw(CELLS, "").axes[0].images[0].get_array())
    faster, slower = image[0, 0], image[3, 0]
    assert faster[2] > faster[0] and slower[0] > slower[2]


def test_places_are_columns() -> None:
    figure = comparisons.draw([replace(CELLS[0], place=demo.HOSTS), *CELLS], "")
    labels = [each.get_text() for each in figure.axes[0].get_xticklabels()]
    assert labels == [demo.HOSTS.name, "2 ranks"]
    names = [each.get_text() for each in figure.axes[0].get_yticklabels()]
    assert names == ["bcast 8", "bcast 64", "bcast 512", "bcast 4K"]
