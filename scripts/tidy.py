"""Static analysis by clang-tidy (.clang-tidy) of the C++ sources in some folders, on all cores.

tidy.py FOLDER...

Sources that are compiled for several MPIs are analysed once, for the first one.
"""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ROOT / "build" / "release" / "compile_commands.json"


def sources(file: str) -> list[str]:
    """This file; or the files that it includes, if CMake generated it (cmake/Precompiled.cmake)."""
    if "/Unity/unity_" not in file:
        return [file]
    return re.findall(r'#include "(.+)"', Path(file).read_text())


def once(folders: list[str]) -> dict[str, dict[str, str]]:
    """A command per source file of these folders."""
    wanted = tuple(f"{ROOT / folder}/" for folder in folders)
    found: dict[str, dict[str, str]] = {}
    for entry in json.loads(COMMANDS.read_text()):
        if "simgrid" in entry["command"]:
            continue
        # clang cannot read GCC's precompiled headers.
        command = re.sub(r" -include \S+cmake_pch\.hxx", "", entry["command"])
        for file in sources(entry["file"]):
            if file.startswith(wanted):
                alone = {"file": file, "command": command.replace(entry["file"], file)}
                found.setdefault(file, entry | alone)
    return found


def main() -> int:
    if not COMMANDS.exists():
        sys.exit(f"tidy: '{COMMANDS}' is missing: run make")
    commands = once(sys.argv[1:])
    if not commands:
        sys.exit(f"tidy: no sources in '{' '.join(sys.argv[1:])}'")
    database = ROOT / "build" / "tidy"
    database.mkdir(parents=True, exist_ok=True)
    (database / "compile_commands.json").write_text(json.dumps(list(commands.values())))

    def findings(file: str) -> str:
        command = ["clang-tidy", "--quiet", "-p", str(database), file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout or (done.stderr if done.returncode else "")

    bad = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for output in pool.map(findings, commands):
            bad += bool(output)
            if output:
                print(output, flush=True)
    print(f"clang-tidy: {len(commands)} files, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
