"""Packages and modules of Python import only those above them in the list of CONTRIBUTING.md, also
in functions.
"""

import ast
import sys
import unittest
from pathlib import Path

from permitted import ROOT, by_order, says

PYTHON = ROOT / "python"
BASIS = "toccata/*.py"
ROWS = by_order("python/")


def row_of(module):
    """The row of a module such as "toccata.topology.machines"; None for compiled modules, which
    every module may import."""
    parts = module.split(".")
    if len(parts) > 1 and parts[1] in ("_core", "_mpi"):
        return None
    for row in (f"toccata/{parts[1]}/", f"toccata/{parts[1]}.py"):
        if row in ROWS:
            return row
    return BASIS


def imports(source):
    """(line, imported module) of the modules of the package; a relative import begins with "."."""
    for each in ast.walk(ast.parse(source)):
        if isinstance(each, ast.ImportFrom):
            base = "." * each.level + (each.module or "")
            names = [f"{base}.{name.name}" for name in each.names] if base == "toccata" else [base]
        elif isinstance(each, ast.Import):
            names = [name.name for name in each.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] in ("toccata", ""):
                yield each.lineno, name


def wrong(path, source):
    """The complaints about a file of the package; its path is relative to python/."""
    own = row_of(".".join(path.with_suffix("").parts))
    for line, name in imports(source):
        row = row_of(name) if name.startswith("toccata.") else name
        if row not in {own, None, *ROWS[own]}:
            code = source.splitlines()[line - 1].strip()
            yield says(f"python/{path}:{line}", own, code, ROWS[own])


class Imports(unittest.TestCase):
    def test_the_list_names_every_package(self):
        packages = {f"toccata/{each.parent.name}/" for each in PYTHON.glob("toccata/*/__init__.py")}
        self.assertEqual({row for row in ROWS if row.endswith("/")}, packages)
        for row in ROWS:
            self.assertTrue(list(PYTHON.glob(row)), f"CONTRIBUTING.md: {row} does not exist")

    def test_only_what_is_permitted_is_imported(self):
        files = sorted(PYTHON.glob("toccata/**/*.py"))
        self.assertGreater(len(files), 80, "is this the package?")
        found = [
            each for file in files for each in wrong(file.relative_to(PYTHON), file.read_text())
        ]
        self.assertFalse(found, "\n".join(["", *found]))

    def test_wrong_imports_are_found(self):
        source = "import toccata.models\n\ndef f():\n    from toccata import errors, cli\n"
        here = Path("toccata/topology/machines.py")
        may = "toccata/topology/ may use only toccata/*.py (CONTRIBUTING.md)"
        self.assertEqual(
            list(wrong(here, source)),
            [
                f"python/{here}:1: `import toccata.models`: {may}",
                f"python/{here}:4: `from toccata import errors, cli`: {may}",
            ],
        )
        [relative] = wrong(here, "from . import tree\n")
        self.assertIn("`from . import tree`", relative)
        for right in ("from toccata import _core, quantities", "from toccata.topology import tree"):
            self.assertEqual(list(wrong(here, right)), [], right)
        self.assertEqual(list(wrong(Path("toccata/cli.py"), source.replace(", cli", ""))), [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
