"""Times by the number of ranks, and the figure of the all-to-all paper."""

import numpy as np
import pytest
from rich.console import Console

from toccata.drawing import scaling
from toccata.drawing.heatmap import NATIVE
from toccata.measuring.results import Measurement, Results
from toccata.papers import alltoall_tables


def measurement(ranks: int, size: int, algorithm: str, microseconds: float) -> Measurement:
    time = microseconds * 1e-6
    return Measurement(
        "alltoall", "MPI", ranks, size, algorithm, 7, time, 2 * time, time, time, time, time, True
    )


RESULTS = Results(
    [
        measurement(2, 64, "native", 10), measurement(2, 1024, "native", 20),
        measurement(4, 64, "native", 30), measurement(4, 1024, "native", 40),
        measurement(4, 64, "bruck", 50), measurement(4, 1024, "bruck", 60),
        measurement(12, 48, "native", 70), measurement(12, 48, "bruck", 80),
    ]
)  # fmt: skip


def test_a_panel_a_size_and_a_line_an_algorithm() -> None:
    figure = scaling.draw(alltoall_tables.scaled(RESULTS), "median", "a title")
    small, large = figure.axes
    assert [each.get_title() for each in figure.axes] == [
        "64 bytes per block", "1K bytes per block"
    ]  # fmt: skip
    native, bruck = large.lines
    assert np.asarray(native.get_xdata()).tolist() == [2, 4]
    assert np.asarray(native.get_ydata()).tolist() == pytest.approx([20, 40])
    assert (native.get_color(), native.get_linestyle()) == (NATIVE, "--")
    assert np.asarray(bruck.get_xdata()).tolist() == [4]  # impossible for 2 ranks
    assert bruck.get_color() != small.lines[0].get_color()
    (legend,) = figure.legends
    assert [each.get_text() for each in legend.get_texts()] == ["native", "bruck"]


def test_of_many_sizes_some_are_shown() -> None:
    sizes = [2**power for power in range(21)]
    results = Results(measurement(2, size, "native", 1 + size) for size in sizes)
    titles = [each.get_title() for each in scaling.draw(results, "median", "").axes]
    assert len(titles) == scaling.MOST_PANELS
    assert (titles[0], titles[-1]) == ("1 bytes per block", "1M bytes per block")


def test_tables_of_the_paper() -> None:
    console = Console(width=100)
    with console.capture() as capture:
        console.print(alltoall_tables.tables(RESULTS))
    lines = [line.rstrip() for line in capture.get().splitlines() if line]

    def below(heading: str) -> list[list[str]]:
        return [line.split() for line in lines[lines.index(heading) + 1 :]]

    mean = below("mean execution time (ms) of Index, bruck")
    assert mean[0] == ["Processes/Size", "2^4", "2^8"]
    assert mean[1] == ["2", "–", "–"]
    assert mean[2] == ["4", "0.10000", "0.12000"]
    median = below("median execution time (ms) of Index, bruck")
    assert median[2] == ["4", "0.05000", "0.06000"]
    assert below("12 processes with 12 elements each (ms)")[1:] == [
        ["Baseline,", "native", "0.14000", "0.07000"],
        ["Index,", "bruck", "0.16000", "0.08000"],
    ]
