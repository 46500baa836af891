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
        """From "leaf:2 node:8 socket:2 core:8" or "torus:8x8 core:2", or from a file."""
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
    def remark(self) -> str:
        """What a reader had to decide about a file, for the user; empty if nothing."""
    @property
    def dims(self) -> list[int]:
        """The dimensions of the mesh of the outermost objects; empty if there is no mesh."""
    @property
    def periodic(self) -> list[bool]: ...

class Placement:
    """Ranks on a machine."""

    def __init__(self, machine: Machine, p: int, name: str = "sequential") -> None:
        """From a name, such as "block-bunch" or "random:1", or a list of places, as "0-3,8"."""
    @property
    def p(self) -> int: ...
    @property
    def text(self) -> str:
        """The list of places."""
    @property
    def machine(self) -> Machine: ...
    @property
    def places(self) -> list[tuple[int, int]]:
        """For each rank, the level and number of the object that it is bound to."""
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
        """The unit of numbers in the value; empty if there are none."""
    @property
    def example(self) -> str: ...
    @property
    def meaning(self) -> str:
        """A verb phrase; empty for settings that are not for users."""

def variables() -> list[Variable]:
    """All settings except those that name algorithms: see Collective.variable."""

def placement_names() -> list[str]: ...
def unknown_levels(machine: Machine) -> list[str]:
    """Names of levels that no algorithm uses, probably misspelt."""

def this_machine() -> Machine:
    """hwloc's description of this machine."""

def fabric(file: str) -> tuple[list[str], list[tuple[int, int, str]]] | None:
    """The names of nodes and switches in an output of ibnetdiscover, the nodes of its machine
    first, and the cables: two positions, and a speed such as "4xHDR". Cables between switches are
    listed from both ends, those of nodes only from the switch. None for another kind of file."""

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
        """The dimensions of the mesh of the ranks; empty if there is no mesh."""

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
        """The collective whose algorithms serve this one: of a vector form its regular form."""

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
    """The blocks of a message to or from one peer."""

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
        """Whether ranks forward blocks of others; if so, it cannot serve gatherv and scatterv."""
    @property
    def publishes(self) -> bool:
        """Whether it publishes blocks in memory that the ranks share. Other ranks get messages."""
    @property
    def ordered(self) -> bool:
        """Whether a reduction keeps the order of the ranks, for operations that do not commute."""
    @property
    def reproducible(self) -> bool:
        """Whether a reduction evaluates the standard expression of p ranks for every element."""
    @property
    def proved(self) -> bool:
        """Whether it passed the proof of the build; if not, it only runs if it is named."""
    @property
    def parameters(self) -> list[Parameter]: ...
    def variants(self, p: int) -> list[Choice]:
        """All sampled settings of its parameters that are possible with p ranks."""
    def samples(self, p: int) -> list[tuple[Choice, Shape]]:
        """The same with several roots, placements and grids: the cases of proofs."""
    @property
    def by_placement(self) -> bool:
        """Whether it depends on the placement of the ranks."""
    @property
    def by_grid(self) -> bool:
        """Whether it depends on the mesh of the ranks."""

class Choice:
    """An algorithm with its parameters, or the MPI library's own.

    All methods raise ChoiceError for shapes in which the algorithm cannot run. They do so for the
    native algorithm, too, because its schedules are unknown.
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
        """The shape with the algorithm's settings and parts."""
    def why_impossible(self, shape: Shape | int) -> str:
        """Such as "needs an even number of ranks"; empty if the choice is possible."""
    def cost(self, shape: Shape | int) -> Cost:
        """The counted cost: of all ranks' schedules if there are few, otherwise of a sample."""
    def claim(self, shape: Shape | int) -> Cost | None:
        """The cost according to the literature; None without a closed form."""
    def proof_effort(self, shape: Shape | int) -> int:
        """The approximate number of blocks that a proof moves or inspects; a second is enough for
        40 million."""
    @property
    def rooted(self) -> bool: ...
    @property
    def reduces(self) -> bool: ...
    def schedule(self, shape: Shape | int, rank: int) -> Schedule: ...
    def before(self, shape: Shape | int, rank: int, recv: bool) -> list[int]:
        """The datum of each block of send or recv before the call; -1 for none."""
    def data(self, shape: Shape | int) -> int:
        """The number of blocks into which the choice cuts the whole vector."""
    def traffic(self, shape: Shape | int, block_bytes: int = 1) -> Traffic: ...
    def verify(self, shape: Shape | int) -> str:
        """Proves the choice, in place and not. Returns the first error in one line, or ""."""
    def lockstep(self, shape: Shape | int, counts: list[int], in_place: bool = False) -> str:
        """Runs all ranks on real bytes; datum d has counts[d] elements. Returns the first error, or
        ""."""

class Bounds:
    """Lower bounds for all algorithms."""

    @property
    def rounds(self) -> int: ...
    @property
    def link_bytes(self) -> float:
        """Over the busiest link."""
    @property
    def reduced_bytes(self) -> float:
        """Bytes that the busiest rank reduces."""

class LinkTraffic:
    """The traffic over the links of a mesh, in bytes."""

    @property
    def largest(self) -> float:
        """Over the busiest link."""
    @property
    def total(self) -> float: ...
    @property
    def conflicts(self) -> list[int]:
        """For each round: the maximum number of messages on one link."""
    @property
    def turns(self) -> int:
        """The number of rounds of the busiest rank, if each link carries one message at a time."""

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
    """The bounds for n bytes of the whole vector. ChoiceError if the collective has none."""

def link_traffic(choice: Choice, shape: Shape | int, n: float) -> LinkTraffic:
    """The traffic for n bytes of the whole vector, routed in dimension order."""

class Cut:
    """A cut of a network: `demand` must leave the vertices inside, over links of this capacity."""

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
    """Directed links between nodes and switches; the nodes are the first vertices.

    Weights are the blocks that each node has or receives. ValueError, in one line, if a node cannot
    be reached.
    """

    def __init__(
        self, nodes: int, vertices: int, links: Sequence[tuple[int, int, int]]
    ) -> None: ...
    @staticmethod
    def of_mesh(dims: Sequence[int], periodic: Sequence[bool]) -> Network:
        """The network of a mesh; its routes are in dimension order."""
    @property
    def nodes(self) -> int: ...
    @property
    def vertices(self) -> int: ...
    @property
    def links(self) -> list[tuple[int, int, int]]:
        """From, to, capacity."""
    def reversed(self) -> Network: ...
    def route(self, source: int, target: int) -> list[tuple[int, float]]:
        """The numbers of the links, each with the share of a message that takes it."""
    def loads(self, flows: Sequence[tuple[int, int, float]]) -> list[float]:
        """The traffic on each link. A flow is the source, the target and the bytes."""
    def broadcast_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def scatter_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def allgather_cut(self, weights: Sequence[int]) -> Cut: ...
    def cuts_to(self, supplies: Sequence[int], sinks: Sequence[int]) -> list[Cut]:
        """For each of the sinks, the minimum cut between all supplies and this node."""

Tree = tuple[int, list[int]]
"""The weight of the tree, and the parent of each node, which is -1 for the root."""

def pack_trees(network: Network, roots: Sequence[int]) -> list[Tree]:
    """Trees that together exceed no link's capacity; `roots[i]` of them have their root at node i.
    ValueError, in one line, if there are no such trees."""

def pack_torus(machine: Machine, network: Network) -> list[Tree] | None:
    """Two trees per dimension from every node of a torus. None if they need more than the network's
    capacities, or if the machine is not a torus."""

def balanced_roots(network: Network, trees: int) -> list[int] | None:
    """For a total of `trees`, the number with each node as the root; None if that is impossible."""

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
    """For each pair of nodes: source, target, blocks. `node_of` contains the node of each rank."""

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
        """Walks only the first `most_rounds` rounds of each schedule, unless this is 0."""
    def seconds(self, unit_bytes: int, model: Model) -> float: ...
    def terms(self, unit_bytes: int, model: Model) -> list[float]:
        """How often each parameter of the model lies on the critical path."""

class LowerBound:
    """The time in seconds that no algorithm of a choice's collective can beat."""

    def __init__(self, choice: Choice, shape: Shape | int, model: Model) -> None: ...
    def __call__(self, unit_bytes: int) -> float: ...

MOST_PROOF_EFFORT: int  # of a proof, in blocks: larger cases are left out

def ranks_to_prove(most: int) -> list[int]:
    """Numbers of ranks for which algorithms are proved: 1 to `most`, and some irregular ones."""

def collectives() -> list[Collective]: ...
def algorithms() -> list[Algorithm]:
    """Every algorithm, ordered by path."""

def parse_choice(collective: str, text: str) -> Choice:
    """Reads "NAME" or "NAME:PARAMETER=VALUE,..."."""

def parse_sized_choice(collective: str, text: str) -> list[tuple[int, Choice]]:
    """From "locality_bruck<=4K, native": the choices with their limits in bytes, in ascending
    order."""

class Configuration:
    """Settings: the environment takes precedence over files such as toccata.conf."""

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
    """The paths of toccata.conf: of the user, and of the site (the installation of the library)."""

def tuning_folders(library: str) -> list[str]:
    """The folders with tuning files: of the user, and of the site."""

class MpiLibrary:
    """An MPI library that is recognised by its text from MPI_Get_library_version."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str:
        """The family with the same binary interface; "" if no library of Toccata serves it."""

    @property
    def tested(self) -> str:
        """The versions with which our tests run, such as "4.1, 5.0"."""

def mpi_libraries() -> list[MpiLibrary]: ...
def mpi_library_of(text: str) -> MpiLibrary | None:
    """The library with that text; None if it is unknown."""

def is_tested(text: str) -> bool:
    """Whether our tests run with the version of that text."""

def network_rule(
    mpi: str,
    collective: str,
    shape: Shape | int,
    unit_bytes: list[int],
    published: bool = False,
    ethernet: bool = False,
) -> list[Choice | None]:
    """For the size class up to each size: the choice of the rule for networks.

    None if no gain over the MPI library's own algorithm is certain, or if `mpi` is "": if each choice
    may lose much to one of the known algorithms, with any network or with Ethernet only. `mpi` is the name of a file of
    rules (rules/open_mpi.rules: "open_mpi"). `published`: with messages
    published inside nodes, where that takes less time.
    """

LEAST_PREDICTED_GAIN: float  # with which a model proposes to replace an MPI library's algorithm

def native_algorithm(mpi: str, collective: str, p: int, unit_bytes: int) -> Choice | None:
    """The algorithm that this library selects by itself, in our form; None if that is unknown.

    `mpi` is the name of a file of rules (rules/open_mpi.rules: "open_mpi").
    """

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
    """The library's ranking by a model, faster and less precise than a Predictor.

    For each size: the algorithms that can run, with seconds, the fastest first. Each has its
    fastest setting, or the default one.
    """

def worth_trying(
    collective: str,
    shape: Shape | int,
    model: Model,
    unit_bytes: list[int],
    published: bool = False,
) -> list[list[tuple[Choice, float]]]:
    """The candidates among these that the library tries if it has no measurements. `published`:
    also with messages published inside nodes, as blocking calls try on several nodes."""

def tuned(path: str, collective: str, ranks: int, nodes: int, bytes: int) -> Choice | None:
    """The library's choice for this call by a tuning file; None if the file has none."""

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
    """The traffic between ranks in different regions of a level."""

    @property
    def level(self) -> str: ...
    @property
    def rank(self) -> Crossed:
        """The maximum per rank, for each number separately."""
    @property
    def region(self) -> Crossed:
        """The maximum that leaves one region."""
    @property
    def total(self) -> Crossed: ...
    @property
    def regions(self) -> list[Crossed]:
        """The traffic out of each region."""

def crossings(choice: Choice, shape: Shape | int, block_bytes: int = 1) -> list[Crossing]:
    """The traffic across each level, outermost first; empty if the machine is unknown."""

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
    """The names of the patterns, each with that of its heuristic."""

def flows_of(choice: Choice, shape: Shape | int) -> Flows:
    """The traffic of the schedules, one byte per block."""

def ring_flows(p: int) -> Flows: ...
def hop_bytes(shape: Shape, flows: Flows, players: list[int]) -> float:
    """Bytes times distance, if players[i] plays rank i."""

def pattern_of(choice: Choice) -> str:
    """The pattern for the mapping of an algorithm; "" if its traffic determines the mapping."""

def map_pattern(pattern: str, shape: Shape, seed: int | None = None) -> tuple[list[int], float]:
    """For each role, the rank that plays it; and the seconds of the search."""

def map_flows(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def map_by_scotch(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def mappings_for(choice: Choice, shape: Shape) -> list[list[int]]:
    """The candidate mappings of an algorithm, the preferred one first."""

def orders_for(choice: Choice) -> list[str]:
    """The possible ways to keep the order of its buffers, among straight, exchange and shuffle."""

def reordered(choice: Choice, shape: Shape, players: list[int], order: str) -> Shape:
    """The shape after a mapping, for any analysis."""

class ScheduleFileError(ChoiceError):
    """A file of schedules that cannot be used: its name, and the error."""

class MscclError(ChoiceError):
    """The reason why an MSCCL program, or a schedule, cannot be converted."""

class ScheduleBuilder:
    """Writes one rank's schedule. ValueError if a call precedes the first round()."""

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
    """Registers an algorithm whose schedules toccata.algorithms.outside writes."""

def read_schedule_file(path: str) -> str:
    """The contents of a file of schedules. ScheduleFileError if it is too large."""

def add_schedule_file(text: str, name: str) -> Algorithm:
    """Registers the algorithm of a file of schedules under that name."""

def schedule_file(choice: Choice, shapes: list[Shape]) -> str:
    """The contents of a file with a choice's schedules in these shapes."""

def tables_of(algorithm: Algorithm) -> list[tuple[int, int, int]]:
    """Ranks, root and parts of each table of an algorithm from a file."""

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
        """A message moves from its send to its receive; both rounds are open."""

    def closed(self, rank: int, number: int) -> None:
        """All messages of the round have moved; its copies follow."""

def walk(schedules: list[Schedule], visitor: Visitor) -> str:
    """Runs the schedules of all ranks together, with synchronous sends (src/analysis/walk.h).
    Returns the error, or ""."""

def chance(heads: int, trials: int) -> float:
    """The probability of at least `heads` heads in `trials` tosses of a fair coin (sign test)."""

def nearest(word: str, known: list[str]) -> str:
    """The known word with the fewest inserted, deleted or changed letters; "" if there are more
    than a third of its letters (src/selection/spelling.h)."""

def check_tuning(text: str, file: str) -> None:
    """Checks the fields of a tuning file that the library reads (src/selection/tuning.h). Raises
    ChoiceError, which names the file, the point and the field."""
