"""Finds phrases of scripts/english.toml in the texts of the project.

english.py [FILE]...: all files in git by default. Exit code 1 with one line for each finding.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "scripts/english.toml"
SUFFIXES = r"(\.(md|rst|pyi?|h|c|cpp|in|F90|sh|txt|toml))?"  # none: Makefile and the like
DATA = ("tests/data/", "platforms/data/")


@dataclass(frozen=True)
class Phrase:
    """A phrase to avoid; `example` is a text that contains it."""

    pattern: re.Pattern[str]
    instead: str
    example: str


@dataclass(frozen=True)
class Exemption:
    """Lines that contain `line`, in files whose path begins with `path`, may contain any phrase."""

    path: str
    line: re.Pattern[str]


@dataclass(frozen=True)
class Finding:
    path: str
    number: int
    text: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path}:{self.number}: '{self.text}': write {self.instead}"


def read(path: Path = LIST) -> tuple[list[Phrase], list[Exemption]]:
    with path.open("rb") as file:
        lists = tomllib.load(file)
    phrases = [
        Phrase(re.compile(each["pattern"], re.IGNORECASE), each["instead"], each["example"])
        for each in lists["phrase"]
    ]
    exemptions = [
        Exemption(each["path"], re.compile(each["line"])) for each in lists.get("exception", [])
    ]
    return phrases, exemptions


def findings(
    path: str, text: str, phrases: Sequence[Phrase], exemptions: Sequence[Exemption]
) -> Iterator[Finding]:
    """At most one per line and phrase. A phrase that a line break divides is found as well."""
    rules = [each.line for each in exemptions if path.startswith(each.path)]
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if any(rule.search(line) for rule in rules):
            continue
        following = lines[number] if number < len(lines) else ""
        # Without the marks at the beginning of a comment's line.
        joined = line.rstrip() + " " + re.sub(r"^\s*(//|#|\*)?\s*", "", following)
        for phrase in phrases:
            found = phrase.pattern.search(line)
            if not found:
                found = phrase.pattern.search(joined)
                if found and found.start() >= len(line.rstrip()):
                    found = None  # it is entirely on the following line
            if found:
                yield Finding(path, number, found[0], phrase.instead)


def texts() -> list[str]:
    """The paths of all texts that git knows."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return [
        each
        for each in listed
        if re.fullmatch(SUFFIXES, Path(each).suffix)
        and not each.startswith(DATA)
        and (ROOT / each).is_file()
    ]


def main(arguments: Iterable[str]) -> int:
    phrases, exemptions = read()
    count = 0
    for path in list(arguments) or texts():
        content = (ROOT / path).read_text(errors="replace")
        for finding in findings(path, content, phrases, exemptions):
            print(finding)
            count += 1
    if count:
        print(f"{count} phrases that english.toml rejects; exceptions belong in that file too")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
