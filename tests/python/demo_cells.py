"""Cells of `toccata demo` for tests: clearly faster, twice unclear, clearly slower."""

from toccata.measuring import demo
from toccata.measuring.results import Measurement


def timed(algorithm: str, q25: float, median: float, q75: float) -> Measurement:
    return Measurement(
        "bcast", "MPI", 2, 8, algorithm, 9, median, median, median, median, q25, q75, True
    )


NATIVE = timed("native", 9, 10, 12)
CELLS = [
    demo.Cell(demo.HERE[0], "bcast", 8, NATIVE, timed("auto", 4, 5, 6)),
    demo.Cell(demo.HERE[0], "bcast", 64, NATIVE, timed("auto", 5, 6, 10)),  # may be as slow
    demo.Cell(demo.HERE[0], "bcast", 512, NATIVE, timed("auto", 1, 20, 40)),  # noise
    demo.Cell(demo.HERE[0], "bcast", 4096, NATIVE, timed("auto", 14, 15, 16)),
]
