"""The permitted includes and imports, as CONTRIBUTING.md lists them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text()


def by_arrows(text=TEXT):
    """{folder of src/: the folders that it may include}.

    In a line such as "- schedule ← patterns, node ← mpi", a folder may include all folders to its
    left, and the folders that these may include. "all of these" are the folders named before.
    """
    direct = {}
    for line in re.findall(r"^- (.* ← .*?)[;.]?$", text, re.MULTILINE):
        left = []
        for group in line.split(" ← "):
            named = []
            for name in group.split(", "):
                named += list(direct) if name == "all of these" else [name]
            for name in named:
                direct[name] = direct.get(name, set()) | set(left)
            left += named
    result = {}

    def all_of(name, path=()):
        if name in path:
            raise ValueError(f"CONTRIBUTING.md permits a cycle: {' ← '.join([*path, name])}")
        if name not in result:
            below = [all_of(each, (*path, name)) for each in sorted(direct[name])]
            result[name] = direct[name].union(*below)
        return result[name]

    for name in direct:
        all_of(name)
    return result


def by_order(heading, text=TEXT):
    """{row of the map: the rows above it}, for the rows that are indented below a heading, such as
    "src/mpi/"."""
    below = re.search(rf"^    {re.escape(heading)} .*\n((?:      .*\n)+)", text, re.MULTILINE)
    if below is None:
        raise ValueError(f"CONTRIBUTING.md has no list below {heading}")
    rows = re.findall(r"^      (\S+)", below[1], re.MULTILINE)
    return {row: set(rows[:i]) for i, row in enumerate(rows)}


def says(where, row, what, may):
    """The complaint about an include or import."""
    permitted = f"only {', '.join(sorted(may))}" if may else "no other"
    return f"{where}: `{what}`: {row} may use {permitted} (CONTRIBUTING.md)"
