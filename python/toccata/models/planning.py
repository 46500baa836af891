"""The work of `toccata predict`: a setting for each machine and number of ranks, and its walks."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.models import predicting
from toccata.models.predicting import Predicted, Setting
from toccata.topology import machines

STANDARD_RANKS = 64


@dataclass(frozen=True)
class Where:
    """The machines, the placement and the numbers that the user named; a missing one is None."""

    machines: Sequence[str] | None
    placement: str | None
    ranks: str | None
    nodes: str | None
    late: str | None = None

    def settings(self) -> list[Setting]:
        """The settings. InputError or ChoiceError if a machine has fewer cores or nodes."""
        ranks = q.parse_ranks(self.ranks) if self.ranks is not None else None
        nodes = q.parse_ranks(self.nodes, "nodes") if self.nodes is not None else []
        texts: list[str | None] = [*self.machines] if self.machines else [None]
        late = q.parse_late(self.late) if self.late is not None else {}
        return [
            replace(setting, arrivals=predicting.arrivals(late, setting.shape.p))
            for text in texts
            for setting in predicting.settings(
                text, self.placement, ranks or [machines.places(text, STANDARD_RANKS)], nodes
            )
        ]


@dataclass(frozen=True)
class Plan:
    """The walks of some choices of one collective."""

    choices: Sequence[tuple[str, _core.Choice]]
    settings: Sequence[Setting]
    sizes: Sequence[int]
    model: _core.Model
    left_out: Sequence[dict[str, str]]  # by setting: the choices without times, with the reasons
    seconds: float  # approximate time of all walks

    @classmethod
    def of(
        cls,
        choices: Sequence[tuple[str, _core.Choice]],
        settings: Sequence[Setting],
        sizes: Sequence[int],
        model: _core.Model,
        limit: float | None,
    ) -> "Plan":
        """Plans the walks, except those that would take more than `limit` seconds.

        Raises InputError if no choice can run in any setting.
        """
        left_out = catalogue.impossible(dict(choices), [each.shape for each in settings])
        total = 0.0
        for setting, without in zip(settings, left_out, strict=True):
            for label, choice in choices:
                effort = predicting.effort(choice, setting, sizes)
                if limit is not None and effort > limit:
                    without[label] = f"would take about {q.show_duration(effort)}"
                elif label not in without:
                    total += effort
        return cls(choices, settings, sizes, model, left_out, total)

    def run(
        self, told: Callable[[str, str, float], None]
    ) -> Iterator[tuple[Setting, dict[str, str], Predicted | None]]:
        """Yields the excluded choices of each setting, and the times of any others.

        Ctrl-C ends the walks; the last times are then marked as interrupted.

        `told` receives the ranks, the choice whose walk begins, and the completed seconds.
        """
        for setting, without in zip(self.settings, self.left_out, strict=True):
            possible = [(label, each) for label, each in self.choices if label not in without]
            if not possible:
                yield setting, without, None
                continue
            at = partial(told, f"{setting.shape.p} ranks")
            found = predicting.predict(possible, setting, self.sizes, self.model, at)
            yield setting, without, found
            if found.interrupted:
                return
