"""How much other settings gain over those on the page of SimGrid's selectors.

    PYTHONPATH=python:build/release/python build/venv/bin/python bench/simulated_settings.py SECONDS

Takes cells of docs/reproduction/selectors.csv in random order. In each, simulates the three fastest
algorithms with every setting that differs in one parameter. Prints the time of the fastest selector
divided by that of our fastest, before and after, until SECONDS have passed.
"""

import csv
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import geometric_mean

from toccata import _core
from toccata.algorithms import catalogue
from toccata.papers.selectors import Place
from toccata.simulating import simulation
from toccata.simulating.simulation import SELECTORS, Cell

RECORDED = Path(__file__).parents[1] / "docs/reproduction/selectors.csv"
FACTORS = (0.25, 0.5, 2, 4, 8)  # of the current value of a number
IN_FRONT = 3  # algorithms per cell
LIMIT = 60.0  # seconds of a simulation

Where = tuple[Place, str, int]  # with the collective, and the bytes of a block or message


def recorded() -> dict[Where, dict[str, float]]:
    """Microseconds by algorithm."""
    found: dict[Where, dict[str, float]] = defaultdict(dict)
    with RECORDED.open() as file:
        for row in csv.DictReader(file):
            if row["microseconds"]:
                place = Place(row["platform"], int(row["ranks"]), row["placement"])
                where = place, row["collective"], int(row["bytes"])
                found[where][row["algorithm"]] = float(row["microseconds"])
    return found


def others(collective: str, text: str) -> Iterator[str]:
    """The settings that differ in one parameter, or in the order of the ranks."""
    name, _, rest = text.partition(":")
    now = dict(each.split("=") for each in rest.split(",") if each)
    algorithm = next(each for each in catalogue.of_collective(collective) if each.name == name)
    changes = [("reorder", "exchange")] if collective != "alltoall" else []
    for parameter in algorithm.parameters:
        current = now.get(parameter.name, str(parameter.standard))
        changes += [(parameter.name, str(each)) for each in parameter.samples]
        if current.isdigit():
            number = int(current)
            numbers = [int(number * factor) for factor in FACTORS] + [number - 1, number + 1]
            changes += [(parameter.name, str(each)) for each in numbers if each > 0]
    for parameter_name, value in dict.fromkeys(changes):
        if now.get(parameter_name) != value:
            settings = {**now, parameter_name: value}
            yield f"{name}:" + ",".join(f"{key}={each}" for key, each in settings.items())


def can_run(collective: str, text: str, shape: _core.Shape) -> bool:
    try:
        return not _core.parse_choice(collective, text).why_impossible(shape)
    except ValueError:  # a parameter does not accept the value
        return False


def simulated(where: Where, ours: dict[str, float]) -> list[float]:
    """Microseconds of the other settings of the fastest algorithms."""
    place, collective, unit = where
    fastest: dict[str, str] = {}
    for text in sorted(ours, key=lambda each: ours[each]):
        fastest.setdefault(text.partition(":")[0], text)
    shape = place.shape()
    settings = {
        each
        for text in list(fastest.values())[:IN_FRONT]
        for each in others(collective, text)
        if each not in ours and can_run(collective, each, shape)
    }
    cells = [Cell(collective, each, place.ranks, unit, place.placement) for each in settings]
    outcomes = simulation.run(place.platform, cells, limit=LIMIT, jobs=1).values()
    return [
        each.seconds * 1e6
        for each in outcomes
        if each.seconds is not None and each.valid is not False
    ]


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    end = time.monotonic() + float(sys.argv[1])
    times = recorded()
    order = list(times)
    random.Random(7).shuffle(order)
    before, after = [], []
    for where in order:
        if time.monotonic() > end:
            break
        selectors = [times[where][each] for each in SELECTORS if each in times[where]]
        ours = {each: its for each, its in times[where].items() if each not in SELECTORS}
        if not selectors or not ours:
            continue
        best = min(ours.values())
        before.append(min(selectors) / best)
        after.append(min(selectors) / min([best, *simulated(where, ours)]))
        print(
            f"{len(before)} cells: {geometric_mean(before):.3f} before, "
            f"{geometric_mean(after):.3f} with other settings",
            flush=True,
        )


if __name__ == "__main__":
    main()
