"""Collectives through the shared memory of a node, under an MPI, preloaded."""

import argparse
import os
import re
import sys
import unittest
from pathlib import Path

from jobs import Job, Outcome

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--folder", required=True, type=Path, help="of this folder's programs")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

COLLECTIVES = ["ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "BCAST", "ALLGATHER", "ALLTOALL"]
COLLECTIVES += ["GATHER", "SCATTER", "SCAN", "EXSCAN", "BARRIER"]
SHARED = {f"TOCCATA_{each}": "shared" for each in COLLECTIVES}
WHOLE = SHARED | {f"TOCCATA_{each}": "shared:reducers=whole" for each in ("ALLREDUCE", "REDUCE")}
PUBLISHED = SHARED | {
    f"TOCCATA_{each}": "linear:travel=published" for each in ("ALLTOALLV", "GATHERV", "SCATTERV")
}
LARGEST = 656 << 10  # bytes of shared memory per rank


def run(what, ranks, settings, denied=None, patience=60, reports=False, program="node"):
    libraries = [str(options.folder / "libdenied.so")] if denied else []
    libraries += filter(None, [options.library, options.also_preload])
    environment = {"LD_PRELOAD": " ".join(libraries)} | settings | (denied or {})
    command = [str(options.folder / program), *what.split()]
    launcher = options.launcher.split(";")
    return Outcome(Job(launcher, patience, command, ranks, environment, reports=reports).outcome())


class Node(unittest.TestCase):
    def expect_right(self, outcome, shares=True):
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertIn("right", outcome.out, outcome.error)
        taken = self.shared_memory(outcome)
        self.assertEqual(taken > 4096, shares, outcome.out)
        return taken

    def shared_memory(self, outcome):
        [taken] = re.findall(r"blocks (\d+)", " ".join(outcome.out))
        return int(taken)

    def test_results(self):
        for ranks in 2, 3, 5:
            for settings in SHARED, WHOLE:
                with self.subTest(ranks=ranks, settings=settings):
                    self.expect_right(run("results", ranks, settings))
        # The rule's choices. MPICH 4.0 itself fails with 3 ranks if they share cores.
        self.expect_right(run("results", 2, {}))

    def test_nothing_set(self):
        """The MPI library serves the first 32 calls with short messages."""
        outcome = run("results", 2, {}, reports=True)
        for name in ("allreduce", "bcast", "barrier", "scan"):
            called = [key for key in outcome.calls if key[0] == name]
            served = sum(outcome.calls[key] for key in called if key[2].startswith("shared"))
            self.assertGreater(served, 40, outcome.error)
            self.assertGreaterEqual(outcome.calls[name, 2, "native"], 32, outcome.error)

    def test_messages_in_flight(self):
        for settings in SHARED, WHOLE:
            self.expect_right(run("pair", 2, settings, patience=30))
        self.expect_right(run("pair", 3, SHARED, patience=30))

    def test_many_communicators_share_what_there_is(self):
        for ranks in 2, 3:
            taken = self.expect_right(run("many", ranks, SHARED))
            self.assertLessEqual(taken, ranks * LARGEST)

    def test_no_memory_without_collectives(self):
        self.assertLessEqual(self.shared_memory(run("none", 2, {})), 4096)

    def test_children_do_not_disturb(self):
        self.expect_right(run("fork", 2, SHARED))

    def test_without_memory_messages_serve(self):
        for name in "memfd_create", "open", "fallocate":
            denied = {"DENY": name}
            with self.subTest(name):
                self.expect_right(run("results", 2, SHARED, denied), shares=False)
            with self.subTest(name, rank=1):
                # Rank 0 may have reserved memory before the ranks agree that rank 1 cannot do so.
                outcome = run("results", 2, SHARED, denied | {"DENY_RANK": "1"})
                self.assertIn("right", outcome.out, outcome.error)

    def direct_reads(self, settings, denied):
        outcome = run("results", 2, SHARED | settings, denied)
        self.expect_right(outcome)
        return sum(map(int, re.findall(r"direct reads (\d+)", " ".join(outcome.out))))

    def test_long_messages_are_read_directly(self):
        self.assertGreater(self.direct_reads({}, {"DENY": "nothing"}), 20)
        # After its first failure, a rank publishes in pieces.
        self.assertGreater(self.direct_reads({}, {"DENY": "some"}), 2)
        self.assertEqual(self.direct_reads({}, {"DENY": "process_vm_readv"}), 0)
        self.assertEqual(self.direct_reads({}, {"DENY": "process_vm_readv", "DENY_RANK": "1"}), 0)
        self.assertEqual(self.direct_reads({"TOCCATA_NODE": "segment"}, {"DENY": "nothing"}), 0)

    def in_place(self, settings, ranks=2, **refusals):
        """The numbers of attachments of XPMEM's substitute, and of copies by the kernel."""
        path = f"{options.folder}/xpmem:{os.environ.get('LD_LIBRARY_PATH', '')}"
        fakes = {"DENY": "nothing", "HAS_XPMEM": "1", "LD_LIBRARY_PATH": path} | refusals
        outcome = run("mapped", ranks, SHARED | {"TOCCATA_NODE": "xpmem"} | settings, fakes)
        self.expect_right(outcome)
        text = " ".join(outcome.out)
        return [
            sum(map(int, re.findall(rf"{what} (\d+)", text)))
            for what in ("attachments", "direct reads")
        ]

    def test_long_messages_are_read_in_place(self):
        """By XPMEM's substitute. The kernel's copies serve memory that it cannot attach."""
        attachments, copies = self.in_place({})
        self.assertGreater(attachments, 1)
        for settings in {"TOCCATA_NODE": "auto"}, {"TOCCATA_NODE": "segment"}:
            self.assertEqual(self.in_place(settings)[0], 0)
        # XPMEM alone. An MPI_IN_PLACE of reduce_scatter publishes our own memory, which the
        # substitute cannot attach; after such a failure, a rank publishes in pieces.
        settings = {"TOCCATA_REDUCE_SCATTER": "native"}
        attachments, copies = self.in_place(settings, DENY="process_vm_readv")
        self.assertGreater(attachments, 1)
        self.assertEqual(copies, 0)
        self.assertGreater(self.in_place({}, ranks=3)[0], 2)

    def test_what_cannot_be_attached_is_copied(self):
        attachments, copies = self.in_place({}, XPMEM_REFUSES="attach")
        self.assertEqual(attachments, 0)
        self.assertGreater(copies, 20)
        # Without copies, the readers reject the rounds.
        refused = self.in_place({}, XPMEM_REFUSES="attach", DENY="process_vm_readv")
        self.assertEqual(refused, [0, 0])
        # All ranks agree.
        attachments, copies = self.in_place({}, XPMEM_REFUSES="get", XPMEM_RANK="1")
        self.assertEqual(attachments, 0)
        self.assertGreater(copies, 20)

    @unittest.skipUnless(os.getuid() == 0, "only root can become another user")
    def test_a_rank_that_loses_rights(self):
        # MPICH's own messages end the job when it cannot read another process. No setting prevents
        # this in Intel MPI, so there the library has to serve all calls.
        own = () if "intelmpi" in options.library else ({},)
        others = {"UCX_TLS": "posix,sysv,self", "MPIR_CVAR_CH4_CMA_ENABLE": "0"}
        for words in "user 0", "user 1", "calls 1":
            for settings in (*own, PUBLISHED):
                with self.subTest(words, settings=settings):
                    outcome = run(words, 3, settings | others, program="narrowed")
                    self.assertEqual(outcome.code, 0, outcome.error)
                    self.assertIn("right", outcome.out, outcome.error)

    def test_a_killed_rank_leaves_no_file(self):
        before = {each.name for each in Path("/dev/shm").iterdir() if "toccata" in each.name}
        outcome = run("killed", 3, SHARED, patience=30)
        self.assertNotEqual(outcome.code, 0)
        self.assertNotIn("hangs", outcome.error)
        after = {each.name for each in Path("/dev/shm").iterdir() if "toccata" in each.name}
        self.assertEqual(after, before)


if __name__ == "__main__":
    sys.argv[1:] = options.tests
    unittest.main(verbosity=2)
