"""Runs bench/sparse.cpp on a simulated platform.

simulated_sparse.py PLATFORM RANKS [CALLS] [LONGEST MESSAGE]

Requires `make simgrid`. From a checkout: PYTHONPATH=python:build/release/python.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from toccata.launching import launcher
from toccata.simulating import platforms, simulation


def main(platform: str, ranks: str, *arguments: str) -> int:
    program = launcher.benchmark(simulation.FAMILY, "sparse")
    with tempfile.TemporaryDirectory() as directory:
        words, environment = simulation.command(
            platforms.find(platform), int(ranks), "sequential", Path(directory), arguments,
            simulation.POLLING, program,
        )  # fmt: skip
        return subprocess.run(words, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
