"""The lines of src/ that the tests have run, per folder; and the files with the most missing lines.

coverage.py BUILD, where BUILD was compiled with --coverage and has run the tests.

A file that is compiled for several MPIs counts once: a line has run if one of them has run it.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_FILES = 25


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = Path(sys.argv[1]).resolve()
    report = build / "coverage.json"
    command = [sys.executable, "-m", "gcovr", "--root", str(ROOT), "--filter", "src/"]
    command += ["--exclude-throw-branches", "--merge-mode-functions", "separate", "-j", "2"]
    # Lines that run five billion times are plausible: the proofs try many cases.
    command += ["--gcov-suspicious-hits-threshold", "0"]
    command += ["--json-summary", str(report), "--html-nested", str(build / "coverage.html")]
    done = subprocess.run([*command, str(build)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"coverage: gcovr fails:\n{done.stderr[-2000:]}")

    lines: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    files = []
    for each in json.loads(report.read_text())["files"]:
        path, total, run = Path(each["filename"]), each["line_total"], each["line_covered"]
        lines[str(path.parent)][0] += run
        lines[str(path.parent)][1] += total
        files.append((total - run, total, path))
    print("| folder | lines | run | share |\n|---|---|---|---|")
    for folder, (run, total) in sorted(lines.items()):
        print(f"| {folder} | {total} | {run} | {run / max(total, 1):.1%} |")
    run, total = (sum(each[i] for each in lines.values()) for i in range(2))
    print(f"| all | {total} | {run} | {run / max(total, 1):.1%} |")
    print("\nFiles with the most lines that no test runs:")
    for missing, total, path in sorted(files, reverse=True)[:MOST_FILES]:
        print(f"{missing:>6} of {total:<6} {path}")
    print(f"\nLine by line: {build / 'coverage.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
