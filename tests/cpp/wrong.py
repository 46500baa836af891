"""Compiles each CASE of wrong.cpp: all except the first must fail, with the message next to it.

wrong.py COMPILER OPTION...
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).with_name("wrong.cpp")
FIRST_ERROR = 12  # lines of the compiler's output that must contain the message


def outcome(case: int) -> tuple[int, str]:
    """The exit code of the compiler, and its output."""
    command = [*sys.argv[1:], "-fsyntax-only", "-Werror=unused-result", f"-DCASE={case}"]
    done = subprocess.run([*command, SOURCE], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def main() -> None:
    """Prints the differences from the expected result."""
    expected = {
        int(case): message
        for case, message in re.findall(r"CASE == (\d+) +// (.*)", SOURCE.read_text())
    }
    assert len(expected) >= 14, expected
    faults = []
    with ThreadPoolExecutor(2) as pool:
        outcomes = dict(zip([0, *expected], pool.map(outcome, [0, *expected]), strict=True))
    code, said = outcomes.pop(0)
    if code != 0:
        faults.append(f"CASE 0 does not compile:\n{said}")
    for case, (code, said) in outcomes.items():
        first = "\n".join(said.splitlines()[:FIRST_ERROR]).replace("‘", "").replace("’", "")
        if code == 0:
            faults.append(f"CASE {case} compiles, but must not: {expected[case]}")
        elif not re.search(expected[case], first):
            faults.append(f"CASE {case} fails without saying '{expected[case]}':\n{first}")
    print("\n".join(faults) or f"{len(expected)} wrong programs were rejected, with the reason")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
