"""Failures around the library do not reach the program: memory, exchanges, arguments."""

import argparse
import re
import shlex
import sys
import unittest
from pathlib import Path

from jobs import Job, Outcome

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line")
arguments.add_argument("--folder", required=True, type=Path, help="of this folder's programs")
arguments.add_argument(
    "--all", action="store_true", help="every allocation fails once: half an hour"
)
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

FORCED = {"TOCCATA_ALLGATHER": "ring", "TOCCATA_ALLREDUCE": "ring"}


FORMS = ("blocking", "nonblocking", "persistent")  # of calls.c


def run(name, ranks, before=None, patience=60, reports=False, **settings):
    """`name`: a program and its arguments. `before`: a library to preload before Toccata's."""
    before = str(options.folder / before) if before else None
    libraries = [before, options.library, options.also_preload]
    environment = {"LD_PRELOAD": " ".join(filter(None, libraries))} | settings
    program, *arguments = name.split()
    command = [str(options.folder / program), *arguments]
    launcher = shlex.split(options.launcher)
    return Outcome(Job(launcher, patience, command, ranks, environment, reports=reports).outcome())


class Faults(unittest.TestCase):
    def expect_right(self, outcome):
        self.assertEqual((outcome.code, outcome.out), (0, ["right"]), outcome.error)

    def allocations(self, form="blocking", **settings):
        """The numbers of allocations before main(), and until the end of MPI_Init."""
        outcome = run(f"calls {form}", 1, "libmemory.so", **settings)
        self.expect_right(outcome)
        [numbers] = re.findall(r"^allocations (\d+) (\d+)$", outcome.error, re.MULTILINE)
        return [int(each) for each in numbers]

    def test_loading_takes_no_memory(self):
        before_main, in_all = self.allocations(**FORCED)
        self.assertEqual(before_main, 0)
        self.assertGreater(in_all, 0)

    def test_out_of_memory_at_the_beginning_switches_the_library_off(self):
        settings = FORCED | {"TOCCATA_REPORT": "1"}
        _, in_all = self.allocations(**settings)
        numbers = {1, 2, 3, *range(5, in_all, max(1, in_all // 12)), in_all}
        for number in sorted(numbers):
            with self.subTest(allocation=number, of=in_all):
                outcome = run("calls", 1, "libmemory.so", FAIL_ALLOCATION=str(number), **settings)
                self.expect_right(outcome)
                self.assertTrue(outcome.messages, "nothing is said")

    def fail_on_one(self, number, form="blocking", **settings):
        """Runs two ranks; an allocation of rank 1 fails. Returns the job and its result."""
        rank = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1'
        libraries = [str(options.folder / "libmemory.so"), options.library, options.also_preload]
        environment = {"LIBRARIES": " ".join(filter(None, libraries))} | FORCED | settings
        fails = f"{rank} && export FAIL_ALLOCATION={number}"
        script = f'{fails}; LD_PRELOAD="$LIBRARIES" exec "$0" "$1"'
        command = ["sh", "-c", script, str(options.folder / "calls"), form]
        job = Job(shlex.split(options.launcher), 60, command, 2, environment)
        return job, Outcome(job.outcome())

    def test_out_of_memory_at_any_moment_never_makes_ranks_wait(self):
        # Until the end of MPI_Finalize: the results are right, or the job ends with a message, even
        # if the program handles errors itself.
        for form in FORMS:
            _, in_all = self.allocations(form, UNTIL_END="1", **FORCED)
            step = 1 if options.all else max(1, in_all // 10)
            for number in range(1, in_all + 1, step):
                with self.subTest(form, allocation=number, of=in_all):
                    self.expect_no_wait(number, form)

    def expect_no_wait(self, number, form):
        for _ in range(2):  # the launcher sometimes loses the last line of a rank
            job, outcome = self.fail_on_one(number, form, UNTIL_END="1")
            if outcome.code == 0 or "out of memory" in outcome.error:
                break
        self.assertFalse(job.hangs, outcome.error)
        self.assertNotIn("terminate called", outcome.error)
        self.assertNotIn("wrong", outcome.out)
        if outcome.code == 0:
            self.assertIn(outcome.out, (["right"], ["errors"]))
        else:
            self.assertIn("out of memory", outcome.error)

    def test_clocks_may_jump_and_differ(self):
        for settings in {}, {"TOCCATA_NODE": "off", "TOCCATA_SUMS": "all"}:
            with self.subTest(settings):
                self.expect_right(run("deaths none 0 1000", 3, "libclocks.so", **settings))

    def test_out_of_memory_on_one_rank_is_heard_by_all(self):
        # While the library reads settings, before the first exchange.
        _, outcome = self.fail_on_one(3)
        self.expect_right(outcome)
        said = " ".join(outcome.messages)
        self.assertIn("out of memory", said)
        self.assertIn("off on all ranks, because it cannot start on one of them", said)

    def test_an_exchange_that_fails_leaves_its_communicator_to_mpi(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                outcome = run("calls", ranks, "libexchanges.so", reports=True, FAIL="1", **FORCED)
                self.expect_right(outcome)
                if ranks > 1:  # the channel of the world still works
                    self.assertEqual(outcome.calls.get(("allgather", ranks, "ring")), 2)

    def test_a_gpu_runtime_costs_no_exchange(self):
        runtime = options.folder / "libcuda.so.1"
        counts = []
        for before in ("libexchanges.so", f"libexchanges.so {runtime}"):
            outcome = run("calls", 2, before, COUNT="1", STAND_IN_BEGUN="1", **FORCED)
            self.expect_right(outcome)
            counts.append(sorted(re.findall(r"exchanges (\d+)", outcome.error)))
        self.assertEqual(len(counts[0]), 2)
        self.assertEqual(counts[0], counts[1])

    def test_doctor_names_a_gpu_runtime(self):
        runtime = str(options.folder / "libcuda.so.1")
        for before, no_device, lines in (None, "", 0), (runtime, "", 2), (runtime, "1", 0):
            devices = {"NO_DEVICE": no_device} if no_device else {}
            outcome = run("calls", 2, before, TOCCATA_DOCTOR="1", **devices)
            said = [line for line in outcome.messages if "devices: CUDA is loaded" in line]
            self.assertEqual(len(said), lines, outcome.error)

    def test_a_report_is_missed_where_one_is_asked_for(self):
        for word, lines in ("1", 1), ("off", 0), ("no", 0):
            outcome = run("unseen", 1, TOCCATA_REPORT=word)
            self.expect_right(outcome)
            self.assertEqual(len(outcome.messages), lines, outcome.error)

    def test_a_wrong_call_of_one_rank_is_an_error_at_once(self):
        for asked in {"TOCCATA_GATHER": "hierarchical"}, {"TOCCATA": "model"}:
            with self.subTest(asked):
                self.expect_right(run("wrong_gather", 3, patience=30, **asked))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
