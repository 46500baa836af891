"""Programs on several hosts, bare and preloaded: results, requests, and what ranks agree on.

The hosts are names on this machine (bench/cluster/names.sh). Without --all, fewer cases run. To run
one test: ... hosts_test.py ... -- Hosts.test_settings_of_one_rank
"""

import argparse
import itertools
import os
import subprocess
import sys
import tempfile
import unittest
from dataclasses import dataclass
from pathlib import Path

from jobs import Job, Outcome, another_version, only, where

arguments = argparse.ArgumentParser()
arguments.add_argument("--family", required=True)
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", required=True)
arguments.add_argument("--launcher", required=True, help="mpiexec of this MPI")
arguments.add_argument("--programs", required=True, type=Path, help="folder")
arguments.add_argument("--mpi-tests", help="the program of tests/mpi, if it was built for this MPI")
arguments.add_argument("--served", action="store_true", help="Toccata can serve requests")
arguments.add_argument("--begins", action="store_true", help="the library can serve sessions")
arguments.add_argument("--all", action="store_true", help="every case")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

CLUSTER = Path(__file__).resolve().parents[2] / "bench/cluster"
NAMES = CLUSTER / "names.sh"
PATIENCE = 60  # seconds
SKIPPED = 77  # ctest: the test was skipped


@dataclass(frozen=True)
class Layout:
    """Ranks on hosts; each host has `slots` ranks, or the number in a list."""

    hosts: int
    slots: str
    ranks: int
    by: str = "slot"

    def __str__(self) -> str:
        return f"{self.ranks} ranks on {self.hosts} hosts with {self.slots} slots, by {self.by}"

    @property
    def names(self) -> list[str]:
        """The host of each rank."""
        if self.by == "node":
            return [f"toccata{rank % self.hosts}" for rank in range(self.ranks)]
        slots = [int(each) for each in self.slots.split(",")]
        slots = slots * self.hosts if len(slots) == 1 else slots
        return [f"toccata{host}" for host, count in enumerate(slots) for _ in range(count)]

    @property
    def last(self) -> int:
        return self.ranks - 1

    @property
    def launcher(self) -> list[str]:
        variables = [f"HOSTS={self.hosts}", f"SLOTS={self.slots}", f"MAP={self.by}"]
        return ["env", *variables, str(NAMES), str(CLUSTER / "launch.sh"), options.launcher]


TWO = Layout(2, "1", 2)
LAYOUTS = [
    TWO,
    Layout(4, "1", 4),
    Layout(3, "3,2,1", 6),
    Layout(4, "2", 6, "node"),
    Layout(4, "4", 16),
    Layout(4, "4", 16, "node"),
    Layout(4, "5,5,3,3", 16),
]
FEW = [TWO, LAYOUTS[2], LAYOUTS[-1]]

FLAT = {
    "ALLGATHER": "ring", "ALLTOALL": "pairwise", "ALLTOALLV": "pairwise",
    "BCAST": "scatter_allgather", "GATHER": "binomial", "GATHERV": "linear", "SCATTER": "binomial",
    "SCATTERV": "linear", "REDUCE": "binomial", "ALLREDUCE": "recursive_doubling",
    "REDUCE_SCATTER": "ring", "SCAN": "recursive_doubling", "EXSCAN": "linear",
    "BARRIER": "dissemination",
}  # fmt: skip
# Topology-aware algorithms, so that all ranks must agree on places.
BY_NODES = FLAT | {
    "ALLGATHER": "locality_bruck", "ALLTOALL": "hierarchical", "BCAST": "hierarchical",
    "GATHER": "hierarchical", "SCATTER": "hierarchical", "REDUCE": "hierarchical",
    "ALLREDUCE": "hierarchical", "REDUCE_SCATTER": "multi_lane", "SCAN": "hierarchical",
    "EXSCAN": "hierarchical", "BARRIER": "hierarchical",
}  # fmt: skip


# Hosts whose last one has a slow link, as `toccata check --save` writes them.
SLOW_LINK = """machine node:4 core:1
labels node toccata[0-3]
links node3=1/4
choice bcast native<1K, forestcoll:segments=4
choice allgather native<1K, forestcoll:segments=4
tree bcast 1 -,0,0,1
tree bcast 1 1,-,1,2
tree bcast 1 2,2,-,1
tree bcast 1 3,0,1,-
tree allgather 1 -,0,1,2
tree allgather 1 1,-,1,2
tree allgather 1 1,2,-,2
tree allgather 1 1,2,3,-
"""
ONE_RANK = ("$rank = 0", "$rank = {last}")  # conditions for `only`


def variables(choices):
    return {f"TOCCATA_{name}": choice for name, choice in choices.items()}


def program(name, *words):
    return [str(options.programs / name), *words]


COLLECTIVES = program("collectives", "8") if options else []


def preloading(*libraries):
    return {"LD_PRELOAD": " ".join([*libraries, options.also_preload])}


def start(layout, command, settings, reports=False):
    return Job(layout.launcher, PATIENCE, command, layout.ranks, settings, reports=reports)


def run(layout, command, settings=None, libraries=None):
    """Preloaded, unless `libraries` says otherwise."""
    libraries = [options.library] if libraries is None else libraries
    settings = preloading(*libraries) | (settings or {})
    return Outcome(start(layout, command, settings, reports=True).outcome())


def one_per_host(layout):
    """Numbers of lines, if hosts do not know of each other's."""
    return range(1, layout.hosts + 1)


class Hosts(unittest.TestCase):
    def expect_right(self, outcome, messages=(0,)):
        """`messages`: how many lines of the library are right."""
        self.assertEqual((outcome.lines or [""])[-1], "right", outcome.error)
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertIn(len(outcome.messages), messages, outcome.error)

    def cases(self, *kinds):
        """Each layout with every kind. Without --all, few layouts, each with the next kind."""
        if options.all:
            yield from itertools.product(LAYOUTS, kinds)
        else:
            for number in range(max(len(FEW), len(kinds))):
                yield FEW[number % len(FEW)], kinds[number % len(kinds)]

    def test_bare(self):
        for layout, _ in self.cases(None):
            with self.subTest(str(layout)):
                outcome = run(layout, COLLECTIVES, libraries=[])
                self.expect_right(outcome)
                self.assertEqual(outcome.lines[0].split(), layout.names)

    def test_every_collective(self):
        for number, layout in enumerate(LAYOUTS):
            both = (FLAT, BY_NODES)
            for choices in both if options.all else [both[number % 2]]:
                with self.subTest(str(layout), allgather=choices["ALLGATHER"]):
                    outcome = run(layout, COLLECTIVES, variables(choices))
                    self.expect_right(outcome)
                    calls = [each for each in outcome.calls if each[1] == layout.ranks]
                    served = {name: algorithm for name, _, algorithm in calls}
                    self.assertEqual(served, {name.lower(): each for name, each in choices.items()})

    def test_clocks(self):
        """The clocks of these hosts differ by 1000 s."""
        if options.mpi_tests is None:
            self.skipTest("without tests/mpi")
        command = [options.mpi_tests, "--gtest_color=no", "--gtest_filter=CommonClock.*"]
        for layout in LAYOUTS if options.all else LAYOUTS[2:4]:
            with self.subTest(str(layout)):
                job = Job(
                    layout.launcher, PATIENCE, command, layout.ranks,
                    preloading() | {"TOCCATA_TEST_CLOCKS_DIFFER": "1"},
                )  # fmt: skip
                outcome = Outcome(job.outcome())
                self.assertEqual(outcome.code, 0, "\n".join(outcome.lines) + outcome.error)
                self.assertIn("[  PASSED  ] 1 test.", outcome.lines)

    def test_the_topologys_choices_around_a_slow_link(self):
        """Without other settings, from the first call on. An allgather has trees for one rank per
        host only."""
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(SLOW_LINK)
            file.flush()
            for layout in LAYOUTS[1:2] + LAYOUTS[3:4]:
                with self.subTest(str(layout)):
                    outcome = run(layout, COLLECTIVES, {"TOCCATA_TOPOLOGY": file.name})
                    self.expect_right(outcome)
                    algorithm = "forestcoll:segments=4"
                    served = {each[0] for each in outcome.calls if each[2] == algorithm}
                    alone = layout.slots == "1"
                    self.assertEqual(served, {"bcast", "allgather"} if alone else {"bcast"})

    def test_choices_during_the_run(self):
        words = ["split", "vector", "sums", "again"]
        if options.served:  # MPICH 4.0 itself fails there
            words += ["nonblocking", "persistent"]
        for layout, word in self.cases(*words):
            with self.subTest(str(layout), word=word):
                self.expect_right(run(layout, program("repeats", "100", "16", word)))

    def test_neighborhoods(self):
        """With distinct edges, trials compare algorithms; with repeated ones, the order stays."""
        for layout, seed in self.cases("2", "5", "8"):
            with self.subTest(str(layout), seed=seed):
                self.expect_right(run(layout, program("neighborhoods", seed, "12")))

    def test_communicators_during_trials(self):
        for layout in LAYOUTS if options.all else LAYOUTS[2:3]:
            with self.subTest(str(layout)):
                self.expect_right(run(layout, program("groups")))

    def expect_requests(self, layout, words):
        """MPICH's MPI_Testall fails if the library serves only some requests."""
        settings = variables(FLAT)
        if not options.family.startswith("openmpi"):
            settings["WITHOUT_TESTALL"] = "1"
        outcome = run(layout, program("requests", *words.split()), settings)
        self.expect_right(outcome)
        if options.served:
            own = ("iallreduce", "ibarrier", "allreduce_init")
            served = {each[2] for each in outcome.calls if each[0] in own}
            self.assertTrue(served)
            self.assertNotIn("native", served)

    def test_requests(self):
        kinds = ["many", "consensus"]
        if options.served:
            kinds += ["random 5 4", "starts", "ends"]
        for layout, words in self.cases(*kinds):
            with self.subTest(str(layout), words=words):
                self.expect_requests(layout, words)

    def test_blocking_calls_advance_requests(self):
        self.expect_requests(TWO, "pairs")

    def test_sessions(self):
        if not (options.programs / "sessions").exists():
            self.skipTest("this MPI has no sessions")
        for layout, mode in self.cases("only", "late", "two"):
            with self.subTest(str(layout), mode=mode):
                outcome = run(layout, program("sessions", mode), {"TOCCATA_ALLREDUCE": "ring"})
                words = "".join(outcome.out)  # Hydra may join the lines of several ranks
                self.assertEqual(words, "right" * layout.ranks, outcome.error)
                self.assertEqual((outcome.code, outcome.messages), (0, []), outcome.error)
                served = ("allreduce", layout.ranks, "ring") in outcome.calls
                self.assertEqual(served, options.begins, outcome.error)

    def test_library_on_some_ranks(self):
        everywhere = preloading() | variables(FLAT)
        conditions = ("$rank != 0", "$rank = 0", "$rank != {last}", "$(($rank % 2)) = 0")
        for layout, condition in self.cases(*conditions):
            with self.subTest(str(layout), condition=condition):
                command = only(condition.format(last=layout.last), preloading(options.library))
                job = start(layout, [*command, *COLLECTIVES], everywhere)
                outcome = Outcome(job.outcome())
                self.expect_right(outcome, one_per_host(layout))
                self.assertRegex(outcome.messages[0], "LD_PRELOAD")

    def test_two_versions(self):
        line = r"has not loaded this version|version of Toccata is '\d.* on rank \d"
        with tempfile.TemporaryDirectory() as folder:
            copy = another_version(options.library, folder)
            for layout, condition in self.cases(*ONE_RANK):
                with self.subTest(str(layout), condition=condition):
                    # `only` sets LD_PRELOAD last, for the ranks with the other version.
                    command = only(condition.format(last=layout.last), preloading(copy))
                    outcome = run(layout, [*command, *COLLECTIVES], variables(FLAT))
                    self.expect_right(outcome, one_per_host(layout))
                    self.assertRegex(outcome.messages[0], line)

    def test_settings_of_one_rank(self):
        for layout, choice in self.cases("ring", "hierarchical"):
            with self.subTest(str(layout), choice=choice):
                command = only(f"$rank = {layout.last}", variables({"ALLREDUCE": choice}))
                outcome = run(layout, [*command, *COLLECTIVES], variables(FLAT))
                self.expect_right(outcome, messages=(1,))
                self.assertIn("TOCCATA_ALLREDUCE", outcome.messages[0])
                self.assertIn(layout.names[-1], outcome.messages[0])

    def test_planned_places(self):
        """Of `toccata run --place`."""
        plans = {
            "right": (lambda names: names, r"^$"),
            "moved": (lambda names: [*names[:-1], names[0]], r"rank {last} runs on toccata\d, but"),
            "shorter": (lambda names: names[:-1], "a file of {last} ranks, but the program has"),
        }
        for layout, kind in self.cases(*plans):
            with self.subTest(str(layout), kind=kind):
                change, said = plans[kind]
                plan = ",".join(change(layout.names))
                outcome = run(layout, COLLECTIVES, variables(FLAT | {"PLACED": plan}))
                self.expect_right(outcome, messages=(0 if kind == "right" else 1,))
                self.assertRegex("".join(outcome.messages), said.format(last=layout.last))

    def test_a_late_rank(self):
        for layout, condition in self.cases(*ONE_RANK):
            with self.subTest(str(layout), condition=condition):
                late = where(condition.format(last=layout.last), "sleep 2")
                outcome = run(layout, [*late, *COLLECTIVES], variables(BY_NODES))
                self.expect_right(outcome)
                self.assertIn(("allreduce", layout.ranks, "hierarchical"), outcome.calls)


def why_impossible():
    """Why this machine does not permit such hosts; empty if it does."""
    try:
        done = subprocess.run(
            [NAMES, CLUSTER / "agent.sh", "name", "true"], capture_output=True, text=True
        )
    except OSError as error:
        return str(error)
    return done.stderr.strip() if done.returncode else ""


if __name__ == "__main__":
    if reason := why_impossible():
        print(f"skipped, because several hosts need root, iproute2 and util-linux: {reason}")
        sys.exit(1 if os.environ.get("CI") else SKIPPED)  # CI can make hosts
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2, failfast=not options.all)
