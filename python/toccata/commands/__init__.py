"""The commands of `toccata`, in the order of its help."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """A command. Its module is imported only when the command runs, so `toccata --help` is fast."""

    module: str  # in toccata.commands
    function: str
    summary: str  # the line of `toccata --help`: the first paragraph of the function's docstring
    interspersed: bool = True  # whether options may follow the arguments


# By the headings of the help.
GROUPS: dict[str, dict[str, Entry]] = {
    "Run programs": {
        "run": Entry(
            "run",
            "run",
            "Run an MPI program, unchanged, with Toccata's collectives.",
            interspersed=False,
        ),
        "doctor": Entry(
            "doctor",
            "doctor",
            "Check the installation: MPIs, libraries, settings, the machine, and your own command.",
            interspersed=False,
        ),
        "explain": Entry(
            "explain",
            "explain",
            "Explain the choices of a run and their gain, or predict the choice for a call.",
        ),
        "demo": Entry(
            "demo",
            "demo_",
            "Compare the automatic choice of the preloaded library with the MPI library's own "
            "algorithms.",
        ),
    },
    "Tune a machine": {
        "tune": Entry(
            "tune",
            "tune",
            "Find the best algorithm for each number of ranks and size, and write a tuning file.",
        ),
        "check": Entry(
            "check",
            "check",
            "Check whether the hosts, links and collectives of a machine are as fast as they "
            "should be.",
            interspersed=False,
        ),
        "calibrate": Entry(
            "calibrate",
            "calibrate",
            "Measure messages on this machine, level by level, and fit a model for `predict`.",
        ),
        "bench": Entry(
            "bench",
            "bench",
            "Measure the algorithms of a collective on this machine, compared with the MPI "
            "library's own.",
        ),
        "bench links": Entry(
            "links",
            "links_",
            "Measure messages over several links of a node at the same time, and fit a model "
            "to them.",
        ),
        "export": Entry(
            "export",
            "export",
            "Export the choices of a tuning file to an MPI that runs without Toccata.",
        ),
    },
    "Study algorithms": {
        "list": Entry("list", "list_", "List the algorithms, their parameters and constraints."),
        "show": Entry(
            "show",
            "show_",
            "Show which rank sends which blocks to which rank in each round, as text or as a "
            "figure.",
        ),
        "verify": Entry(
            "verify",
            "verify",
            "Prove that algorithms are correct, for every setting of their parameters, also "
            "in place.",
        ),
        "traffic": Entry(
            "traffic",
            "traffic",
            "Count rounds, messages and blocks, and compare them with the literature.",
        ),
        "new": Entry(
            "new",
            "new",
            "Write a Python file with a small, proved algorithm for you to change.",
        ),
        "prove": Entry(
            "prove",
            "prove",
            "Prove algorithms that are not in the library, and write their schedules to a file.",
        ),
        "search": Entry(
            "search",
            "search",
            "Search for the fastest schedules of a collective on a machine, and write them "
            "to a file.",
        ),
    },
    "Predict and simulate": {
        "topo": Entry(
            "topo",
            "topo",
            "Show a machine and where ranks run on it, as a tree or as a figure.",
        ),
        "bounds": Entry(
            "bounds",
            "bounds_",
            "Compare the costs of algorithms on a network with lower bounds for all algorithms.",
        ),
        "predict": Entry(
            "predict",
            "predict",
            "Predict how long algorithms take on a machine, compared with a lower bound.",
        ),
        "reorder": Entry(
            "reorder",
            "reorder",
            "Map an algorithm's ranks onto a machine, and print the gain.",
        ),
        "place": Entry(
            "place",
            "place",
            "Map the ranks of a recorded program to cores, so that they communicate over short "
            "distances.",
        ),
        "sim": Entry(
            "sim",
            "sim",
            "Simulate a collective's algorithms on a machine that you do not have, with SimGrid.",
        ),
        "fit": Entry(
            "fit",
            "fit_",
            "Fit a cost model to one part of the recorded times, and validate it with the rest.",
        ),
        "reproduce": Entry(
            "reproduce",
            "reproduce",
            "Reproduce the tables and figures of a paper, compared with the paper's numbers.",
        ),
    },
}

COMMANDS = {name: entry for group in GROUPS.values() for name, entry in group.items()}
