"""Networks with their links, from machines and files of switches."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, lcm
from pathlib import Path

from toccata import _core, documents
from toccata.errors import InputError
from toccata.topology import machines

# Capacities are rounded to multiples of 1 / FINEST, unless exact ones are coarser, or the least
# capacity requires finer ones.
FINEST = 1000
LEAST, MOST = Fraction(1, 10**6), Fraction(10**6)  # of the factor of a link, unless it is 0
MOST_CHARACTERS = 30  # of a factor
# Gbit/s per lane, by ibnetdiscover's names.
SPEEDS = {"SDR": 2.5, "DDR": 5, "QDR": 10, "FDR10": 10, "FDR": 14, "EDR": 25, "HDR": 50,
          "NDR": 100, "XDR": 200}  # fmt: skip


@dataclass(frozen=True)
class Network:
    """Vertices by name, nodes first, and the capacities of the links between them.

    A capacity of 1 is that of a node's link; `rate`, if known, is its bytes per second.
    """

    machine: _core.Machine
    names: tuple[str, ...]
    nodes: int
    links: dict[tuple[int, int], Fraction]
    level: int  # the machine's level whose objects are the nodes, in this order
    rate: float | None = None
    aliases: tuple[tuple[str, int], ...] = ()  # additional names of vertices
    is_whole_mesh: bool = False  # if so, routes are in dimension order

    @cached_property
    def scale(self) -> int:
        """The integer that represents a capacity of 1."""
        exact = lcm(*(each.denominator for each in self.links.values()), 1)
        least = min((each for each in self.links.values() if each > 0), default=Fraction(1))
        return exact if exact <= FINEST else max(FINEST, ceil(1 / least))

    @cached_property
    def core(self) -> _core.Network:
        """The network with capacities in integers: times `scale`, rounded down."""
        if self.is_whole_mesh:
            return _core.Network.of_mesh(self.machine.dims, self.machine.periodic)
        links = [(*ends, int(each * self.scale)) for ends, each in self.links.items()]
        return _core.Network(self.nodes, len(self.names), links)

    @property
    def is_direct(self) -> bool:
        """Whether there are no switches."""
        return self.nodes == len(self.names)

    @property
    def is_tree(self) -> bool:
        """Whether there is only one route between any two vertices, with the same width in both
        directions."""
        alike = all(self.links.get((to, at)) == each for (at, to), each in self.links.items())
        return alike and len(self.links) == 2 * (len(self.names) - 1)

    def node_of(self, placement: _core.Placement) -> list[int]:
        """The node of each rank; InputError if a rank is on none."""
        of = machines.around(self.machine, self.level)
        result = []
        for rank, (level, number) in enumerate(placement.places):
            if level < self.level:
                raise InputError(f"the node of rank {rank} is unknown")
            result.append(of(level, number))
        return result

    def vertex(self, name: str) -> int | None:
        """The vertex of that name, or of those coordinates."""
        return self._vertices.get(name)

    @cached_property
    def _vertices(self) -> dict[str, int]:
        return dict(self.aliases) | {name: i for i, name in enumerate(self.names)}

    def changed(self, text: str) -> "Network":
        """A copy with dead, slower or faster links.

        Such as "0.0-0.1=0, leaf=1/2, leaf3=1/4, n1-leaf0=0.5". Each item multiplies the
        capacity of a cable between two vertices, of all cables of a vertex (of a switch in a tree:
        of the cable upwards), or of those of all objects of a level.
        """
        ratios = dict.fromkeys(self.links, Fraction(1))
        for item, what, factor in factors(text):
            for ends in self._named(item, what):
                ratios[ends] *= factor
                _check(item, ratios[ends])
        links = {ends: each * ratios[ends] for ends, each in self.links.items()}
        kept = {ends: each for ends, each in links.items() if each > 0}
        same = kept == self.links
        return replace(self, links=kept, is_whole_mesh=self.is_whole_mesh and same)

    def _named(self, item: str, what: str) -> list[tuple[int, int]]:
        for dash in re.finditer("-", what):
            a, b = self.vertex(what[: dash.start()]), self.vertex(what[dash.end() :])
            if a is not None and b is not None:
                found = [ends for ends in ((a, b), (b, a)) if ends in self.links]
                if not found:
                    raise InputError(f"--links '{item}': no cable joins these two")
                return found
        one = self.vertex(what)
        levels = self.machine.levels
        if one is not None:
            of = [one]
        elif what in levels and levels.index(what) <= self.level:
            level = levels.index(what)
            of = [self._vertices[_name(self.machine, level, i)]
                  for i in range(self.machine.objects(level))]  # fmt: skip
        else:
            raise InputError(
                f"--links '{item}': there is no vertex, cable or level '{what}'; expected a "
                f"vertex such as {self.names[0]} or {self.names[-1]}, a cable such as "
                f"{self.names[0]}-{self.names[next(iter(self.links))[1]]}, or a level such as "
                f"{levels[0]}"
            )
        return [ends for each in of for ends in self._cables(each)]

    def _cables(self, vertex: int) -> list[tuple[int, int]]:
        """Both directions of a vertex's cables: for a switch in a tree, the cable upwards;
        otherwise all cables that end here."""
        found = [ends for ends in self.links if vertex in ends]
        if self.is_tree and vertex >= self.nodes:
            # Switches have higher numbers than the vertices below them.
            found = [ends for ends in found if max(ends) > vertex]
        return found


def factors(text: str) -> list[tuple[str, str, Fraction]]:
    """The items of --links: text, name and factor. InputError if one is invalid."""
    found = []
    for item in filter(None, (each.strip() for each in text.split(","))):
        what, _, number = item.partition("=")
        factor = _fraction(number.strip())
        _check(item, factor)
        found.append((item, what.strip(), factor))
    return found


def _fraction(text: str) -> Fraction:
    """-1 if the text is not a number; Python takes long for large exponents."""
    try:
        short = len(text) <= MOST_CHARACTERS and not re.search(r"e[+-]?\d{3}", text, re.IGNORECASE)
        return Fraction(text) if short else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        return Fraction(-1)


def _check(item: str, factor: Fraction) -> None:
    if factor != 0 and not LEAST <= factor <= MOST:
        raise InputError(
            f"--links '{item}': expected WHAT=FACTOR, with a factor such as 0 (dead), 0.5, 1/5 or "
            f"2: 0, or from {float(LEAST):g} to {int(MOST)}"
        )


def of(text: str, links: str = "", rates: Mapping[str, float] | None = None) -> Network:
    """The network of a machine's text, or of a file of switches, with changed links.

    `rates` are the bytes per second that leave an object, by its level; "" is the rate of the
    network. Raises InputError, or ChoiceError if it cannot be read.
    """
    machine = machines.named(text)
    if Path(text).is_file() and (fabric := _core.fabric(text)):
        made = _of_fabric(machine, *fabric)
    else:
        made = of_machine(machine, rates)
    both = ", ".join(filter(None, (_saved_links(text), links)))
    return made.changed(both) if both else made


def _saved_links(text: str) -> str:
    """The slow links in a file that `toccata check --save` wrote; "" for any other text."""
    if not Path(text).is_file():
        return ""
    lines = documents.text_of(Path(text)).splitlines()
    return ", ".join(line.removeprefix("links ") for line in lines if line.startswith("links "))


def of_machine(machine: _core.Machine, rates: Mapping[str, float] | None = None) -> Network:
    """The network of a machine; `rates` as in `of`."""
    rates = rates or {}
    if machine.dims:
        core = _core.Network.of_mesh(machine.dims, machine.periodic)
        names = tuple(_coordinates(cell, machine.dims) for cell in range(core.nodes))
        labels = machine.labels(0)
        aliases = tuple((str(cell), cell) for cell in range(core.nodes))
        aliases += tuple((name, cell) for cell, name in enumerate(labels) if name)
        links = {(a, b): Fraction(capacity) for a, b, capacity in core.links}
        return Network(machine, names, core.nodes, links, 0, rates.get(""), aliases, True)
    if "node" not in machine.levels:
        raise InputError(
            f"'{machine.text}' has no links: it needs a level called node, as in "
            '"leaf:2 node:8 core:8", or a torus, such as torus:8x8x8'
        )
    level = machine.levels.index("node")
    vertices, known = list[str](), list[tuple[str, int]]()
    first = dict[int, int]()  # first vertex of each level
    for at in range(level, -1, -1):
        first[at] = len(vertices)
        labels = machine.labels(at)
        for number in range(machine.objects(at)):
            vertices.append(_name(machine, at, number))
            if labels and labels[number] not in ("", vertices[-1]):
                known.append((labels[number], len(vertices) - 1))
    unit = rates.get("node") or rates.get("") or 1.0
    links = dict[tuple[int, int], Fraction]()
    below = [Fraction(1)] * machine.objects(level)  # the capacity out of each object
    for at in range(level, -1, -1):
        if at == 0 and machine.objects(0) == 1:
            break  # a single outermost switch has no uplink
        outer = machine.outers(at)
        above = first[at - 1] if at > 0 else len(vertices)
        sums = [Fraction(0)] * (machine.objects(at - 1) if at > 0 else 1)
        limit = rates.get(machine.levels[at])
        for number, full in enumerate(below):
            capacity = full
            if limit is not None:
                capacity = Fraction(limit / unit).limit_denominator(FINEST)
            ends = (first[at] + number, above + outer[number])
            links[ends] = links[ends[::-1]] = capacity
            sums[outer[number]] += full
        below = sums
    if machine.objects(0) > 1:
        vertices.append("network")
    nodes = machine.objects(level)
    rate = unit if rates else None
    return Network(machine, tuple(vertices), nodes, links, level, rate, tuple(known))


def _name(machine: _core.Machine, level: int, number: int) -> str:
    if machine.dims:
        return _coordinates(number, machine.dims)
    return f"{machine.levels[level]}{number}"


def _coordinates(cell: int, dims: list[int]) -> str:
    at = []
    for size in reversed(dims):
        at.append(str(cell % size))
        cell //= size
    return ".".join(reversed(at))


def _of_fabric(
    machine: _core.Machine, names: list[str], cables: list[tuple[int, int, str]]
) -> Network:
    level = machine.levels.index("node")
    hosts = machine.objects(level)
    speeds = dict[tuple[int, int], Fraction]()
    for a, b, speed in cables:
        speeds[a, b] = speeds.get((a, b), Fraction(0)) + _speed(speed)
        if b < hosts:  # listed only by the switch
            speeds[b, a] = speeds.get((b, a), Fraction(0)) + _speed(speed)
    one = min((each for ends, each in speeds.items() if min(ends) < hosts),
              default=Fraction(1))  # fmt: skip
    capacities = {ends: each / one for ends, each in speeds.items()}
    return Network(machine, tuple(names), hosts, capacities, level, float(one) * 1e9 / 8)


def _speed(text: str) -> Fraction:
    """The Gbit/s of a text such as "4xHDR"; 100 if it names no speed."""
    lanes, _, speed = text.partition("x")
    if speed not in SPEEDS:
        return Fraction(100)
    return int(lanes) * Fraction(SPEEDS[speed])
