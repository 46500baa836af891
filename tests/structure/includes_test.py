"""No two units of src/ include each other, directly or indirectly; nor do two folders of
src/, or of src/mpi/.

A unit is a header with its source file: `node/board.h` and `node/board.cpp` are one unit. Files
that end in `.in`, from which the build generates sources, count as well. Only the modules named
below include <mpi.h>.
"""

import re
import sys
import unittest
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src"
KNOW_MPI = {"mpi", "api", "preload", "simulator"}


def unit_of(path):
    return re.sub(r"\.(h|cpp|cpp\.in)$", "", str(path))


def included_units(folder, root=SOURCES):
    """{unit of the folder: {unit of the folder that it includes}}, named from the root."""
    files = [path for path in folder.rglob("*") if re.search(r"\.(h|cpp|cpp\.in)$", path.name)]
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


class Includes(unittest.TestCase):
    def test_no_units_include_each_other(self):
        includes = included_units(SOURCES)
        self.assertGreater(len(includes), 100, "are these the sources?")
        cycle = cycle_in(includes)
        self.assertIsNone(cycle, " -> ".join([*(cycle or []), (cycle or [""])[0]]))

    def test_no_folders_include_each_other(self):
        for place in (SOURCES, SOURCES / "mpi"):
            depth = len(place.relative_to(SOURCES).parts)
            folders = defaultdict(set)
            for unit, included in included_units(place, SOURCES).items():
                folder = unit.split("/")[depth]
                folders[folder] |= {each.split("/")[depth] for each in included} - {folder}
            self.assertGreater(len(folders), 5, "are these the sources?")
            cycle = cycle_in(folders)
            self.assertIsNone(cycle, " -> ".join([*(cycle or []), (cycle or [""])[0]]))

    def test_a_cycle_is_found(self):
        self.assertEqual(cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c"])

    def test_only_the_modules_of_mpi_know_it(self):
        for path in SOURCES.rglob("*.*"):
            module = path.relative_to(SOURCES).parts[0]
            if path.suffix in {".h", ".cpp"} and module not in KNOW_MPI:
                self.assertNotRegex(path.read_text(), r'#\s*include [<"](mpi\.h|mpi/)', str(path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
