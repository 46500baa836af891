"""Behaviour in which MPI libraries differ: bare, preloaded, and served by algorithms of Toccata.

With --record, no test runs. The observations replace those of the same MPI library in a CSV file,
and rows that have changed are printed.
"""

import argparse
import csv
import json
import re
import tempfile
import unittest
from pathlib import Path

from jobs import Job, Outcome

arguments = argparse.ArgumentParser()
arguments.add_argument("--family", required=True)
arguments.add_argument("--served", action="store_true", help="under this MPI, requests are served")
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--program", required=True, type=Path)
arguments.add_argument("--record", type=Path)
options = arguments.parse_args() if __name__ == "__main__" else None

ALGORITHMS = {
    "TOCCATA_ALLREDUCE": "recursive_doubling",
    "TOCCATA_REDUCE": "binomial",
    "TOCCATA_REDUCE_SCATTER": "recursive_halving",
    "TOCCATA_SCAN": "recursive_doubling",
    "TOCCATA_NEIGHBOR_ALLTOALL": "direct",
    "TOCCATA_NEIGHBOR_ALLTOALLV": "direct",
}
# The order of the standard.
ORDER = {"ring of 2 ranks": "dc", "graph with an edge twice": "cd"}
ALONE = {"ring of 1 rank": "ba"}  # native serves the requests of one rank
BLOCKING = "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallv"
RANKS, SECONDS = 3, 60
FIELDS = ("library", "row", "bare", "served")


def observe(settings=None):
    """{row: value}; bare without settings."""
    preloaded = (
        [options.also_preload] if settings is None else [options.library, options.also_preload]
    )
    environment = {"LD_PRELOAD": " ".join(filter(None, preloaded))} | (settings or {})
    job = Job(options.launcher.split(";"), SECONDS, [str(options.program)], RANKS, environment)
    outcome = Outcome(job.outcome())
    if outcome.code != 0:
        raise AssertionError(outcome.error)
    return dict(line.split(": ", 1) for line in outcome.lines if ": " in line)


def name_of(text):
    """Such as "MPICH 5.0.2"."""
    known = {"Open MPI": "Open MPI", "MPICH": "MPICH", "Intel": "Intel MPI"}
    name = next(name for start, name in known.items() if text.startswith(start))
    version = re.search(r"\d+(\.\d+)+", text)[0]
    return f"{name} {version}" + (" (standard ABI)" if options.family.startswith("abi") else "")


class Behaviour(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bare, cls.automatic, cls.served = observe(), observe({}), observe(ALGORITHMS)

    def test_what_toccata_promises(self):
        for row, value in self.served.items():
            place, _, function = row.partition(", ")
            blocks = function in BLOCKING
            expected = (ALONE if blocks else {}) | (ORDER if blocks or options.served else {})
            self.assertEqual(value, expected.get(place, value), row)
        for row, value in self.served.items():
            if "MPI_MAX" in row or row.startswith(
                ("sum in MPI_Allreduce", "expression in MPI_Allr")
            ):
                self.assertNotIn(" | ", value, f"{row}: the same on all ranks")
        self.assertEqual(self.served["sum in MPI_Allreduce"].count("from call"), 1)
        maxima = [value for row, value in self.served.items() if row.startswith("MPI_MAX of 1")]
        self.assertEqual(len(set(maxima)), 1, "1 and 16 elements")
        if options.served:
            for row in "status of MPI_Iallreduce", "status of MPI_Allreduce_init":
                # The standard leaves source and tag undefined.
                self.assertRegex(self.served[row], "^(empty|0 bytes, with a source and a tag)$")
        self.assertEqual(self.served["status of MPI_Allreduce_init, inactive"], "empty")

    def test_without_settings_these_stay_as_they_are(self):
        for row, value in self.bare.items():
            if row.startswith((*ORDER, *ALONE, "expression", "MPI_Dims")):
                self.assertEqual(self.automatic[row], value, row)

    def test_a_tuning_file_decides_on_neighbours_from_the_first_call_on(self):
        """Nonblocking calls cannot agree on that, so native serves them, also later."""
        names = "neighbor_alltoall", "neighbor_alltoallv"
        points = [
            {"collective": name, "ranks": 2, "nodes": 1, "bytes": 1, "choice": "direct"}
            for name in names
        ]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"toccata_tuning": 1, "points": points}, file)
            file.flush()
            found = observe({"TOCCATA_TUNING": file.name})
        for row, value in found.items():
            place, _, function = row.partition(", ")
            if place in ORDER and function in BLOCKING:
                self.assertEqual(value, ORDER[place], row)
            elif function == "MPI_Ineighbor_alltoall":
                self.assertEqual(value, self.bare[row], row)


def record(file):
    with file.open(newline="") as old:
        rows = list(csv.DictReader(old))
    bare, served = observe(), observe(ALGORITHMS)
    library = name_of(bare.pop("library"))
    mine = [
        {"library": library, "row": row, "bare": value, "served": served[row]}
        for row, value in bare.items()
    ]
    before = {row["row"]: row for row in rows if row["library"] == library}
    for each in mine:
        if before.get(each["row"]) != each:
            print(f"{library}: {each['row']}: {each['bare']}; with Toccata: {each['served']}")
    rows = [row for row in rows if row["library"] != library] + mine
    rows.sort(key=lambda row: row["library"])
    with file.open("w", newline="") as new:
        writer = csv.DictWriter(new, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__" and options.record:
    record(options.record)
elif __name__ == "__main__":
    unittest.main(argv=["behaviour_test.py"])
