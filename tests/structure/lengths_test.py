"""No function of the Python package has more than 60 lines, none of src/ more than 70, no
algorithm more than 100. The documents have limits, too, so a new page needs shorter ones elsewhere.

The lines of a function include its signature and docstring: a command reads its options, calls the
functions that do the work, and prints. An algorithm is one file, which reads like its paper.
"""

import ast
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "python/toccata"
MOST_LINES = 60
MOST_LINES_IN_CPP = 70
MOST_LINES_OF_ALGORITHM = 100
MOST_LINES_OF = {"README.md": 110, "docs/design/*.md": 120, "docs/performance/*.md": 150}
MOST_LINES_OF_DOCUMENTS = 4000


def lengths(source):
    """{name of a function: its lines}"""
    return {
        each.name: each.end_lineno - each.lineno + 1
        for each in ast.walk(ast.parse(source))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def lengths_in_cpp(source):
    """{first line of a function: its lines}, for functions outside classes, as clang-format lays
    them out: they begin and end at the margin."""
    result, first, begin = {}, "", 0
    for number, line in enumerate(source.splitlines()):
        if line == "}" and first:
            result[first] = number - begin + 1
        if line.startswith(("}", "namespace ", "class ", "struct ", "enum ")) or line.endswith(";"):
            first = "" if line[:1] not in {"", " "} else first
        elif not first and line[:1] not in {"", " ", "#", "/"}:
            first, begin = line, number
    return result


class Lengths(unittest.TestCase):
    def test_functions_are_short(self):
        files = list(PACKAGE.rglob("*.py"))
        self.assertGreater(len(files), 80, "is this the package?")
        for path in files:
            for name, lines in lengths(path.read_text()).items():
                where = f"{path.relative_to(PACKAGE)}: {name} has {lines} lines"
                self.assertLessEqual(lines, MOST_LINES, where)

    def test_algorithms_are_short(self):
        files = list((ROOT / "src/algorithms").glob("*/*.cpp"))
        self.assertGreater(len(files), 100, "are these the algorithms?")
        for path in files:
            lines = len(path.read_text().splitlines())
            self.assertLessEqual(lines, MOST_LINES_OF_ALGORITHM, path.relative_to(ROOT))

    def test_documents_are_short(self):
        for pages, most in MOST_LINES_OF.items():
            files = list(ROOT.glob(pages))
            self.assertTrue(files, pages)
            for path in files:
                lines = len(path.read_text().splitlines())
                self.assertLessEqual(lines, most, path.relative_to(ROOT))
        every = [len(path.read_text().splitlines()) for path in (ROOT / "docs").rglob("*.md")]
        self.assertGreater(len(every), 50, "are these the documents?")
        self.assertLessEqual(sum(every), MOST_LINES_OF_DOCUMENTS)

    def test_functions_in_cpp_are_short(self):
        functions = 0
        for path in [*ROOT.glob("src/**/*.cpp"), *ROOT.glob("src/**/*.h")]:
            for name, lines in lengths_in_cpp(path.read_text()).items():
                functions += 1
                where = f"{path.relative_to(ROOT)}: {name} has {lines} lines"
                self.assertLessEqual(lines, MOST_LINES_IN_CPP, where)
        self.assertGreater(functions, 1000, "are these the functions?")

    def test_lines_of_functions_in_cpp(self):
        source = "int f() {\n  return 0;\n}\n\nvoid g(int a,\n       int b) {\n\n  a += b;\n}\n"
        self.assertEqual(
            lengths_in_cpp(f"namespace n {{\n{source}}}\n"), {"int f() {": 3, "void g(int a,": 5}
        )

    def test_signature_docstring_and_inner_functions_count(self):
        source = 'def f(\n    a,\n):\n    """Does."""\n\n    def g():\n        return a\n'
        self.assertEqual(lengths(source), {"f": 7, "g": 2})


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
