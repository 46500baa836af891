"""Collectives while a program ends, and on small stacks, are the same as without the library."""

import argparse
import re
import subprocess
import sys
import unittest
from itertools import product
from pathlib import Path

from jobs import Job, Outcome, whole

arguments = argparse.ArgumentParser()
arguments.add_argument("--library", required=True)
arguments.add_argument("--also-preload", default="")
arguments.add_argument("--launcher", required=True, help="command line, separated by semicolons")
arguments.add_argument("--programs", required=True, type=Path, help="folder of the programs")
arguments.add_argument("--sanitized", action="store_true", help="the library was instrumented")
arguments.add_argument("--patience", type=float, default=60, help="seconds; then a program hangs")
arguments.add_argument("tests", nargs="*")
options = arguments.parse_args() if __name__ == "__main__" else None

SETTINGS = ({}, {"TOCCATA": "off"}, {"TOCCATA_REPORT": "1"})
FORCED = {"TOCCATA_ALLREDUCE": "recursive_doubling", "TOCCATA_BARRIER": "dissemination"}
TRIALS = {"TOCCATA_NODE": "off", "TOCCATA": "model"}
# MPI's own algorithm combines elements on the root only.
ALL_REDUCE = {"TOCCATA_NODE": "off", "TOCCATA_REDUCE": "reduce_scatter_gather"}
# The right output.
HANDLERS = ["in main", "at exit"]
OBJECTS = ["main", "destructor"]
THREADS = ["main", *(["thread", "thread_local", "key", "key"] * 30), "destructor"]
PLUGIN = ["plugin", "unloaded"]
MOST_STACK = 8 << 10  # bytes that the library may need in addition to the MPI library


def run(program, *more, settings=None, ranks=2, preloads=True):
    command = [str(options.programs / program), *map(str, more)]
    libraries = [options.library if preloads else "", options.also_preload]
    settings = {"LD_PRELOAD": " ".join(filter(None, libraries)), **(settings or {})}
    launcher = options.launcher.split(";")
    return Outcome(Job(launcher, options.patience, command, ranks, settings).outcome())


def shown(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def unresolved(library):
    """The functions that a library takes from others, without versions."""
    lines = shown("nm", "-D", "--undefined-only", "--format=posix", library).splitlines()
    return {line.split()[0].split("@")[0] for line in lines}


class Ending(unittest.TestCase):
    def expect(self, lines, program, *more, settings=None, preloads=True):
        with self.subTest(program=program, more=more, settings=settings, preloads=preloads):
            outcome = run(program, *more, settings=settings, preloads=preloads)
            self.assertEqual(outcome.lines, lines, outcome.error)
            self.assertEqual(outcome.code, 0, outcome.error)

    def test_bare_programs_end_well(self):
        plugin = options.programs / "plugin.so"
        for order in ("before", "after"):
            self.expect(HANDLERS, "handlers", order, "bagnid", 40, 40, preloads=False)
        for kind in ("global", "local", "thread"):
            self.expect(OBJECTS, "objects", kind, preloads=False)
        self.expect(THREADS, "objects", "threads", preloads=False)
        self.expect(PLUGIN, "host", plugin, preloads=False)

    # After few calls, the first call at exit finds fresh data; after 40, the choices are made.
    def test_exit_handlers(self):
        for kind, numbers in product("banid", ((0, 40), (1, 1), (5, 5), (40, 40))):
            self.expect(HANDLERS, "handlers", "before", kind, *numbers)

    def test_orders_of_handlers_and_settings(self):
        for order, settings in product(("before", "after"), (*SETTINGS, FORCED)):
            self.expect(HANDLERS, "handlers", order, "bagnid", 40, 40, settings=settings)

    def test_destructors_of_objects(self):
        for kind, settings in product(("global", "local", "thread"), SETTINGS):
            self.expect(OBJECTS, "objects", kind, settings=settings)

    def test_destructors_of_threads(self):
        self.expect(THREADS, "objects", "threads")

    def test_an_attribute_of_the_world(self):
        bare = run("attribute", preloads=False)
        self.assertIn(bare.lines, (["in main"], ["in main", "in callback"]), bare.error)
        for settings in (*SETTINGS, FORCED):
            self.expect(bare.lines, "attribute", settings=settings)

    def test_an_unloaded_plugin(self):
        for settings in SETTINGS:
            self.expect(PLUGIN, "host", options.programs / "plugin.so", settings=settings)

    def test_stop_of_fortran(self):
        if not (options.programs / "stop").exists():
            self.skipTest("no Fortran")
        for settings in SETTINGS:
            self.expect(HANDLERS, "stop", settings=settings)

    # The C++ library's own object for standard output flushes it when its last user has ended.
    def test_nothing_in_the_library_is_destroyed(self):
        taken = unresolved(whole(options.library))
        self.assertIn("PMPI_Init", taken, "is this the library?")
        for name in ("__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit"):
            self.assertNotIn(name, taken)
        self.assertNotIn("_ZNSt8ios_base4InitC1Ev", taken, "a source file includes <iostream>")

    # The compiler's own, and the line that says that no call came (preload/begin.cpp).
    def test_one_function_of_ours_runs_at_exit(self):
        if options.sanitized:
            self.skipTest("the compiler adds functions")
        sections = shown("readelf", "--sections", "--wide", whole(options.library))
        size = re.search(r"\.fini_array\s+FINI_ARRAY\s+\w+\s+\w+\s+(\w+)", sections)
        self.assertEqual(int(size[1], 16), 2 * 8)

    def test_the_library_stays_loaded(self):
        for library in {options.library, whole(options.library)}:
            self.assertIn("NODELETE", shown("readelf", "--dynamic", "--wide", library))


class Stack(unittest.TestCase):
    KINDS = ("b", "B", "g", "c", "v", "n", "a", "r", "l", "i", "d")

    def setUp(self):
        if options.sanitized:
            self.skipTest("instrumented functions need more")

    # By rank.
    def used(self, kind, settings, preloads):
        outcome = run("stack", kind, 120, 1024, settings=settings, preloads=preloads)
        self.assertEqual(outcome.code, 0, outcome.error)
        return [used for _, used in sorted(tuple(map(int, each.split())) for each in outcome.lines)]

    # 120 calls of a kind: from the first one to the end of the trials.
    def test_calls_need_little_more_than_those_of_mpi(self):
        for kind in self.KINDS:
            bare = self.used(kind, {}, False)
            for settings in ({}, TRIALS, *([ALL_REDUCE] if kind == "r" else [])):
                used = self.used(kind, settings, True)
                print(f"\nstack of {kind}: bare {bare}, preloaded {used}", file=sys.stderr)
                with self.subTest(kind=kind, settings=settings):
                    for ours, native in zip(used, bare, strict=True):
                        self.assertLessEqual(ours, native + MOST_STACK)

    def test_threads_with_64_kib(self):
        for settings in ({}, TRIALS):
            outcome = run("stack", "bBgcn", 120, 64, settings=settings)
            self.assertEqual(outcome.code, 0, outcome.error)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)
