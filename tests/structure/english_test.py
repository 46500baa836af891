"""The check of phrases (scripts/english.py) finds the right phrases in the right places."""

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
import english


def found(text, path="README.md", exemptions=()):
    phrases, _ = english.read()
    return [(each.number, each.text) for each in english.findings(path, text, phrases, exemptions)]


class English(unittest.TestCase):
    def test_every_phrase_is_found_in_its_example(self):
        phrases, _ = english.read()
        self.assertGreater(len(phrases), 10)
        for phrase in phrases:
            hits = list(english.findings("README.md", phrase.example, [phrase], []))
            self.assertEqual(len(hits), 1, phrase.example)
            self.assertEqual(str(hits[0]).split(": write ")[1], phrase.instead)

    def test_plain_sentences_pass(self):
        for text in (
            "'x' is not a number of ranks",
            "there is no rank that knows",
            "this is no longer so",
            "64 bytes per rank",
            "the requested algorithm",
            "Users who cannot preload export the choices.",
        ):
            self.assertEqual(found(text), [], text)

    def test_a_line_break_hides_nothing_and_counts_once(self):
        self.assertEqual(found("// all ranks but\n  // for the root"), [(1, "but for")])
        self.assertEqual(found("fine\nnobody knows\nfine"), [(2, "nobody")])

    def test_exemptions_hold_for_their_files_and_lines(self):
        rule = english.Exemption("src/", re.compile("quoted"))
        self.assertEqual(found("quoted: nobody", "src/a.h", [rule]), [])
        self.assertEqual(len(found("nobody", "src/a.h", [rule])), 1)
        self.assertEqual(len(found("quoted: nobody", "docs/a.md", [rule])), 1)

    def test_the_projects_texts_are_looked_at(self):
        texts = english.texts()
        for path in ("README.md", "Makefile", "include/toccata/toccata.h", "python/toccata/cli.py"):
            self.assertIn(path, texts)


if __name__ == "__main__":
    unittest.main(argv=sys.argv, verbosity=2)
