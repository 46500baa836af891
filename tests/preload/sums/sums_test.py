"""The bits of reductions that round, compared with recorded ones (sums.txt).

Each line has a setting, a call, and the digest of its results on all ranks. The algorithms by name
give the same bits under every MPI, and so does the library's choice of reproducible sums. With
--record, it writes the digests again, for the same calls.
"""

import argparse
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path

from jobs import Job

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--program", required=True)
arguments.add_argument("--record", action="store_true", help="write sums.txt again")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

PATIENCE = 200  # seconds
RECORDED = Path(__file__).with_name("sums.txt")
SETTINGS = {
    "named": {},
    "nodes": {"TOCCATA_TOPOLOGY": "node:2 core:4"},
    "cyclic": {"TOCCATA_TOPOLOGY": "node:2 core:4 placement:cyclic"},
    "reproducible": {"TOCCATA_SUMS": "reproducible"},
}


def recorded():
    """{setting: {call: digest}}"""
    found = defaultdict(dict)
    for line in RECORDED.read_text().splitlines():
        setting, *call, digest = line.split()
        found[setting][" ".join(call)] = digest
    return found


def computed(setting, calls):
    """{call: digest} with this setting, by one job of eight ranks"""
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder, "calls")
        lines.write_text("".join(f"{call}\n" for call in calls))
        settings = SETTINGS[setting] | {
            "LD_PRELOAD": " ".join(filter(None, [options.library, options.also_preload])),
        }
        command = [options.program, str(lines)]
        done = Job(options.launcher.split(";"), PATIENCE, command, 8, settings).outcome()
        assert done.returncode == 0, done.stderr
        return dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())


class Sums(unittest.TestCase):
    def test_bits_are_those_recorded(self):
        self.assertGreaterEqual(sum(len(calls) for calls in recorded().values()), 200)
        for setting, calls in recorded().items():
            with self.subTest(setting):
                self.assertEqual(computed(setting, calls), calls)


if __name__ == "__main__":
    if options.record:
        RECORDED.write_text(
            "".join(
                f"{setting} {call} {digest}\n"
                for setting, calls in recorded().items()
                for call, digest in computed(setting, calls).items()
                if digest != "-"
            )
        )
    else:
        unittest.main(argv=[sys.argv[0], *options.tests])
