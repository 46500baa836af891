"""The effect of the preloaded library on whole programs, without any settings.

examples.py LAUNCHER BUILD FAMILY [RUNS]: runs every program of examples/ by LAUNCHER (words, such
as "mpirun -n 4") in four interleaved variants: bare, preloaded, preloaded with the results of such
a run, and preloaded with TOCCATA_SUMS=all. Prints the medians of their total times with their
spread, then the output of `toccata explain` for one more preloaded run.
"""

import re
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ARGUMENTS = {"nbody": ["64", "1000"], "fft": ["512", "100"], "cg": ["256", "2000"]}


# Puts a library before other preloaded ones, such as one that makes waiting ranks sleep.
PRELOADING = 'LD_PRELOAD="$0${LD_PRELOAD:+:$LD_PRELOAD}" exec "$@"'


def seconds(
    launcher: list[str], program: Path, settings: dict[str, str], library: Path | None
) -> float:
    variables = [f"{name}={value}" for name, value in settings.items()]
    preloading = ["sh", "-c", PRELOADING, str(library)] if library else []
    command = [
        *launcher, *preloading, "env", *variables, str(program), *ARGUMENTS.get(program.name, []),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"([0-9.]+) s\b", done.stdout)
    if done.returncode != 0 or "right" not in done.stdout or found is None:
        said = done.stdout + done.stderr
        sys.exit(f"examples: {shlex.join(command)} ends with {done.returncode}:\n{said}")
    return float(found[1])


def main() -> None:
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    launcher, build, family = shlex.split(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    runs = int(sys.argv[4]) if len(sys.argv) == 5 else 7
    programs = sorted(each for each in (build / "examples" / family).iterdir() if each.is_file())
    library = (build / "lib" / family / "libtoccata.so").resolve()
    print(f"medians of {runs} runs, seconds (least to most)")
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            learns = {"TOCCATA": f"learn:{folder}/{program.name}.json", "TOCCATA_SUMS": "learn"}
            seconds(launcher, program, learns, library)
            variants: dict[str, tuple[dict[str, str], Path | None]] = {
                "bare": ({}, None),
                "preloaded": ({}, library),
                "learned": (learns, library),
                "all": ({"TOCCATA_SUMS": "all"}, library),
            }
            found: dict[str, list[float]] = {name: [] for name in variants}
            for run in range(runs):
                print(f"{program.name}: run {run + 1} of {runs}", file=sys.stderr)
                for name, (settings, preloaded) in variants.items():
                    found[name].append(seconds(launcher, program, settings, preloaded))
            cells = [
                f"{name} {statistics.median(times):.3f} ({min(times):.3f} to {max(times):.3f})"
                for name, times in found.items()
            ]
            print(f"{program.name:8}" + "   ".join(cells), flush=True)
            report = f"{folder}/{program.name}-report.json"
            seconds(launcher, program, {"TOCCATA_REPORT": report}, library)
            subprocess.run(["./toccata", "explain", report], check=True)


main()
