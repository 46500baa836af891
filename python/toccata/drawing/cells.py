"""Coloured cells with a number in each: all heat maps are drawn here.

Callers choose the colours and texts, and the labels of rows and columns. A text is dark or white,
depending on the colour of its cell.
"""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, Normalize, to_rgb
from numpy.typing import NDArray

from toccata.drawing.pictures import INK

Colour = str | tuple[float, float, float]
MISSING = "#ffffff"
LIGHT = 0.5  # luminance above which a text is dark


def draw(
    axes: Axes,
    colours: Sequence[Sequence[Colour]],
    texts: Sequence[Sequence[str]] | None = None,
    *,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    fontsize: float = 8,
    lines: float = 1.2,
    upwards: bool = True,
) -> None:
    """Draws one cell per colour, row by row, the first row at the bottom unless `upwards` is false.

    An empty text or label is left out. `fontsize` and `lines`, the width of the white lines between
    cells, are in points.
    """
    image = np.array([[to_rgb(each) for each in row] for row in colours])
    height, width, _ = image.shape
    axes.imshow(
        image, origin="lower" if upwards else "upper", aspect="auto", interpolation="nearest"
    )
    for y, row in enumerate(texts or []):
        for x, text in enumerate(row):
            if text:
                ink = INK if _luminance(image[y, x]) > LIGHT else "white"
                axes.text(x, y, text, ha="center", va="center", fontsize=fontsize, color=ink)
    axes.set_xticks(*_labelled(columns))
    axes.set_yticks(*_labelled(rows))
    axes.set_xticks(np.arange(width + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(height + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=lines)
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)


def shades(norm: Normalize, colormap: Colormap) -> Callable[[float], Colour]:
    """The colour of a value."""

    def colour(value: float) -> Colour:
        return to_rgb(colormap(norm(value)))

    return colour


def _luminance(colour: NDArray[np.float64]) -> float:
    """From 0 to 1, by the weights of ITU-R BT.601."""
    return float(np.dot(colour, (0.299, 0.587, 0.114)))


def _labelled(labels: Sequence[str]) -> tuple[list[int], list[str]]:
    places = [place for place, label in enumerate(labels) if label]
    return places, [labels[place] for place in places]
