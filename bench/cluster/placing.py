#!/usr/bin/env python3
"""Whole programs on the four hosts of up.sh, as placed and where `toccata place` puts their ranks.

    chrt -r 10 bench/cluster/placing.py results.csv [--launcher bench/cluster/bin/mpirun]

Each program starts in three placements: in order (hosts are filled one after the other), cyclic,
and random. A run records its traffic; then the program runs as placed and, if `toccata place`
proposes another mapping, in turns with that, bare. Times are those that the program prints, without
its start. Without a proposal, there is no ratio. The model is hosts.json. TOCCATA_BUILD chooses
another build, for another MPI.
"""

import argparse
import csv
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "applications")]

from programs import PROGRAMS  # noqa: E402

from applications import PRELOADING  # noqa: E402
from toccata.models import placing, predicting, traffic  # noqa: E402

BUILD = Path(os.environ.get("TOCCATA_BUILD", ROOT / "build/release")).resolve()
LIBRARIES = ("libtoccata_record.so", "libtoccata.so")
HOSTS, SLOTS = 4, 4
RANKS = HOSTS * SLOTS
FIELDS = ("program", "placement", "predicted_gain", "as_placed_s", "mapped_s", "ratio",
          "as_placed_range_s", "mapped_range_s")  # fmt: skip
# Programs by name: the command, and the pattern of its time in seconds.
OWN = {
    "mesh": (["mesh", "messages", "20000", "300"], r"steps: ([\d.]+) s"),
    "nbody": (["nbody", "64", "300"], r"steps: ([\d.]+) s"),
    "cg": (["cg"], r": ([\d.]+) s"),
}
LAMMPS = r"Loop time of ([\d.]+)"


def placements() -> dict[str, list[int]]:
    """The host of each rank."""
    in_order = [rank // SLOTS for rank in range(RANKS)]
    mixed = in_order.copy()
    random.Random(1).shuffle(mixed)
    return {
        "in order": in_order,
        "cyclic": [rank % HOSTS for rank in range(RANKS)],
        "random": mixed,
    }


def execute(command: Sequence[str], folder: Path) -> str:
    """The output. RuntimeError if the command fails."""
    environment = os.environ | {"MAP": "own", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def start(launcher: Path, hosts: Path, program: Sequence[str]) -> list[str]:
    by_hosts = ["--map-by", "seq", "--hostfile", str(hosts), "--bind-to", "none"]
    return [str(launcher), *by_hosts, "-n", str(RANKS), *program]


def compare(
    launcher: Path, program: Sequence[str], pattern: str, hosts: list[int], turns: int, folder: Path
) -> dict[str, object]:
    """The row of one program and placement."""
    placed, mapped, record = folder / "placed", folder / "mapped", folder / "traffic.json"
    placed.write_text("".join(f"toccata{each}\n" for each in hosts))
    libraries = ":".join(str(BUILD / "lib/openmpi" / each) for each in LIBRARIES)
    environment = ["env", "TOCCATA=off", f"TOCCATA_RECORD={record}"]
    recording = [*environment, "sh", "-c", PRELOADING, libraries]
    execute(start(launcher, placed, [*recording, *program]), folder)
    found = traffic.read(record)
    model = predicting.read_model(str(Path(__file__).with_name("hosts.json")))
    proposal = placing.propose(found, found.placed(record), model, scotch=False)
    row: dict[str, object] = {"predicted_gain": f"{max(0.0, proposal.gain):.2f}"}
    ways = {"as_placed": placed}
    if proposal.pays:
        mapped.write_text("".join(f"toccata{hosts[each]}\n" for each in proposal.mapped.players))
        ways["mapped"] = mapped
    times: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(turns):
        for way, file in ways.items():
            found = re.search(pattern, execute(start(launcher, file, program), folder))
            if found is None:
                raise RuntimeError(f"{program[0]} printed no time")
            times[way].append(float(found[1]))
    for way, its in times.items():
        row[f"{way}_s"] = f"{statistics.median(its):.3f}"
        row[f"{way}_range_s"] = f"{min(its):.3f} to {max(its):.3f}"
    if "mapped" in times:
        ratio = statistics.median(times["mapped"]) / statistics.median(times["as_placed"])
        row["ratio"] = f"{ratio:.2f}"
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--launcher", type=Path, default=ROOT / "bench/cluster/bin/mpirun")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("names", nargs="*", default=[*OWN, "lammps"])
    given = parser.parse_intermixed_args()
    lammps = next(each for each in PROGRAMS if each.name == "lammps")
    with given.results.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for name in given.names:
            for placement, hosts in placements().items():
                with tempfile.TemporaryDirectory() as text:
                    folder = Path(text)
                    if name == "lammps":
                        lammps.prepare(folder, RANKS)
                        command, pattern = list(lammps.command), LAMMPS
                    else:
                        words, pattern = OWN[name]
                        command = [str(BUILD / "examples/openmpi" / words[0]), *words[1:]]
                    row = compare(
                        given.launcher.resolve(), command, pattern, hosts, given.turns, folder
                    )
                writer.writerow({"program": name, "placement": placement, **row})
                file.flush()
                print(name, placement, row, flush=True)


if __name__ == "__main__":
    main()
