"""The recorded traffic of programs whose messages are known, in C and Fortran."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import Job, only

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--serving", required=True, help="the library with Toccata's algorithms")
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--programs", nargs="+", required=True)
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

RANKS = range(4)


def run(program, *words, file="traffic.json", ranks=4, serving="", **settings):
    """The completed run of a program, and the recorded traffic; None without a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / file
        preload = " ".join(filter(None, [options.library, serving, options.also_preload]))
        given = {"LD_PRELOAD": preload, "TOCCATA_RECORD": str(path)} | settings
        said = [f"{name}={value}" for name, value in given.items()]
        command = [*options.launcher.split(";"), "-n", str(ranks), "env", *said, program, *words]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, env=os.environ
        )
        return done, json.loads(path.read_text()) if path.exists() else None


def by_pair(traffic, kind, phase=1):
    """{(from, to): (messages, bytes)} of one kind and phase; rows of phase 1 do not name it."""
    number = [] if phase == 1 else [phase]
    return {(a, b): (n, size) for a, b, each, n, size, *of in traffic["pairs"]
            if each == kind and of == number}  # fmt: skip


WORLD = (0, 1, 2, 3)


def calls(traffic, phase=1):
    """{(collective, bytes, root, form, ranks): calls} of a phase."""
    members = [
        tuple(first + i * step for first, count, step in runs for i in range(count))
        for runs in traffic["communicators"]
    ]
    found = {}
    for name, of, size, root, n, form, *more in traffic["collectives"]:
        if (more or [1])[0] == phase:
            key = name, size, root, form, members[of]
            found[key] = found.get(key, 0) + n
    return found


def served(traffic):
    """{(collective, bytes, root, form): algorithms}, each "" for the MPI library's own."""
    found = {}
    for name, _, size, root, _, form, *more in traffic["collectives"]:
        found.setdefault((name, size, root, form), set()).add(more[1] if len(more) > 1 else "")
    return found


def is_served(traffic):
    return any(len(row) > 7 for row in traffic["collectives"])


def ring(messages, size):
    """The same from every rank to the next."""
    return {(rank, (rank + 1) % 4): (messages, size) for rank in RANKS}


FORCED = {
    "allreduce": "ring", "bcast": "binomial", "barrier": "dissemination", "allgather": "bruck",
    "alltoall": "pairwise", "gather": "linear", "reduce_scatter": "circulant",
    "scan": "pipeline:segments=2",
}  # fmt: skip


class Recording(unittest.TestCase):
    def recorded(self, case, version=2):
        done, traffic = run(self.programs["traffic"], case)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(traffic["ranks"], 4)
        self.assertEqual(traffic["toccata_traffic"], 4 if is_served(traffic) else version)
        return traffic

    @classmethod
    def setUpClass(cls):
        cls.programs = {Path(each).name: each for each in options.programs}

    def test_every_send_counts_once(self):
        # 10, 20, ... 130 bytes without 60 = 15 integers; 70 bytes two times; one empty message.
        traffic = self.recorded("sends")
        size = sum(range(10, 140, 10)) + 70
        to_itself = {(rank, rank): (1, 7) for rank in RANKS}
        self.assertEqual(by_pair(traffic, "point-to-point"), ring(15, size) | to_itself)
        self.assertEqual({each[2] for each in traffic["pairs"]}, {"point-to-point"})
        self.assertEqual(calls(traffic), {("barrier", 0, 0, "blocking", WORLD): 1})
        self.assertEqual(traffic["outside"], [0, 0])

    def test_pauses_do_not_count(self):
        traffic = self.recorded("pauses")
        self.assertEqual(by_pair(traffic, "point-to-point"), ring(2, 11))
        self.assertEqual(calls(traffic), {("barrier", 0, 0, "blocking", WORLD): 1})

    def test_phases(self):
        traffic = self.recorded("phases", version=3)
        for phase, turns in {1: 1, 7: 2, -7: 1, 100: 1}.items():
            size = turns * abs(phase)
            backwards = {(b, a): (turns, 6 * turns) for a, b in ring(0, 0)}
            sent = by_pair(traffic, "point-to-point", phase)
            self.assertEqual(sent, ring(turns, size) | backwards)
            expected = {("bcast", abs(phase), 0, "blocking", WORLD): turns}
            self.assertEqual(calls(traffic, phase), expected)
        for step in range(1000, 1004):
            self.assertEqual(by_pair(traffic, "point-to-point", step), ring(1, 1))
        self.assertEqual(by_pair(traffic, "point-to-point", 0), ring(16, 16))  # the others
        self.assertEqual({row[5] for row in traffic["pairs"] if len(row) > 5},
                         {7, -7, 100, 1000, 1001, 1002, 1003, 0})  # fmt: skip

    def test_ranks_are_those_of_the_world(self):
        traffic = self.recorded("communicators")
        expected = dict.fromkeys(((0, 1), (2, 3), (0, 2), (1, 3)), (3, 24))
        self.assertEqual(by_pair(traffic, "point-to-point"), expected)

    def test_intercommunicators_are_left_out(self):
        traffic = self.recorded("between")
        self.assertEqual(traffic["pairs"], [])
        self.assertEqual(traffic["outside"], [4, 64])

    def test_neighborhoods(self):
        traffic = self.recorded("neighborhoods")
        found = by_pair(traffic, "neighborhood")
        expected = {}

        def add(pair, messages, size):
            n, total = expected.get(pair, (0, 0))
            expected[pair] = (n + messages, total + size)

        starts = 2 if self.has_mpi_4() else 0
        for rank in RANKS:
            for peer in (rank ^ 1, rank ^ 2):
                add((rank, peer), 3, 20 + 7 + 1 + rank)
            add((rank, (rank + 1) % 4), 1 + starts, 12 + 3 * starts)
            for peer in ((rank + 1) % 4, (rank + 3) % 4):
                add((rank, peer), 1, 1)
        self.assertEqual(found, expected)

    def has_mpi_4(self):
        done, _ = run(self.programs["traffic"], "partitioned")
        return "before MPI 4" not in done.stdout

    def test_one_sided(self):
        traffic = self.recorded("one_sided")
        below = {rank: (rank + 3) % 4 for rank in RANKS}
        # Put, Accumulate, Fetch_and_op, Compare_and_swap, Get_accumulate, Rput; and the answers.
        expected = {(rank, below[rank]): (6, 40 + 4 + 4 + 4 + 4 + 12) for rank in RANKS}
        answers = {(below[rank], rank): (6, 20 + 4 + 4 + 4 + 4 + 8) for rank in RANKS}
        self.assertEqual(by_pair(traffic, "one-sided"), expected | answers)

    def test_partitioned_messages(self):
        if not self.has_mpi_4():
            self.skipTest("before MPI 4")
        traffic = self.recorded("partitioned")
        self.assertEqual(by_pair(traffic, "point-to-point"), ring(5, 3 * 400 + 9 + 11))

    def test_fortran(self):
        for name, program in self.programs.items():
            if not name.startswith("traffic_"):
                continue
            with self.subTest(name):
                done, traffic = run(program)
                self.assertEqual(done.returncode, 0, done.stderr)
                expected = ring(4, 4 * (10 + 20 + 30 + 30))
                for pair in ((0, 1), (2, 3), (0, 2), (1, 3)):
                    n, size = expected.get(pair, (0, 0))
                    expected[pair] = (n + 3, size + 12)
                self.assertEqual(by_pair(traffic, "point-to-point"), expected)
                self.assertEqual(by_pair(traffic, "point-to-point", 3), ring(1, 36))
                one_sided = ring(1, 20) | {(b, a): (1, 24) for a, b in ring(0, 0)}
                self.assertEqual(by_pair(traffic, "one-sided"), one_sided)

    def collectives(self, case, ranks):
        done, traffic = run(self.programs["collectives"], case, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((traffic["ranks"], traffic["left_out"]), (ranks, 0))
        return traffic

    def test_collectives_of_known_sizes(self):
        for p in (2, 3, 4, 5):
            with self.subTest(p):
                traffic = self.collectives("whole", p)
                blocking = {
                    ("bcast", 10, 1): 3, ("bcast", 0, 0): 1, ("allreduce", 8, 0): 3,
                    ("barrier", 0, 0): 2, ("allgather", 12, 0): 2, ("alltoall", 5, 0): 2,
                    ("gather", 6, 1): 1, ("gather", 7, 0): 1, ("scatter", 8, 0): 1,
                    ("scatter", 9, 1): 1, ("reduce", 4, 1): 1,
                    ("reduce_scatter_block", 8, 0): 1,
                    ("scan", 4, 0): 1, ("exscan", 4, 0): 1,
                }  # fmt: skip
                nonblocking = (("allreduce", 16, 0), ("barrier", 0, 0), ("bcast", 11, 1))
                world = tuple(range(p))
                self.assertEqual(
                    calls(traffic),
                    {(*each, "blocking", world): n for each, n in blocking.items()}
                    | {(*each, "nonblocking", world): 1 for each in nonblocking},
                )
                self.assertEqual(traffic["pairs"], [])

    def test_vector_forms_are_means_or_direct_messages(self):
        for p in (2, 3, 5):
            with self.subTest(p):
                traffic = self.collectives("vectors", p)
                world = "blocking", tuple(range(p))
                self.assertEqual(
                    calls(traffic),
                    {("allgatherv", 2 * (p + 1), 0, *world): 1,
                     ("reduce_scatter", 2 * (p - 1), 0, *world): 1},
                )  # fmt: skip
                expected = {}
                for a in range(p):
                    for b in set(range(p)) - {a}:
                        sizes = [b, 4 * (a + b), 12 * (b == (a + 1) % p), 4 * a * (b == 1),
                                 4 * b * (a == 0)]  # fmt: skip
                        expected[a, b] = sum(map(bool, sizes)), sum(sizes)
                self.assertEqual(by_pair(traffic, "collective"), expected)

    def test_collectives_of_communicators(self):
        for p in (2, 3, 4, 5):
            with self.subTest(p):
                traffic = self.collectives("communicators", p)
                expected = {("bcast", 100, 0, "blocking", tuple(reversed(range(p)))): 2}
                for half in (0, 1):
                    expected["allreduce", 4, 0, "blocking", tuple(range(half, p, 2))] = 2
                for rank in range(p):
                    expected["barrier", 0, 0, "blocking", (rank,)] = 1
                self.assertEqual(calls(traffic), expected)

    def test_a_callback_uses_a_communicator_that_is_being_freed(self):
        _, traffic = run(self.programs["freed"])
        self.assertEqual(calls(traffic), {
            ("bcast", 400, 0, "blocking", WORLD): 1,
            ("bcast", 1000, 3, "blocking", WORLD[::-1]): 1,
        })  # fmt: skip

    def test_persistent_collectives_count_at_each_start(self):
        if not self.has_mpi_4():
            self.skipTest("before MPI 4")
        traffic = self.collectives("persistent", 4)
        self.assertEqual(
            calls(traffic),
            {("allreduce", 24, 0, "nonblocking", WORLD): 3, ("bcast", 77, 1, "blocking", WORLD): 1},
        )
        ends = {(a, b): (3, 3) for a in (1, 2, 3) for b in RANKS if a != b}
        self.assertEqual(by_pair(traffic, "collective"), ends)

    def served(self, case, **settings):
        """The traffic of a run with Toccata's collectives."""
        program = self.programs["collectives"]
        done, traffic = run(program, case, serving=options.serving, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return traffic

    def test_algorithms_that_served(self):
        settings = {f"TOCCATA_{name.upper()}": value for name, value in FORCED.items()}
        for p in (2, 4, 5):
            traffic = self.served("whole", ranks=p, **settings)
            found = served(traffic)
            for (name, size, _, form), algorithms in found.items():
                expected = FORCED.get(name.removesuffix("_block"))
                with self.subTest(name=name, form=form, p=p):
                    # Empty calls send nothing. Whether requests are served depends on the MPI.
                    if expected is not None and form == "blocking" and (size or name == "barrier"):
                        self.assertEqual(algorithms, {expected})
                    elif form == "nonblocking":
                        self.assertLessEqual(algorithms, {expected, ""})
            self.assertEqual(traffic["toccata_traffic"], 4)

    def test_shortcuts_count_with_their_algorithm(self):
        """Equal calls that the ranks of a node serve in its memory."""
        traffic = self.served("many", ranks=2, TOCCATA_BCAST="shared")
        self.assertEqual(served(traffic), {("bcast", 10, 0, "blocking"): {"shared"}})
        self.assertEqual(calls(traffic), {("bcast", 10, 0, "blocking", (0, 1)): 500})

    def test_native_calls_have_no_algorithm(self):
        traffic = self.served("whole", TOCCATA="off")
        self.assertEqual(set.union(*served(traffic).values()), {""})

    def test_persistent_calls_have_their_algorithm(self):
        if not self.has_mpi_4():
            self.skipTest("before MPI 4")
        traffic = self.served("persistent", TOCCATA_ALLREDUCE="ring")
        # MPICH 4.0 serves its requests itself.
        self.assertIn(served(traffic)["allreduce", 24, 0, "nonblocking"], [{"ring"}, {""}])

    def test_many_sizes_merge(self):
        traffic = self.collectives("sizes", 2)
        found = calls(traffic)
        self.assertEqual(sum(found.values()), 3000)
        self.assertEqual(len(found), 2049)  # from 2049 bytes on, one class of sizes
        self.assertEqual(found["bcast", 2525, 0, "blocking", (0, 1)], 952)

    def test_collectives_in_fortran(self):
        for name, program in self.programs.items():
            if not name.startswith("collectives_"):
                continue
            with self.subTest(name):
                done, traffic = run(program)
                self.assertEqual(done.returncode, 0, done.stderr)
                expected = {
                    ("barrier", 0, 0, "blocking", WORLD): 1,
                    ("barrier", 0, 0, "nonblocking", WORLD): 1,
                    ("bcast", 20, 1, "blocking", WORLD): 1,
                    ("allreduce", 24, 0, "blocking", WORLD): 3,
                    ("allreduce", 28, 0, "nonblocking", WORLD): 1,
                    ("gather", 8, 3, "blocking", WORLD): 1,
                    ("scatter", 12, 0, "blocking", WORLD): 1,
                    ("reduce", 32, 1, "blocking", WORLD[::-1]): 1,
                }
                self.assertEqual(calls(traffic), expected)
                # Between two ranks: as many integers as the sum of their numbers, two times.
                ends = {(a, b): (2, 8 * (a + b)) for a in RANKS for b in RANKS if a != b}
                self.assertEqual(by_pair(traffic, "collective"), ends)

    def test_the_placement_of_the_ranks_is_recorded(self):
        traffic = self.recorded("between")
        self.assertTrue(traffic["machine"].startswith("machine "), traffic["machine"])
        self.assertTrue(traffic["placement"])
        self.assertRegex(traffic["mpi"], "MPI|MPICH")

    def test_without_a_file_nothing_is_recorded(self):
        done, traffic = run(self.programs["traffic"], "sends", TOCCATA_RECORD="")
        self.assertEqual((done.returncode, traffic), (0, None), done.stderr)

    def test_a_rank_without_the_recorder_is_one_line(self):
        preload = " ".join(filter(None, [options.library, options.also_preload]))
        settings = {"LD_PRELOAD": preload, "TOCCATA_RECORD": "traffic.json"}
        program = [*only("$rank != 3", settings), self.programs["traffic"], "between"]
        job = Job(options.launcher.split(";"), 60, program, 4, {})
        heard = job.hear(lambda line: "waited 10 s" in line)
        self.assertIn("recorder's MPI_Finalize on all 4 ranks", heard[-1])
        self.assertIn("LD_PRELOAD", heard[-1])

    def test_an_impossible_file_is_one_line(self):
        done, _ = run(self.programs["traffic"], "between", file="missing/traffic.json")
        self.assertEqual(done.returncode, 0)
        lines = [line for line in done.stderr.splitlines() if "toccata" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn("cannot write the traffic", lines[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
