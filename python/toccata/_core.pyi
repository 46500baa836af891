"""The part of the library without MPI, compiled from python/module.cpp."""

from collections.abc import Sequence
from typing import Protocol, overload

__version__: str

class ChoiceError(ValueError):
    """An invalid request; the text is one line that names the accepted values."""

class TopologyError(ChoiceError):
    """A machine or placement that cannot be read as it is written."""

class Machine:
    """A tree of named levels, outermost first, perhaps with a mesh or torus outside."""

    def __init__(self, text: str) -> None:
        """Reads "leaf:2 node:8 socket:2 core:8", "torus:8x8 core:2", or a file that it names."""
    @property
    def text(self) -> str: ...
    @property
    def levels(self) -> list[str]: ...
    def objects(self, level: int) -> int: ...
    def outer(self, level: int, object: int) -> int:
        """The object one level further out that an object is part of."""
    def outers(self, level: int) -> list[int]:
        """The same of every object."""
    def labels(self, level: int) -> list[str]:
        """What the objects are called, as hosts; empty if they are not."""
    @property
    def saved(self) -> str:
        """What a file holds that can be read again."""
    @property
    def dims(self) -> list[int]:
        """Of the mesh of the outermost objects; empty without one."""
    @property
    def periodic(self) -> list[bool]: ...

class Placement:
    """Ranks on a machine."""

    def __init__(self, machine: Machine, p: int, name: str = "sequential") -> None:
        """By name, as "block-bunch" or "random:1", or a list of places, as "0-3,8"."""
    @property
    def p(self) -> int: ...
    @property
    def text(self) -> str:
        """The list of places."""
    @property
    def machine(self) -> Machine: ...
    @property
    def places(self) -> list[tuple[int, int]]:
        """Of each rank the level and the object that it is anywhere in."""
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
    """Levels of names that nothing goes by, as from a slip of the pen."""

def this_machine() -> Machine:
    """What hwloc knows of the machine we run on."""

def read_saved(contents: str, name: str) -> Machine:
    """The machine of a text that was saved; errors say `name` and the line."""

def fold_hosts(hosts: list[str]) -> str:
    """As in "n[001-016],login"."""

class Shape:
    """What is known of a communicator. A number of ranks is accepted instead."""

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
        """Into how many blocks a unit of the collective is cut, where that is known."""
    @property
    def placement(self) -> Placement | None: ...
    @property
    def dims(self) -> list[int]:
        """Of the mesh that the ranks are on; empty without one."""

class Collective:
    """A collective operation, such as allgather."""

    @property
    def name(self) -> str: ...
    @property
    def variable(self) -> str:
        """The variable of the environment that asks for an algorithm, as TOCCATA_ALLGATHER."""
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
    """What an algorithm costs: the largest of each over the ranks."""

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
    """What the schedules do: the largest of each over the ranks."""

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
    """What one rank does. `len()` is the number of its rounds."""

    def __len__(self) -> int: ...
    def round(self, round: int) -> Round: ...
    @property
    def scratch(self) -> list[BlockRange]:
        """The blocks whose sizes the blocks of scratch have."""

class Algorithm:
    """The descriptor of an algorithm."""

    @property
    def path(self) -> str:
        """As in "allgather/sparbit"."""
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
        """Whether ranks pass on blocks of others: then it does not serve gatherv and scatterv."""
    @property
    def ordered(self) -> bool:
        """Whether a reduction keeps the order of the ranks, for operations that do not commute."""
    @property
    def reproducible(self) -> bool:
        """Whether a reduction evaluates the standard expression of p ranks for every element."""
    @property
    def proved(self) -> bool:
        """Whether it has passed the proof as it was built; if not, it runs by name only."""
    @property
    def parameters(self) -> list[Parameter]: ...
    def variants(self, p: int) -> list[Choice]:
        """All sampled settings of its parameters that are possible with p ranks."""
    def samples(self, p: int) -> list[tuple[Choice, Shape]]:
        """The same with the roots, placements and grids that it goes by: what proofs try."""
    @property
    def by_placement(self) -> bool:
        """Whether it depends on where ranks run."""
    @property
    def by_grid(self) -> bool:
        """Whether it goes by the mesh that ranks are laid on."""

class Choice:
    """An algorithm with its parameters, or the MPI library's own.

    All methods raise ChoiceError for shapes that the algorithm cannot run in, and for the native
    one, of which nothing is known.
    """

    @property
    def native(self) -> bool: ...
    @property
    def text(self) -> str:
        """As in "sparbit:messages=per_block"."""
    @property
    def algorithm(self) -> Algorithm | None:
        """None if native."""
    @property
    def settings(self) -> dict[str, int | str]:
        """The values of its parameters, by their names."""
    def completed(self, shape: Shape | int) -> Shape:
        """The shape with what the algorithm adds to it: settings and parts."""
    def why_impossible(self, shape: Shape | int) -> str:
        """As in "needs an even number of ranks"; empty if it is possible."""
    def cost(self, shape: Shape | int) -> Cost:
        """Counted in the schedules: of all ranks where they are few, else of some that tell."""
    def claim(self, shape: Shape | int) -> Cost | None:
        """What the literature says that it costs; None where it has no closed form."""
    def proof_effort(self, shape: Shape | int) -> int:
        """About how many blocks a proof moves or looks at; 40 million take about a second."""
    @property
    def rooted(self) -> bool: ...
    @property
    def reduces(self) -> bool: ...
    def schedule(self, shape: Shape | int, rank: int) -> Schedule: ...
    def before(self, shape: Shape | int, rank: int, recv: bool) -> list[int]:
        """What each block of send or recv holds before the call; -1 for nothing."""
    def data(self, shape: Shape | int) -> int:
        """Into how many blocks it cuts the whole vector."""
    def traffic(self, shape: Shape | int, block_bytes: int = 1) -> Traffic: ...
    def verify(self, shape: Shape | int) -> str:
        """What is wrong first, in one line; empty if it is proved right, in place and not."""
    def lockstep(self, shape: Shape | int, counts: list[int], in_place: bool = False) -> str:
        """Runs all ranks on real bytes, datum d having counts[d]. What is wrong first, or ""."""

class Bounds:
    """What no algorithm can do with less."""

    @property
    def rounds(self) -> int: ...
    @property
    def link_bytes(self) -> float:
        """Over the busiest link."""
    @property
    def reduced_bytes(self) -> float:
        """By the busiest rank."""

class LinkTraffic:
    """What goes over the links of a mesh, in bytes."""

    @property
    def largest(self) -> float:
        """Over the busiest link."""
    @property
    def total(self) -> float: ...
    @property
    def conflicts(self) -> list[int]:
        """By round: the most messages on one link."""
    @property
    def turns(self) -> int:
        """Rounds of the busiest rank where no more messages leave or enter it than it has links."""

class OnLinks:
    """Where the ranks of a shape are on the mesh that its links belong to."""

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
    """For n bytes of the whole vector. ChoiceError if nothing is known of that collective."""

def link_traffic(choice: Choice, shape: Shape | int, n: float) -> LinkTraffic:
    """The same, routed in dimension order."""

class Cut:
    """A cut of a network: `demand` has to leave the vertices inside over so much capacity."""

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
    """Nodes, which are the first vertices, switches, and links, each of which leads one way.

    Weights say by node how many blocks it has, or is to get. ValueError, in one line, where nodes
    cannot be reached.
    """

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
        """By link, what goes over it if so much goes from a node to another."""
    def broadcast_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def scatter_cut(self, weights: Sequence[int], root: int) -> Cut: ...
    def allgather_cut(self, weights: Sequence[int]) -> Cut: ...
    def cuts_to(self, supplies: Sequence[int], sinks: Sequence[int]) -> list[Cut]:
        """For each of some nodes, the smallest cut between all supplies and it."""

Tree = tuple[int, list[int]]
"""Its weight, and of each node its parent, -1 for the root."""

def pack_trees(network: Network, roots: Sequence[int]) -> list[Tree]:
    """Trees that use no link beyond its capacity, `roots` of them by node. ValueError, in one line,
    where there are none such.
    """

def balanced_roots(network: Network, trees: int) -> list[int] | None:
    """How many of so many trees should begin at each node; None where so many do not exist."""

def why_wrong(network: Network, roots: Sequence[int], trees: Sequence[Tree]) -> str:
    """What is wrong with such trees, in one line; empty if nothing is."""

def with_trees(
    machine: Machine,
    bcast: Sequence[Tree],
    allreduce: Sequence[Tree],
    allgather: Sequence[Tree],
) -> Machine:
    """The machine with trees packed for its nodes."""

def trees_of(machine: Machine, collective: str) -> list[Tree]:
    """Those packed for bcast, allreduce or allgather."""

def node_flows(
    choice: Choice, shape: Shape | int, node_of: Sequence[int]
) -> list[tuple[int, int, float]]:
    """From node, to node, blocks; `node_of` is by rank."""

class ModelError(ChoiceError): ...

class Model:
    """What communication costs on a machine."""

    @staticmethod
    def read(path: str) -> Model:
        """Raises ModelError, naming the file and the field."""
    @staticmethod
    def parse(json: str, file: str = "model") -> Model: ...
    @property
    def name(self) -> str: ...
    @property
    def origin(self) -> str:
        """Where the parameters come from."""
    @property
    def json(self) -> str: ...
    @property
    def levels(self) -> list[str]: ...
    @property
    def term_names(self) -> list[str]:
        """As in "network.eager.alpha"."""
    @property
    def coefficients(self) -> list[float]:
        """The parameters, in that order."""

class Predictor:
    """A choice in a shape, for any number of sizes and models. ChoiceError if it is impossible."""

    def __init__(self, choice: Choice, shape: Shape | int, most_rounds: int = 0) -> None:
        """Of each schedule the first `most_rounds` rounds, if that is any."""
    def seconds(self, unit_bytes: int, model: Model) -> float: ...
    def terms(self, unit_bytes: int, model: Model) -> list[float]:
        """How often each parameter of the model lies on the critical path."""

class LowerBound:
    """Seconds that any algorithm of a choice's collective takes at least."""

    def __init__(self, choice: Choice, shape: Shape | int, model: Model) -> None: ...
    def __call__(self, unit_bytes: int) -> float: ...

MOST_PROOF_EFFORT: int  # that a proof is worth, in blocks

def ranks_to_prove(most: int) -> list[int]:
    """Numbers of ranks for which algorithms are proved: 1 to `most`, and some awkward ones."""

def collectives() -> list[Collective]: ...
def algorithms() -> list[Algorithm]:
    """Every algorithm, ordered by path."""

def parse_choice(collective: str, text: str) -> Choice:
    """Reads "NAME" or "NAME:PARAMETER=VALUE,..."."""

def parse_sized_choice(collective: str, text: str) -> list[tuple[int, Choice]]:
    """As "locality_bruck<=4K, native": up to which size, in bytes, which choice; ascending."""

class Configuration:
    """Settings: those of the environment, and of files such as toccata.conf where it has none."""

    def __init__(self, files: list[str]) -> None: ...
    def value(self, name: str) -> str: ...
    def origin(self, name: str) -> str:
        """ "the environment", or a file; "" where it is not set."""
    @property
    def names(self) -> list[str]:
        """All that files set."""
    @property
    def files(self) -> list[str]:
        """Those that are there."""
    @property
    def complaints(self) -> list[str]: ...

def configuration_files(library: str) -> list[str]:
    """toccata.conf of the user, and of the site where the library is installed."""

def tuning_folders(library: str) -> list[str]:
    """Of the user, and of the site where the library is installed."""

class MpiLibrary:
    """An MPI library that is known by what MPI_Get_library_version says of it."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str:
        """Whose binary interface it has; "" if no library of ours serves it."""

    @property
    def tested(self) -> str:
        """The versions that our tests run with, as "4.1, 5.0"."""

def mpi_libraries() -> list[MpiLibrary]: ...
def mpi_library_of(text: str) -> MpiLibrary | None:
    """The one that says `text`; None for an unknown one."""

def is_tested(text: str) -> bool:
    """Whether our tests run with the version that says `text`."""

def complaint_of_value(name: str, value: str) -> str:
    """What a setting takes where the value is no such word; "" otherwise."""

def complaint_of_variable(name: str) -> str:
    """What is wrong with a variable's name; "" for one that means something, and others' own."""

def rank(
    collective: str,
    shape: Shape | int,
    model: Model,
    unit_bytes: list[int],
    standard: bool = False,
) -> list[list[tuple[Choice, float]]]:
    """The library's choice by a model: of each size the algorithms that can
    run, with seconds, the quickest first, each in its quickest setting, or in the standard one.
    Quicker than a Predictor, and coarser."""

def worth_trying(
    collective: str, shape: Shape | int, model: Model, unit_bytes: list[int]
) -> list[list[tuple[Choice, float]]]:
    """Of these, the few that the library tries next to the MPI library's own without
    measurements."""

def tuned(path: str, collective: str, ranks: int, nodes: int, bytes: int) -> Choice | None:
    """What a tuning file has the library choose there; None where it says nothing."""

TUNING_REACH: float
"""By so much numbers of ranks may differ from those of a point that decides, as a ratio."""
TUNING_REACH_OF_SIZES: float

def usual_model() -> Model:
    """The model of a machine of which nothing is known."""

class Crossed:
    """Messages, blocks and bytes that cross a level."""

    @property
    def messages(self) -> int: ...
    @property
    def blocks(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Crossing:
    """What goes between ranks that share no region of one level."""

    @property
    def level(self) -> str: ...
    @property
    def rank(self) -> Crossed:
        """The most that a rank sends across; each number for itself."""
    @property
    def region(self) -> Crossed:
        """The most that leaves a region."""
    @property
    def total(self) -> Crossed: ...
    @property
    def regions(self) -> list[Crossed]:
        """What leaves each region."""

def crossings(choice: Choice, shape: Shape | int, block_bytes: int = 1) -> list[Crossing]:
    """One for each level of the machine, outermost first; none where none is known."""

def regions(shape: Shape | int) -> list[tuple[str, list[int]]]:
    """Of each level that divides the ranks, outermost first: its name, the region of each rank."""

class Flows:
    """How much goes from each rank to which others: a sparse matrix made of ranges."""

    @property
    def p(self) -> int: ...
    @property
    def ranges(self) -> int: ...
    def row(self, rank: int) -> list[tuple[int, float]]: ...

def has_scotch() -> bool:
    """Whether Scotch was there when this was built."""

def patterns() -> list[tuple[str, str]]:
    """Names of patterns, and what their heuristics are called."""

def flows_of(choice: Choice, shape: Shape | int) -> Flows:
    """What the schedules send, a block a byte."""

def ring_flows(p: int) -> Flows: ...
def hop_bytes(shape: Shape, flows: Flows, players: list[int]) -> float:
    """Bytes times distance, where players[i] plays rank i."""

def pattern_of(choice: Choice) -> str:
    """The pattern that an algorithm is mapped by; "" where its traffic decides."""

def map_pattern(pattern: str, shape: Shape, seed: int | None = None) -> tuple[list[int], float]:
    """The rank that plays each role, and the seconds of the search."""

def map_flows(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def map_by_scotch(flows: Flows, shape: Shape) -> tuple[list[int], float]: ...
def mappings_for(choice: Choice, shape: Shape) -> list[list[int]]:
    """The mappings that are tried for an algorithm, the one meant for it first."""

def orders_for(choice: Choice) -> list[str]:
    """How its buffers can keep their order: of straight, exchange, shuffle."""

def reordered(choice: Choice, shape: Shape, players: list[int], order: str) -> Shape:
    """The shape in which others play the ranks, as any analysis takes it."""

class ScheduleFileError(ChoiceError):
    """A file of schedules that cannot be used: its name, and what is wrong there."""

class MscclError(ChoiceError):
    """A program of MSCCL that cannot be taken over, or a schedule that cannot be one; and why."""

class ScheduleBuilder:
    """One rank's schedule while it is written. ValueError where round() has not come first."""

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
    """Makes an algorithm known of which toccata.outside is asked, by its name."""

def read_schedule_file(path: str) -> str:
    """The contents of a file of schedules. ScheduleFileError where it is too large."""

def add_schedule_file(text: str, name: str) -> Algorithm:
    """Makes the algorithm of a file of schedules known by that name."""

def schedule_file(choice: Choice, shapes: list[Shape]) -> str:
    """The file of a choice's schedules in these shapes."""

def tables_of(algorithm: Algorithm) -> list[tuple[int, int, int]]:
    """Of a file's algorithm: ranks, root and parts of each of its tables."""

def add_msccl(xml: str, name: str) -> Algorithm:
    """Makes a program of MSCCL known as an algorithm."""

def msccl(choice: Choice, shape: Shape) -> str:
    """A choice's schedules as a program of MSCCL."""

class Visitor(Protocol):
    """What a walk reports, in an order that a real run could have had."""

    def opened(self, rank: int, number: int) -> None:
        """A rank posts the messages of a round; none has moved yet."""

    def moved(
        self,
        sender: int,
        source: list[BlockRange],
        receiver: int,
        target: list[BlockRange],
    ) -> None:
        """A message has met its receive, both in open rounds."""

    def closed(self, rank: int, number: int) -> None:
        """All messages of the round have moved; its copies follow."""

def walk(schedules: list[Schedule], visitor: Visitor) -> str:
    """Run the schedules of all ranks against each other; what is wrong, or "".

    Sends are synchronous (src/analysis/walk.h).
    """

def chance(heads: int, trials: int) -> float:
    """The probability of at least `heads` heads in `trials` tosses of a fair coin (sign test)."""

def nearest(word: str, known: list[str]) -> str:
    """The known word with the fewest letters inserted, left out or changed; "" if none is near.

    Near means at most a third of the known word's letters (src/selection/spelling.h).
    """

def check_tuning(text: str, file: str) -> None:
    """Check the fields of a tuning file that the library reads (src/selection/tuning.h).

    Raises ChoiceError, which names the file, the point and the field.
    """
