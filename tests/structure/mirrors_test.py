"""Tests lie where readers look for them: the folders of tests/unit/ are those of src/, and the
folders of tests/python/ are those of python/toccata/ (CONTRIBUTING.md).
"""

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
# These tests need an MPI or SimGrid; other folders of tests/ contain them.
NEED_MPI = {"mpi": "mpi", "api": "mpi", "preload": "preload", "recording": "recording",
            "simulator": "simulator"}  # fmt: skip
# Algorithms have no separate tests: tests/unit/algorithms proves and counts all of them.
ALGORITHMS = "algorithms"
BESIDES = {"manual": "manual", "applications": "bench/applications"}  # not of the package


def folders(root, *endings):
    """The folders below that contain such files, for example "topology/reorder"."""
    files = [each for each in root.rglob("*") if each.suffix in endings]
    return {str(each.parent.relative_to(root)) for each in files} - {"."}


class Mirrors(unittest.TestCase):
    def test_unit_has_the_folders_of_src(self):
        tests, sources = folders(ROOT / "tests/unit", ".cpp"), folders(ROOT / "src", ".cpp", ".h")
        self.assertEqual(tests - sources - {ALGORITHMS}, set())
        untested = {each for each in sources - tests if Path(each).parts[0] not in NEED_MPI}
        self.assertEqual([each for each in untested if Path(each).parts[0] != ALGORITHMS], [])
        self.assertIn(ALGORITHMS, tests)
        for folder in NEED_MPI.values():
            self.assertTrue(any((ROOT / "tests" / folder).glob("*_test.*")), folder)

    def test_python_has_the_folders_of_the_package(self):
        tests = folders(ROOT / "tests/python", ".py")
        package = folders(ROOT / "python/toccata", ".py")
        self.assertEqual(tests - set(BESIDES), package)
        for folder, tested in BESIDES.items():
            self.assertTrue(any((ROOT / "tests/python" / folder).glob("test_*.py")), folder)
            self.assertTrue(any((ROOT / tested).glob("*.py")), tested)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
