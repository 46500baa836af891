"""The output of `toccata fit`: the accuracy of a fitted model, and its parameters."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from rich.table import Table

from toccata.models.fitting import Parameters, Score, score
from toccata.models.recorded import Case
from toccata.plain_table import PlainTable
from toccata.quantities import show_bytes

ENOUGH_ORDER, ENOUGH_REGRET = 0.9, 1.15  # better values are green


@dataclass(frozen=True)
class Judged:
    """Cases of a machine, and predictions by a model that was not fitted to them."""

    machine: str
    fitted: int  # number of times in the fit
    fitted_error: float  # the median over those
    cases: list[Case]
    predicted: list[float]  # seconds

    def score(self, job: str | None = None, collective: str | None = None) -> Score:
        """The accuracy for all cases, or for those of a job or collective."""
        chosen = [
            (case, seconds)
            for case, seconds in zip(self.cases, self.predicted, strict=True)
            if job in (None, case.job) and collective in (None, case.collective)
        ]
        return score([case for case, _ in chosen], [seconds for _, seconds in chosen])


def scores(judged: Judged) -> Table:
    """One row per job and collective, and one for all of them."""
    table = PlainTable(kept=3)
    for heading in ("Machine", "Nodes", "Collective"):
        table.add_column(heading, no_wrap=True)
    for heading in ("Times", "Median\nerror", "Pairs\nin order", "", "Mean\nregret"):
        table.add_column(heading, justify="right", no_wrap=True)
    done = None
    for job in dict.fromkeys(each.job for each in judged.cases):
        for collective in sorted({each.collective for each in judged.cases if each.job == job}):
            shown = job if job != done else ""
            done = job
            found = judged.score(job, collective)
            table.add_row(judged.machine, shown, collective, *_cells(found))
    table.add_row(judged.machine, "all", "all", *_cells(judged.score()), style="bold")
    return table


def _cells(found: Score) -> list[str]:
    share = found.in_order / found.pairs if found.pairs else float("nan")
    return [
        str(found.times),
        f"{found.error:.0%}",
        f"{found.in_order} of {found.pairs}",
        _good(f"{share:.0%}", share >= ENOUGH_ORDER) if found.pairs else "[dim]–[/]",
        _good(f"{found.regret:.2f}", found.regret <= ENOUGH_REGRET)
        if not isnan(found.regret)
        else "[dim]–[/]",
    ]


def _good(text: str, good: bool) -> str:
    return f"[green]{text}[/]" if good else f"[red]{text}[/]"


def parameters(model: Parameters) -> Table:
    """One row per level and protocol, and one for the other parameters."""
    table = PlainTable(show_header=False)
    for _ in range(2):
        table.add_column(no_wrap=True)
    named = {
        name: _value(name, value) for name, value in model.named.items() if name not in model.unseen
    }
    for level in model.levels:
        for protocol in ("eager", "rendezvous"):
            prefix = f"{level}.{protocol}."
            values = {
                name.removeprefix(prefix): value
                for name, value in named.items()
                if name.startswith(prefix)
            }
            if protocol == "eager" and values and model.tau != 1:
                values["tau"] = f"{model.tau:g}"
            table.add_row(f"{level}, {protocol}", _listed(values) or "[dim]not seen[/]")
        if f"{level}.injection" in named:
            table.add_row(f"{level}, injection", named[f"{level}.injection"])
    rest = {name: value for name, value in named.items() if "." not in name}
    rest["rendezvous from"] = show_bytes(model.threshold)
    if "fresh" in rest:
        rest["kept"] = show_bytes(model.kept)
    table.add_row("any", _listed(rest))
    return table


def _listed(values: dict[str, str]) -> str:
    return "  ".join(f"[dim]{name}[/] {value}" for name, value in values.items())


def _value(name: str, value: float) -> str:
    kind = name.split(".")[-1]
    if kind in ("alpha", "o", "start"):
        return f"{value * 1e6:.3g} µs"
    if kind == "injection":
        return f"{1e-9 / value:.3g} GB/s" if value else "no limit"
    return f"{value * 1e9:.3g} ns/B"


def verdict(judged: Sequence[Judged]) -> Table:
    """One row per machine."""
    table = PlainTable()
    table.add_column("Machine", no_wrap=True)
    for heading in (
        "Fitted\ntimes", "Fit\nerror", "Tested\ntimes", "Median\nerror", "Pairs\nin order", "",
        "Mean\nregret",
    ):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for each in judged:
        times, *others = _cells(each.score())
        table.add_row(each.machine, str(each.fitted), f"{each.fitted_error:.0%}", times, *others)
    return table
