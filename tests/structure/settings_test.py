"""Each setting is defined once, by a row of src/choices/variables.cpp.

Known names, accepted values, the manual, docs/settings.md and `toccata doctor` follow from the row.
The sources read no other setting, and each row for users has a reader.
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "src/choices/variables.cpp"
OLD_NAMES = ROOT / "src/choices/old_settings.cpp"
MOST = 8  # settings for users, besides one per collective
# The code that may read a setting: the library, the command line, and simulations.
SOURCES = ("src", "python", "platforms")
SUFFIXES = {".h", ".c", ".cpp", ".in", ".py"}


def defined():
    """All settings of the table, those of them for users, and those of the collectives."""
    rows = re.findall(r'^ +Variable\{\s*"(TOCCATA\w*)"([,}])', TABLE.read_text(), re.MULTILINE)
    collectives = [
        name
        for path in sorted((ROOT / "src/collectives").glob("*.cpp"))
        for name in re.findall(r'"(TOCCATA_\w+)"', path.read_text())
    ]
    return [name for name, _ in rows], [name for name, end in rows if end == ","], collectives


def named():
    """{setting: files of the sources with a string that consists of its name, or assigns to it}"""
    found = {}
    for path in (each for folder in SOURCES for each in (ROOT / folder).rglob("*")):
        if path.suffix in SUFFIXES and path not in (TABLE, OLD_NAMES):
            for name in re.findall(r'"(TOCCATA(?:_[A-Z_]*[A-Z])?)["=]', path.read_text()):
                found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
    return found


class Settings(unittest.TestCase):
    def test_each_is_a_row_of_one_table(self):
        rows, for_users, collectives = defined()
        self.assertGreater(len(rows), 10, "is this the table?")
        self.assertGreater(len(set(collectives)), 10, "are these the collectives?")
        self.assertEqual(len(rows), len(set(rows)), "a name occurs twice")
        used = named()
        unknown = {name: files for name, files in used.items() if name not in {*rows, *collectives}}
        self.assertEqual(unknown, {}, "not in src/choices/variables.cpp")
        self.assertEqual(
            [each for each in for_users if each not in used], [], "nothing reads these"
        )

    def test_they_are_few(self):
        self.assertLessEqual(len(defined()[1]), MOST)

    def test_old_names_stand_for_settings(self):
        rows = re.findall(r'OldSetting\{"(\w+)", "\w+", "(\w*)"', OLD_NAMES.read_text())
        self.assertGreater(len(rows), 10, "is this the table?")
        known = {*defined()[0], ""}
        self.assertEqual([each for each in rows if each[0] in known or each[1] not in known], [])

    def test_no_code_compares_names_of_settings(self):
        """Rules for values belong to the row; see complaint_of_value()."""
        code = TABLE.read_text().partition("std::array known{")[2].partition("};\n\n")[2]
        self.assertNotRegex(code, r'"TOCCATA_[A-Z]')


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
