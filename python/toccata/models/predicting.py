"""Times of algorithms by a model, over sizes and numbers of ranks: tables and a plot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from toccata import _core, documents
from toccata.algorithms import catalogue
from toccata.errors import Failure, InputError
from toccata.launching import launcher, maps
from toccata.plain_table import PlainTable
from toccata.quantities import plural, show_bytes, show_microseconds
from toccata.topology import machines

MOST_BOUNDED_RANKS = 20_000  # with more ranks, a lower bound takes longer than all other work


@dataclass(frozen=True)
class Setting:
    """Ranks on a machine (None if all communicate over the network), and their label."""

    machine: str | None
    shape: _core.Shape
    nodes: int | None = None  # if the user counts nodes
    arrivals: Sequence[float] = ()  # in seconds, by rank; empty if all ranks arrive at once


@dataclass(frozen=True)
class Predicted:
    """All times of one setting, in seconds; None if an algorithm cannot run, or has no bound.

    If ranks arrive at different times: the times after the last arrival.
    """

    setting: Setting
    sizes: list[int]
    seconds: dict[str, list[float | None]]  # by algorithm, of each size
    bound: list[float | None]
    interrupted: bool = False  # by the user: some times are missing


def models_directory() -> Path:
    """The folder of our models: of the installation, or of the checkout."""
    installed = launcher.home() / "models"
    return installed if installed.is_dir() else Path(__file__).resolve().parents[3] / "models"


def model_names() -> list[str]:
    """The names of our models."""
    return [*sorted(each.stem for each in models_directory().glob("*.json")), "usual"]


def read_model(name: str) -> _core.Model:
    """A model by name, or by the path of its file; "usual" means an unknown machine.

    Raises InputError if it does not exist, ModelError if the file is wrong.
    """
    if "/" in name or name.endswith(".json"):
        documents.check(Path(name))
        return _core.Model.read(name)
    if name == "usual":
        return _core.usual_model()
    path = models_directory() / f"{name}.json"
    if not path.exists():
        known = ", ".join(model_names())
        raise InputError(
            f"there is no model '{name}'; expected one of {known}, or the path of a file"
        )
    return _core.Model.read(str(path))


SECONDS_A_MESSAGE = 6e-7  # approximate time of a walk


def effort(choice: _core.Choice, setting: Setting, sizes: Sequence[int]) -> float:
    """The approximate seconds of a choice's walks; 0 if it is impossible."""
    if choice.why_impossible(setting.shape):
        return 0.0
    messages = choice.cost(setting.shape).messages * setting.shape.p
    return messages * SECONDS_A_MESSAGE * (1 + len(sizes))


def predict(
    choices: Sequence[tuple[str, _core.Choice]],
    setting: Setting,
    sizes: Sequence[int],
    model: _core.Model,
    advance: Callable[[str, float], None] = lambda _label, _seconds: None,
) -> Predicted:
    """The times of all choices in one setting. The choices belong to one collective.

    `advance` receives the choice whose walk begins, and the completed share of the work. Ctrl-C
    ends the walks: the remaining times are None, and `Predicted.interrupted` is set.
    """
    seconds: dict[str, list[float | None]] = {label: [None] * len(sizes) for label, _ in choices}
    interrupted = False
    try:
        for label, choice in choices:
            if choice.why_impossible(setting.shape):
                continue
            advance(label, 0.0)
            step = effort(choice, setting, sizes) / (1 + len(sizes))
            try:
                predictor = _core.Predictor(choice, setting.shape)
                for i, size in enumerate(sizes):
                    advance(f"{label}, {show_bytes(size)}", step)
                    end = predictor.seconds(size, model, setting.arrivals)
                    seconds[label][i] = end - max(setting.arrivals, default=0.0)
            except _core.ChoiceError as error:  # a deadlock
                raise Failure(f"{catalogue.path_of(choice)} is wrong: {error}") from None
            advance(label, step)
    except KeyboardInterrupt:
        interrupted = True
    bound: list[float | None] = [None] * len(sizes)
    if setting.shape.p <= MOST_BOUNDED_RANKS and not setting.arrivals:
        least = _core.LowerBound(choices[0][1], setting.shape, model)
        bound = [least(size) for size in sizes]
    return Predicted(setting, list(sizes), seconds, bound, interrupted)


def as_table(predicted: Predicted, model: _core.Model, ratios: bool) -> RenderableType:
    """One row per size, one column per algorithm and one for the lower bound; the fastest is bold.

    With `ratios`, times are multiples of the lower bound.
    """
    table = PlainTable()
    table.add_column("Size", justify="right")
    for label in predicted.seconds:
        name, _, settings = label.partition(":")
        heading = "\n".join([name.replace("_", "_\n"), *filter(None, settings.split(","))])
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("lower\nbound", justify="right", no_wrap=True, style="dim")
    for i, size in enumerate(predicted.sizes):
        row = [times[i] for times in predicted.seconds.values()]
        first = min((each for each in row if each is not None), default=None)
        bound = predicted.bound[i]
        over = bound if ratios else None
        cells = [_cell(each, over, each is not None and each == first) for each in row]
        table.add_row(show_bytes(size), *cells, _cell(bound, None, False))
    return Group(_heading(predicted.setting, model, ratios), table)


def _cell(seconds: float | None, over: float | None, best: bool) -> str:
    if seconds is None:
        return "[dim]–[/]"
    text = f"×{seconds / over:.2f}" if over else show_microseconds(seconds)
    return f"[bold green]{text}[/]" if best else text


def _heading(setting: Setting, model: _core.Model, ratios: bool) -> Text:
    heading = Text(f"\n{plural('rank', setting.shape.p)}", style="bold cyan")
    where = f" on {setting.machine}" if setting.machine else ""
    when = " after the last arrival" if setting.arrivals else ""
    what = f"time in µs{when}"
    if ratios:
        what = "multiples of the lower bound (itself in µs)"
    heading.append(f"{where}   {what} by the model {model.name}", style="not bold default")
    return heading


def as_rows(all_: Sequence[Predicted], complete: bool = True) -> list[dict[str, object]]:
    """Plain data, one entry per time; `complete` if no time is missing."""
    return [
        {
            "algorithm": label,
            "ranks": each.setting.shape.p,
            "machine": each.setting.machine,
            "bytes": size,
            "seconds": times[i],
            "lower_bound": each.bound[i],
            "arrivals": [*each.setting.arrivals],
            "complete": complete,
        }
        for each in all_
        for label, times in each.seconds.items()
        for i, size in enumerate(each.sizes)
        if times[i] is not None
    ]


def settings(
    machine: str | None, placement: str | None, ranks: Sequence[int], nodes: Sequence[int]
) -> list[Setting]:
    """A setting for each number of ranks, or for each number of nodes with one rank per core.

    Raises InputError or ChoiceError if the machine is too small or has no nodes.
    """
    if not nodes:
        return [Setting(machine, maps.shape(p, machine, placement)) for p in ranks]
    if machine is None:
        raise InputError("--nodes has no effect without --machine")
    cores = _cores_of_nodes(machine)
    if max(nodes) > len(cores):
        raise InputError(f"--nodes {max(nodes)}: '{machine}' has {plural('node', len(cores))}")
    return [
        Setting(machine, maps.shape(sum(cores[:number]), machine, placement), number)
        for number in nodes
    ]


def arrivals(late: Mapping[int, float], p: int) -> list[float]:
    """The times at which p ranks arrive, in seconds. InputError if a late rank does not exist."""
    for rank in late:
        if rank >= p:
            raise InputError(f"rank {rank} cannot be late: there are {p} ranks, from 0 on")
    return [late.get(rank, 0.0) for rank in range(p)] if late else []


def _cores_of_nodes(text: str) -> list[int]:
    machine = machines.named(text)
    if "node" not in machine.levels:
        raise InputError(f"'{text}' has no level \"node\"; give --ranks instead of --nodes")
    node = machine.levels.index("node")
    of = machines.around(machine, node)
    counts = [0] * machine.objects(node)
    for core in range(machines.cores(machine)):
        counts[of(len(machine.levels) - 1, core)] += 1
    return counts
