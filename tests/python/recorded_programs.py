"""Records of traffic, as `toccata run --record` writes them."""

import json
from collections import defaultdict
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

from toccata import _core

Pairs = list[list[Any]]


def ring(ranks: int, size: int) -> Pairs:
    return [[rank, (rank + 1) % ranks, "point-to-point", 1, size] for rank in range(ranks)]


def stencil(dims: Sequence[int], size: int, corners: bool = False) -> Pairs:
    """Every rank of a torus sends to its neighbours, with `corners` a 64th of the bytes per further
    dimension to the diagonal ones, too."""

    def rank_at(cell: Sequence[int]) -> int:
        number = 0
        for at, length in zip(cell, dims, strict=True):
            number = number * length + at % length
        return number

    sums: dict[tuple[int, int], int] = defaultdict(int)
    for cell in product(*map(range, dims)):
        for step in product((-1, 0, 1), repeat=len(dims)):
            away = sum(map(abs, step))
            if away == 1 or (corners and away > 1):
                other = rank_at([a + b for a, b in zip(cell, step, strict=True)])
                sums[rank_at(cell), other] += size // 64 ** (away - 1)
    return [[*ends, "point-to-point", 1, count] for ends, count in sums.items()]


def write(
    path: Path,
    pairs: Pairs,
    machine: str,
    placement: str = "sequential",
    outside: Sequence[int] = (0, 0),
) -> Path:
    """A record of one rank per core of a machine."""
    there = _core.Machine(machine)
    ranks = there.objects(len(there.levels) - 1)
    placed = _core.Placement(there, ranks, placement)
    record = {"toccata_traffic": 1, "ranks": ranks, "machine": there.saved, "pairs": pairs,
              "placement": placed.text, "cores": list(range(ranks)),
              "outside": list(outside)}  # fmt: skip
    path.write_text(json.dumps(record))
    return path
