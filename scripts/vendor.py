"""Copies packages of this Python's environment, with all their requirements, to a directory.

vendor.py DIRECTORY FILE...: the packages that requirement files name, without their own tests.
Replaces the contents of the directory.
"""

import shutil
import sys
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement


def closure(names: list[str]) -> set[str]:
    """These packages and all their installed requirements, without extras."""
    found: set[str] = set()
    while names:
        name = names.pop()
        if name.lower() in found:
            continue
        found.add(name.lower())
        for text in distribution(name).requires or []:
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                names.append(needed.name)
    return found


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    target = Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    lines = [line for each in sys.argv[2:] for line in Path(each).read_text().splitlines()]
    wanted = [Requirement(line).name for line in lines if line and not line.startswith("#")]
    for name in sorted(closure(wanted)):
        for file in distribution(name).files or []:
            if ".." in file.parts or {"tests", "__pycache__"} & set(file.parts):
                continue  # programs in bin/ do not belong into this directory
            place = target / file
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file.locate(), place)


if __name__ == "__main__":
    main()
