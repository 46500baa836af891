"""Where the launcher at hand would place ranks on a machine.

Launchers and their versions place ranks differently, so the launcher itself maps them: Open MPI
prints its map instead of starting programs; Hydra (MPICH) starts `echo` on this host for each rank.
The launcher reads the nodes' inside from an hwloc file, and gets one host per node.
"""

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from toccata import _core
from toccata.errors import InputError
from toccata.launching import commandline, launcher
from toccata.quantities import plural
from toccata.topology import machines

SECONDS = 60
PROGRAM = "echo"
# hwloc's names of levels; it calls all others groups.
TYPES = {
    "socket": "Package", "package": "Package", "die": "Die", "l3": "L3Cache", "l2": "L2Cache",
    "core": "Core", "pu": "PU",
}  # fmt: skip
COUNT = ("-n", "-np", "-c", "--n", "--np")
HOSTS = re.compile(r"-{1,2}(hosts?|hostlist|hostfile|machinefile|default-hostfile|H|f)(=.*)?$")


def is_command(placement: str) -> bool:
    """Whether a placement is a launcher's command instead of a rule."""
    words = placement.split()
    return bool(words) and commandline.kind_of(words[0]) != ""


def placed(machine: _core.Machine, p: int, placement: str | None) -> _core.Placement:
    """p ranks on a machine, by a rule, a list of places, or a launcher's command.

    Raises ChoiceError if a rule is invalid, InputError if a launcher does not map the ranks.
    """
    rule = placement or machines.STANDARD_PLACEMENT
    return _core.Placement(machine, p, asked(rule, machine, p) if is_command(rule) else rule)


def shape(p: int, machine: str | None, placement: str | None, root: int = 0) -> _core.Shape:
    """The shape of p ranks on the machine; without a machine, only their number is known.

    Raises InputError if there is a placement and no machine, and the errors of placed().
    """
    if machine is None:
        if placement is not None:
            raise InputError(f"--placement {placement} has no effect without --machine")
        return _core.Shape(p, root)
    return _core.Shape(placed(machines.named(machine), p, placement), root)


def asked(command: str, machine: _core.Machine, p: int) -> str:
    """The places of p ranks that a launcher's command chooses, such as "core:0-3 socket:1"."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"--placement '{command}': {error}") from None
    starter = launcher.identify(words[0], "give a launcher of Open MPI, MPICH or Intel MPI")
    if starter.family not in ASKING:
        raise InputError(
            f"--placement '{command}': {starter.name} does not tell where it would place ranks; "
            f"`toccata topo --ranks {p}` starts ranks and shows where they are"
        )
    inside = Inside.of(machine)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".xml") as file:
        file.write(inside.xml())
        file.flush()
        ask = ASKING[starter.family](starter, inside, file.name)
        told = _told(ask.command(_arguments(words[1:], p, inside)), ask.environment)
    seats = dict(ask.read(told))
    if not seats:
        lines = [line for line in told.splitlines() if line.strip(" -=*")]
        said = " / ".join(each.strip() for each in lines[:4]) or "no output"
        raise InputError(f"--placement '{command}': the launcher places no rank: {said}")
    if sorted(seats) != list(range(p)):
        raise InputError(
            f"--placement '{command}': it places {plural('rank', len(seats))}; expected {p}"
        )
    return " ".join(inside.place(*seats[rank]) for rank in range(p))


@dataclass(frozen=True)
class Inside:
    """The nodes of a machine, which have the same levels inside."""

    machine: _core.Machine
    hosts: list[str]
    node: int  # the level of nodes; -1 if the machine is one node
    levels: list[tuple[str, int]]  # inside a node: names, and numbers of objects in the next outer

    @staticmethod
    def of(machine: _core.Machine) -> "Inside":
        names = machine.levels
        node = names.index("node") if "node" in names else 0 if machine.dims else -1
        levels = []
        for level in range(node + 1, len(names)):
            number = machine.objects(level)
            above = machine.objects(level - 1) if level > 0 else 1
            outers = machine.outers(level) if level > 0 else [0] * number
            if number % above or outers != [each // (number // above) for each in range(number)]:
                raise InputError(
                    f"{machine.text}: a launcher can map ranks only onto identical nodes, but "
                    f"these have different numbers of {names[level]} objects"
                )
            levels.append((names[level], number // above))
        number = machine.objects(node) if node >= 0 else 1
        labels = machine.labels(node) if node >= 0 else []
        known = ["localhost"] if number == 1 else [f"node{each}" for each in range(number)]
        return Inside(machine, labels or known, node, levels)

    @property
    def cores(self) -> int:
        """Cores of a node."""
        number = 1
        for name, inside in self.levels:
            if name != "pu":
                number *= inside
        return number

    def place(self, host: str, cores: Sequence[int]) -> str:
        """The innermost object that contains these cores of a host; without cores, the node."""
        if host not in self.hosts:
            raise InputError(f"no host '{host}' in the machine; leave it out of --placement")
        node = self.hosts.index(host)
        number = self.machine.objects
        names = self.machine.levels
        wanted = sorted(set(cores)) or list(range(self.cores))
        if wanted[-1] >= self.cores:
            raise InputError(
                f"the launcher uses core {wanted[-1]}; nodes have cores 0 to {self.cores - 1}"
            )
        for level in reversed(range(self.node + 1, len(names))):
            per_node = number(level) // len(self.hosts)
            if per_node > self.cores:
                continue
            size = self.cores // per_node  # cores of an object
            if wanted[0] // size == wanted[-1] // size:
                return f"{names[level]}:{node * per_node + wanted[0] // size}"
        if self.node < 0:
            raise InputError(
                f"the launcher does not bind all ranks to one object of {self.machine.text}; name "
                f'the whole node, as in "node:1 {self.machine.text}"'
            )
        return f"{names[self.node]}:{node}"

    def xml(self) -> str:
        """The inside of a node in hwloc's format. Every socket has a NUMA node, unless the machine
        has them itself."""
        return _xml(self.levels)


def _xml(levels: Sequence[tuple[str, int]]) -> str:
    names = [name for name, _ in levels]
    levels = [*levels, *([] if {"core", "pu"} & set(names) else [("core", 1)])]
    levels = [*levels, *([] if "pu" in names else [("pu", 1)])]
    domain = next((each for each in ("numa", "socket", "package") if each in names), "")
    total, domains = 1, 1
    for name, number in levels:
        total *= number
        domains = total if name == domain else domains
    maker = _Maker(levels, domain, total // domains)
    top = maker.object("Machine", 0, total)
    top.set("allowed_cpuset", top.get("cpuset") or "")
    top.set("allowed_nodeset", top.get("nodeset") or "")
    if not domain:
        top.append(maker.object("NUMANode", 0, total))
    maker.fill(top, 0, 0, total)
    root = ElementTree.Element("topology", version="2.0")
    root.append(top)
    for name in ("discovery.pu", "discovery.numa"):
        ElementTree.SubElement(root, "support", name=name)
    text = ElementTree.tostring(root, encoding="unicode")
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE topology SYSTEM "hwloc2.dtd">\n{text}\n'
    )


@dataclass
class _Maker:
    """Makes the objects of a node, from the outside to the inside."""

    levels: Sequence[tuple[str, int]]
    domain: str  # the level whose objects have a NUMA node each
    width: int  # processing units of a NUMA node
    counts: dict[str, int] = field(default_factory=dict)  # objects by type

    def object(self, kind: str, first: int, pus: int) -> ElementTree.Element:
        """An object with `pus` processing units from `first` on."""
        number = self.counts.get(kind, 0)
        self.counts[kind] = number + 1
        nodes = first // self.width
        cpus = _mask(first, pus)
        memory = _mask(nodes, (first + pus - 1) // self.width - nodes + 1)
        attributes = {
            "type": kind, "os_index": str(number), "gp_index": str(sum(self.counts.values())),
            "cpuset": cpus, "complete_cpuset": cpus,
            "nodeset": memory, "complete_nodeset": memory,
        }  # fmt: skip
        if kind.endswith("Cache"):
            attributes |= {
                "cache_size": "1048576", "depth": kind[1], "cache_linesize": "64",
                "cache_associativity": "0", "cache_type": "0",
            }  # fmt: skip
        elif kind == "Group":
            attributes |= {"kind": "0", "subkind": "0", "dont_merge": "1"}
        elif kind == "NUMANode":
            attributes |= {"local_memory": "1073741824"}
        return ElementTree.Element("object", attributes)

    def fill(self, outer: ElementTree.Element, level: int, first: int, pus: int) -> None:
        """Adds the objects of a level, and those inside them."""
        if level == len(self.levels):
            return
        name, number = self.levels[level]
        each = pus // number
        for at in range(first, first + pus, each):
            made = self.object(TYPES.get(name, "Group"), at, each)
            if name == self.domain:
                made.append(self.object("NUMANode", at, each))
            outer.append(made)
            self.fill(made, level + 1, at, each)


def _mask(first: int, number: int) -> str:
    """The bits of a set in hwloc's form: words of 32 bits, the highest first."""
    value = ((1 << number) - 1) << first
    words: list[str] = []
    while value or not words:
        words.append(f"0x{value & 0xFFFFFFFF:08x}")
        value >>= 32
    return ",".join(reversed(words))


def _arguments(words: Sequence[str], p: int, inside: Inside) -> list[str]:
    """The launcher's own arguments for each program, with a harmless program."""
    parts: list[list[str]] = []
    for start, end in commandline.sections(words, "mpiexec"):
        section = list(words[start:end])
        parts.append(section[: commandline.start_of_command(section, "mpiexec")])
    counted = any(word in COUNT for part in parts for word in part)
    if not counted:
        parts[-1] += ["-n", str(p)]
    result: list[str] = []
    for each in parts:
        result += [*([":"] if result else []), *each, PROGRAM]
    return result


@dataclass(frozen=True)
class Asking:
    """How to ask a launcher: its first arguments, its environment, and a reader of its output,
    which yields for each rank its host, and its cores there if it is bound."""

    first: list[str]
    hosts: list[str]
    environment: dict[str, str]
    read: Callable[[str], Iterable[tuple[int, tuple[str, list[int]]]]]

    def command(self, arguments: Sequence[str]) -> list[str]:
        hosts = [] if any(HOSTS.match(word) for word in arguments) else self.hosts
        return [*self.first, *hosts, *arguments]


def _openmpi(starter: launcher.Launcher, inside: Inside, file: str) -> Asking:
    newer = not re.match(r"[1-4]\.", starter.version)
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    show = ["--display", "map"] if newer else ["--display-devel-map"]
    topology = ["--prtemca", "hwloc_use_topo_file", file] if newer else []
    slots = ",".join(f"{host}:{inside.cores}" for host in inside.hosts)
    return Asking(
        [starter.path, *root, *topology, *show, "--do-not-launch"],
        ["--host", slots],
        {} if newer else {"HWLOC_XMLFILE": file, "HWLOC_THISSYSTEM": "1"},
        lambda told: _openmpi_seats(told, inside.hosts),
    )


def _openmpi_seats(told: str, hosts: Sequence[str]) -> Iterator[tuple[int, tuple[str, list[int]]]]:
    """The ranks of Open MPI's map.

    Open MPI 4 does not bind on nodes that it has not seen, so their ranks have only a "locale".
    """
    binds = not re.search(r"Binding policy: NONE", told)
    host, rank = "", -1
    locale: list[int] = []
    for line in told.splitlines():
        if match := re.search(r"Data for node: (\S+)", line):
            host = hosts[0] if len(hosts) == 1 else match[1]
        elif match := re.search(r"Data for proc: \[.*,(\d+)\]\s*$", line):
            rank, locale = int(match[1]), []
        elif match := re.search(r"Locale:\s*(\S+)", line):
            locale = _drawn_cores(match[1])
        elif match := re.search(r"Binding: (.+)", line):
            found = _drawn_cores(match[1]) or _listed_cores(match[1])
            yield rank, (host, found or (locale if binds else []))


def _drawn_cores(text: str) -> list[int]:
    """The cores with a B in "[BB/../..][../../..]"."""
    if not re.fullmatch(r"(\[[B./]+\])+", text.strip()):
        return []
    cores = re.findall(r"[B.]+", text)
    return [each for each, drawn in enumerate(cores) if "B" in drawn]


def _listed_cores(text: str) -> list[int]:
    """The cores in "package[0][core:L0-2,L4] package[1][core:L8]"."""
    cores: list[int] = []
    for each in re.findall(r"core:([L\d,-]+)", text):
        for part in each.replace("L", "").split(","):
            first, _, last = part.partition("-")
            cores += range(int(first), int(last or first) + 1)
    return cores


def _hydra(starter: launcher.Launcher, inside: Inside, file: str) -> Asking:
    hosts = ",".join(f"{host}:{inside.cores}" for host in inside.hosts)
    return Asking(
        [starter.path, "-launcher", "fork", "-prepend-pattern", "toccata %r %h|"],
        ["-hosts", hosts],
        {"HYDRA_TOPO_DEBUG": "1", "HWLOC_XMLFILE": file},
        lambda told: _hydra_seats(told, inside),
    )


def _hydra_seats(told: str, inside: Inside) -> Iterator[tuple[int, tuple[str, list[int]]]]:
    """The ranks with a line: each prints an empty one, and Hydra one for each binding."""
    width = 1
    for name, number in inside.levels:
        width *= number if name == "pu" else 1
    found: dict[int, tuple[str, list[int]]] = {}
    for match in re.finditer(r"^toccata (\d+) ([^|\s]+)\|(.*)$", told, re.MULTILINE):
        rank, host = int(match[1]), match[2]
        host = inside.hosts[0] if len(inside.hosts) == 1 else host
        bits = re.search(r"binding: ([01]+)", match[3])
        cores = [at // width for at, bit in enumerate(bits[1]) if bit == "1"] if bits else []
        if rank not in found or cores:
            found[rank] = (host, cores)
    yield from found.items()


ASKING: Mapping[str, Callable[[launcher.Launcher, Inside, str], Asking]] = {
    "openmpi": _openmpi,
    "mpich": _hydra,
}


def _told(command: Sequence[str], environment: Mapping[str, str]) -> str:
    """What a launcher prints. Open MPI 4 ends with an error after its map."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False,
            env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"'{Path(command[0]).name}' does not show its map: {error}") from None
    return done.stdout + done.stderr
