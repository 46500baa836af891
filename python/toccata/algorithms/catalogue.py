"""The available algorithms, and those that a user's text names."""

from collections.abc import Iterable, Mapping, Sequence

from rich.table import Table

from toccata import _core
from toccata.algorithms import outside
from toccata.errors import InputError

# Constraints are found by a test of these numbers of ranks, which include all kinds of numbers.
PROBED_RANKS = range(1, 65)
# MPI's other collectives that our algorithms serve.
ALSO_SERVED = {
    "allgatherv": "allgather",
    "alltoallw": "alltoallv",
    "neighbor_alltoallw": "neighbor_alltoallv",
    "reduce_scatter_block": "reduce_scatter",
}
NOT_PROVED = "not proved, and runs by name only"
MOST_CLOSE = 5  # names to suggest for a mistyped one


def constraint(algorithm: _core.Algorithm) -> str | None:
    """Why some numbers of ranks are impossible ("needs an even number of ranks"); None if all are
    possible."""
    choice = _core.parse_choice(algorithm.collective, algorithm.name)
    reasons = dict.fromkeys(choice.why_impossible(_core.Shape(p)) for p in PROBED_RANKS)
    return "; ".join(reason for reason in reasons if reason) or None


def properties(algorithm: _core.Algorithm) -> list[str]:
    """The properties in which algorithms of a collective differ, in words."""
    said = {
        NOT_PROVED: not algorithm.proved,
        "forwards blocks: not for vector form": algorithm.relays,
        "for ranks that share memory": algorithm.publishes,
        "operands in rank order": algorithm.ordered,
        "reproducible": algorithm.reproducible,
    }
    return [text for text, holds in said.items() if holds]


def as_json(algorithm: _core.Algorithm) -> dict[str, object]:
    """The descriptor as plain data."""
    return {
        "name": algorithm.path,
        "collective": algorithm.collective,
        "summary": algorithm.summary,
        "citation": algorithm.citation,
        "constraint": constraint(algorithm),
        "relays": algorithm.relays,
        "publishes": algorithm.publishes,
        "ordered": algorithm.ordered,
        "reproducible": algorithm.reproducible,
        "proved": algorithm.proved,
        "parameters": [
            {
                "name": parameter.name,
                "help": parameter.help,
                "accepts": parameter.accepts,
                "standard": parameter.standard,
            }
            for parameter in algorithm.parameters
        ],
    }


def as_table(algorithms: Iterable[_core.Algorithm]) -> Table:
    """Description, constraints, citation and parameters of each; the default is bold."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    for algorithm in algorithms:
        ranks = constraint(algorithm) or "any number of ranks"
        table.add_row(f"[bold cyan]{algorithm.path}[/]", algorithm.summary)
        notes = [ranks, *properties(algorithm), algorithm.citation]
        table.add_row("", f"[dim]{' · '.join(notes)}[/]")
        for parameter in algorithm.parameters:
            standard = f"[bold]{parameter.standard}[/]"
            if ".." in parameter.accepts:
                values = f"{standard}, of {parameter.accepts}"
            else:
                values = parameter.accepts.replace(parameter.standard, standard)
            table.add_row(f"  :{parameter.name}={values}", parameter.help)
    return table


def unproved(collective: str | None = None) -> list[str]:
    """The paths of the algorithms that the library never chooses by itself."""
    known = _core.algorithms() if collective is None else of_collective(collective)
    return [each.path for each in known if not each.proved]


def of_collective(name: str) -> list[_core.Algorithm]:
    """All algorithms of one collective.

    Raises InputError if there is no such collective.
    """
    regular = {collective.name: collective.regular for collective in _core.collectives()}
    if name not in regular:
        raise InputError(f"there is no collective '{name}'; expected one of {', '.join(regular)}")
    return [
        each
        for each in _core.algorithms()
        if each.collective == regular[name] and not (each.relays and name != regular[name])
    ]


# A size means the same in every command, setting, report and file; see the table in docs/tuning.md.
OF_MESSAGES = ("bcast", "reduce", "allreduce", "scan", "exscan")


def size_is_of(collective: str) -> str:
    """ "message" or "block"; "" for a barrier, which has no bytes."""
    if collective == "barrier":
        return ""
    return "message" if collective in OF_MESSAGES else "block"


def meaning_of_size(collective: str) -> str:
    """The meaning of sizes as a text, for example for an axis."""
    of = size_is_of(collective)
    text = {"": "none: a barrier has no bytes", "message": "bytes of the message"}
    meaning = text.get(of, "bytes per block")
    return meaning if is_regular(collective) else f"mean {meaning}"


def is_regular(name: str) -> bool:
    """Whether a collective is not the vector form of another."""
    return all(each.regular == name for each in _core.collectives() if each.name == name)


def is_among_neighbors(name: str) -> bool:
    """Whether a rank's peers are its neighbours in a topology."""
    return any(each.among_neighbors for each in _core.collectives() if each.name == name)


def for_late_rank(algorithm: _core.Algorithm) -> bool:
    """Whether it is for calls to which one rank is late, which its parameter names."""
    return any(parameter.name == "late" for parameter in algorithm.parameters)


def with_late_rank(algorithm: _core.Algorithm, late: Mapping[int, float]) -> str:
    """Its name, with the rank that arrives last if it is for a late rank."""
    if not late or not for_late_rank(algorithm):
        return algorithm.name
    return f"{algorithm.name}:late={max(late, key=late.__getitem__)}"


def find(text: str) -> _core.Choice:
    """The choice for "allgather/ring", "ring", "sparbit:messages=per_block" or "FILE:ring".

    Raises InputError if no algorithm or several match, or if the text names a collective.
    """
    if outside.is_file(text):
        return _core.parse_choice(*outside.load(text))
    name, colon, settings = text.partition(":")
    matching = [each for each in _core.algorithms() if name in (each.path, each.name)]
    if len(matching) > 1:
        paths = " or ".join(each.path for each in matching)
        raise InputError(f"'{name}' is ambiguous: {paths}; give the full name")
    if not matching:
        raise InputError(_unknown(name))
    return _core.parse_choice(matching[0].collective, matching[0].name + colon + settings)


def standard(algorithm: _core.Algorithm) -> _core.Choice:
    """An algorithm with its default parameters."""
    return _core.parse_choice(algorithm.collective, algorithm.name)


def _unknown(name: str) -> str:
    """The error message for a name that no algorithm has."""
    served = ALSO_SERVED.get(name, name)
    if served in (each.name for each in _core.collectives()):
        example = of_collective(served)[0].path
        return f"{name} is a collective; give one of its algorithms, such as {example}"
    # Compares the last part only: the part before the slash is long and usually correct.
    collective, _, last = name.rpartition("/")
    known = _core.algorithms()
    known = [each for each in known if each.collective == collective] or known
    near = _core.nearest(last, [each.name for each in known])
    paths = [each.path for each in known if each.name == near]
    first = _core.nearest(name, paths)
    close = sorted(paths, key=lambda each: each != first)[:MOST_CLOSE]
    meant = f"did you mean {' or '.join(close)}? " if close else ""
    return f"there is no algorithm '{name}'; {meant}`toccata list` shows all"


def parse(collective: str, text: str) -> _core.Choice:
    """The choice for a text, among the algorithms of a collective, or those of a file."""
    return _core.parse_choice(collective, outside.load(text)[1] if outside.is_file(text) else text)


def path_of(choice: _core.Choice) -> str:
    """Such as "allgather/sparbit:messages=per_block"."""
    assert choice.algorithm is not None
    return f"{choice.algorithm.collective}/{choice.text}"


def impossible(
    choices: Mapping[str, _core.Choice], shapes: Sequence[_core.Shape]
) -> list[dict[str, str]]:
    """For each shape, the algorithms that cannot run, and the reason: "needs an even number of
    ranks".

    Raises InputError if no algorithm can run with any shape.
    """
    found = [
        {name: why for name, choice in choices.items() if (why := choice.why_impossible(shape))}
        for shape in shapes
    ]
    if all(len(each) == len(choices) for each in found):
        ranks = ", ".join(str(p) for p in dict.fromkeys(shape.p for shape in shapes))
        reasons = "; ".join(f"{name} {why}" for name, why in found[0].items())
        raise InputError(f"no algorithm can run with {ranks} ranks: {reasons}")
    return found


def split_choices(text: str) -> list[str]:
    """The choices in a list that separates them by `,` or by `;`.

    Commas also separate parameters, but no algorithm has `=` in its name:
    "ring,sparbit:messages=per_block,travel=packed" contains two choices.
    """
    if ";" in text:
        return [each.strip() for each in text.split(";") if each.strip()]
    choices: list[str] = []
    for piece in (each.strip() for each in text.split(",")):
        if choices and "=" in piece and ":" not in piece:
            choices[-1] += "," + piece
        elif piece:
            choices.append(piece)
    return choices


def every_setting(algorithm: _core.Algorithm) -> list[str]:
    """All sampled settings. Algorithms that consider nodes can also publish inside them."""
    # Every algorithm and setting can run with 64 ranks, so this includes all.
    texts = [choice.text for choice in algorithm.variants(64)]
    if not algorithm.by_placement:
        return texts
    return texts + [f"{each}{',' if ':' in each else ':'}travel=published" for each in texts]


def measured(collective: str, text: str) -> list[str]:
    """The choices of a list, by the benchmark program's names: "all", "variants", or some choices.

    "auto" is the automatic choice of the preloaded library.
    """
    known = of_collective(collective)
    if text == "all":
        return ["native", *(each.name for each in known)]
    if text == "variants":
        return ["native", *(text for each in known for text in every_setting(each))]
    names = [each if each == "auto" else parse(collective, each).text for each in named(text)]
    return list(dict.fromkeys(names))


def check_root(root: int, ranks: int) -> None:
    """InputError if there is no such rank."""
    if root >= ranks:
        raise InputError(f"there is no rank {root} among {ranks}; ranks are 0..{ranks - 1}")


def named(text: str) -> list[str]:
    """The choices of a list; InputError if there are none."""
    if found := split_choices(text):
        return found
    raise InputError(
        f"'{text}' does not name an algorithm; expected a list such as native,ring, or all"
    )
