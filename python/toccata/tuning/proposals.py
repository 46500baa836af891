"""The library's choice for one call: by a tuning file, otherwise by a model."""

import re
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata import quantities as q
from toccata.algorithms import catalogue
from toccata.errors import InputError
from toccata.launching import launcher, maps
from toccata.models import predicting
from toccata.plain_table import PlainTable
from toccata.topology import machines
from toccata.tuning import tuning_file

LEAST_OF_ETHERNET = 10e-6  # seconds; the latency of a message (src/mpi/settings/network.h)
MOST_WALKED = 2_000_000  # messages of all ranks; such a walk takes one or two seconds
PREDICTABLE = ("openmpi", "mpich")  # families whose own algorithms are known
HEADINGS = ("Estimated\nµs", "Predicted\nµs", "Relative\nto first", "Rounds", "Messages\nper rank")


def _latency(model: _core.Model) -> float:
    """Of a short message between nodes, in seconds."""
    return dict(zip(model.term_names, model.coefficients, strict=True)).get(
        "network.eager.alpha", 0
    )


def library_text(name: str) -> str:
    """The text of the MPI library "openmpi-5.0". InputError if there are no rules for it."""
    family, _, version = name.partition("-")
    if family not in PREDICTABLE or re.fullmatch(r"\d{1,2}(\.\d{1,2}){1,2}", version) is None:
        raise InputError(
            f"the algorithms of the MPI library '{name}' are not known; expected openmpi or mpich "
            "with a version, such as openmpi-5.0"
        )
    return launcher.library_text(family, version)


@dataclass(frozen=True)
class Call:
    """One call of a collective."""

    collective: str
    size: int  # bytes of a block, or of the message
    shape: _core.Shape
    nodes: int

    @classmethod
    def of(
        cls, collective: str, size: int, ranks: int, machine: str | None, placement: str | None
    ) -> "Call":
        """A call on a machine; without one, on one node. Raises the errors of maps.shape."""
        shape = maps.shape(ranks, machine, placement)
        nodes = machines.nodes(shape.placement) if shape.placement is not None else 1
        return cls(collective, size, shape, nodes)

    def __str__(self) -> str:
        ranks = f"{q.plural('rank', self.shape.p)} on {q.plural('node', self.nodes)}"
        of = f" of {q.show_amount(self.size)}" if catalogue.size_is_of(self.collective) else ""
        return f"{self.collective}{of} with {ranks}"


@dataclass(frozen=True)
class Proposal:
    """The candidates for a call, with estimated times, the fastest first. `tuned` precedes them."""

    call: Call
    model: _core.Model
    file: Path | None  # the tuning file
    tuned: _core.Choice | None
    ranked: list[tuple[_core.Choice, float]]  # seconds
    tried: set[str]  # by trials at run time
    native: str = ""  # the MPI library to compare with, such as "openmpi-5.0"
    rule: _core.Choice | None = None  # the choice of the fixed rules for that library

    @classmethod
    def of(cls, call: Call, model: _core.Model, file: Path | None, native: str = "") -> "Proposal":
        """The candidates for a call.

        InputError if the tuning file cannot be read, or if the MPI library is not known.
        """
        of = call.collective, call.shape
        ethernet = _latency(model) >= LEAST_OF_ETHERNET
        rule = None
        if native:
            rule = _core.fixed_rule(library_text(native), *of, call.size, ethernet=ethernet)
        tuned = None
        if file is not None:
            tuning_file.read(file)  # its errors name the wrong place in the file
            tuned = _core.tuned(str(file), call.collective, call.shape.p, call.nodes, call.size)
        sizes = [call.size]
        tried = {choice.text for choice, _ in _core.worth_trying(*of, model, sizes)[0]}
        return cls(call, model, file, tuned, _core.rank(*of, model, sizes)[0], tried, native, rule)

    @property
    def first(self) -> str:
        """The choice of the library; with trials, the most promising candidate."""
        return (self.tuned or self.rule or self.ranked[0][0]).text

    @property
    def is_alone(self) -> bool:
        """Whether there is one rank only, for which no algorithm can be chosen."""
        return self.call.shape.p == 1

    def reasons(self) -> list[str]:
        """Lines that explain the choice."""
        if self.is_alone:
            return [f"{self.call}: native; one rank has nothing to exchange"]
        if self.tuned is not None:
            by = f"by the nearest point of {self.file}"
            return [f"{self.call}: [bold]{self.tuned.text}[/], tuned: {by}"]
        if self.rule is not None:
            lines = [
                f"{self.call}: [bold]{self.first}[/], by a fixed rule of Toccata for {self.native}",
                "the rule applies after at most 32 native calls",
            ]
            if self.call.nodes > 1 and not self.rule.reduces:
                lines.append("trials compare it with native, and with the candidates marked *")
            return lines
        if not self.ranked:
            return [f"{self.call}: native; Toccata has no algorithm for this call"]
        why = "no measurement exists" if self.file is None else f"{self.file} has no point nearby"
        lines = [
            f"{self.call}: [bold]{self.first}[/], modelled: {why}, and the model "
            f"{self.model.name} ranks it first",
            "the library starts with native, tries the candidates marked *, and keeps the fastest",
        ]
        if self.ranked[0][0].reduces:
            lines.append("trials do not change floating-point sums, unless TOCCATA_SUMS=all")
        if not self.native:
            lines.append("fixed rules of Toccata take precedence; --native MPI applies them")
        return lines

    def table(self) -> tuple[PlainTable, dict[str, str]]:
        """A table with one row per candidate; and the errors of incorrect candidates, by name."""
        table = PlainTable()
        table.add_column("Candidate", no_wrap=True)
        for heading in HEADINGS:
            table.add_column(heading, justify="right", no_wrap=True)
        wrong: dict[str, str] = {}
        for choice, seconds in self.ranked:
            cost = choice.cost(self.call.shape)
            walked = "[dim]–[/]"
            if cost.messages * self.call.shape.p <= MOST_WALKED:
                try:
                    walk = _core.Predictor(choice, self.call.shape)
                    walked = q.show_microseconds(walk.seconds(self.call.size, self.model))
                except _core.ChoiceError as error:  # a deadlock
                    wrong[choice.text] = str(error)
                    walked = "[bold red]wrong[/]"
            style = "[bold green]" if choice.text == self.first else "[default]"
            mark = "*" if self.tuned is None and choice.text in self.tried else ""
            table.add_row(
                f"{style}{choice.text}[/]{mark}", q.show_microseconds(seconds), walked,
                f"×{seconds / self.ranked[0][1]:.2f}", str(cost.rounds), str(cost.messages),
            )  # fmt: skip
        return table, wrong

    def notes(self) -> list[str]:
        """Lines below the table."""
        unproved = catalogue.unproved(self.call.collective)
        lines = [f"{path} is {catalogue.NOT_PROVED}" for path in unproved]
        if self.native:
            lines.append(self._own_algorithm())
        if self.call.shape.p <= predicting.MOST_BOUNDED_RANKS:
            bound = _core.LowerBound(self.ranked[0][0], self.call.shape, self.model)
            least = q.show_microseconds(bound(self.call.size))
            lines.append(f"lower bound by this model: {least} µs")
        return lines

    def _own_algorithm(self) -> str:
        """The algorithm that the MPI library selects by itself, in our form, and its time."""
        call = self.call
        own = _core.native_algorithm_of(
            library_text(self.native), call.collective, call.shape, call.size
        )
        if own is None:
            return f"{self.native}: its algorithm for {call.collective} is not known"
        if own.cost(call.shape).messages * call.shape.p > MOST_WALKED:
            return f"{self.native} uses {own.text}"
        seconds = _core.Predictor(own, call.shape).seconds(call.size, self.model)
        return f"{self.native} uses {own.text}, predicted: {q.show_microseconds(seconds)} µs"
