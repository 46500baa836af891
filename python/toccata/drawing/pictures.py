"""The common parts of all figures: the colours of cells and arrows, and writing to a file."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from toccata import outputs

MOST_PIXELS = 5000  # of the longer side
WRONG = "#c0392b"
EMPTY, HELD, RECEIVED, COPIED, REDUCED = "#ffffff", "#dce9f5", "#a6a6a6", "#f6cf94", "#a9dcae"
INK, FAINT, ARROW = "#1c2833", "#cfd6dc", "#0b5fa5"
FAINT_ARROW, OUTWARD, FAINT_OUTWARD = "#9fb6c9", "#c0392b", "#e2b3ad"


def write(figure: Figure, path: Path) -> None:
    """Writes the figure in the format of the file's suffix. InputError if it cannot be written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    dpi = min(170, MOST_PIXELS / max(figure.get_size_inches()))
    with outputs.whole(path) as made:
        figure.savefig(made, dpi=dpi, facecolor="white")


def some_of(values: Sequence[int], most: int) -> list[int]:
    """At most `most` of the values, evenly spread, including the first and the last."""
    if len(values) <= most:
        return list(values)
    last = len(values) - 1
    return [values[round(i * last / (most - 1))] for i in range(most)]
