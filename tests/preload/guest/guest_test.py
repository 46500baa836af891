"""The library must not change a program: runs programs bare and preloaded, and compares.

Not tested: revoked communicators, because MPIX_Comm_revoke of MPICH 4.0.2 fails an assertion bare.

To run one test: ctest -V prints the command line; add the test's name to it, for example
... guest_test.py ... -- Guest.test_attributes
"""

import argparse
import json
import re
import socket
import sys
import tempfile
import unittest
from pathlib import Path

from jobs import Job, Outcome, another_version, only, where

arguments = argparse.ArgumentParser()
arguments.add_argument("--family", required=True)
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument(
    "--guests", required=True, type=Path, help="folder of this folder's programs"
)
arguments.add_argument("--programs", required=True, type=Path, help="folder of preload_test's")
arguments.add_argument("--other-libraries", nargs="*", default=[], help="of the other MPI families")
arguments.add_argument("--patience", type=float, default=120, help="seconds; then a program hangs")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

# For every collective, an algorithm that runs on any number of ranks.
FORCED = {
    "TOCCATA_ALLGATHER": "ring",
    "TOCCATA_ALLTOALL": "pairwise",
    "TOCCATA_ALLTOALLV": "pairwise",
    "TOCCATA_BCAST": "scatter_allgather",
    "TOCCATA_GATHER": "binomial",
    "TOCCATA_GATHERV": "linear",
    "TOCCATA_SCATTER": "binomial",
    "TOCCATA_SCATTERV": "linear",
    "TOCCATA_REDUCE": "binomial",
    "TOCCATA_ALLREDUCE": "recursive_doubling",
    "TOCCATA_REDUCE_SCATTER": "ring",
    "TOCCATA_SCAN": "recursive_doubling",
    "TOCCATA_EXSCAN": "linear",
    "TOCCATA_BARRIER": "dissemination",
}


def guest(name):
    return [str(options.guests / name)]


def program(name):
    return [str(options.programs / name)]


def preloading(*libraries):
    return {"LD_PRELOAD": " ".join(filter(None, [*libraries, options.also_preload]))}


def start(command, ranks, settings, **how):
    return Job(options.launcher.split(";"), options.patience, command, ranks, settings, **how)


def run(command, ranks, more=None, libraries=None, **how):
    """Preloaded, unless `libraries` says otherwise."""
    libraries = [options.library] if libraries is None else libraries
    return Outcome(start(command, ranks, preloading(*libraries) | (more or {}), **how).outcome())


def bare(command, ranks):
    return run(command, ranks, libraries=[])


class Guest(unittest.TestCase):
    def expect_right(self, outcome, messages=0):
        self.assertEqual((outcome.lines or [""])[-1], "right", outcome.error)
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertEqual(len(outcome.messages), messages, outcome.error)

    def expect_as_bare(self, command, ranks, more):
        """Succeeds, and prints the same as bare; returns the output."""
        expected, outcome = bare(command, ranks), run(command, ranks, more)
        self.expect_right(expected)
        self.expect_right(outcome)
        self.assertEqual(outcome.lines, expected.lines)
        return outcome.lines

    def numbers(self, command, ranks, more, label):
        """The first line of a program's output, bare and preloaded."""
        printed = []
        for settings, libraries in (({}, []), (more, None)):
            outcome = run(command, ranks, settings, libraries)
            self.expect_right(outcome)
            printed.append([int(each) for each in outcome.lines[0].split()])
        print(f"\n{label}: bytes bare {printed[0]}, preloaded {printed[1]}", file=sys.stderr)
        return printed

    def test_many_communicators_alive(self):
        ring = {"TOCCATA_ALLGATHER": "ring"}
        for more in ([], ["return"]):
            with self.subTest(more):
                self.expect_right(run([*guest("communicators"), "alive", "1100", *more], 3, ring))

    def test_many_communicators_in_turn(self):
        command = [*guest("communicators"), "turn", "10000"]
        [native], [ours] = self.numbers(command, 3, {"TOCCATA_ALLGATHER": "ring"}, "made and freed")
        self.assertLessEqual(ours, native + 16)

    def test_attributes(self):
        lines = self.expect_as_bare(guest("attributes"), 3, FORCED)
        self.assertEqual(lines[0], "copies 0 deletes 1")

    def test_ranks_without_neighbours_and_without_others(self):
        published = {
            f"TOCCATA_NEIGHBOR_{each}": "direct:travel=published"
            for each in ("ALLGATHER", "ALLTOALL", "ALLGATHERV")
        }
        for settings in ({}, published):
            for ranks in 2, 3:
                self.expect_right(run(guest("alone"), ranks, settings))

    def test_callbacks_that_use_their_communicator(self):
        for settings in ({}, FORCED):
            self.expect_right(run(guest("callbacks"), 2, settings))

    def test_calls_that_mpi_rejects(self):
        for settings in ({}, FORCED, {"TOCCATA_NODE": "off"}):
            for reports in False, True:
                self.expect_right(run(guest("rejected"), 2, settings, reports=reports))

    def test_timers_before_mpi_init(self):
        for microseconds in 200, 1000, 10_000:
            self.expect_right(run([*guest("timer"), str(microseconds)], 2, {}))

    def test_error_handlers_that_throw(self):
        for settings in ({}, FORCED, {"TOCCATA_NODE": "off"}):
            self.expect_right(run(guest("thrown"), 2, settings))

    def test_reordering_on_some_ranks(self):
        command = only("$rank = 0", {"TOCCATA_TOPOLOGY": "reorder:topologies"})
        outcome = run([*command, *guest("graph")], 3, {"OMPI_MCA_topo": "basic"})
        self.expect_right(outcome, messages=1)
        self.assertIn("TOCCATA_TOPOLOGY", outcome.messages[0])

    def test_settings_of_some_ranks(self):
        ring = {"TOCCATA_ALLREDUCE": "ring"}
        other = {"TOCCATA_ALLREDUCE": "rabenseifner"}
        for label, command, everywhere in (
            ("the first", only("$rank = 0", ring), {}),
            ("the last", only("$rank = 2", ring), {}),
            ("all except the first", only("$rank != 0", ring), {}),
            ("another", only("$rank = 1", other), ring),
        ):
            with self.subTest(label):
                outcome = run([*command, *program("rooted_c")], 3, everywhere, reports=True)
                self.expect_right(outcome, messages=1)
                self.assertIn("TOCCATA_ALLREDUCE", outcome.messages[0])
                self.assertIn(socket.gethostname(), outcome.messages[0])
                ran = {row[2] for row in outcome.calls if row[0] == "allreduce"}
                self.assertTrue(ran and all("native" in each for each in ran), outcome.error)

    def test_settings_of_some_ranks_and_none_of_others(self):
        for condition in ("$rank = 0", "$rank = 2"):
            with self.subTest(condition):
                command = only(condition, {"TOCCATA_ALLREDUCE": "ring"})
                outcome = run([*command, *program("rooted_c")], 3)
                self.expect_right(outcome, messages=1)
                self.assertIn("TOCCATA_ALLREDUCE", outcome.messages[0])

    def test_one_setting_of_some_ranks_spares_the_others(self):
        everywhere = {"TOCCATA_SUMS": "fixed", "TOCCATA_ALLGATHER": "ring"}
        command = only("$rank = 1", {"TOCCATA_SUMS": "reproducible"})
        outcome = run([*command, *program("rooted_c")], 3, everywhere)
        self.expect_right(outcome, messages=1)
        self.assertIn("TOCCATA_SUMS", outcome.messages[0])

    def test_preload_of_some_ranks(self):
        everywhere = preloading() | {"TOCCATA_ALLGATHER": "ring"}
        for ranks, condition in (
            (3, "$rank != 0"),
            (3, "$rank = 0"),
            (7, "$rank != 4"),
            (7, "$(($rank % 2)) = 0"),
            (7, "$rank != 1 -a $rank != 2 -a $rank != 6"),
        ):
            with self.subTest(condition):
                command = only(condition, preloading(options.library))
                command += [*guest("communicators"), "alive", "1"]
                outcome = Outcome(start(command, ranks, everywhere).outcome())
                self.expect_right(outcome, messages=1)
                self.assertRegex(outcome.messages[0], r"rank \d has not loaded .*LD_PRELOAD")

    def profiled_on(self, condition, tool):
        """The program, with a profiler linked to it on the ranks with that condition."""
        rank = "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
        script = f'{rank}; if [ {condition} ]; then exec "$0"; else exec "$1"; fi'
        return ["sh", "-c", script, *guest(f"profiled_at_{tool}"), *guest("profiled")]

    def test_profiler_linked_with_some_ranks(self):
        for condition in ("$rank = 0", "$rank = 1", "$rank != 1"):
            for settings, messages in (({}, 1), ({"TOCCATA": "off"}, 0)):
                with self.subTest(condition, settings=settings):
                    command = self.profiled_on(condition, "init")
                    outcome = run(command, 3, settings)
                    self.expect_right(outcome, messages=messages)
                    if messages:
                        self.assertRegex(
                            outcome.messages[0], r"another tool's MPI_Init hides Toccata"
                        )

    def test_profiler_of_one_collective_on_some_ranks(self):
        for condition in ("$rank = 0", "$rank = 1"):
            with self.subTest(condition):
                outcome = run(self.profiled_on(condition, "allreduce"), 3)
                self.expect_right(outcome, messages=1)
                self.assertRegex(outcome.messages[0], "collectives .* hides .*'MPI_Allreduce'")

    def test_profiler_linked_with_all_ranks(self):
        for tool in ("init", "allreduce"):
            with self.subTest(tool):
                self.expect_right(run(guest(f"profiled_at_{tool}"), 3))

    def test_duplicates_under_way(self):
        for settings in (
            {},
            {"TOCCATA": "model", "TOCCATA_NODE": "off"},
            {"TOCCATA_SUMS": "reproducible"},
            FORCED,
        ):
            with self.subTest(settings=settings):
                self.expect_right(run(guest("duplicates"), 4, settings))
        said = int(options.family == "openmpi")  # about persistent calls
        self.expect_right(run([*guest("duplicates"), "toccata"], 4), messages=said)

    def test_communicators_while_algorithms_are_compared(self):
        for settings in ({}, FORCED):
            with self.subTest(settings=settings):
                self.expect_right(run(guest("groups"), 4, settings))

    def test_plugins(self):
        """With "deep", no call reaches the library; it must be the same on all ranks."""
        plugin = str(options.guests / "libplugin.so")
        for more, calls in ([], 100), (["deep"], 0):
            with self.subTest(more):
                outcome = run([*guest("plugins"), plugin, *more], 3, FORCED, reports=True)
                self.expect_right(outcome, messages=0)
                self.assertEqual(sum(each["calls"] for each in outcome.rows), calls)

    def test_a_plugin_whose_calls_reach_the_library_on_some_ranks(self):
        """The other ranks wait for one that never arrives, until a line names the cause."""
        command = where("$rank = 0", 'set -- "$@" deep')
        command += [*guest("plugins"), str(options.guests / "libplugin.so")]
        job = start(command, 3, preloading(options.library) | FORCED)
        heard = job.hear(lambda line: "RTLD_DEEPBIND" in line)
        self.assertRegex("".join(heard), "(?m)^toccata: a rank has waited 10 s .*RTLD_DEEPBIND")

    def test_a_plugin_in_a_namespace_of_its_own(self):
        """Its MPI library is not the one that the library intercepts. Open MPI cannot run there."""
        if options.family.startswith("openmpi"):
            self.skipTest("Open MPI itself cannot run there")
        for condition, messages in (("$rank = 0", 1), ("$rank != 0", 1), ("$rank != 9", 0)):
            with self.subTest(condition):
                command = where(condition, 'set -- "$1" apart')
                command += [*guest("plugins"), str(options.guests / "libplugin.so"), "alone"]
                outcome = run(command, 3, FORCED)
                words = "".join(outcome.out)  # Hydra may join the lines of several ranks
                self.assertEqual(words, "right" * 3, outcome.error)
                self.assertEqual((outcome.code, len(outcome.messages)), (0, messages))
                for line in outcome.messages:
                    self.assertRegex(line, r"rank \d has not loaded")

    def test_two_versions(self):
        everywhere = {"TOCCATA_ALLGATHER": "ring"}
        line = r"rank \d has not loaded this version|version of Toccata is '\d.* on rank \d"
        with tempfile.TemporaryDirectory() as folder:
            copy = another_version(options.library, folder)
            for condition in ("$rank = 0", "$rank = 1"):
                with self.subTest(condition):
                    # `only` sets LD_PRELOAD last, for the ranks with the other version.
                    command = only(condition, preloading(copy))
                    command += [*guest("communicators"), "alive", "1"]
                    outcome = run(command, 3, everywhere)
                    self.expect_right(outcome, messages=1)
                    self.assertRegex(outcome.messages[0], line)

    def test_first_call_nonblocking(self):
        for libraries in ([], None):
            with self.subTest(libraries):
                self.expect_right(run(guest("first_call"), 4, libraries=libraries))

    def tools(self):
        """Programs that do all they do by functions that the tool wraps."""
        fortran = guest("tools_fortran")
        yield [*guest("communicators"), "alive", "3"]
        if Path(fortran[0]).exists():
            yield fortran

    def test_tool_behind(self):
        tool = guest("libtool.so")[0]
        both = [options.library, tool]
        for command in self.tools():
            with self.subTest(Path(command[0]).name):
                alone = run(command, 3, libraries=[tool])
                [counted] = [line for line in alone.error.splitlines() if line.startswith("tool: ")]
                self.assertNotIn("allgather 0 ", counted)
                self.assertIn(counted, run(command, 3, libraries=both).error.splitlines())
                forced = run(command, 3, {"TOCCATA_ALLGATHER": "ring"}, libraries=both)
                self.expect_right(forced)
                self.assertRegex(forced.error, r"tool: allgather 0 .* finalize 1")
        # Of these three allreduces, one has an operation that does not commute: it is passed on.
        outcome = run(program("rooted_c"), 3, {"TOCCATA_ALLREDUCE": "ring"}, libraries=both)
        self.expect_right(outcome)
        self.assertRegex(outcome.error, r"tool: allgather 0 allreduce 1 finalize 1")

    def test_tool_in_front(self):
        tool = guest("libtool.so")[0]
        for command in self.tools():
            with self.subTest(Path(command[0]).name):
                more = {"TOCCATA_REPORT": "1", "TOCCATA_ALLGATHER": "ring"}
                outcome = run(command, 3, more, libraries=[tool, options.library])
                self.expect_right(outcome, messages=1)
                self.assertRegex(outcome.messages[0], "(?i)no collective")
                self.assertRegex(outcome.error, r"tool: allgather [1-9]\d* .* finalize 1")

    def test_tool_in_front_that_passes_calls_on(self):
        tool = guest("libtool.so")[0]
        more = {"TOOL_PASSES_ON": "1", "TOCCATA_ALLGATHER": "ring"}
        alone = run(program("c"), 3, libraries=[tool])
        both = run(program("c"), 3, more, libraries=[tool, options.library], reports=True)
        self.expect_right(both)
        counts = [re.findall(r"^tool: .*", each.error, re.MULTILINE) for each in (alone, both)]
        self.assertEqual(counts[0], counts[1])
        self.assertIn(("allgather", 3, "ring"), both.calls)

    def test_memory_of_large_messages(self):
        more = {"TOCCATA_ALLREDUCE": "recursive_doubling"}
        command = [*guest("memory"), "large", "60"]
        native, ours = self.numbers(command, 2, more, "allreduce of 510000 doubles")
        for before, now in zip(native, ours, strict=True):
            self.assertLessEqual(now, before + 300_000)

    def test_memory_kept_by_a_communicator(self):
        command = [*guest("memory"), "kept", "900"]
        native, ours = self.numbers(command, 2, FORCED, "every collective once")
        self.assertLessEqual(ours[0], native[0] + 3072)

    def test_nothing_asked_costs_little_memory(self):
        count = 1900 if options.family == "mpich" else 10000  # MPICH has 2048 context ids
        command = [*guest("memory"), "unasked", str(count)]
        native, ours = self.numbers(command, 2, {}, "nothing asked")
        self.assertLessEqual(ours[0], native[0] + 1536)

    def test_library_of_another_family(self):
        self.assertTrue(options.other_libraries, "needs two MPIs")
        for library in options.other_libraries:
            programs = [*options.programs.glob("rooted_*"), *options.programs.glob("neighbors_*")]
            names = sorted(each.name for each in programs)
            # Other interfaces to Fortran call functions that only one family has.
            for name in (each for each in names if each.endswith(("_c", "_f08"))):
                with self.subTest(name):
                    more = {"TOCCATA_ALLGATHER": "ring"} if name == "rooted_c" else {}
                    outcome = run(program(name), 3, more, libraries=[library])
                    self.assertEqual((outcome.code, outcome.lines), (0, ["right"]), outcome.error)
                    self.assertIn(len(outcome.messages), (1, 2, 3), outcome.error)
                    for message in outcome.messages:
                        self.assertIn(options.library, message)

    def test_wrong_arguments(self):
        # Open MPI does not check NULL buffers, and MPICH does not check for a negative count in an
        # allreduce.
        unlooked = {"openmpi": (1, 2, 7, 10, 18), "mpich": (8,)}[options.family]
        command = guest("arguments") + [str(i) for i in range(19) if i not in unlooked]
        expected, outcome = bare(command, 2), run(command, 2, FORCED)
        self.expect_right(expected)
        self.expect_right(outcome)
        words = [
            [re.sub("0x[0-9a-f]+", "ADDRESS", line) for line in each.lines]
            for each in (expected, outcome)
        ]
        if options.family == "openmpi":  # its text names only the class
            words = [[line.split(":")[1] for line in each if ":" in line] for each in words]
        self.assertEqual(words[1], words[0])

    def test_impossible_without_rank_0(self):
        outcome = run(program("c"), 4, {"TOCCATA_ALLGATHER": "recursive_doubling"}, reports=True)
        self.expect_right(outcome, messages=1)
        self.assertIn("TOCCATA_ALLGATHER=recursive_doubling: ", outcome.messages[0])
        self.assertIn(("allgather", 3, "native, for recursive_doubling"), outcome.calls)

    # The last rank copies them; the other ranks are not affected.
    def test_device_buffers(self):
        more = {"TOCCATA_ALLGATHER": "ring", "TOCCATA_ALLREDUCE": "ring"}
        outcome = run(guest("device"), 3, more, reports=True)
        self.expect_right(outcome)
        for collective in ("allgather", "allreduce"):
            rows = {row[2]: n for row, n in outcome.calls.items() if row[0] == collective}
            native = sum(n for name, n in rows.items() if "native" in name)
            self.assertEqual((rows.get("ring"), native), (7, 0), outcome.error)
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            self.expect_right(run(guest("device"), 3, more | {"TOCCATA_REPORT": str(report)}))
            devices = json.loads(report.read_text())["devices"]
            self.assertEqual(len(devices), 1)
            self.assertRegex(devices[0], "^CUDA is loaded; .* through pinned host")

    # Every rank has the substitute for CUDA. The test must find out whether the MPI library accepts
    # its memory; a library that does not ends the program.
    def test_doctor_tries_direct_messages(self):
        asked = {"TOCCATA_DOCTOR": "1"}
        told = run(guest("device"), 3, asked).error
        self.assertIn("devices: CUDA is loaded; the MPI library does not report", told)
        self.assertNotIn("doctor: transfers", told)
        libraries = [options.library, str(options.guests / "libaware.so")]
        there = {"DEVICES": str(options.guests / "libcuda.so.1")}
        told = run(guest("device"), 3, asked | there, libraries).error
        self.assertIn("accepts device memory (MPIX_Query_cuda_support)", told)
        self.assertNotIn("doctor: transfers", told)
        direct = {"TOCCATA_DEVICE": "direct"}
        told = run(guest("device"), 3, asked | there | direct, libraries).error
        self.assertIn("doctor: transfers: right", told)
        outcome = run(guest("device"), 3, asked | direct)
        self.assertNotEqual(outcome.code, 0)
        self.assertIn("doctor: transfers begin", outcome.error)
        self.assertNotIn("doctor: transfers: right", outcome.error)

    def test_rotating_roots(self):
        [native], [ours] = self.numbers([*guest("roots"), "20"], 5, FORCED, "rotating roots")
        self.assertLessEqual(ours, max(native, 0) + 16_384)

    @unittest.skipUnless(options and options.family == "mpich", "MPI 4")
    def test_counts(self):
        self.expect_right(run(guest("counts"), 3, FORCED))

    @unittest.skipUnless(options and options.family == "mpich", "MPI 4")
    def test_sessions(self):
        for how in ("world", "only"):
            with self.subTest(how):
                self.expect_right(run([*guest("sessions"), how], 4, FORCED))

    def test_some_ranks_of_a_mesh(self):
        more = {"TOCCATA_ALLGATHER": "torus_bucket", "TOCCATA_REDUCE_SCATTER": "torus_multiport"}
        more |= {"TOCCATA_BCAST": "torus_mst", "TOCCATA_ALLREDUCE": "torus_long"}
        self.expect_right(run(guest("mesh"), 4, more))

    def test_handles_of_an_operation(self):
        for more in ({}, {"TOCCATA_ALLREDUCE": "ring:travel=published"}):
            self.expect_right(run(guest("handles"), 3, FORCED | more))

    def test_threads(self):
        self.assertEqual(self.expect_as_bare(guest("threads"), 3, FORCED)[0], "multiple")

    # MPICH's ch4 over UCX cannot spawn; and Open MPI sometimes hangs there, also bare.
    @unittest.skipUnless(options and options.family == "openmpi", "spawning works in Open MPI")
    # Ranks of another world may have other settings, or lack the library. On a communicator of both
    # worlds, each world reports once that native is used.
    def test_spawned(self):
        other = [*guest("spawned"), "TOCCATA_TOPOLOGY=reorder:off"]
        reorders = {"TOCCATA_TOPOLOGY": "reorder:topologies"}
        for command, settings in ((guest("spawned"), FORCED), (other, FORCED | reorders)):
            outcome = run(command, 3, settings, for_launcher=True)
            if outcome.error.startswith("hangs"):
                outcome = run(command, 3, settings, for_launcher=True)
            self.expect_right(outcome, messages=len(outcome.messages))
            self.assertTrue(outcome.messages, outcome.error)
            for message in outcome.messages:
                self.assertIn("outside MPI_COMM_WORLD", message)

    @unittest.skipUnless(options and options.family == "openmpi", "spawning works in Open MPI")
    def test_the_report_is_that_of_the_first_world(self):
        outcome = run(guest("spawned"), 3, for_launcher=True, reports=True)
        self.assertEqual(outcome.code, 0, outcome.error)
        self.assertIn("spawned ranks write no report", outcome.error)
        self.assertIn(3, {row["ranks"] for row in outcome.rows})

    def test_files_after_the_working_directory_has_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            command = ["sh", "-c", 'cd "$0" && exec "$@"', folder, *guest("moves")]
            self.expect_right(run(command, 2, {"TOCCATA_REPORT": "report.json"}))
            report = json.loads((Path(folder) / "report.json").read_text())
        self.assertEqual(report["ranks"], 2)

    # Open MPI's treematch sometimes hangs, also bare: this test does not use it.
    def test_graph(self):
        more = FORCED | {"OMPI_MCA_topo": "basic"}
        self.expect_right(run(guest("graph"), 4, more))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
