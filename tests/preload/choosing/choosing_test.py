"""The automatic choices of the preloaded library, as shown in its report.

`slow` is preloaded after our library. It delays four collectives of the MPI library by 2 ms, so
that ours are faster on any machine.
"""

import argparse
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import Job, Outcome

arguments = argparse.ArgumentParser()
arguments.add_argument("--family", required=True)
arguments.add_argument("--served", action="store_true", help="under this MPI, Toccata can serve")
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--folder", required=True, type=Path, help="of this folder's programs")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

RANKS = 3
BY_TRIALS = "allgather", "trials"
# Three nodes, as far as the library knows: there, a sum in one round instead of three is faster
# than Open MPI's on any network.
NODES = {"TOCCATA_TOPOLOGY": f"node:{RANKS} core:1 placement:sequential"}
SOME = 50  # calls; trials begin after a number of calls that depends on the load


class Choosing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name, text=None):
        path = Path(self.folder.name) / name
        if text is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return str(path)

    def run_calls(
        self, calls, *more, slow=True, bytes_a_rank=16, ranks=RANKS, by_rank=None, library=None,
        right=True, program="repeats", **settings
    ):  # fmt: skip
        """`by_rank`: one setting for rank 0, and one for the other ranks."""
        library = str(library or options.library)
        libraries = [library, str(options.folder / "libslow.so") if slow else None]
        preloaded = " ".join(filter(None, [*libraries, options.also_preload]))
        environment = {
            "LD_PRELOAD": preloaded,
            "TOCCATA_NODE": "off",  # a fixed rule would replace most choices
            "XDG_CONFIG_HOME": self.folder.name,
            "XDG_DATA_HOME": self.folder.name,
        }
        program = [str(options.folder / program), str(calls), str(bytes_a_rank), *more]
        if by_rank is not None:
            which = 'test "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 && export "$0" || export "$1"'
            program = ["sh", "-c", f'{which}; shift; exec "$@"', *by_rank, *program]
        outcome = Outcome(
            Job(
                options.launcher.split(";"), 120, program, ranks, environment | settings,
                reports=True,
            ).outcome()
        )  # fmt: skip
        if right:
            self.assertEqual(outcome.out, ["right"], outcome.error)
            self.assertEqual(outcome.code, 0, outcome.error)
        outcome.rows = [row for row in outcome.rows if row["ranks"] == ranks]
        return outcome

    def test_the_first_calls_are_the_mpi_librarys(self):
        outcome = self.run_calls(60)
        self.assertEqual(outcome.served("allgather", "native"), {"native": 60})
        self.assertNotIn("trials", [row["reason"] for row in outcome.rows])
        self.assertEqual(outcome.messages, [])

    def test_what_is_quicker_takes_over(self):
        outcome = self.run_calls(1000)
        for collective in ("allgather", "bcast"):
            ours = sum(outcome.served(collective, "trials").values())
            self.assertGreater(ours, SOME, outcome.error)
        self.assertEqual(outcome.messages, [])

    def test_a_sum_of_floating_point_numbers_is_not_tried(self):
        outcome = self.run_calls(300)
        self.assertGreaterEqual(outcome.served("allreduce", "native")["native"], 300)

    def test_sums_and_extremes_have_the_same_bits_in_every_run(self):
        """Trials replace native allgathers and broadcasts, at times that depend on the run."""
        for node in "off", "auto":
            outcomes = [
                self.run_calls(
                    300, program="bits", slow=node == "off", right=False, TOCCATA_NODE=node
                )
                for _ in range(2)
            ]
            self.assertEqual({each.code for each in outcomes}, {0}, outcomes[0].error)
            self.assertEqual(len({tuple(each.out) for each in outcomes}), 1, node)
            if node == "off":
                self.assertTrue(any(each.served("allgather", "trials") for each in outcomes))

    @unittest.skipUnless(options and options.family == "openmpi", "only its algorithms are certain")
    def test_between_nodes_a_rule_chooses_for_sums_and_begins_trials(self):
        for _ in range(2):  # every run gives the same bits
            outcome = self.run_calls(200, slow=False, **NODES)
            sums = {  # of doubles
                row["reason"]: (row["choice"], row["calls"])
                for row in outcome.rows
                if row["collective"] == "allreduce" and row["bytes"] == 8
            }
            expected = {"native": ("native", 32), "network": ("recursive_multiplying", 168)}
            self.assertEqual(sums, expected, outcome.error)
            self.assertTrue(outcome.served("bcast", "network"), outcome.error)

    def test_the_rule_needs_no_knowledge_of_the_mpi_library(self):
        """Open MPI's own algorithms are not certain with these settings; MPICH's never are."""
        for more in (
            {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1"},
            {"OMPI_MCA_coll": "^adapt"},
        ):
            outcome = self.run_calls(60, slow=False, **(NODES | more))
            served = [(row["reason"], row["choice"]) for row in outcome.rows]
            self.assertIn(("network", "recursive_multiplying"), served, more)

    def test_the_rule_is_for_several_nodes(self):
        one = {"TOCCATA_TOPOLOGY": f"node:1 core:{RANKS}"}
        outcome = self.run_calls(60, slow=False, **(NODES | one))
        self.assertNotIn("network", [row["reason"] for row in outcome.rows])

    def test_a_communicator_of_the_same_shape_goes_on_with_what_was_found(self):
        outcome = self.run_calls(1500, "again")
        # After 68 calls, all ranks have the same state; later calls sometimes measure native again.
        ours = sum(outcome.served("allgather", "shared").values())
        self.assertGreater(ours, SOME, outcome.error)

    def test_vector_forms_are_tried_though_sizes_differ(self):
        outcome = self.run_calls(600, "vector")
        ours = sum(outcome.served("alltoallv", "trials").values())
        self.assertGreater(ours, SOME, outcome.error)
        self.assertEqual(outcome.messages, [])

    @unittest.skipUnless(options and options.served, "the MPI library serves such calls elsewhere")
    def test_nonblocking_calls_that_are_quicker_take_over(self):
        outcome = self.run_calls(1500, "nonblocking")
        for collective in ("iallgather", "ialltoallv"):
            ours = sum(outcome.served(collective, "trials").values())
            self.assertGreater(ours, SOME, (collective, outcome.error))
        self.assertEqual(outcome.messages, [])

    @unittest.skipUnless(options and options.served, "the MPI library serves such calls elsewhere")
    def test_starts_of_persistent_calls_are_tried_and_the_next_request_knows(self):
        outcome = self.run_calls(2000, "persistent", slow=False, bytes_a_rank=64)
        starts = [row for row in outcome.rows if row["collective"] == "allgather_init"]
        self.assertEqual(sum(row["calls"] for row in starts), 4000, outcome.error)
        tried = outcome.served("allgather_init", "trials")
        self.assertGreaterEqual(len(tried), 2, outcome.error)
        self.assertGreaterEqual(min(tried.values()), 2, outcome.error)
        self.assertEqual(outcome.messages, [])

    def test_communicators_that_go_in_the_middle_of_a_trial(self):
        self.run_calls(300, "split")

    def test_info_keys_of_a_communicator(self):
        outcome = self.run_calls(1, "split", slow=False)
        # MPICH drops unknown keys, except those that the library stores in MPI_Comm_set_info.
        kept = {"ring": 1} if options.family == "openmpi" else {}
        self.assertEqual(outcome.served("allgather", "forced"), kept | {"bruck": 1})

    def test_a_tuning_file_decides_from_the_first_call(self):
        tuning = self.tuning([("allgather", "ring"), ("allreduce", "recursive_doubling")])
        outcome = self.run_calls(50, slow=False, TOCCATA_TUNING=tuning)
        self.assertEqual(outcome.served("allgather", "tuned"), {"ring": 50})
        # Also for floating-point sums: the file does not depend on clock readings of this run.
        self.assertEqual(outcome.served("allreduce", "tuned")["recursive_doubling"], 100)

    def tuning(self, points, bytes_a_rank=16, **more):
        lines = [
            {"collective": name, "ranks": RANKS, "nodes": 1, "bytes": size, "choice": choice}
            for name, choice in points
            for size in (4, 8, bytes_a_rank)
        ]
        return self.path("tuning.json", json.dumps({"toccata_tuning": 1, "points": lines} | more))

    def test_an_algorithm_that_is_not_proved_runs_by_name_only(self):
        """The model ranks allgather/wrong first, but most of its blocks would be missing."""
        library = options.folder / "libtoccata.so"
        unproved = (options.folder.parent / "unproved.txt").read_text()
        self.assertRegex(
            unproved, r"^toccata: allgather/wrong is not proved, and runs by name only"
        )
        outcome = self.run_calls(20, slow=False, library=library, TOCCATA="model")
        served = outcome.served("allgather", "modelled")
        self.assertEqual(sum(served.values()), 20, outcome.error)
        self.assertNotIn("wrong", served)

        tuning = self.tuning([("allgather", "wrong"), ("bcast", "binomial")])
        outcome = self.run_calls(20, slow=False, library=library, TOCCATA_TUNING=tuning)
        self.assertFalse(outcome.served("allgather", "tuned"))
        self.assertTrue(outcome.served("bcast", "tuned"))
        [said] = outcome.messages
        self.assertIn("allgather/wrong is not proved, and runs by name only", said)

        outcome = self.run_calls(
            20, slow=False, library=library, right=False, TOCCATA_ALLGATHER="wrong"
        )
        self.assertEqual(outcome.served("allgather", "forced")["wrong"], 20, outcome.error)
        self.assertEqual(outcome.out, ["wrong"], "the program does not see it")

    def test_a_barrier_is_tuned_too(self):
        point = {"collective": "barrier", "ranks": RANKS, "nodes": 1, "bytes": 0}
        points = [point | {"choice": "dissemination"}]
        tuning = self.path("tuning.json", json.dumps({"toccata_tuning": 1, "points": points}))
        outcome = self.run_calls(40, slow=False, TOCCATA_TUNING=tuning)
        self.assertEqual(sum(outcome.served("barrier", "tuned").values()), 40, outcome.error)

    def test_files_that_differ_between_ranks(self):
        """As on hosts with separate disks: the file of rank 0 determines the settings."""
        tuning = self.tuning([("allgather", "ring")])
        for first, reason in ((f"TOCCATA_TUNING={tuning}", "tuned"), ("A=b", "native")):
            other = "A=b" if reason == "tuned" else f"TOCCATA_TUNING={tuning}"
            with self.subTest(rank_0=first):
                outcome = self.run_calls(5, slow=False, by_rank=(first, other))
                self.assertEqual(sum(outcome.served("allgather", reason).values()), 5)
                self.assertEqual(outcome.messages, [])

    def test_a_report_on_rank_0_alone(self):
        if options.family != "openmpi":
            self.skipTest("MPICH ends with words of its own where a request is left")
        report = self.path("report.json")
        self.run_calls(1000, TOCCATA_REPORT="", by_rank=(f"TOCCATA_REPORT={report}", "A=b"))
        rows = json.loads(Path(report).read_text())["rows"]
        found = [row for row in rows if (row["collective"], row["reason"]) == BY_TRIALS]
        self.assertGreater(sum(row["calls"] for row in found), SOME)

    def test_a_tuning_file_for_such_nodes_is_found(self):
        learned = self.path("learned.json")
        self.run_calls(1000, TOCCATA=f"learn:{learned}")
        here = json.loads(Path(learned).read_text())
        tuning = self.tuning([("allgather", "ring")], mpi=here["mpi"], machine=here["machine"])
        self.path("toccata/tuning/ours.json", Path(tuning).read_text())
        outcome = self.run_calls(5, slow=False)
        self.assertEqual(outcome.served("allgather", "tuned"), {"ring": 5}, outcome.error)
        outcome = self.run_calls(5, slow=False, TOCCATA_TUNING="off")
        self.assertEqual(outcome.served("allgather", "native"), {"native": 5})
        other = self.tuning([("allgather", "ring")], mpi=here["mpi"], machine="node:2 core:1000")
        self.path("toccata/tuning/ours.json", Path(other).read_text())
        outcome = self.run_calls(5, slow=False)
        self.assertEqual(outcome.served("allgather", "native"), {"native": 5})
        self.assertEqual(outcome.messages, [])

    def test_a_site_replaces_the_rules(self):
        name = "open_mpi.rules" if options.family.startswith("openmpi") else "mpich.rules"
        rows = "allgather 2- block ring"
        sections = "\n".join(f"[{each}]\n{rows}" for each in ("node", "node crowded"))
        self.path(f"toccata/tuning/{name}", sections)
        outcome = self.run_calls(100, slow=False, TOCCATA_NODE="auto")
        self.assertGreater(outcome.served("allgather", "node").get("ring", 0), 60, outcome.error)
        path = self.path(f"toccata/tuning/{name}", "[node]\nallgather 2- block rink")
        outcome = self.run_calls(5, slow=False)
        self.assertEqual(len(outcome.messages), 1, outcome.error)
        self.assertIn(f"{path}:2: ", outcome.messages[0])
        self.assertIn("rink", outcome.messages[0])

    def test_a_tuning_file_of_what_cannot_be(self):
        tuning = self.tuning([("allgather", "recursive_doubling"), ("bcast", "native")])
        outcome = self.run_calls(300, TOCCATA_TUNING=tuning)
        self.assertIn("needs a power of two ranks", "".join(outcome.messages))
        self.assertEqual(outcome.served("bcast", "tuned"), {"native": 300})

    def test_files_that_cannot_be_used_are_named_once(self):
        for text, word in (
            ("{", "is not a tuning file"),
            ('{"toccata_tuning": 9, "points": []}', "has version 9"),
            ('{"toccata_tuning": 1, "mpi": "Other MPI 1.0", "points": []}', "is for Other MPI 1.0"),
        ):
            for setting in ("TOCCATA_TUNING=", "TOCCATA=learn:"):
                with self.subTest(setting=setting, word=word):
                    path = self.path("bad.json", text)
                    variable, _, value = (setting + path).partition("=")
                    outcome = self.run_calls(5, slow=False, **{variable: value})
                    self.assertEqual(len(outcome.messages), 1, outcome.error)
                    self.assertIn(word, outcome.messages[0])
                    self.assertIn(path, outcome.messages[0])
        outcome = self.run_calls(5, slow=False, TOCCATA_TUNING=self.path("missing.json"))
        self.assertIn("cannot be read", outcome.messages[0])

    def test_a_file_that_is_not_ours_is_never_overwritten(self):
        """Uses `slow`, so that a run would learn a result."""
        here = self.path("learned.json", "")  # an empty file, as mktemp creates it
        self.run_calls(1000, TOCCATA=f"learn:{here}")
        written = Path(here).read_text()
        self.assertIn("toccata_tuning", written)
        other_node = json.dumps(json.loads(written) | {"machine": "core:1000"})
        for text, word in (
            ("my thesis", "is not a tuning file"),
            ('{"toccata_tuning": 9, "points": []}', "has version 9"),
            (other_node, "its results are from nodes of 'core:1000'"),
        ):
            with self.subTest(word):
                path = self.path("thesis.tex", text)
                outcome = self.run_calls(1000, TOCCATA=f"learn:{path}")
                [said] = outcome.messages
                for each in ("TOCCATA=learn", path, word, "The file stays unchanged"):
                    self.assertIn(each, said)
                self.assertEqual(Path(path).read_text(), text)

    def test_only_plausible_files_are_read(self):
        pipe, large = self.path("pipe"), self.path("large", "{")
        os.mkfifo(pipe)
        os.truncate(large, 300 << 20)
        cases = [
            ("TOCCATA_TUNING=", pipe, "is a pipe"),
            ("TOCCATA=learn:", pipe, "is a pipe"),
            ("TOCCATA_TOPOLOGY=", pipe, "is a pipe"),
            ("TOCCATA_TUNING=", self.folder.name, "is a folder"),
            ("TOCCATA=learn:", "/dev/full", "is a device"),
            ("TOCCATA_TUNING=", large, "has 300 MiB"),
        ]
        for setting, path, word in cases:
            with self.subTest(setting=setting, word=word):
                variable, _, value = (setting + path).partition("=")
                outcome = self.run_calls(
                    5, slow=False, TOCCATA_BCAST="binomial", **{variable: value}
                )
                self.assertEqual(len(outcome.messages), 1, outcome.error)
                for each in (variable, path, word):
                    self.assertIn(each, outcome.messages[0])
        self.assertTrue(Path("/dev/full").is_char_device())

    def test_what_cannot_be_written_is_said_at_the_beginning(self):
        blocked = self.path("file", "") + "/below/x.json"
        for variable, prefix in ("TOCCATA", "learn:"), ("TOCCATA_REPORT", ""):
            with self.subTest(variable):
                outcome = self.run_calls(5, slow=False, **{variable: prefix + blocked})
                [first, *rest] = outcome.messages
                self.assertIn(variable, first)
                self.assertIn(blocked, first)
                self.assertIn("cannot be written: Not a directory", first)
                # A missing report is reported at the end, too; so few calls give no results.
                self.assertEqual(len(rest), 1 if variable == "TOCCATA_REPORT" else 0, rest)

    def test_what_was_learned_holds_in_the_next_run(self):
        learned = self.path("deep/learned.json")
        self.run_calls(1000, TOCCATA=f"learn:{learned}")
        points = json.loads(Path(learned).read_text())["points"]
        best = {point["collective"]: point["choice"] for point in points}
        self.assertNotEqual(best["allgather"], "native")
        outcome = self.run_calls(40, TOCCATA=f"learn:{learned}")
        self.assertEqual(sum(outcome.served("allgather", "learned").values()), 40, outcome.error)
        # A run of few calls learns nothing, and does not change the file.
        self.assertEqual(json.loads(Path(learned).read_text())["points"], points)

    def test_sums_are_learned_if_the_user_wants_that(self):
        learned = Path(self.path("learned.json"))
        outcome = self.run_calls(1000, TOCCATA=f"learn:{learned}", TOCCATA_SUMS="learn")
        self.assertGreaterEqual(outcome.served("allreduce", "next-run")["native"], 900)
        found = json.loads(learned.read_text())
        point = {"collective": "allreduce", "ranks": RANKS, "nodes": 1, "bytes": 8}
        # Results without native's time would count for this size only.
        point |= {"choice": "recursive_doubling", "seconds": 1e-6, "native_seconds": 2e-6}
        found["points"] = [point, point | {"ranks": 2}]
        learned.write_text(json.dumps(found))
        outcome = self.run_calls(20, slow=False, TOCCATA=f"learn:{learned}", TOCCATA_SUMS="learn")
        # Sums of integers and of floating-point numbers.
        self.assertEqual(outcome.served("allreduce", "learned")["recursive_doubling"], 40)
        node = found["machine"].replace(":", "").replace(" ", "-")
        family = options.family.partition("-")[0]
        self.path(f"toccata/learned-{family}-{node}.json", learned.read_text())
        state = {"XDG_STATE_HOME": str(learned.parent)}
        for word, counts in (("learn", 40), ("fixed", 20)):
            outcome = self.run_calls(20, slow=False, TOCCATA="learn", TOCCATA_SUMS=word, **state)
            served = outcome.served("allreduce", "learned")
            self.assertEqual(served["recursive_doubling"], counts, word)
        # The sum of two numbers has the same bits in any order.
        outcome = self.run_calls(20, slow=False, ranks=2, TOCCATA="learn", **state)
        self.assertEqual(outcome.served("allreduce", "learned")["recursive_doubling"], 40)

    def test_candidates_for_all_sums_run_apart_from_the_program(self):
        calls = 400
        learned = self.path("learned.json")
        outcome = self.run_calls(
            calls, "sums", slow=False, TOCCATA=f"learn:{learned}", TOCCATA_SUMS="learn"
        )
        for collective, functions in (
            ("reduce", 1),
            ("scan", 1),
            ("exscan", 1),
            ("reduce_scatter", 2),
        ):
            served = outcome.served(collective, "next-run")["native"]
            self.assertGreater(served, functions * calls / 2, collective)

    def test_sizes(self):
        for size, algorithm in ((16, "ring"), (17, "native"), (4096, "native")):
            outcome = self.run_calls(
                5, bytes_a_rank=size, slow=False, TOCCATA_ALLGATHER="ring<=16, native"
            )
            self.assertEqual(outcome.served("allgather", "forced"), {algorithm: 5})

    def test_off_leaves_everything_to_the_mpi_library(self):
        outcome = self.run_calls(300, TOCCATA="off", TOCCATA_ALLGATHER="ring")
        self.assertEqual(outcome.served("allgather", "native"), {"native": 300})

    def test_without_a_guard_the_model_decides(self):
        outcome = self.run_calls(20, TOCCATA="model")
        for collective, calls in ("allgather", 20), ("allreduce", 40):
            served = outcome.served(collective, "modelled")
            self.assertEqual(sum(served.values()), calls, outcome.error)
            self.assertNotIn("native", served)

    def test_values_that_mean_nothing_are_named(self):
        outcome = self.run_calls(5, slow=False, TOCCATA="maybe", TOCCATA_SUMS="x")
        self.assertEqual(len(outcome.messages), 1, outcome.error)
        self.assertIn(
            "TOCCATA=maybe: expected auto, learn, learn:FILE, model or off", outcome.messages[0]
        )

    def test_the_configuration_file_is_read_and_the_environment_counts_more(self):
        self.path(
            "toccata/toccata.conf", "# ours\nTOCCATA_ALLGATHER = ring\nTOCCATA_BCAST=binomial\n"
        )
        outcome = self.run_calls(5, slow=False, TOCCATA_BCAST="knomial")
        self.assertEqual(outcome.served("allgather", "forced"), {"ring": 5})
        self.assertEqual(set(outcome.served("bcast", "forced")), {"knomial"})
        self.path("toccata/toccata.conf", "ALLGATHER=ring\n")
        outcome = self.run_calls(5, slow=False)
        self.assertIn("toccata.conf:1: 'ALLGATHER=ring' is not a setting", outcome.messages[0])

    def test_the_report_as_a_file(self):
        report = self.path("report.json")
        self.run_calls(1000, TOCCATA_REPORT=report)
        written = json.loads(Path(report).read_text())
        self.assertEqual((written["toccata_report"], written["ranks"]), (1, RANKS))
        rows = [row for row in written["rows"] if row["collective"] == "allgather"]
        self.assertEqual(sum(row["calls"] for row in rows), 1000)
        tried = next(row for row in rows if row["reason"] == "trials")
        self.assertEqual(tried["bytes"], 16)
        self.assertGreater(tried["native"], 1.9e-3)
        self.assertGreater(tried["predicted"], 0)
        self.assertGreater(tried["bound"], 0)
        self.assertLessEqual(tried["bound"], tried["predicted"])
        outcome = self.run_calls(5, TOCCATA_REPORT=self.path("missing/report.json"))
        self.assertIn("cannot be written", outcome.messages[0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
