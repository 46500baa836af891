"""A rank that dies or stops ends the job in the same way as without the library.

No process or file remains. Without --all, some cases of the table; `make faults` runs all of them
with --all, and prints the table.
"""

import argparse
import os
import shlex
import sys
import tempfile
import time
import unittest
from pathlib import Path

from jobs import Job

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line")
arguments.add_argument("--folder", required=True, type=Path, help="of this folder's programs")
arguments.add_argument("--all", action="store_true", help="the whole table: minutes")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

RANKS = 3
PATIENCE = 60  # seconds
SETTINGS = {
    "default": {},
    "forced": {"TOCCATA_ALLGATHER": "ring", "TOCCATA_ALLREDUCE": "recursive_doubling"},
    "messages": {"TOCCATA_NODE": "off", "TOCCATA_SUMS": "all"},
    "model": {"TOCCATA": "model"},
}
FEW = [
    ("kill", "0", "forced"),  # during the ranks' agreement on the communicator
    ("segv", "inside", "forced"),
    ("exit", "60", "default"),  # after trials began
    ("stop", "inside", "default"),
]
MOMENTS = ("0", "1", "inside", "60", "200")
WAYS = ("kill", "segv", "abort", "exit", "leave", "mpi_abort")
ALL = [(how, when, name) for how in WAYS for when in MOMENTS for name in SETTINGS]
ALL += [("stop", when, name) for when in ("0", "inside", "60") for name in SETTINGS]


def processes_with(mark):
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (each / "environ").read_bytes():
                found.append(f"{each.name} {(each / 'cmdline').read_bytes()!r}")
        except OSError:
            pass
    return found


def ours_in_shared_folders():
    return {
        str(each)
        for folder in ("/tmp", "/dev/shm")
        for each in Path(folder).iterdir()
        if each.name.startswith("toccata.") or each.name.startswith("libtoccata")
    }


class Ending:
    """The end of a job, and the remaining processes and files."""

    def __init__(self, how, when, settings, preloaded):
        with tempfile.TemporaryDirectory() as folder:
            mark = f"FAULTS_MARK={folder}"
            environment = dict(settings) if preloaded else {}
            libraries = [options.library] if preloaded else []
            libraries += [options.also_preload] if options.also_preload else []
            environment["LD_PRELOAD"] = " ".join(libraries)
            environment["TMPDIR"] = folder
            environment["STOP_SECONDS"] = "30" if options.all and when == "inside" else "2"
            environment["FAULTS_MARK"] = folder
            before = ours_in_shared_folders()
            command = [str(options.folder / "deaths"), how, when]
            begin = time.monotonic()
            job = Job(shlex.split(options.launcher), PATIENCE, command, RANKS, environment)
            done = job.outcome()
            self.seconds = time.monotonic() - begin
            self.hangs, self.code, self.error = job.hangs, done.returncode, done.stderr
            self.right = done.stdout.split() == ["right"]
            self.wrong = "wrong" in done.stdout
            end = time.monotonic() + 5  # the launcher ends a little before its ranks
            while (left := processes_with(mark)) and time.monotonic() < end:
                time.sleep(0.1)
            self.left = left + sorted(ours_in_shared_folders() - before)
            self.left += sorted(each.name for each in Path(folder).rglob("*") if each.is_file())

    def text(self):
        return "hangs" if self.hangs else f"{self.code}{' right' if self.right else ''}"


# If a rank calls exit(0), MPICH's launcher returns 0 or 9 at random.
BARE_RUNS = 10


class Deaths(unittest.TestCase):
    def test_the_job_ends_as_bare(self):
        bare = {}
        for how, when, name in ALL if options.all else FEW:
            with self.subTest(how=how, when=when, settings=name):
                if (how, when) not in bare:
                    bare[how, when] = Ending(how, when, {}, preloaded=False)
                expected = bare[how, when]
                found = Ending(how, when, SETTINGS[name], preloaded=True)
                if options.all:
                    print(f"| {how} | {when} | {name} | {expected.text()} | {found.text()} |")
                    sys.stdout.flush()
                self.assertFalse(found.wrong, found.error)
                self.assertNotIn("terminate called", found.error)
                for _ in range(BARE_RUNS - 1):
                    if (found.code == 0) == (expected.code == 0):
                        break
                    expected = Ending(how, when, {}, preloaded=False)
                if not expected.hangs:
                    self.assertFalse(found.hangs, found.error)
                    self.assertEqual(found.code == 0, expected.code == 0, found.error)
                    self.assertEqual(found.right, expected.right, found.error)
                if not expected.left:
                    self.assertEqual(found.left, [])

    def test_leftovers_would_be_seen(self):
        self.assertTrue(processes_with(f"PATH={os.environ['PATH']}"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
