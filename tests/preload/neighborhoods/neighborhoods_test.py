"""Collectives among neighbours of an unmodified program: right, and chosen automatically."""

import argparse
import unittest

from jobs import Job, Outcome

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--program", required=True)
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

PATIENCE = 60  # seconds
ALLGATHERS = {"neighbor_allgather", "neighbor_allgatherv"}
ALLTOALLS = {"neighbor_alltoall", "neighbor_alltoallv"}
FORCED = {f"TOCCATA_{name.upper()}": "combining" for name in ALLGATHERS | ALLTOALLS}


class Neighborhoods(unittest.TestCase):
    def run_program(self, ranks, seed, settings=None):
        """The rows of the report."""
        libraries = filter(None, [options.library, options.also_preload])
        environment = {"LD_PRELOAD": " ".join(libraries)} | (settings or {})
        command = [options.program, str(seed)]
        job = Job(options.launcher.split(";"), PATIENCE, command, ranks, environment, reports=True)
        outcome = Outcome(job.outcome())
        self.assertEqual((outcome.lines or [""])[-1], "right", outcome.error)
        self.assertEqual(outcome.code, 0, outcome.error)
        return outcome.rows

    def served(self, rows):
        return {row["collective"] for row in rows if row["choice"] != "native"}

    def test_memory_of_a_node_serves_distinct_edges(self):
        for ranks in (2, 3, 4):
            with self.subTest(ranks=ranks):
                rows = self.run_program(ranks, 2 * ranks)
                blocking = [row for row in rows if row["collective"] in ALLGATHERS | ALLTOALLS]
                self.assertEqual(
                    {row["choice"] for row in blocking}, {"native", "direct:travel=published"}
                )
                self.assertLessEqual(ALLGATHERS | ALLTOALLS, self.served(rows))

    def test_order_of_repeated_edges_does_not_change(self):
        rows = self.run_program(3, 7)
        self.assertLessEqual(ALLGATHERS, self.served(rows))
        self.assertTrue(ALLTOALLS.isdisjoint(self.served(rows)), rows)

    def test_one_rank(self):
        self.assertEqual(self.served(self.run_program(1, 2)), set())

    def test_requested_algorithm(self):
        rows = self.run_program(4, 8, FORCED)
        self.assertLessEqual(ALLGATHERS | ALLTOALLS, self.served(rows))


if __name__ == "__main__":
    unittest.main(argv=["neighborhoods_test", *options.tests], verbosity=2)
