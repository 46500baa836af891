"""No two units of src/ include each other, directly or indirectly. The folders of src/ and of
src/mpi/ include only what CONTRIBUTING.md permits.

A unit is a header with its source file: `node/board.h` and `node/board.cpp` are one unit. Files
that end in `.in`, from which the build generates sources, count as well. Only the modules named
below include <mpi.h>.
"""

import re
import sys
import unittest
from collections import defaultdict

from permitted import ROOT, by_arrows, by_order, says

SOURCES = ROOT / "src"
KNOW_MPI = {"mpi", "api", "preload", "recording", "simulator"}


def unit_of(path):
    return re.sub(r"\.(h|cpp)(\.in)?$", "", str(path))


def included_units(folder, root=SOURCES):
    """{unit of the folder: {unit of the folder that it includes}}, named from the root."""
    files = [path for path in folder.rglob("*") if re.search(r"\.(h|cpp)(\.in)?$", path.name)]
    units = {unit_of(path.relative_to(root)) for path in files}
    result = defaultdict(set)
    for path in files:
        unit = unit_of(path.relative_to(root))
        for name in re.findall(r'^\s*#\s*include "(.*)"', path.read_text(), re.MULTILINE):
            if unit_of(name) in units - {unit}:
                result[unit].add(unit_of(name))
    return result


def cycle_in(includes):
    """Units that include each other in a cycle, in this order; None if there is no cycle."""
    over, path = set(), []

    def visit(unit):
        if unit in path:
            return path[path.index(unit) :]
        if unit in over:
            return None
        path.append(unit)
        for each in sorted(includes.get(unit, ())):
            if cycle := visit(each):
                return cycle
        over.add(path.pop())
        return None

    for unit in sorted(includes):
        if cycle := visit(unit):
            return cycle
    return None


def wrong_includes(path, source, root, permitted):
    """The complaints about a file below src/, whose path is relative to src/. `root` is "" for the
    folders of src/, or "mpi/" for its folders."""

    def folder_of(name):
        inside = name.startswith(root) and "/" in name.removeprefix(root)
        return name.removeprefix(root).split("/")[0] if inside else None

    own = folder_of(path)
    for number, line in enumerate(source.splitlines(), 1):
        included = re.match(r'\s*#\s*include "(.*)"', line)
        folder = folder_of(included[1]) if included else None
        if folder in (None, own, "toccata"):  # the last one is of include/
            continue
        if folder not in permitted[own]:
            yield says(f"src/{path}:{number}", f"{root}{own}", line.strip(), permitted[own])


class Includes(unittest.TestCase):
    def test_no_units_include_each_other(self):
        includes = included_units(SOURCES)
        self.assertGreater(len(includes), 100, "are these the sources?")
        cycle = cycle_in(includes)
        self.assertIsNone(cycle, " -> ".join([*(cycle or []), (cycle or [""])[0]]))

    def test_folders_include_only_what_is_permitted(self):
        of_mpi = {
            row.rstrip("/"): {each.rstrip("/") for each in above}
            for row, above in by_order("src/mpi/").items()
        }
        for root, permitted in (("", by_arrows()), ("mpi/", of_mpi)):
            place = SOURCES / root
            folders = {each.name for each in place.iterdir() if each.is_dir()}
            self.assertEqual(set(permitted), folders, f"the lists of CONTRIBUTING.md, src/{root}")
            files = [each for each in sorted(place.rglob("*/*.*")) if each.is_file()]
            self.assertGreater(len(files), 50, "are these the sources?")
            found = [
                each
                for file in files
                for each in wrong_includes(
                    str(file.relative_to(SOURCES)), file.read_text(), root, permitted
                )
            ]
            self.assertFalse(found, "\n".join(["", *found]))

    def test_wrong_includes_are_found(self):
        text = "- a ← b ← c\n- d ← b\n- all of these ← e\n"
        permitted = by_arrows(text)
        self.assertEqual(permitted, {"a": set(), "b": {"a", "d"}, "c": {"a", "b", "d"},
                                     "d": set(), "e": {"a", "b", "c", "d"}})  # fmt: skip
        source = '#include "a/x.h"\n#include "c/x.h"\n#include "b/y.h"\n'
        self.assertEqual(
            list(wrong_includes("b/x.h", source, "", permitted)),
            ['src/b/x.h:2: `#include "c/x.h"`: b may use only a, d (CONTRIBUTING.md)'],
        )
        with self.assertRaisesRegex(ValueError, "a ← b ← a|b ← a ← b"):
            by_arrows("- a ← b\n- b ← a\n")

    def test_a_cycle_is_found(self):
        self.assertEqual(cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c"])

    def test_only_the_modules_of_mpi_know_it(self):
        for path in SOURCES.rglob("*.*"):
            module = path.relative_to(SOURCES).parts[0]
            if path.suffix in {".h", ".cpp"} and module not in KNOW_MPI:
                self.assertNotRegex(path.read_text(), r'#\s*include [<"](mpi\.h|mpi/)', str(path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
