"""A machine and the ranks on it, as a tree that shows equal objects once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text
from rich.tree import Tree

from toccata import _core
from toccata.quantities import plural

UNFOLDED_LINES = 40  # up to this length, a tree shows all objects
LISTED_RUNS = 5  # maximum of runs of ranks in a list


@dataclass
class Item:
    """An object of the machine."""

    level: int
    number: int
    label: str
    ranks: list[int] = field(default_factory=list)  # bound to it, but not to an object inside it
    inside: list["Item"] = field(default_factory=list)
    kind: int = 0  # equal for objects with the same contents

    def all_ranks(self) -> list[int]:
        """Its own ranks and those of inner objects."""
        return [*self.ranks, *(rank for each in self.inside for rank in each.all_ranks())]


def items(machine: _core.Machine, placement: _core.Placement | None) -> list[Item]:
    """The outermost objects, with all objects in them."""
    levels = range(len(machine.levels))
    labels = [machine.labels(level) for level in levels]
    objects = [
        [
            Item(level, number, labels[level][number] if labels[level] else "")
            for number in range(machine.objects(level))
        ]
        for level in levels
    ]
    for rank, (level, number) in enumerate(placement.places if placement else []):
        objects[level][number].ranks.append(rank)
    for level in reversed(levels[1:]):
        for each, outer in zip(objects[level], machine.outers(level), strict=True):
            objects[level - 1][outer].inside.append(each)
    kinds: dict[object, int] = {}
    for level in reversed(levels):
        for each in objects[level]:
            inside = tuple((kind, len(list(same))) for kind, same in groupby(_kinds(each.inside)))
            each.kind = kinds.setdefault((level, len(each.ranks), inside), len(kinds))
    return objects[0]


def _kinds(those: Iterable[Item]) -> Iterable[int]:
    return (each.kind for each in those)


def alike(those: Sequence[Item]) -> list[list[Item]]:
    """Runs of identical objects."""
    return [list(same) for _, same in groupby(those, key=lambda each: each.kind)]


def describe_numbers(numbers: Sequence[int]) -> str:
    """Such as "0–7, 12" or "0, 8, 16, … 56 (8 of them)"."""
    runs: list[tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    pieces = [str(a) if a == b else f"{a}–{b}" for a, b in runs]
    if len(pieces) <= LISTED_RUNS:
        return ", ".join(pieces)
    return f"{', '.join(pieces[: LISTED_RUNS - 2])}, … {pieces[-1]} ({len(numbers)} of them)"


def summary(machine: _core.Machine) -> str:
    """Such as "2 leaves, 16 nodes, 256 cores", or "torus of 4×4 nodes, 32 cores"."""
    parts = [plural(name, machine.objects(i)) for i, name in enumerate(machine.levels)]
    if machine.dims:
        sizes = "×".join(map(str, machine.dims))
        name = "torus" if all(machine.periodic) else "mesh"
        wrapped = [str(i) for i, each in enumerate(machine.periodic) if each]
        if wrapped and name == "mesh":
            name += f" (periodic in dimension {', '.join(wrapped)})"
        parts[0] = f"{name} of {sizes} {plural(machine.levels[0], 2).partition(' ')[2]}"
    return ", ".join(parts)


class Narrator:
    """Prints a machine, and the ranks on it if there are any."""

    def __init__(self, machine: _core.Machine, placement: _core.Placement | None) -> None:
        self.machine = machine
        self.placement = placement
        lines = sum(machine.objects(level) for level in range(len(machine.levels) - 1))
        self.folds = lines > UNFOLDED_LINES

    def tree(self) -> RenderableType:
        """The tree. Innermost objects appear in the lines of the objects around them."""
        heading = Text(summary(self.machine), style="bold")
        if self.placement:
            heading.append(f"   {plural('rank', self.placement.p)}", style="bold green")
        tree = Tree(heading, guide_style="dim")
        self.add(tree, items(self.machine, self.placement))
        return tree

    def add(self, tree: Tree, those: list[Item]) -> None:
        runs = alike(those) if self.folds else [[each] for each in those]
        if those and not any(each.inside for each in those):
            runs = [those]  # cores or other innermost objects share a line
        for run in runs:
            branch = tree.add(self.line(run))
            inside = run[0].inside
            if inside and not self.told_in_line(run):
                self.add(branch, inside)

    @staticmethod
    def told_in_line(run: list[Item]) -> bool:
        return not any(each.inside for each in run[0].inside)

    def line(self, run: list[Item]) -> Text:
        """One object, or several identical ones."""
        first, last = run[0], run[-1]
        name = self.machine.levels[first.level]
        text = Text()
        if len(run) == 1:
            text.append(f"{name} {first.number}", style="cyan")
        else:
            text.append(f"{name} {first.number}–{last.number}", style="cyan")
        if first.label:
            text.append(f" {_core.fold_hosts([each.label for each in run])}", style="bold")
        if len(run) > 1 and first.inside:
            more = "" if self.told_in_line(run) else "; first shown"
            text.append(f"   {len(run)} alike{more}", style="yellow")
        if first.inside and self.told_in_line(run):
            inner = plural(self.machine.levels[first.level + 1], len(first.inside))
            text.append(f"   {inner}{' each' if len(run) > 1 else ''}")
            if len(run) == 1 and first.inside[0].label:
                text.append(f" {_core.fold_hosts([each.label for each in first.inside])}", "bold")
        self.tell_ranks(text, run)
        return text

    def tell_ranks(self, text: Text, run: list[Item]) -> None:
        if self.placement is None:
            return
        ranks = [rank for each in run for rank in each.all_ranks()]
        if not ranks:
            text.append("   no rank", style="dim")
            return
        noun = "ranks" if len(ranks) > 1 else "rank"
        text.append(f"   {noun} {describe_numbers(ranks)}", style="green")
        each = len(run[0].all_ranks())
        if len(run) > 1 and run[0].inside and len(ranks) == each * len(run):
            text.append(f", {each} in each", style="green")
        free = sum(len(each.ranks) for each in run) if run[0].inside else 0
        if free:
            text.append(f"   {free} of them not bound to a smaller object", style="yellow")
