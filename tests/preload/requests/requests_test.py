"""Nonblocking and persistent collectives of unmodified programs, compared with the MPI library's.

Under MPICH before 4.3, the MPI library serves these calls, and the programs do not change.
"""

import argparse
import re
import subprocess
import sys
import unittest
from pathlib import Path

from jobs import Job, Outcome, whole

arguments = argparse.ArgumentParser()
arguments.add_argument("--family", required=True)
arguments.add_argument("--served", action="store_true", help="under this MPI, Toccata can serve")
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--programs", nargs="+", type=Path, required=True)
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

PATIENCE = 60  # seconds
SIMPLE = {
    "ALLGATHER": "ring",
    "ALLTOALL": "bruck",
    "ALLTOALLV": "pairwise",
    "BCAST": "binomial",
    "GATHER": "binomial",
    "GATHERV": "linear",
    "SCATTER": "binomial",
    "SCATTERV": "linear",
    "REDUCE": "binomial",
    "ALLREDUCE": "ring",
    "REDUCE_SCATTER": "ring",
    "SCAN": "recursive_doubling",
    "EXSCAN": "linear",
    "BARRIER": "dissemination",
    "NEIGHBOR_ALLGATHER": "direct",
    "NEIGHBOR_ALLGATHERV": "direct",
    "NEIGHBOR_ALLTOALL": "direct",
    "NEIGHBOR_ALLTOALLV": "direct",
}
# Blocks of different lengths, segments, blocks in other positions, and a topology-aware algorithm.
OTHERS = SIMPLE | {
    "ALLGATHER": "sparbit",
    "ALLTOALL": "bruck_zero_copy",
    "ALLTOALLV": "bruck",
    "BCAST": "scatter_allgather",
    "GATHER": "bine",
    "SCATTER": "knomial",
    "REDUCE": "pipeline",
    "ALLREDUCE": "rabenseifner",
    "REDUCE_SCATTER": "circulant",
    "SCAN": "linear",
    "EXSCAN": "pipeline",
    "BARRIER": "knomial",
    "NEIGHBOR_ALLTOALL": "combining",
}
# In the memory of the node, where ranks share it.
SHARED = SIMPLE | {
    name: "shared" for name in SIMPLE if not name.startswith("NEIGHBOR") and not name.endswith("V")
}
SHARED |= dict.fromkeys(("ALLTOALLV", "GATHERV", "SCATTERV"), "linear:travel=published")
# The names in the report.
KINDS = {name.lower() for name in SIMPLE}


def variables(choices):
    return {f"TOCCATA_{name}": choice for name, choice in choices.items()}


def mpi_of(library):
    """The file of the MPI library that it uses."""
    listed = subprocess.run(["ldd", whole(library)], capture_output=True, text=True).stdout
    found = re.search(r"libmpi(ch)?\.so\S* => (\S+)", listed)
    return found[2]


class Requests(unittest.TestCase):
    def run_program(
        self, ranks, *words, settings=None, program="requests", native=False, few_tags=False
    ):
        """Its report: {(collective and form, algorithm): calls}.

        `native`: the MPI library serves some of the calls. MPICH's MPI_Testall fails then.
        `few_tags`: there are only three windows of tags.
        """
        path = next(each for each in options.programs if each.name == program)
        tags = str(path.with_name("libfew_tags.so")) if few_tags else ""
        preloaded = " ".join(filter(None, [tags, options.library, options.also_preload]))
        environment = {"LD_PRELOAD": preloaded} | (settings or {})
        if options.family.startswith("mpich") and (native or not options.served):
            environment["WITHOUT_TESTALL"] = "1"
        launcher = options.launcher.split(";")
        command = [str(path), *words]
        done = Job(launcher, PATIENCE, command, ranks, environment, reports=True).outcome()
        outcome = Outcome(done)
        self.assertEqual(outcome.out[-1:], ["right"], f"{done.stdout}{done.stderr}")
        self.assertNotIn("wrong", outcome.out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(outcome.messages, [])
        rows = {}
        for (what, _, algorithm), calls in outcome.calls.items():
            rows[what, algorithm] = rows.get((what, algorithm), 0) + calls
        return rows

    def expect_served(self, rows, whats):
        if options.served:
            native = {what for what, algorithm in rows if algorithm == "native"}
            self.assertEqual(whats - {what for what, _ in rows}, set(), rows)
            self.assertEqual(whats & native, set(), rows)

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_every_function_gives_what_the_blocking_one_gives(self):
        for ranks in (1, 2, 3, 5):
            with self.subTest(ranks=ranks):
                rows = self.run_program(
                    ranks, "random", f"{ranks}", "8", settings=variables(SIMPLE), native=ranks == 1
                )
                if ranks > 1:
                    self.expect_served(rows, {"i" + kind for kind in KINDS})
                    self.expect_served(rows, {kind + "_init" for kind in KINDS})

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_other_algorithms(self):
        for ranks in (2, 4, 7):
            with self.subTest(ranks=ranks):
                rows = self.run_program(
                    ranks, "random", f"9{ranks}", "8", settings=variables(OTHERS), native=True
                )
                # Persistent calls may wait until the library has discovered where ranks run.
                self.expect_served(rows, {"neighbor_alltoall_init", "ialltoallv", "ibcast"})

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_algorithms_in_the_memory_of_the_node(self):
        for ranks in (2, 3, 5):
            with self.subTest(ranks=ranks):
                rows = self.run_program(
                    ranks, "random", f"7{ranks}", "8", settings=variables(SHARED)
                )
                self.expect_served(rows, {"i" + kind for kind in KINDS})
                self.expect_served(rows, {kind + "_init" for kind in KINDS})

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_algorithms_by_size_and_reproducible_results(self):
        sized = {
            "TOCCATA_ALLREDUCE": "recursive_doubling<=1K, ring",
            "TOCCATA_SUMS": "reproducible",
        }
        rows = self.run_program(4, "random", "3", "8", settings=sized, native=True)
        self.expect_served(rows, {"iallreduce", "ireduce", "ireduce_scatter"})

    def test_two_hundred_at_a_time(self):
        for choices in (SIMPLE, SHARED):
            with self.subTest(allreduce=choices["ALLREDUCE"]):
                rows = self.run_program(3, "many", settings=variables(choices))
                self.expect_served(rows, {"iallreduce", "iallgather"})

    def test_nonblocking_consensus(self):
        for choices in (SIMPLE, SHARED):
            with self.subTest(barrier=choices["BARRIER"]):
                rows = self.run_program(4, "consensus", settings=variables(choices))
                self.expect_served(rows, {"ibarrier"})

    @unittest.skipUnless(options and options.family == "openmpi", "its progress yields the core")
    def test_a_waiting_rank_yields_once_for_all_open_requests(self):
        settings = {"TOCCATA_ALLREDUCE": "ring", "OMPI_MCA_mpi_yield_when_idle": "1"}
        rows = self.run_program(2, "yields", settings=settings)
        self.expect_served(rows, {"iallreduce"})

    def test_ranks_may_differ_in_the_form_for_large_counts(self):
        rows = self.run_program(3, "large", settings=variables(SIMPLE))
        if options.family != "openmpi":  # no Open MPI has these forms
            self.expect_served(rows, {"iallreduce", "iallgather", "allreduce_init"})

    def test_waiting_for_something_else_goes_on_with_what_others_wait_for(self):
        for choice in ("ring", "shared"):
            with self.subTest(allreduce=choice):
                rows = self.run_program(2, "pairs", settings={"TOCCATA_ALLREDUCE": choice})
                self.expect_served(rows, {"iallreduce"})

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_persistent_requests_start_in_any_order(self):
        for choices in (SIMPLE, SHARED):
            with self.subTest(allreduce=choices["ALLREDUCE"]):
                rows = self.run_program(4, "starts", settings=variables(choices))
                self.expect_served(rows, {"allreduce_init", "neighbor_alltoallv_init"})

    @unittest.skipUnless(options and options.served, "the MPI library serves")
    def test_idle_persistent_requests_are_inactive_for_every_function(self):
        for choice in ("recursive_doubling", "shared"):
            with self.subTest(choice):
                rows = self.run_program(2, "idle", settings={"TOCCATA_ALLREDUCE": choice})
                self.expect_served(rows, {"iallreduce", "allreduce_init"})

    @unittest.skipUnless(options and options.served, "MPI libraries crash in MPI_Finalize then")
    def test_communicators_go_first_and_requests_stay_until_the_end(self):
        for choices in (SIMPLE, SHARED):
            with self.subTest(allreduce=choices["ALLREDUCE"]):
                rows = self.run_program(3, "ends", settings=variables(choices))
                self.expect_served(rows, {"iallreduce", "iallgather", "allreduce_init"})

    @unittest.skipUnless(options and options.served, "the MPI library serves")
    def test_many_requests_on_many_communicators(self):
        rows = self.run_program(3, "open", settings=variables(SIMPLE))
        self.expect_served(rows, {"iallreduce", "allreduce_init"})
        for choices in (SIMPLE, SHARED):
            with self.subTest(allreduce=choices["ALLREDUCE"]):
                self.run_program(4, "communicators", "20", "3", settings=variables(choices))

    @unittest.skipUnless(options and options.served, "the MPI library serves")
    def test_more_communicators_than_windows_of_tags(self):
        for ranks, choices in (2, SIMPLE), (3, OTHERS), (4, SHARED):
            with self.subTest(ranks=ranks):
                rows = self.run_program(
                    ranks, "communicators", "12", "3", settings=variables(choices), native=True,
                    few_tags=True,
                )  # fmt: skip
                self.expect_served(rows, {"iallreduce", "ialltoallv"})

    @unittest.skipUnless(options and options.family == "openmpi", "MPICH's threads are not served")
    def test_threads_with_more_communicators_than_windows_of_tags(self):
        self.run_program(3, "threads", settings=variables(SIMPLE), native=True, few_tags=True)

    def test_errors_are_those_of_the_mpi_library(self):
        served = variables(SIMPLE)
        outcomes = []
        for settings in ({"TOCCATA": "off"}, served):
            path = next(each for each in options.programs if each.name == "requests")
            preloaded = " ".join(filter(None, [options.library, options.also_preload]))
            done = Job(
                options.launcher.split(";"), PATIENCE, [str(path), "errors"], 4,
                {"LD_PRELOAD": preloaded} | settings,
            ).outcome()  # fmt: skip
            outcomes.append((done.returncode, done.stdout))
        self.assertEqual(outcomes[0], outcomes[1])

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_threads(self):
        for choices in (SIMPLE, SHARED):
            with self.subTest(allreduce=choices["ALLREDUCE"]):
                rows = self.run_program(3, "threads", settings=variables(choices), native=True)
                if options.family == "openmpi":
                    self.expect_served(rows, {"iallreduce", "allgather_init"})
                else:  # MPICH's hook is not safe with several threads
                    for what in ("iallreduce", "allgather_init"):
                        served_by = {algorithm for name, algorithm in rows if name == what}
                        self.assertEqual(served_by, {"native"}, rows)

    def outcome_of(self, ranks, *words, settings, also=()):
        """For a program, or another command that loads our library."""
        path = next(each for each in options.programs if each.name == "requests")
        preloaded = " ".join(filter(None, [options.library, options.also_preload]))
        command = list(also) or [str(path), *words]
        environment = {"LD_PRELOAD": preloaded, "TOCCATA_REPORT": "1"} | settings
        return Job(options.launcher.split(";"), PATIENCE, command, ranks, environment).outcome()

    @unittest.skipUnless(options and options.served, "the MPI library serves")
    def test_the_report_says_how_much_overlaps(self):
        done = self.outcome_of(2, "overlap", settings={"TOCCATA_ALLREDUCE": "ring"})
        row = re.search(r"iallreduce .* forced +5 .* (\d+)%$", done.stdout + done.stderr, re.M)
        self.assertIsNotNone(row, done.stderr)
        self.assertGreater(int(row[1]), 0)
        self.assertLessEqual(int(row[1]), 100)

    @unittest.skipUnless(options and options.family == "openmpi", "MPICH's threads are not served")
    def test_a_progress_thread_needs_a_program_that_allows_it(self):
        settings = variables(SIMPLE) | {"TOCCATA_PROGRESS": "thread"}
        for words in (["threads"], ["overlap", "multiple"], ["many", "multiple"]):
            rows = self.run_program(3, *words, settings=settings)
            self.expect_served(rows, {"iallreduce"})
        done = self.outcome_of(2, "overlap", settings=settings)
        self.assertIn("TOCCATA_PROGRESS=thread needs MPI_THREAD_MULTIPLE", done.stderr)
        self.assertIn("right", done.stdout)

    @unittest.skipIf(options and options.family == "openmpi", "Open MPI has it")
    def test_other_mpis_have_no_progress_thread(self):
        settings = variables(SIMPLE) | {"TOCCATA_PROGRESS": "thread"}
        done = self.outcome_of(2, "overlap", settings=settings)
        self.assertIn("works under Open MPI only", done.stderr)
        self.assertIn("right", done.stdout)

    @unittest.skipUnless(options and options.family == "openmpi", "the library's name is known")
    def test_a_program_that_finds_functions_by_dlsym_is_told(self):
        mpi = mpi_of(options.library)
        calls = "import ctypes; l = ctypes.CDLL({!r}, 256); l.MPI_Init(0, 0); l.MPI_Finalize()"
        for setting in ("TOCCATA_REPORT", "TOCCATA_DOCTOR"):
            also = [sys.executable, "-c", calls.format(mpi)]
            done = self.outcome_of(2, settings={"TOCCATA_REPORT": "0", setting: "1"}, also=also)
            self.assertIn("gets MPI's functions by dlsym", done.stderr)
        # As the page says: our library replaces the MPI library.
        done = self.outcome_of(
            2, settings={"TOCCATA_DOCTOR": "1"},
            also=[sys.executable, "-c", calls.format(whole(options.library))],
        )  # fmt: skip
        self.assertIn("toccata: doctor: rank 1 of 2", done.stderr)

    @unittest.skipUnless(options and options.served, "MPICH 4.0 itself fails there")
    def test_native_serves_where_nothing_is_asked_for(self):
        rows = self.run_program(3, "random", "5", "4", native=True)
        mine = {(what, name) for what, name in rows if what[0] == "i" or what.endswith("_init")}
        self.assertIn(("iallreduce", "native"), mine)
        others = {(what, name) for what, name in mine if name != "native"}
        self.assertEqual({name for _, name in others} - {"direct:travel=published"}, set())
        self.assertTrue(all(re.fullmatch("neighbor_.*_init", what) for what, _ in others), others)

    def test_fortran(self):
        for program in options.programs:
            if program.name.startswith("fortran"):
                with self.subTest(program.name):
                    rows = self.run_program(3, settings=variables(SIMPLE), program=program.name)
                    self.expect_served(
                        rows,
                        {"iallreduce", "ialltoall", "ialltoallv", "ibarrier", "allreduce_init"},
                    )


# Names of MPI that resemble these functions.
NO_COLLECTIVES = re.compile(
    r"I(send|recv|bsend|ssend|rsend|mrecv|probe|mprobe|sendrecv|nit|nfo|s_|ntercomm|dup|o)"
    r"|(Send|Recv|Bsend|Rsend|Ssend|Psend|Precv|Session|Threadcomm)_init|Query|Init"
)


def functions(library):
    """Nonblocking and persistent collectives that a library defines for C."""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True)
    names = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
    form = r"MPI_I[a-z_]+|MPIX?_[A-Z][a-z_]+_init(_c)?"
    found = {name for name in names if re.fullmatch(form, name)}
    return {name for name in found if not NO_COLLECTIVES.search(name.split("_", 1)[1])}


class Complete(unittest.TestCase):
    def setUp(self):
        self.mpi = mpi_of(options.library)

    def test_every_function_of_the_mpi_library_is_intercepted(self):
        ours, theirs = functions(options.library), functions(self.mpi)
        self.assertGreaterEqual(len(theirs), 44, sorted(theirs))
        self.assertEqual(theirs - ours, set())

    def test_the_manual_lists_them(self):
        page = Path(__file__).parents[3] / "docs" / "preload.md"
        text = page.read_text()
        named = set(re.findall(r"`(MPIX?_\w+)`", text))
        standard = {
            name.replace("MPIX_", "MPI_").removesuffix("_c") for name in functions(options.library)
        }
        self.assertEqual(standard - named, set())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests])
