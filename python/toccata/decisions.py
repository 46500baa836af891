"""What choosing by a fitted model is worth, beside what a recorded MPI chose by itself."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from rich.table import Table

from toccata import _core
from toccata.plain_table import PlainTable
from toccata.recorded import Case, Row

# What the recorded MPIs chose, by the benchmark's names.
DEFAULTS = ("default_mpich", "default_ompi", "default-default")

Setting = tuple[str, str, str, int]  # machine, job, collective, bytes


@dataclass(frozen=True)
class Decision:
    """In one setting: measured seconds of what was chosen, by whom, and of the best."""

    setting: Setting
    chosen: float  # as the library does, by the schedules of a few ranks
    walked: float  # by a walk of all ranks' schedules
    default: float
    best: float  # of our algorithms that were recorded, and the default


def defaults(rows: Iterable[Row]) -> dict[Setting, float]:
    """Seconds that the MPI's own choice took; of several records the least."""
    found: dict[Setting, float] = {}
    for row in rows:
        if row.algorithm in DEFAULTS and row.ranks_per_node == 1:
            setting = row.machine, row.nodes, row.collective, row.total_bytes
            found[setting] = min(row.seconds, found.get(setting, row.seconds))
    return found


def decide(
    cases: Sequence[Case],
    predicted: Sequence[float],
    model: _core.Model,
    defaults: Mapping[Setting, float],
) -> list[Decision]:
    """In each setting with several algorithms of ours and a default. Seconds predicted by walks."""
    settings: dict[Setting, list[tuple[float, Case]]] = defaultdict(list)
    for case, seconds in zip(cases, predicted, strict=True):
        settings[case.setting].append((seconds, case))
    rankings: dict[tuple[str, int], dict[int, list[str]]] = {}
    units: dict[tuple[str, int], set[int]] = defaultdict(set)
    for case in cases:
        units[case.collective, case.p].add(case.unit_bytes)
    for (collective, p), sizes in units.items():
        ranked = _core.rank(collective, _core.Shape(p), model, sorted(sizes), standard=True)
        rankings[collective, p] = {
            size: [choice.text for choice, _ in each]
            for size, each in zip(sorted(sizes), ranked, strict=True)
        }
    found = []
    for setting, both in settings.items():
        if len(both) < 2 or setting not in defaults:
            continue
        any_case = both[0][1]
        # What was measured has the standard setting of its parameters.
        measured = {
            _core.parse_choice(case.collective, case.algorithm).text: case.seconds
            for _, case in both
        }
        order = rankings[any_case.collective, any_case.p][any_case.unit_bytes]
        first = next((each for each in order if each in measured), None)
        walked = min(both, key=lambda each: each[0])[1].seconds
        default = defaults[setting]
        found.append(
            Decision(
                setting,
                measured[first] if first else default,
                walked,
                default,
                min(default, *measured.values()),
            )
        )
    return found


def table(decisions: Sequence[Decision]) -> Table:
    """Mean regrets, each a time over the best: a row for each machine and collective, and for all.

    With trials the better of the choice and the default serves, once they are over.
    """
    result = PlainTable(kept=2)
    for heading in ("Machine", "Collective"):
        result.add_column(heading, no_wrap=True)
    for heading in (
        "Settings", "Chosen\nby model", "by walk\nof all", "with\ntrials", "MPI's\ndefault",
    ):  # fmt: skip
        result.add_column(heading, justify="right", no_wrap=True)
    groups: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    for each in decisions:
        groups[each.setting[0], each.setting[2]].append(each)
        groups[each.setting[0], "all"].append(each)
    for (machine, collective), here in sorted(
        groups.items(), key=lambda each: (each[0][0], each[0][1] == "all", each[0][1])
    ):
        result.add_row(
            machine,
            collective,
            str(len(here)),
            *(
                f"{fmean(regrets):.2f}"
                for regrets in (
                    [each.chosen / each.best for each in here],
                    [each.walked / each.best for each in here],
                    [min(each.chosen, each.default) / each.best for each in here],
                    [each.default / each.best for each in here],
                )
            ),
            style="bold" if collective == "all" else "",
        )
    return result
