"""Waiting and working in the report of a program, if a rank is late on purpose or none is."""

import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import Job, Outcome, only

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--program", required=True)
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

CALLS = 40
DELAY = 0.005  # seconds
RANKS = 3
AHEAD = 100000  # seconds between two clocks
TIME_NAMESPACE = ["unshare", "--fork", "--time", f"--monotonic={AHEAD}"]


def can_shift_clocks():
    try:
        return subprocess.run([*TIME_NAMESPACE, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


def run(late, *root, prefix=(), settings=()):
    """The report, and by the clock of the program, for each rank: the seconds for which others
    waited for it, and the number of calls in which they did."""
    libraries = filter(None, [options.library, options.also_preload])
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "run.json"
        environment = {"LD_PRELOAD": " ".join(libraries), "TOCCATA_REPORT": str(report)}
        words = [options.program, CALLS, late, round(DELAY * 1e6), *root]
        command = [*prefix, *map(str, words)]
        job = Job(options.launcher.split(";"), 60, command, RANKS, environment | dict(settings))
        outcome = Outcome(job.outcome())
        assert outcome.code == 0, outcome.error
        lines = [line.split() for line in outcome.lines[:RANKS]]  # UCX may add warnings
        return json.loads(report.read_text()), [(float(time), int(n)) for time, n in lines]


class Found:
    """The arrivals in all rows of a collective: trials may change the algorithm meanwhile."""

    def __init__(self, report, collective):
        rows = [each for each in report["rows"] if each["collective"] == collective]
        self.calls = sum(each["calls"] for each in rows)
        known = [(each["calls"], each["arrivals"]) for each in rows if "arrivals" in each]
        self.sampled = sum(arrivals["sampled"] for _, arrivals in known)
        self.waiting = RANKS * sum(calls * each["waiting"] for calls, each in known)
        self.last, self.awaited = (
            [sum(each[what][rank] for _, each in known) for rank in range(RANKS)]
            for what in ("last", "awaited")
        )


class Arrivals(unittest.TestCase):
    def expect(self, collective, *arguments, **more):
        """Runs the program, and compares the report with it. They differ if a rank is stopped
        between two looks at the clock, so this runs up to three times. Returns the report and
        what was found there."""
        for attempt in (1, 2, 3):
            report, awaited = run(*arguments, **more)
            try:
                return report, self.compare(report, awaited, collective)
            except AssertionError:
                if attempt == 3:
                    raise
        return None

    def compare(self, report, awaited, collective):
        """All calls are kept, and the report agrees with the program, also on a busy machine, where
        other ranks are late as well."""
        found = Found(report, collective)
        self.assertEqual((found.calls, found.sampled), (CALLS, CALLS))
        self.assertAlmostEqual(sum(found.awaited), found.waiting, 9)
        error = CALLS * (1e-4 + RANKS * report["arrivals"]["clock_error"])
        for rank, (seconds, times) in enumerate(awaited):
            self.assertAlmostEqual(found.awaited[rank], seconds, delta=0.05 * seconds + error)
            if report["arrivals"]["clock_error"] < 1e-5:  # ranks may arrive at nearly the same time
                self.assertAlmostEqual(found.last[rank], times, delta=0.1 * CALLS)
        self.assertEqual(report["arrivals"]["left_out"], 0)
        self.assertEqual(len(report["arrivals"]["hosts"]), RANKS)
        return found

    def test_a_late_rank(self):
        for late in range(RANKS):
            with self.subTest(late=late):
                self.expect("allreduce", late)

    def test_native_calls(self):
        self.expect("allreduce", 1, settings={"TOCCATA": "off"})

    def test_no_late_rank(self):
        self.expect("allreduce", -1)

    def test_a_late_root(self):
        self.expect("bcast", 1, 1)

    # The others need not wait for it.
    def test_a_rank_that_is_late_for_a_broadcast(self):
        _, found = self.expect("bcast", 2, 0)
        self.assertEqual(found.last[2], 0)

    def test_a_node_with_another_clock(self):
        if not can_shift_clocks():
            self.skipTest("this user cannot make time namespaces")
        script = (
            "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; "
            f'if [ $rank = 1 ]; then exec {" ".join(TIME_NAMESPACE)} "$0" "$@"; fi; exec "$0" "$@"'
        )
        for late in (0, 1):
            with self.subTest(late=late):
                report, _ = self.expect("allreduce", late, prefix=["sh", "-c", script])
                self.assertGreater(report["arrivals"]["clock_error"], 0)
                self.assertLess(report["arrivals"]["clock_error"], DELAY)

    # Rank 1 has no report, so no rank keeps arrivals.
    def test_without_a_report_on_some_rank(self):
        report, *_ = run(0, prefix=only("$rank = 1", {"TOCCATA_REPORT": "0"}))
        self.assertNotIn("arrivals", report)
        self.assertEqual(Found(report, "allreduce").sampled, 0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests])
