"""Programs that use sessions, with the library on all ranks or on some of them.

The report shows whether calls were served. All results are compared with the right ones.
"""

import argparse
import sys
import unittest

from jobs import Job, Outcome, only

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--program", required=True)
arguments.add_argument("--begins", action="store_true", help="the library serves sessions here")
arguments.add_argument("--served", action="store_true", help="also requests")
arguments.add_argument("--alone", action="store_true", help="the MPI has no MPI_Init beside them")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

PATIENCE = 60  # seconds
RANKS = 3
FORCED = {"TOCCATA_ALLREDUCE": "ring"}


def preloading(*libraries):
    return {"LD_PRELOAD": " ".join(filter(None, [*libraries, options.also_preload]))}


class Sessions(unittest.TestCase):
    def right(self, mode, condition=None):
        """The outcome; the library is only on ranks with that condition."""
        command, settings = [options.program, mode], preloading(options.library)
        if condition is not None:
            command, settings = [*only(condition, settings), *command], preloading()
        launcher = options.launcher.split(";")
        job = Job(launcher, PATIENCE, command, RANKS, settings | FORCED, reports=True)
        outcome = Outcome(job.outcome())
        words = "".join(outcome.out)  # Hydra may join the lines of several ranks
        self.assertEqual(words, "right" * RANKS, outcome.error)
        self.assertEqual(outcome.code, 0, outcome.error)
        return outcome

    def served(self, mode, of_all, of_two):
        """Every form has that many calls on communicators of all ranks and of two, all served."""
        outcome = self.right(mode)
        self.assertEqual(outcome.messages, [], outcome.error)
        if not options.begins:
            self.assertEqual(outcome.rows, [])
            return
        forms = ("allreduce", "iallreduce", "allreduce_init")
        for form in forms if options.served else forms[:1]:
            calls = {key: n for key, n in outcome.calls.items() if key[0] == form and key[1] > 1}
            expected = {(form, RANKS, "ring"): of_all}
            if of_two > 0:
                expected[(form, 2, "ring")] = of_two
            self.assertEqual(calls, expected, outcome.error)

    def test_sessions_only(self):
        self.served("only", 4, 4)

    def test_a_late_rank(self):
        self.served("late", 2, 0)

    def test_several_sessions(self):
        self.served("two", 8, 6)

    @unittest.skipIf(options and options.alone, "Intel MPI refuses MPI_Init beside a session")
    def test_beside_mpi_init(self):
        for mode, of_all, of_two in (("finalize", 12, 4), ("init", 8, 4)):
            with self.subTest(mode):
                if options.begins:
                    self.served(mode, of_all, of_two)
                else:  # only what MPI_Init begins
                    self.right(mode)

    def test_sessions_outlive_mpi_finalize(self):
        self.right("outlive")

    # The library cannot know whether other ranks serve these.
    def test_native_serves_the_rest(self):
        for mode in ("part", "threads") if options.begins else ("threads",):
            with self.subTest(mode):
                outcome = self.right(mode)
                self.assertEqual(outcome.rows, [], outcome.error)
                self.assertEqual(outcome.messages, [], outcome.error)

    def test_library_on_some_ranks(self):
        for condition in ("$rank != 0", "$rank = 0", "$rank != 1"):
            with self.subTest(condition):
                outcome = self.right("only", condition=condition)
                self.assertEqual(outcome.rows, [], outcome.error)
                self.assertEqual(len(outcome.messages), 1 if options.begins else 0, outcome.error)
                for line in outcome.messages:
                    self.assertRegex(line, r"rank \d has not loaded .*LD_PRELOAD")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + options.tests)
