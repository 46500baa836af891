"""The gallery of all algorithms of the registry. It shows for each algorithm: the figure,
the source, the cost, the traffic on a machine, and the sizes for which the model chooses it.
"""

import re
import textwrap
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import matplotlib.pyplot as plt

from pages import rst
from toccata import _core
from toccata.algorithms import catalogue
from toccata.drawing import grids, pictures, schedules
from toccata.models import predicting

ROOT = Path(__file__).resolve().parents[1]
# The machines of the pictures, and those of counts and predictions.
PICTURED = {"flat": "", "levels": "node:2 core:4", "mesh": "torus:4x4"}
COUNTED = {
    "flat": "node:8 socket:2 core:4",
    "levels": "node:8 socket:2 core:4",
    "mesh": "torus:8x8",
}
RANKS_PICTURED = {"flat": 8, "levels": 8, "mesh": 16}
RANKS = 64
MODEL = "lassen"
SIZES = [8 << (2 * i) for i in range(10)]  # bytes: 8 B ... 2 MiB


@dataclass(frozen=True)
class Entry:
    """An algorithm with the comment at the head of its file."""

    algorithm: _core.Algorithm
    choice: _core.Choice
    prose: str
    cost: str
    remarks: str

    @property
    def kind(self) -> str:
        """The structure on which it depends: the mesh, the levels of the machine, or none."""
        if self.algorithm.by_grid:
            return "mesh"
        return "levels" if self.algorithm.by_placement else "flat"


def entries() -> list[Entry]:
    return [_entry(each) for each in _core.algorithms()]


def _entry(algorithm: _core.Algorithm) -> Entry:
    file = ROOT / "src/algorithms" / f"{algorithm.path}.cpp"
    head = re.match(r"(?://.*\n)+", file.read_text())
    assert head, file
    lines = [line.removeprefix("//").removeprefix(" ") for line in head[0].splitlines()]
    first, *others = "\n".join(lines).split("\n\n")
    prose, bracket, cost = first.partition("\n[")
    # From "[key, section 3]   rounds p-1   cost ...", without the key, which is in the descriptor.
    cost = re.sub(r"^.*?\]\s*", "", " ".join(cost.split("\n"))) if bracket else ""
    choice = _core.parse_choice(algorithm.collective, algorithm.name)
    return Entry(
        algorithm,
        choice,
        " ".join(prose.split()),
        re.sub(r" {2,}", "\n", cost),
        "\n\n".join(others),
    )


def write(folder: Path) -> None:
    """A page for each collective, its pictures, and the page that lists them."""
    folder.mkdir(parents=True)
    all_ = entries()
    with ProcessPoolExecutor(2) as pool:
        list(pool.map(draw, [each.algorithm.path for each in all_], [folder] * len(all_)))
    collectives = list(dict.fromkeys(each.algorithm.collective for each in all_))
    for name in collectives:
        own = [each for each in all_ if each.algorithm.collective == name]
        (folder / f"{name}.rst").write_text(page(name, own))
    (folder / "index.rst").write_text(
        "Gallery\n=======\n\n"
        f"The library's {len(all_)} algorithms. Counts and predictions are for {RANKS} ranks on\n"
        f"``{COUNTED['flat']}``, or on ``{COUNTED['mesh']}`` if the algorithm depends on a mesh.\n"
        f"Predictions use the model ``{MODEL}``. The figures show fewer ranks.\n\n"
        ".. toctree::\n   :maxdepth: 2\n\n" + "".join(f"   {each}\n" for each in collectives)
    )


def draw(path: str, folder: Path) -> None:
    """The figure of one algorithm, as `toccata show -o` draws it."""
    entry = _entry(next(each for each in _core.algorithms() if each.path == path))
    shape = _shape(PICTURED[entry.kind], RANKS_PICTURED[entry.kind])
    drawn = grids.draw if grids.draws(entry.choice, shape) else schedules.draw
    pictures.write(drawn(entry.choice, shape), folder / _picture(entry))
    plt.close("all")


def _picture(entry: Entry) -> str:
    return entry.algorithm.path.replace("/", "-") + ".png"


def _shape(machine: str, ranks: int) -> _core.Shape:
    if not machine:
        return _core.Shape(ranks)
    return _core.Shape(_core.Placement(_core.Machine(machine), ranks))


def page(collective: str, own: list[Entry]) -> str:
    """All algorithms of a collective."""
    return f"{collective}\n{'=' * len(collective)}\n\n" + "".join(
        _section(each, ranked(each)) for each in own
    )


def _section(entry: Entry, order: dict[int, list[tuple[str, float]]]) -> str:
    algorithm, kind = entry.algorithm, entry.kind
    constraint = catalogue.constraint(algorithm)
    where = f" on ``{PICTURED[kind]}``" if PICTURED[kind] else ""
    shown = f"{algorithm.path}, {RANKS_PICTURED[kind]} ranks"
    pieces = [
        f"{algorithm.name}\n{'-' * len(algorithm.name)}\n",
        rst(entry.prose),
        f".. figure:: {_picture(entry)}\n   :alt: {shown}\n   :loading: lazy\n"
        + ("   :width: 100%\n" if kind == "mesh" else "")  # reduced, with a link to the full size
        + "\n   "
        f"{RANKS_PICTURED[kind]} ranks{where}: ``toccata show {algorithm.path} "
        f"-p {RANKS_PICTURED[kind]}"
        + (f' --machine "{PICTURED[kind]}"' if where else "")
        + " -o ...``",
        f":Source: {cited(algorithm.citation)}",
    ]
    fields = {
        "Costs": "; ".join(entry.cost.split("\n")),
        "Ranks": constraint or "any number",
        "Also": "; ".join(catalogue.properties(algorithm)),
        "Traffic": rst(traffic(entry)),
        "Predicted": rst(when_fastest(algorithm.name, order)),
    }
    pieces[-1] += "".join(f"\n:{name}: {text}" for name, text in fields.items() if text)
    pieces += [
        f":{each.name}=: {rst(each.help)}: {each.accepts.replace('|', ', ')}; "
        f"default: **{each.standard}**"
        for each in algorithm.parameters
    ]
    for each in filter(None, entry.remarks.split("\n\n")):
        drawn = each.startswith(" ")
        pieces.append(f"::\n\n{textwrap.indent(each, '   ')}" if drawn else rst(each))
    return "\n\n".join(pieces) + "\n\n"


def cited(citation: str) -> str:
    """ "loch2021, algorithm 1; ..." with links to the references."""
    return re.sub(r"\b([a-z]+\d{4}[a-z]?)\b", r":cite:t:`\1`", citation)


def traffic(entry: Entry) -> str:
    """The counted data that ranks send on the machine, and that leave a node."""
    shape = _shape(COUNTED[entry.kind], RANKS)
    if why := entry.choice.why_impossible(shape):
        return f"it cannot run with {RANKS} ranks: it {why}"
    found = entry.choice.traffic(shape)
    cut = entry.choice.data(shape)
    text = (
        f"{found.rounds} rounds; a rank sends at most {found.messages} messages, with {found.sent} "
        f"blocks in total; the message is cut into {cut} blocks"
        if cut > 1
        else f"{found.rounds} rounds; a rank sends at most {found.messages} messages"
    )
    for each in _core.crossings(entry.choice, shape)[:1]:
        text += (
            f"; {each.total.messages} messages with {each.total.blocks} blocks cross between "
            f"{each.level}s"
        )
    return text


def ranked(entry: Entry) -> dict[int, list[tuple[str, float]]]:
    """By size in bytes: algorithms and seconds, the fastest first, as predicted by the library."""
    shape = _shape(COUNTED[entry.kind], RANKS)
    model = predicting.read_model(MODEL)
    order = _core.rank(entry.algorithm.collective, shape, model, SIZES)
    return {
        size: [(choice.algorithm.name, seconds) for choice, seconds in each if choice.algorithm]
        for size, each in zip(SIZES, order, strict=True)
    }


def named(size: int) -> str:
    """Such as "8 B" or "2 KiB"."""
    for unit, factor in (("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= factor:
            return f"{size // factor} {unit}"
    return f"{size} B"


def when_fastest(name: str, order: dict[int, list[tuple[str, float]]]) -> str:
    """The sizes at which the model ranks it first, or its best ratio to the first."""
    first = [size for size, each in order.items() if each and each[0][0] == name]
    if first:
        return f"the fastest at {', '.join(named(size) for size in first)}"
    factors = {
        size: seconds / each[0][1]
        for size, each in order.items()
        for other, seconds in each
        if other == name
    }
    if not factors:
        return f"it cannot run with {RANKS} ranks"
    best = min(factors, key=lambda size: factors[size])
    return (
        f"never the fastest; at best, it takes {factors[best]:.2f} times the time of "
        f"{order[best][0][0]} ({named(best)})"
    )
