"""Compares a platform's model with the simulator, for the same cells."""

from collections.abc import Mapping

from toccata import _core
from toccata.models import predicting
from toccata.models.fitting import Score, score
from toccata.models.recorded import Case
from toccata.simulating.platforms import Platform
from toccata.simulating.simulation import Cell, Outcome


def predictions(platform: Platform, outcomes: Mapping[Cell, Outcome]) -> dict[Cell, float]:
    """The model's predictions in seconds, for those cells of our algorithms that have a time."""
    machine, model = _core.Machine(platform.machine), platform.model
    predictors: dict[tuple[str, str, int, str], _core.Predictor] = {}
    found = {}
    for cell, outcome in outcomes.items():
        if cell.is_peer or outcome.seconds is None:
            continue
        of = cell.collective, cell.algorithm, cell.ranks, cell.placement
        if of not in predictors:
            shape = _core.Shape(_core.Placement(machine, cell.ranks, cell.placement))
            choice = _core.parse_choice(cell.collective, cell.algorithm)
            predictors[of] = _core.Predictor(choice, shape)
        arrivals = predicting.arrivals(dict(cell.late), cell.ranks)
        end = predictors[of].seconds(cell.bytes, model, arrivals)
        found[cell] = end - max(arrivals, default=0.0)
    return found


def scored(
    platform: Platform, outcomes: Mapping[Cell, Outcome], predicted: Mapping[Cell, float]
) -> Score:
    """The accuracy of the model, compared with the simulator."""
    cases = []
    for cell in predicted:
        seconds = outcomes[cell].seconds
        assert seconds is not None
        cases.append(
            Case(platform.name, str(cell.ranks), 1, cell.collective, cell.algorithm, cell.bytes,
                 seconds)
        )  # fmt: skip
    return score(cases, list(predicted.values()))


def text(found: Score) -> str:
    """Such as "median error 4.1%, 95% of 120 pairs in order, regret 1.02"."""
    order = f"{found.in_order / found.pairs:.0%} of {found.pairs}" if found.pairs else "none of 0"
    return f"median error {found.error:.1%}, {order} pairs in order, regret {found.regret:.2f}"
