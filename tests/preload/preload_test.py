"""Runs programs that do not use Toccata under libtoccata.so, and checks their output."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import REPORTS, Job, Outcome, only, whole

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--programs", nargs="+", required=True)
arguments.add_argument("--toccata", default="", help="the command, which writes files of schedules")
options = arguments.parse_args() if __name__ == "__main__" else None
if options:
    alltoall_programs = [each for each in options.programs if "alltoall" in Path(each).name]
    rooted_programs = [each for each in options.programs if "rooted" in Path(each).name]
    reproducible = [each for each in options.programs if "reproducible" in Path(each).name]
    late, constant, extremes = (
        [each for each in options.programs if Path(each).name == name]
        for name in ("late", "constant", "extremes")
    )
    short = [each for each in options.programs if "short" in Path(each).name]
    reorder = [each for each in options.programs if "reorder" in Path(each).name]
    neighbors = [each for each in options.programs if "neighbors" in Path(each).name]
    others = {*alltoall_programs, *rooted_programs, *reproducible, *late, *reorder, *neighbors}
    others |= {*constant, *extremes, *short}
    options.programs = [each for each in options.programs if each not in others]

PATIENCE = 60  # seconds
INTS = 5  # per rank and call, of 4 bytes each
CALLS = {"c": 3, "mpif_h": 5, "mpi": 5, "mpi_f08": 5}  # on each communicator


# The collectives that a file of schedules may contain.
IN_FILES = (
    "allgather/sparbit",
    "alltoall/pairwise",
    "barrier/dissemination",
    "bcast/binomial",
    "gather/linear",
    "scatter/linear",
    "reduce/bine",
    "allreduce/recursive_doubling",
    "reduce_scatter/ring",
    "scan/recursive_doubling",
    "exscan/pipeline",
)


def prove(path, file):
    """Writes the schedules of one of our algorithms for 1 to 5 ranks."""
    words = [options.toccata, "prove", path, "--ranks", "1:5:1", "-o", str(file)]
    subprocess.run(words, check=True, capture_output=True, timeout=60)


def again_right(text):
    """A changed file of schedules, with its new digest."""
    first, rest = text.split("\n", 1)
    data, result = rest.encode(), 0xCBF29CE484222325
    for word in (*(data[at : at + 8] for at in range(0, len(data), 8)), None):
        value = len(data) if word is None else int.from_bytes(word, "little")
        result = (result ^ value) * 0x100000001B3 % 2**64
        result ^= result >> 32
    return re.sub(r'"[0-9a-f]{16}"', f'"{result:016x}"', first) + "\n" + rest


def run(program, ranks, toccata, environment_of_launcher=False, preload=True, more=None, words=()):
    """`toccata`: the value of TOCCATA_ALLGATHER, or None to unset it; `more`: other variables;
    `preload`: False, or a file other than the library."""
    libraries = [options.library if preload is True else str(preload)] if preload else []
    libraries += [options.also_preload] if options.also_preload else []
    settings = {"LD_PRELOAD": " ".join(libraries)} | (more or {})
    if toccata is not None:
        settings["TOCCATA_ALLGATHER"] = toccata
    return Outcome(
        Job(
            options.launcher.split(";"), PATIENCE, [program, *words], ranks, settings,
            for_launcher=environment_of_launcher, reports=True,
        ).outcome()
    )  # fmt: skip


def counted(outcome):
    """{(ranks, algorithm): (calls, bytes)}, without the sums that count faults."""
    found = {}
    for row in outcome.rows:
        if row["collective"].startswith("all") and row["collective"] != "allreduce":
            key = row["ranks"], row["choice"]
            calls, size = found.get(key, (0, 0))
            found[key] = calls + row["calls"], size + row["total_bytes"]
    return found


class Preload(unittest.TestCase):
    def expect(self, outcome, calls, rows, messages=0):
        """`rows`: {ranks: algorithm} of the report."""
        self.assertEqual(outcome.out, ["right"], outcome.error)
        self.assertEqual(outcome.code, 0, outcome.error)
        report = {(p, name): (calls, calls * p * INTS * 4) for p, name in rows.items()}
        self.assertEqual(counted(outcome), report, outcome.error)
        self.assertEqual(len(outcome.messages), messages, outcome.error)

    # The program uses all ranks, then rank 0 alone, then the others without rank 0.
    def expect_of_every_program(self, ranks, toccata, shown):
        for program in options.programs:
            name = Path(program).name
            with self.subTest(name):
                rows = dict.fromkeys((ranks, 1, ranks - 1), shown)
                self.expect(run(program, ranks, toccata), CALLS[name], rows)

    def test_every_interface_runs_what_is_asked_for(self):
        self.expect_of_every_program(5, "sparbit", "sparbit")

    # One call of each form, and one in place; the vector and the general form count together.
    def test_every_form_of_alltoall(self):
        for program in alltoall_programs:
            for regular, vector in (("bruck_zero_copy", "pairwise"), ("linear", "bruck")):
                with self.subTest(program=Path(program).name, vector=vector):
                    asked = {"TOCCATA_ALLTOALL": regular, "TOCCATA_ALLTOALLV": vector}
                    outcome = run(program, 5, None, more=asked)
                    self.assertEqual(outcome.out, ["right"], outcome.error)
                    calls = {key: calls for key, (calls, _) in counted(outcome).items()}
                    self.assertEqual(calls, {(5, regular): 2, (5, vector): 4}, outcome.error)
                    self.assertEqual(outcome.messages, [])

    # One call of each form; the requested algorithm runs only if there is a topology.
    def test_every_form_among_neighbours(self):
        for program in neighbors:
            for algorithm in ("direct", "combining"):
                with self.subTest(program=Path(program).name, algorithm=algorithm):
                    forms = ("allgather", "allgatherv", "alltoall", "alltoallv")
                    asked = {f"TOCCATA_NEIGHBOR_{form.upper()}": algorithm for form in forms}
                    outcome = run(program, 5, None, more=asked)
                    self.assertEqual(outcome.out, ["right"], outcome.error)
                    calls = {row: n for row, n in outcome.calls.items() if "neighbor" in row[0]}
                    expected = {(f"neighbor_{form}", 5, algorithm): 1 for form in forms}
                    expected[("neighbor_alltoallv", 5, algorithm)] = 2  # alltoallw as well
                    self.assertEqual(calls, expected, outcome.error)
                    self.assertEqual(outcome.messages, [])

    # Every collective that a file may contain, from the file of one of our algorithms.
    def test_all_collectives_from_files(self):
        if not options.toccata:
            self.skipTest("no command to write files with")
        with tempfile.TemporaryDirectory() as folder:
            asked = {}
            for path in IN_FILES:
                collective = path.split("/")[0]
                file = Path(folder) / f"{collective}.json"
                prove(path, file)
                asked[f"TOCCATA_{collective.upper()}"] = f"file:{file}"
            for name in ("alltoallv", "gatherv", "scatterv"):
                asked[f"TOCCATA_{name.upper()}"] = asked[f"TOCCATA_{name[:-1].upper()}"]
            for program in (*options.programs, *alltoall_programs, *rooted_programs):
                with self.subTest(program=Path(program).name):
                    outcome = run(program, 5, None, more=asked)
                    self.assertEqual(outcome.out, ["right"], outcome.error)
                    self.assertEqual(outcome.messages, [], outcome.error)
                    served = {row[2] for row in outcome.calls if row[1] == 5}
                    self.assertTrue(served)
                    self.assertEqual({each[:5] for each in served}, {"file:"}, outcome.error)

    # A changed file is rejected. With a corrected digest, its contents are checked.
    def test_files_are_not_trusted(self):
        if not options.toccata:
            self.skipTest("no command to write files with")
        program = options.programs[0]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "ring.json"
            prove("allgather/ring", file)
            text = file.read_text()
            changes = {
                "was changed after": text.replace('["send",1,', '["send",2,', 1),
                "is not a file of schedules": "{}" + text,
                "must not run": again_right(text.replace('["send",1,', '["send",2,')),
                "recv has .* blocks, not 1 from number 1234 on": again_right(
                    text.replace('["recv",4]', '["recv",1234]')
                ),
            }
            for said, changed in changes.items():
                with self.subTest(said):
                    file.write_text(changed)
                    outcome = run(program, 5, f"file:{file}")
                    self.assertEqual(outcome.out, ["right"], outcome.error)
                    self.assertRegex(outcome.error, said)
                    self.assertLessEqual(len(outcome.messages), 3, outcome.error)
            # Redundant blocks are harmless, and a wrong result is possible, but nothing worse.
            file.write_text(again_right(re.sub(r'\["copy",\["send",0\],\["recv",\d\]\]', "", text)))
            outcome = run(program, 5, f"file:{file}")
            self.assertNotEqual(outcome.out, ["right"], outcome.error)
            self.assertNotIn("Segmentation", outcome.error)

    # Each form once, and once in place if possible.
    def test_every_rooted_and_reducing_form(self):
        asked = {
            "bcast": "binomial",
            "gather": "linear",
            "gatherv": "linear",
            "scatter": "linear",
            "scatterv": "linear",
            "reduce": "binomial",
            "allreduce": "recursive_doubling",
            "reduce_scatter": "ring",
            "scan": "recursive_doubling",
            "exscan": "pipeline",
            "barrier": "dissemination",
        }
        variables = {f"TOCCATA_{name.upper()}": value for name, value in asked.items()}
        for program in rooted_programs:
            with self.subTest(program=Path(program).name):
                outcome = run(program, 5, None, more=variables)
                self.assertEqual(outcome.out, ["right"], outcome.error)
                ran = {(row[0], row[2]) for row in outcome.calls}
                self.assertEqual(ran, set(asked.items()), outcome.error)
                self.assertEqual(outcome.messages, [])

    # An operation that is not commutative; the algorithm would change its order.
    def test_order_matters(self):
        program = next(each for each in rooted_programs if Path(each).name == "rooted_c")
        outcome = run(program, 5, None, more={"TOCCATA_ALLREDUCE": "ring"})
        self.assertEqual(outcome.out, ["right"], outcome.error)
        calls = {row[2]: n for row, n in outcome.calls.items() if row[0] == "allreduce"}
        self.assertEqual(calls, {"ring": 2, "native, for ring": 1}, outcome.error)

    # All collectives, roots, lengths and choices must give the same bits.
    def test_reproducible(self):
        self.assertTrue(reproducible)
        for program in reproducible:
            otherwise = run(program, 5, None, more={"TOCCATA_ALLREDUCE": "ring"})
            self.assertGreater(int(otherwise.out[0]), 1, "the numbers tell nothing")
            printed = set()
            by_size = "ring<=1K, recursive_doubling", "native<=1K, ring"
            for asked in (None, "ring", "recursive_doubling", *by_size):
                more = {"TOCCATA_SUMS": "reproducible"}
                if asked is not None:
                    more["TOCCATA_ALLREDUCE"] = asked
                outcome = run(program, 5, None, more=more)
                self.assertEqual((outcome.code, outcome.out[:1]), (0, ["1"]), outcome.error)
                self.assertTrue(outcome.calls)
                self.assertNotIn("native", [row[2] for row in outcome.calls])
                printed.add(outcome.out[1])
            self.assertEqual(len(printed), 1, printed)

    def test_buffers_that_a_program_can_only_read_are_never_written(self):
        [program] = constant
        names = "ALLREDUCE REDUCE REDUCE_SCATTER BCAST ALLGATHER ALLTOALL GATHER SCATTER SCAN"
        shared = {f"TOCCATA_{name}": "shared" for name in [*names.split(), "EXSCAN"]}
        published = {"TOCCATA_BCAST": "scatter_allgather:travel=published"}
        for more in {}, shared, published, {"TOCCATA_BCAST": "torus_long"}:
            with self.subTest(more):
                outcome = run(program, 4, None, more=more)
                self.assertEqual(outcome.out, ["right"], outcome.error)
                self.assertEqual(outcome.code, 0, outcome.error)

    def test_an_extreme_with_nan_and_a_short_sum_stay_as_they_are(self):
        """On one node, a rule decides from the first call on. All ranks get the same result."""
        [program] = extremes
        outcome = run(program, 4, None, words=["40"])
        self.assertEqual(outcome.out, ["0", "0"], outcome.error)
        served = {row[2].partition(":")[0] for row in outcome.calls if row[0] == "allreduce"}
        self.assertEqual(served, {"shared"}, outcome.calls)
        # Without the rule, native serves, and no trials begin.
        outcome = run(program, 4, None, words=["40"], more={"TOCCATA_NODE": "off"})
        served = {row[2] for row in outcome.calls if "allreduce" in row[0]}
        self.assertEqual(served, {"native"}, outcome.calls)

    def test_short_calls_of_all_kinds_are_kept(self):
        for program in short:
            with self.subTest(program):
                # With a report, rank 0 counts each call, and no form is kept.
                outcome = run(program, 2, None, more={REPORTS: ""})
                self.assertEqual(outcome.out[1], "right", outcome.error)
                self.assertLess(int(outcome.out[0]), 1000, "every call allocates memory")

    def test_a_rank_that_ends_late_is_not_waited_for(self):
        for program in late:
            # If the library may serve requests, the ranks reach the end together.
            more = {"MALLOC_PERTURB_": "165", "TOCCATA": "off"}
            outcome = run(program, 2, None, more=more)
            self.assertEqual(outcome.code, 0, outcome.error)
            # UCX also reports an open request.
            self.assertEqual(outcome.out[-1], "right", outcome.error)
            [message] = outcome.messages
            self.assertIn("some ranks did not finalize within 10 s", message)
            self.assertEqual(outcome.calls, {("allreduce", 2, "native"): 1})

    def test_unset_is_native(self):
        self.expect_of_every_program(3, None, "native")

    def test_parameters(self):
        program = options.programs[0]
        for asked, shown in {
            "ring": "ring",
            "native": "native",
            "allgather/bruck": "bruck",
            "bruck:travel=packed": "bruck:travel=packed",
            "sparbit:messages=per_block": "sparbit:messages=per_block",
            "ring:travel=datatype": "ring:travel=datatype",
        }.items():
            with self.subTest(asked):
                self.expect(run(program, 3, asked), 3, dict.fromkeys((3, 1, 2), shown))

    def test_set_for_the_launcher(self):
        outcome = run(options.programs[0], 3, "ring", environment_of_launcher=True)
        self.expect(outcome, 3, dict.fromkeys((3, 1, 2), "ring"))

    def test_silent_without_being_asked(self):
        environment = {"LD_PRELOAD": f"{options.library} {options.also_preload}"}
        process = subprocess.run(
            [*options.launcher.split(";"), "-n", "2", options.programs[0]],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual((process.stdout.split(), process.stderr), (["right"], ""))

    def test_bad_values(self):
        for asked, accepted in {
            "nonsense": "native, ",
            "alltoall/ring": "native, ",
            "native:travel=packed": "native takes no parameters",
            ":": "native, ",
            "sparbit:": "travel=whole|packed",
            "sparbit:messages": "per_round|per_block",
            "sparbit:messages=maybe": "per_round|per_block",
            "sparbit:color=red": "messages=per_round|per_block",
            "ring:travel=slow": "whole|packed|datatype|per_block",
        }.items():
            with self.subTest(asked):
                outcome = run(options.programs[0], 3, asked)
                self.expect(outcome, 3, dict.fromkeys((3, 1, 2), "native"), messages=1)
                self.assertTrue(
                    outcome.messages[0].startswith(f"toccata: TOCCATA_ALLGATHER={asked}: ")
                )
                self.assertIn(accepted, outcome.messages[0])

    def test_misspelt_settings_are_named_once_and_without_being_asked(self):
        wrong = {"TOCCATA_ALGATHER": "ring", "TOCCATA_SUMS": "maybe", "TOCCATA_REPORT": "0"}
        for program in options.programs[:1]:
            outcome = run(program, 2, None, more=wrong)
            self.assertEqual(outcome.out, ["right"], outcome.error)
            self.assertEqual(
                outcome.messages,
                [
                    "toccata: unknown setting TOCCATA_ALGATHER; did you mean TOCCATA_ALLGATHER?",
                    "toccata: TOCCATA_SUMS=maybe: expected fixed, learn, all or reproducible. "
                    "Using TOCCATA_SUMS=fixed.",
                ],
            )

    def test_settings_of_the_version_before_work_and_are_named_once(self):
        old = {"TOCCATA_GUARD": "off", "TOCCATA_REPRODUCIBLE": "1", "TOCCATA_REPORT": "0"}
        outcome = run(options.programs[0], 2, None, more=old)
        self.assertEqual(outcome.out, ["right"], outcome.error)
        no_more = "; the next version will not accept "
        self.assertEqual(
            outcome.messages,
            [
                f"toccata: TOCCATA_GUARD=off is now TOCCATA=model{no_more}TOCCATA_GUARD",
                "toccata: TOCCATA_REPRODUCIBLE=1 is now TOCCATA_SUMS=reproducible"
                f"{no_more}TOCCATA_REPRODUCIBLE",
            ],
        )

    def test_the_report_as_a_table(self):
        outcome = run(options.programs[0], 3, "ring", more={REPORTS: "1"})
        self.assertEqual(outcome.out, ["right"], outcome.error)
        heading, *rows = [re.split("  +", line.strip()) for line in outcome.messages]
        self.assertEqual(heading[0], "toccata: collective")
        self.assertEqual(
            heading[1:],
            ["ranks", "algorithm", "reason", "calls", "bytes", "time", "gain", "overlap"],
        )
        shown = [row for row in rows if row[0] == "toccata: allgather"]
        calls, size = CALLS[Path(options.programs[0]).name], 3 * INTS * 4
        self.assertIn(["3", "ring", "forced", str(calls), f"{calls * size} B"],
                      [row[1:6] for row in shown])  # fmt: skip
        for row in shown:
            self.assertRegex(row[6], r"^\d+(\.\d+)? (us|ms|s)$")

    def test_a_report_that_is_switched_off_is_off(self):
        for word in ("off", "no", "0", "false"):
            outcome = run(options.programs[0], 2, "ring", more={REPORTS: word})
            self.assertEqual(outcome.out, ["right"], outcome.error)
            self.assertEqual((outcome.calls, outcome.messages), ({}, []), outcome.error)

    def test_levels_that_nobody_knows(self):
        asked = {"TOCCATA_TOPOLOGY": "foo:3 core:2", "TOCCATA_REPORT": "0"}
        for algorithm in "locality_bruck", "ring":  # topology-aware, and not
            outcome = run(options.programs[0], 2, algorithm, more=asked)
            self.assertEqual(outcome.out, ["right"], outcome.error)
            self.assertEqual(len(outcome.messages), 1)
            self.assertIn("unknown level 'foo'", outcome.messages[0])

    def test_doctor_ends_the_program_where_it_begins(self):
        outcome = run(options.programs[0], 3, None, more={"TOCCATA_DOCTOR": "1"})
        self.assertEqual((outcome.code, outcome.out), (0, []), outcome.error)
        said = re.findall(r"doctor: rank (\d) of 3 on \S+ has (\S+),", outcome.error)
        self.assertEqual(sorted(said), [(str(rank), options.library) for rank in range(3)])

    def test_doctor_survives_different_settings(self):
        """Then, ranks cannot find out together where they are."""
        start, *words = only("$rank = 0", {"TOCCATA_BCAST": "knomial"})
        more = {"TOCCATA_DOCTOR": "1"}
        outcome = run(start, 2, None, more=more, words=[*words, options.programs[0]])
        self.assertEqual((outcome.code, outcome.out), (0, []), outcome.error)
        self.assertEqual(len(re.findall(r"doctor: rank \d of 2 on", outcome.error)), 2)
        self.assertIn("TOCCATA_BCAST is 'knomial' on rank 0", outcome.error)

    def test_impossible_for_some_communicators(self):
        for ranks, possible in ((3, 2), (5, 4)):
            with self.subTest(ranks=ranks):
                outcome = run(options.programs[0], ranks, "recursive_doubling")
                rows = {
                    ranks: "native, for recursive_doubling",
                    1: "recursive_doubling",
                    possible: "recursive_doubling",
                }
                self.expect(outcome, 3, rows, messages=1)
                self.assertIn("TOCCATA_ALLGATHER=recursive_doubling: ", outcome.messages[0])
                self.assertIn("power of two", outcome.messages[0])

    def test_harmless_without_mpi(self):
        for command in (["true"], ["bash", "-c", ":"], [sys.executable, "-c", "pass"]):
            with self.subTest(command[0]):
                environment = os.environ | {
                    "LD_PRELOAD": options.library,
                    "TOCCATA_REPORT": "1",
                    "TOCCATA_ALLGATHER": "nonsense",
                }
                process = subprocess.run(command, env=environment, capture_output=True, timeout=60)
                self.assertEqual(
                    (process.returncode, process.stdout, process.stderr), (0, b"", b"")
                )

    def test_changes_no_process_without_mpi(self):
        """Wrapper scripts are preloaded, too: an MPI library would install signal handlers."""
        told = "cat /proc/$$/maps; grep -E '^(SigCgt|SigIgn|Threads):' /proc/$$/status"
        states, files = [], []
        for more in {}, {"LD_PRELOAD": options.library, "TOCCATA_REPORT": "1"}:
            shown = subprocess.run(
                ["sh", "-c", told],
                env=os.environ | more,
                capture_output=True,
                text=True,
                timeout=60,
            )
            self.assertEqual((shown.returncode, shown.stderr), (0, ""))
            states.append(re.findall(r"^(?:SigCgt|SigIgn|Threads):.*", shown.stdout, re.MULTILINE))
            files.append(set(re.findall(r" (/\S*)$", shown.stdout, re.MULTILINE)))
        self.assertTrue(states[0])
        self.assertEqual(states[0], states[1])
        if whole(options.library) != options.library:
            [added] = files[1] - files[0]
            self.assertIn("libtoccata.so", added)

    def test_needs_mpi_and_the_runtime_only(self):
        libraries = "mpi|mpi_abi|mpich|hwloc|open-rte|open-pal|stdc\\+\\+|gcc_s|m|c|pthread"
        for library in {whole(options.library), options.library}:
            shown = subprocess.run(["readelf", "-dW", library], capture_output=True, text=True)
            needed = re.findall(r"\(NEEDED\).*\[(.*?)\.so", shown.stdout)
            allowed = f"lib({libraries if library == whole(library) else 'c|dl'})|ld-linux.*"
            self.assertTrue(needed)
            self.assertEqual([each for each in needed if not re.fullmatch(allowed, each)], [])

    @unittest.skipUnless(options and whole(options.library) != options.library, "is one file here")
    def test_is_found_through_a_link_but_not_alone(self):
        program = options.programs[0]
        with tempfile.TemporaryDirectory() as folder:
            link, copy = Path(folder) / "libtoccata.so", Path(folder) / "alone/libtoccata.so"
            link.symlink_to(options.library)
            copy.parent.mkdir()
            shutil.copy(options.library, copy)
            outcome = run(program, 2, "ring", preload=link, more={"LD_BIND_NOW": "1"})
            self.assertEqual(outcome.out, ["right"], outcome.error)
            self.assertEqual(outcome.messages, [], outcome.error)
            self.assertIn("ring", {row["choice"] for row in outcome.rows})
            outcome = run(program, 2, "ring", preload=copy)
            self.assertEqual((outcome.code, outcome.out), (0, ["right"]), outcome.error)
            [said] = outcome.messages
            self.assertRegex(
                said,
                "Toccata is off, because libtoccata_mpi.so cannot be loaded: .*Install it next to",
            )

    def test_exports_its_interface_only(self):
        shown = subprocess.run(
            ["nm", "-D", "--defined-only", options.library], capture_output=True, text=True
        )
        names = [line.split()[-1] for line in shown.stdout.splitlines()]
        self.assertIn("MPI_Allgather", names)
        self.assertEqual(
            [name for name in names if not re.match("toccata_|MPIX?_|mpix?_|PMIx_", name)], []
        )


REORDER_MACHINE = "node:4 core:2 placement:cyclic"
REORDER_ALGORITHMS = {
    "TOCCATA_ALLTOALL": "bruck",
    "TOCCATA_ALLREDUCE": "recursive_doubling",
    "TOCCATA_GATHER": "binomial",
    "TOCCATA_SCATTER": "binomial",
    "TOCCATA_BCAST": "binomial",
    "TOCCATA_REDUCE": "binomial",
}


class Reorder(unittest.TestCase):
    """On four simulated nodes of two cores, with cyclic placement."""

    def program(self):
        return next(each for each in reorder if each.endswith("reorder_c"))

    def settings(self, *reorders):
        words = [REORDER_MACHINE, *(f"reorder:{each}" for each in reorders)]
        return REORDER_ALGORITHMS | {"TOCCATA_TOPOLOGY": " ".join(words)}

    def test_results_are_those_of_mpi_however_order_is_kept(self):
        for how, allgather in [
            ("auto", "ring"),
            ("straight", "bruck"),
            ("exchange", "sparbit"),
            ("shuffle", "hierarchical"),
        ]:
            with self.subTest(how=how):
                outcome = run(
                    self.program(),
                    8,
                    allgather,
                    more=self.settings(how, "topologies"),
                    words=["moved"],
                )
                self.assertEqual(outcome.out, ["all", "right"], outcome.error)
                ran = {row[2] for row in outcome.calls if row[:2] == ("allgather", 8)}
                if how == "auto":  # in the world, not on a topology with reordered ranks
                    self.assertEqual(ran, {"ring", "ring:reorder=straight"}, outcome.error)
                else:
                    self.assertEqual(ran, {f"{allgather}:reorder={how}"}, outcome.error)

    def grids(self):
        programs = [each for each in reorder if each.endswith("_grid")]
        if not programs:
            self.skipTest("no program with grids")
        return programs[0]

    def test_grids_have_no_more_neighbours_on_other_nodes(self):
        program = self.grids()
        for ranks, nodes in ((4, 2), (6, 3), (8, 4)):
            with self.subTest(ranks=ranks):
                where = ",".join(str(rank % nodes) for rank in range(ranks))
                words = f"node:{nodes} core:{ranks // nodes} placement:node:{where}"
                more = {"TOCCATA_TOPOLOGY": f"{words} reorder:topologies"}
                outcome = run(program, ranks, None, more=more, words=[str(nodes)])
                self.assertEqual(outcome.out[0], "right", outcome.error)
                self.assertGreater(int(outcome.out[1]), 20, outcome.error)  # have fewer
                self.assertEqual(outcome.messages, [], outcome.error)

    def test_wrong_weights_of_grids_are_one_line_each(self):
        program = self.grids()
        more = {"TOCCATA_TOPOLOGY": "node:2 core:2 placement:node:0,1,0,1 reorder:topologies"}
        outcome = run(program, 4, None, more=more, words=["2", "wrong"])
        self.assertEqual(outcome.out[0], "right", outcome.error)
        numbers = "expected numbers from 0 to 1e12, one per dimension of the grid, such as 1,4"
        others = "other ranks have different or invalid values"
        for said, (value, why) in zip(
            outcome.messages,
            [("1,x", numbers), ("1,9,3", numbers), ("1,9", others), ("-1,1", numbers)],
            strict=True,
        ):
            self.assertIn(f"info key toccata_cart_weights='{value}': {why}. Using the same", said)

    def test_weights_of_grids_come_from_the_setting_too(self):
        program = self.grids()
        machine = "node:2 core:2 placement:node:0,1,0,1 reorder:topologies"
        between = {}
        for weights in ("9,1", "1,9"):
            more = {"TOCCATA_TOPOLOGY": f"{machine} weights:1,2,3 weights:{weights}"}
            outcome = run(program, 4, None, more=more, words=["2", "setting"])
            self.assertEqual((outcome.out[0], outcome.messages), ("right", []), outcome.error)
            between[weights] = int(outcome.out[1])
        self.assertEqual(between, {"9,1": 0, "1,9": 2})
        more = {"TOCCATA_TOPOLOGY": f"{machine} weights:1,x"}
        outcome = run(program, 4, None, more=more, words=["2", "setting"])
        self.assertIn("'1,x': expected numbers from 0 to 1e12", outcome.messages[0])

    def test_ranks_stay_where_nobody_asks(self):
        outcome = run(self.program(), 8, "ring", more=self.settings("off"))
        self.assertEqual(outcome.out, ["all", "right"], outcome.error)
        self.assertIn(("allgather", 8, "ring"), outcome.calls)

    def test_a_wrong_word_is_named(self):
        outcome = run(self.program(), 2, "ring", more=self.settings("upwards"))
        self.assertEqual(outcome.out, ["all", "right"], outcome.error)
        self.assertTrue(
            any(
                "reorder:upwards" in line and "expected off, auto" in line
                for line in outcome.messages
            ),
            outcome.error,
        )

    def test_fortran_topologies(self):
        for program in reorder:
            if program.endswith(("_c", "_grid")):
                continue
            with self.subTest(program=program):
                more = {"TOCCATA_TOPOLOGY": f"{REORDER_MACHINE} reorder:topologies"}
                outcome = run(program, 8, None, more=more)
                self.assertEqual(outcome.out, ["all", "right"], outcome.error)
                [said] = outcome.messages
                self.assertIn("info key toccata_cart_weights='1,2': expected numbers", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
