"""The walk of one call (docs/design/0024-one-road.md) is that of the sources: its rooms exist,
there are few of them, none of them includes one above it, and its words are names in the code.
"""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from includes_test import included_units  # noqa: E402

PAGE = (ROOT / "docs/design/0024-one-road.md").read_text()
MOST_ROOMS = 14
MOST_WORDS = 12


def rooms():
    """The units in the table of the walk, from top to bottom."""
    walk = PAGE.split("**The walk**")[1].split("**The words**")[0]
    return re.findall(r"^\| `([\w/]+)` \|", walk, re.MULTILINE)


def words():
    """The words of the walk, and the names in the code that they have there."""
    text = PAGE.split("**The words**")[1].split("\n\n")[0]
    return re.findall(r"\*([\w ]+)\*(?: \(`(\w+)`)?", text)


def all_included(includes, unit):
    """The units that this one includes, directly or through others."""
    found, left = set(), [unit]
    while left:
        new = includes[left.pop()] - found
        found |= new
        left.extend(new)
    return found


class Walk(unittest.TestCase):
    def test_has_few_rooms_which_exist(self):
        self.assertGreater(len(rooms()), 5)
        self.assertLessEqual(len(rooms()), MOST_ROOMS)
        for room in rooms():
            self.assertTrue((ROOT / "src" / f"{room}.h").is_file(), room)

    def test_never_climbs(self):
        includes = included_units(ROOT / "src")
        reached = {rooms()[0]}
        for place, room in enumerate(rooms()):
            climbs = includes[room] & set(rooms()[:place])
            self.assertEqual(climbs, set(), f"{room} includes rooms above it")
            self.assertIn(room, reached, "no room above includes it, directly or through others")
            reached |= all_included(includes, room)

    def test_has_few_words_which_are_names(self):
        self.assertGreater(len(words()), 5)
        self.assertLessEqual(len(words()), MOST_WORDS)
        code = "".join(each.read_text() for each in (ROOT / "src").rglob("*.h"))
        for word, name in words():
            name = name or "".join(part.capitalize() for part in word.split())
            self.assertRegex(code, rf"\b(class|struct) {name}\b", word)


if __name__ == "__main__":
    unittest.main()
