"""The part of the library without MPI, compiled from python/module.cpp."""

from collections.abc import Sequence
from typing import Protocol, overload

__version__: str

class ChoiceError(ValueError):
    """An invalid request; the text is one line that names the accepted values."""

class TopologyError(ChoiceError):
    """A machine or placement that cannot be read."""

class Machine:
    """A tree of named levels, outermost first, with an optional mesh or torus of the outermost
    objects."""

    def __init__(self, text: str) -> None:
        """Reads "leaf:2 node:8 socket:2 core:8", "torus:8x8 core:2", or a file that it names."""
    @property
    def text(self) -> str: ...
    @property
    def levels(self) -> list[str]: ...
    def objects(self, level: int) -> int: ...
    def outer(self, level: int, object: int) -> int:
        """The object of the next outer level that contains an object."""
    def outers(self, level: int) -> list[int]:
        """The same for every object."""
    def labels(self, level: int) -> list[str]:
        """The names of the objects, such as hosts; empty if there are none."""
    @property
    def saved(self) -> str:
        """The contents of a file that can be read again."""
    @property
    def dims(self) -> list[int]:
        """Of the mesh of the outermost objects; empty without one."""
    @property
    def periodic(self) -> list[bool]: ...

class Placement:
    """Ranks on a machine."""

    def __init__(self, machine: Machine, p: int, name: str = "sequential") -> None:
        """By name, such as "block-bunch" or "random:1", or a list of places, such as "0-3,8"."""
    @property
    def p(self) -> int: ...
    @property
    def text(self) -> str:
        """The list of places."""
    @property
    def machine(self) -> Machine: ...
    @property
    def places(self) -> list[tuple[int, int]]:
        """For each rank, the level and the object in which it may run anywhere."""
    def common_level(self, a: int, b: int) -> int:
        """The innermost level at which two ranks are in one object; -1 if there is none."""

class Variable:
    """A setting, in the environment or in toccata.conf."""

    @property
    def name(self) -> str: ...
    @property
    def values(self) -> str:
        """The accepted values: "on, off or all"."""
    @property
    def standard(self) -> str:
        """The default."""
    @property
    def unit(self) -> str:
        """Of numbers in the value; empty if it has none."""
    @property
    def example(self) -> str: ...
    @property
    def meaning(self) -> str:
        """A verb phrase; empty for settings that are not for users."""

def variables() -> list[Variable]:
    """All except those of the collectives, each of which names its own."""

def placement_names() -> list[str]: ...
def unknown_levels(machine: Machine) -> list[str]:
    """Names of levels that no algorithm uses, probably misspelt."""

def this_machine() -> Machine:
    """hwloc's description of this machine."""

def read_saved(contents: str, name: str) -> Machine:
    """The machine of a saved text; errors contain `name` and the line."""

def fold_hosts(hosts: list[str]) -> str:
    """Such as "n[001-016],login"."""

class Shape:
    """The known properties of a communicator. A number of ranks is accepted instead."""

    @overload
    def __init__(self, p: int, root: int = 0) -> None: ...
    @overload
    def __init__(self, placement: Placement, root: int = 0) -> None: ...
    @property
    def p(self) -> int: ...
    @property
    def root(self) -> int: ...
    @property
    def parts(self) -> int:
        """The number of blocks into which a unit of the collective is cut, if known."""
    @property
    def placement(self) -> Placement | None: ...
    @property
    def dims(self) -> list[int]:
        """Of the mesh of the ranks; empty without one."""

class Collective:
    """A collective operation, such as allgather."""

    @property
    def name(self) -> str: ...
    @property
    def variable(self) -> str:
        """The variable of the environment that names an algorithm, such as TOCCATA_ALLGATHER."""
    @property
    def rooted(self) -> bool: ...
    @property
    def reduces(self) -> bool: ...
    @property
    def among_neighbors(self) -> bool:
        """Whether a rank's peers are its neighbours in a topology."""
    @property
    def regular(self) -> str:
        """The collective of which this is the vector form, or itself; it has the algorithms."""

class Parameter:
    """A parameter of an algorithm; values are given as the user writes them."""

    @property
    def name(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def accepts(self) -> str:
        """The accepted values: "per_round|per_block" or "2..64"."""
    @property
    def standard(self) -> str: ...
    @property
    def samples(self) -> list[str]: ...

class Cost:
    """The cost of an algorithm: the maximum of each number over the ranks."""

    def __init__(
        self, rounds: int, messages: int, sent: int, copied: int = 0, reduced: int = 0
    ) -> None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def sent(self) -> int:
        """Blocks sent by a rank."""
    @property
    def copied(self) -> int:
        """Blocks copied by a rank."""
    @property
    def reduced(self) -> int:
        """Blocks reduced into others by a rank."""

class Traffic:
    """The work in schedules: the maximum of each number over the ranks."""

    @property
    def rounds(self) -> int: ...
    @property
    def messages(self) -> int: ...
    @property
    def sent(self) -> int:
        """Blocks."""
    @property
    def sent_bytes(self) -> int: ...
    @property
    def copied(self) -> int:
        """Blocks."""
    @property
    def copied_bytes(self) -> int: ...
    @property
    def reduced(self) -> int:
        """Blocks."""
    @property
    def reduced_bytes(self) -> int: ...

class BlockRange:
    """`repeat` runs of `count` consecutive blocks, `stride` blocks apart."""

    @property
    def buffer(self) -> str:
        """ "send", "recv" or "scratch"."""
    @property
    def first(self) -> int: ...
    @property
    def count(self) -> int: ...
    @property
    def stride(self) -> int: ...
    @property
    def repeat(self) -> int: ...
    @property
    def blocks(self) -> list[int]:
        """Every block, in order."""

class Message:
    """Blocks to or from one peer."""

    @property
    def peer(self) -> int: ...
    @property
    def channel(self) -> int: ...
    @property
    def travel(self) -> str: ...
    @property
    def ranges(self) -> list[BlockRange]: ...

class Copy:
    """A local step: block i of `source` is copied to block i of `target`, or reduced into it."""

    @property
    def source(self) -> list[BlockRange]: ...
    @property
    def target(self) -> list[BlockRange]: ...
    @property
    def reduces(self) -> bool: ...

class Round:
    """Messages in flight together, then local copies."""

    @property
    def sends(self) -> list[Message]: ...
    @property
    def recvs(self) -> list[Message]: ...
    @property
    def copies(self) -> list[Copy]: ...

class Schedule:
    """The schedule of one rank. `len()` is the number of its rounds."""

    def __len__(self) -> int: ...
    def round(self, round: int) -> Round: ...
    @property
    def scratch(self) -> list[BlockRange]:
        """The blocks that determine the sizes of the scratch blocks."""

class Algorithm:
    """The descriptor of an algorithm."""

    @property
    def path(self) -> str:
        """Such as "allgather/sparbit"."""
    @property
    def collective(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def citation(self) -> str: ...
    @property
    def relays(self) -> bool:
        """Whether ranks forward blocks of others; then it does not serve gatherv and scatterv."""
    @property
    def ordered(self) -> bool:
        """Whether a reduction keeps the order of the ranks, for operations that do not commute."""
    @property
    def reproducible(self) -> bool:
        """Whether a reduction evaluates the standard expression of p ranks for every element."""
    @property
    def proved(self) -> bool:
        """Whether it has passed the proof, as built; if not, it runs by name only."""
    @property
    def parameters(self) -> list[Parameter]: ...
    def variants(self, p: int) -> list[Choice]:
        """All sampled settings of its parameters that are possible with p ranks."""
    def samples(self, p: int) -> list[tuple[Choice, Shape]]:
        """The same with its roots, placements and grids: the cases of proofs."""
    @property
    def by_placement(self) -> bool:
        """Whether it depends on where ranks run."""
    @property
    def by_grid(self) -> bool:
        """Whether it depends on the mesh of the ranks."""

class Choice:
    """An algorithm with its parameters, or the MPI library's own.

    All methods raise ChoiceError for shapes in which the algorithm cannot run, and for the native
    algorithm, which is unknown.
    """

    @property
    def native(self) -> bool: ...
    @property
    def text(self) -> str:
        """Such as "sparbit:messages=per_block"."""
    @property
    def algorithm(self) -> Algorithm | None:
        """None if native."""
    @property
    def settings(self) -> dict[str, int | str]:
        """The values of its parameters, by their names."""
    def completed(self, shape: Shape | int) -> Shape:
        """The shape with the additions of the algorithm: settings and parts."""
    def why_impossible(self, shape: Shape | int) -> str:
        """Such as "needs an even number of ranks"; empty if it is possible."""
    def cost(self, shape: Shape | int) -> Cost:
        """Counted in the schedules: of all ranks if there are few, otherwise of a sample."""
    def claim(self, shape: Shape | int) -> Cost | None:
        """The cost according to the literature; None without a closed form."""
    def proof_effort(self, shape: Shape | int) -> int:
        """The approximate number of blocks that a proof moves or inspects; 40 million take a
        second."""
    @property
    def rooted(self) -> bool: ...
    @property
    def reduces(self) -> bool: ...
    def schedule(self, shape: Shape | int, rank: int) -> Schedule: ...
    def before(self, shape: Shape | int, rank: int, recv: bool) -> list[int]:
        """The datum of each block of send or recv before the call; -1 for none."""
    def data(self, shape: Shape | int) -> int:
        """The number of blocks into which it cuts the whole vector."""
    def traffic(self, shape: Shape | int, block_bytes: int = 1) -> Traffic: ...
    def verify(self, shape: Shape | int) -> str:
        """The first error, in one line; empty if it is proved correct, in place and not."""
    def lockstep(self, shape: Shape | int, counts: list[int], in_place: bool = False) -> str:
        """Runs all ranks on real bytes; datum d has counts[d] elements. The first error, or ""."""

class Bounds:
    """Lower bounds for all algorithms."""

    @property
    def rounds(self) -> int: ...
    @property
    def link_bytes(self) -> float:
        """Over the busiest link."""
    @property
    def reduced_bytes(self) -> float:
        """By the busiest rank."""

class LinkTraffic:
    """The traffic over the links of a mesh, in bytes."""

    @property
    def largest(self) -> float:
        """Over the busiest link."""
    @property
    def total(self) -> float: ...
    @property
    def conflicts(self) -> list[int]:
        """By round: the maximum number of messages on one link."""
    @property
    def turns(self) -> int:
        """Rounds of the busiest rank, with at most one message per link at a time."""

class OnLinks:
    """The positions of the ranks of a shape on a mesh, and its links."""

    def __init__(self, shape: Shape | int) -> None: ...
    @property
    def dims(self) -> list[int]: ...
    @property
    def periodic(self) -> list[bool]: ...
    @property
    def cells(self) -> list[int]:
        """By rank."""
    def coordinates(self, cell: int) -> list[int]: ...

def lower_bounds(collective: str, shape: Shape | int, n: float) -> Bounds:
    """For n bytes of the whole vector. ChoiceError if there are no bounds for that collective."""

def link_traffic(choice: Choice, shape: Shape | int, n: float) -> LinkTraffic:
    """The same, routed in dimension order."""

class Cut:
    """A cut of a network: `demand` must leave the vertices inside over links with this capacity."""

    @property
    def demand(self) -> int: ...
    @property
    def capacity(self) -> int: ...
    @property
    def inside(self) -> list[bool]:
        """By vertex."""
    @property
    def ratio(self) -> float: ...

class Network:
    """Nodes, which are the first vertices, switches, and directed links. Weights are the blocks
    that each node has, or receives. ValueError, in one line, if a node cannot be reached."""

    def __init__(
        self, nodes: int, vertices: int, links: Sequence[tuple[int, int, int]]
    ) -> None: ...
    @staticmethod
    def of_mesh(dims: Sequence[int], periodic: Sequence[bool]) -> Network:
        """Routes are in dimension order there."""
    @property
    def nodes(self) -> int: ...
    @property
    def vertices(self) -> int: ...
    @property
    def links(self) -> list[tuple[int, int, int]]:
        """From, to, capacity."""
    def reversed(self) -> Network: ...
    def route(self, source: int, target: int) -> list[tuple[int, float]]:
        """Links, by number, with the share of a message that takes each."""
    def loads(self, flows: Sequence[tuple[int, int, float]]) -> list[float]:
        """The traffic on each link for a number of bytes from one node to another."""
    def broadcast_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def scatter_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def allgather_cut(self, weights: Sequence[int]) -> Cut: ...
    def cuts_to(self, supplies: Sequence[int], sinks: Sequence[int]) -> list[Cut]:
        """For each of some nodes, the minimum cut between all supplies and the node."""

Tree = tuple[int, list[int]]
"""Its weight, and of each node its parent, -1 for the root."""

def pack_trees(network: Network, roots: Sequence[int]) -> list[Tree]:
    """Trees that use no link beyond its capacity; `roots` is their number by node. ValueError, in
    one line, if there are no such trees."""

def balanced_roots(network: Network, trees: int) -> list[int] | None:
    """The number of trees that should begin at each node; None if this total does not exist."""

def why_wrong(network: Network, roots: Sequence[int], trees: Sequence[Tree]) -> str:
    """The error in such trees, in one line; empty if there is none."""

def with_trees(
    machine: Machine,
    bcast: Sequence[Tree],
    allreduce: Sequence[Tree],
    allgather: Sequence[Tree],
) -> Machine:
    """The machine with trees packed for its nodes."""

def trees_of(machine: Machine, collective: str) -> list[Tree]:
    """The trees packed for bcast, allreduce or allgather."""

def node_flows(
    choice: Choice, shape: Shape | int, node_of: Sequence[int]
) -> list[tuple[int, int, float]]:
    """From node, to node, blocks; `node_of` is by rank."""

class ModelError(ChoiceError): ...

class Model:
    """The cost of communication on a machine."""

    @staticmethod
    def read(path: str) -> Model:
        """Raises ModelError, naming the file and the field."""
    @staticmethod
    def parse(json: str, file: str = "model") -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def origin(self) -> str:
        """The source of the parameters."""
    @property
    def json(self) -> str: ...
    @property
    def levels(self) -> list[str]: ...
    @property
    def term_names(self) -> list[str]:
        """Such as "network.eager.alpha"."""
    @property
    def coefficients(self) -> list[float]:
        """The parameters, in that order."""

class Predictor:
    """A choice in a shape, for any number of sizes and models. ChoiceError if it is impossible."""

    def __init__(self, choice: Choice, shape: Shape | int, most_rounds: int = 0) -> None:
        """The first `most_rounds` rounds of each schedule, if this is not 0."""
    def seconds(self, unit_bytes: int, model: Model) -> float: ...
    def terms(self, unit_bytes: int, model: Model) -> list[float]:
        """How often each parameter of the model lies on the critical path."""

class LowerBound:
    """The time in seconds that no algorithm of a choice's collective can beat."""

    def __init__(self, choice: Choice, shape: Shape | int, model: Model) -> None: ...
    def __call__(self, unit_bytes: int) -> float: ...

MOST_PROOF_EFFORT: int  # that a proof is worth, in blocks

def ranks_to_prove(most: int) -> list[int]:
    """Numbers of ranks for which algorithms are proved: 1 to `most`, and some irregular ones."""

def collectives() -> list[Collective]: ...
def algorithms() -> list[Algorithm]:
    """Every algorithm, ordered by path."""

def parse_choice(collective: str, text: str) -> Choice:
    """Reads "NAME" or "NAME:PARAMETER=VALUE,..."."""

def parse_sized_choice(collective: str, text: str) -> list[tuple[int, Choice]]:
    """Such as "locality_bruck<=4K, native": the limits in bytes, and the choices; ascending."""

class Configuration:
    """Settings: from the environment, otherwise from files such as toccata.conf."""

    def __init__(self, files: list[str]) -> None: ...
    def value(self, name: str) -> str: ...
    def origin(self, name: str) -> str:
        """ "the environment", or a file; "" if it is not set."""
    @property
    def names(self) -> list[str]:
        """All names in the files."""
    @property
    def files(self) -> list[str]:
        """The existing files."""
    @property
    def complaints(self) -> list[str]: ...

def configuration_files(library: str) -> list[str]:
    """toccata.conf of the user, and of the site that contains the library."""

def tuning_folders(library: str) -> list[str]:
    """The folders of the user, and of the site that contains the library."""

class MpiLibrary:
    """An MPI library that is recognised by its text from MPI_Get_library_version."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str:
        """The family whose binary interface it has; "" if no library of Toccata serves it."""

    @property
    def tested(self) -> str:
        """The versions with which our tests run, such as "4.1, 5.0"."""

def mpi_libraries() -> list[MpiLibrary]: ...
def mpi_library_of(text: str) -> MpiLibrary | None:
    """The library with that text; None for an unknown one."""

def is_tested(text: str) -> bool:
    """Whether our tests run with the version of that text."""

def complaint_of_value(name: str, value: str) -> str:
    """The accepted values of a setting if the value is not one of them; otherwise ""."""

def complaint_of_variable(name: str) -> str:
    """The error in a variable's name; "" for a known name, and for variables of others."""

def rank(
    collective: str,
    shape: Shape | int,
    model: Model,
    unit_bytes: list[int],
    standard: bool = False,
) -> list[list[tuple[Choice, float]]]:
    """The library's ranking by a model: for each size, the algorithms that can run, with seconds,
    the fastest first. Each has its fastest setting, or the default one. Faster than a Predictor,
    and less precise."""

def worth_trying(
    collective: str, shape: Shape | int, model: Model, unit_bytes: list[int]
) -> list[list[tuple[Choice, float]]]:
    """The few of these that the library tries without measurements."""

def tuned(path: str, collective: str, ranks: int, nodes: int, bytes: int) -> Choice | None:
    """The library's choice there by a tuning file; None if the file has none."""

TUNING_REACH: float
"""By so much numbers of ranks may differ from those of a point that decides, as a ratio."""
TUNING_REACH_OF_SIZES: float

def usual_model() -> Model:
    """The model for an unknown machine."""

class Crossed:
    """Messages, blocks and bytes that cross a level."""

    @property
    def messages(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Crossing:
    """The traffic between ranks that share no region of one level."""

    @property
    def level(self) -> str: ...
    @property
    def rank(self) -> Crossed:
        """The maximum that a rank sends across, for each number separately."""
    @property
    def region(self) -> Crossed:
        """The maximum that leaves a region."""
    @property
    def total(self) -> Crossed: ...
    @property
    def regions(self) -> list[Crossed]:
        """The traffic out of each region."""

def crossings(choice: Choice, shape: Shape | int, block_bytes: int = 1) -> list[Crossing]:
    """One for each level of the machine, outermost first; none if the machine is unknown."""

def regions(shape: Shape | int) -> list[tuple[str, list[int]]]:
    """For each level that divides the ranks, outermost first: its name, and the region of each
    rank."""

class Flows:
    """The traffic from each rank to others: a sparse matrix of ranges."""

    @property
    def p(self) -> int: ...
    @property
    def ranges(self) -> int: ...
    def row(self, rank: int) -> list[tuple[int, float]]: ...

def has_scotch() -> bool:
    """Whether this was built with Scotch."""

def patterns() -> list[tuple[str, str]]:
    """Names of patterns, and the names of their heuristics."""

def flows_of(choice: Choice, shape: Shape | int) -> Flows:
    """The traffic of the schedules, one byte per block."""

def ring_flows(p: int) -> Flows: ...
def hop_bytes(shape: Shape, flows: Flows, players: list[int]) -> float:
    """Bytes times distance, if players[i] plays rank i."""

def pattern_of(choice: Choice) -> str:
    """The pattern by which an algorithm is mapped; "" if its traffic decides."""

def map_pattern(pattern: str, shape: Shape, seed: int | None = None) -> tuple[list[int], float]:
    """The rank that plays each role, and the seconds of the search."""

def map_flows(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def map_by_scotch(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def mappings_for(choice: Choice, shape: Shape) -> list[list[int]]:
    """The mappings that are tried for an algorithm, the preferred one first."""

def orders_for(choice: Choice) -> list[str]:
    """The ways in which its buffers can keep their order: among straight, exchange, shuffle."""

def reordered(choice: Choice, shape: Shape, players: list[int], order: str) -> Shape:
    """The shape in which others play the ranks, for any analysis."""

class ScheduleFileError(ChoiceError):
    """A file of schedules that cannot be used: its name, and the error."""

class MscclError(ChoiceError):
    """A program of MSCCL that cannot be converted, or a schedule; and why."""

class ScheduleBuilder:
    """One rank's schedule while it is written. ValueError if round() was not called first."""

    def __init__(self) -> None: ...
    def round(self) -> None: ...
    def send(self, peer: int, blocks: list[BlockRange], travel: str, channel: int) -> None: ...
    def recv(self, peer: int, blocks: list[BlockRange], travel: str, channel: int) -> None: ...
    def step(self, source: list[BlockRange], target: list[BlockRange], reduces: bool) -> None: ...
    def scratch(self, like: list[BlockRange]) -> BlockRange: ...
    def build(self) -> Schedule: ...

def block_range(
    buffer: str, first: int, count: int = 1, stride: int = 0, repeat: int = 1
) -> BlockRange: ...
def circular(
    buffer: str, first: int, count: int, modulus: int, step: int = 1
) -> list[BlockRange]: ...
def add_python_algorithm(
    name: str,
    collective: str,
    summary: str,
    citation: str,
    parameters: list[tuple[str, str, list[str], int, int, int, list[int]]],
    flags: dict[str, bool],
) -> Algorithm:
    """Registers an algorithm whose functions are in toccata.outside, by its name."""

def read_schedule_file(path: str) -> str:
    """The contents of a file of schedules. ScheduleFileError if it is too large."""

def add_schedule_file(text: str, name: str) -> Algorithm:
    """Registers the algorithm of a file of schedules under that name."""

def schedule_file(choice: Choice, shapes: list[Shape]) -> str:
    """The file of a choice's schedules in these shapes."""

def tables_of(algorithm: Algorithm) -> list[tuple[int, int, int]]:
    """For a file's algorithm: ranks, root and parts of each of its tables."""

def add_msccl(xml: str, name: str) -> Algorithm:
    """Registers a program of MSCCL as an algorithm."""

def msccl(choice: Choice, shape: Shape) -> str:
    """A choice's schedules as a program of MSCCL."""

class Visitor(Protocol):
    """Receives the events of a walk, in an order that is possible in a real run."""

    def opened(self, rank: int, number: int) -> None:
        """A rank posts the messages of a round; none has moved yet."""

    def moved(
        self,
        sender: int,
        source: list[BlockRange],
        receiver: int,
        target: list[BlockRange],
    ) -> None:
        """A send has met its receive, both in open rounds."""

    def closed(self, rank: int, number: int) -> None:
        """All messages of the round have moved; its copies follow."""

def walk(schedules: list[Schedule], visitor: Visitor) -> str:
    """Runs the schedules of all ranks against each other; returns the error, or "". Sends are
    synchronous (src/analysis/walk.h)."""

def chance(heads: int, trials: int) -> float:
    """The probability of at least `heads` heads in `trials` tosses of a fair coin (sign test)."""

def nearest(word: str, known: list[str]) -> str:
    """The known word with the fewest inserted, deleted or changed letters; "" if none is near. Near
    means at most a third of the known word's letters (src/selection/spelling.h)."""

def check_tuning(text: str, file: str) -> None:
    """Checks the fields of a tuning file that the library reads (src/selection/tuning.h). Raises
    ChoiceError, which names the file, the point and the field."""
