#!/usr/bin/env python3
"""The bytes that collectives send between the hosts of up.sh: estimated, and counted at the hosts.

    SLOTS=4 chrt -r 10 build/venv/bin/python bench/cluster/estimates.py results.csv [COLLECTIVE...]

Compares the messages of recorded collectives (python/toccata/models/estimates.py), and of
algorithms of Toccata, with the counters of the hosts' interfaces. Headers of Ethernet, IP and TCP
do not count. --mpi chooses another MPI, of which TOCCATA_BUILD has the libraries; --native leaves
out the algorithms of Toccata.
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "bench" / "applications")]
BUILD = Path(os.environ.get("TOCCATA_BUILD", ROOT / "build/release")).resolve()
sys.path.insert(1, str(BUILD / "python"))

from applications import PRELOADING  # noqa: E402
from toccata import _core  # noqa: E402
from toccata.models import estimates  # noqa: E402

HOSTS, SLOTS = 4, 4
CALLS = 8  # with the ranks of two hosts as roots
RANKS = HOSTS * SLOTS
HEADERS = 14 + 20 + 32  # of a packet
MPIS = ROOT / "build/mpis"
# The launcher, the compiler and the text of MPI_Get_library_version.
LIBRARIES = {
    "openmpi": ("mpirun", "mpicc.openmpi", "Open MPI v4.1"),
    "openmpi-5.0": ("mpirun.openmpi5", MPIS / "openmpi/bin/mpicc", "Open MPI v5.0"),
    "mpich-5.0": ("mpiexec.mpich5", MPIS / "mpich/bin/mpicc", "MPICH Version: 5.0"),
}
SIZES = (4 << 10, 64 << 10, 1 << 20)
OURS = {
    "bcast": ("binomial", "scatter_allgather", "pipeline", "hierarchical"),
    "reduce": ("binomial", "reduce_scatter_gather", "hierarchical"),
    "allreduce": ("recursive_doubling", "rabenseifner", "ring", "swing", "hierarchical"),
    "reduce_scatter": ("ring", "recursive_halving", "hierarchical"),
    "gather": ("binomial", "hierarchical"),
    "scatter": ("binomial", "hierarchical"),
    "allgather": ("ring", "bruck", "sparbit", "hierarchical", "locality_bruck"),
    "alltoall": ("pairwise", "bruck", "hierarchical"),
    "allgatherv": (),
    "reduce_scatter_block": (),
}
FIELDS = ("collective", "algorithm", "bytes", "estimated_MB", "counted_MB", "largest_difference")


def estimated(text: str, collective: str, algorithm: str, size: int) -> Counter[int]:
    """The bytes that each host sends."""
    placement = _core.Placement(_core.Machine(f"node:{HOSTS} core:{SLOTS}"), RANKS)
    sent: Counter[int] = Counter()
    for root in range(CALLS):
        if algorithm == "native":
            called = estimates.Calls(collective, 0, size, root, 1, "blocking")
            world = [estimates.Run(0, RANKS, 1)]
            found, _, _ = estimates.pairs(text, [world], [called], placement)
            messages = [(each.sender, each.receiver, float(each.bytes)) for each in found]
        else:
            choice = _core.parse_choice(collective, algorithm)
            shape = _core.Shape(placement, root)
            part = size / choice.completed(shape).parts
            pairs = _core.pairs_of(choice, shape, 1 << 20) or []
            messages = [(a, b, part * blocks) for a, b, _, blocks in pairs]
        for sender, receiver, count in messages:
            if sender // SLOTS != receiver // SLOTS:
                sent[sender // SLOTS] += round(count)
    return sent


def counted(mpi: str, program: Path, collective: str, algorithm: str, size: int) -> Counter[int]:
    chosen = f"TOCCATA_{collective.upper()}={algorithm}"
    settings = ["TOCCATA=off" if algorithm == "native" else chosen]
    launcher = ROOT / "bench/cluster/bin" / LIBRARIES[mpi][0]
    command = [str(launcher), "-n", str(RANKS), "env", *settings, "sh", "-c", PRELOADING,
               str(BUILD / "lib" / mpi / "libtoccata.so"), str(program), collective, str(size),
               str(CALLS)]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode != 0 or "toccata:" in done.stderr:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}: {done.stderr[-500:]}")
    sent: Counter[int] = Counter()
    for line in done.stdout.splitlines():
        rank, host, count, packets = line.split()
        if host != f"toccata{int(rank) // SLOTS}":
            raise RuntimeError(f"rank {rank} is on {host}")
        sent[int(rank) // SLOTS] = int(count) - HEADERS * int(packets)
    return sent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--mpi", default="openmpi", choices=LIBRARIES)
    parser.add_argument("--native", action="store_true")
    parser.add_argument("collectives", nargs="*", default=[*OURS])
    given = parser.parse_intermixed_args()
    _, compiler, text = LIBRARIES[given.mpi]
    with tempfile.TemporaryDirectory() as folder, given.results.open("w", newline="") as file:
        program = Path(folder) / "sent_bytes"
        source = ROOT / "bench/cluster/sent_bytes.c"
        subprocess.run([compiler, "-O1", "-o", program, source], check=True)
        rows = csv.DictWriter(file, FIELDS, lineterminator="\n")
        rows.writeheader()
        for collective in given.collectives:
            for algorithm in ("native", *(() if given.native else OURS[collective])):
                for size in SIZES:
                    if size > 64 << 10 and collective not in ("bcast", "reduce", "allreduce"):
                        continue  # a block per rank
                    ours = estimated(text, collective, algorithm, size)
                    theirs = counted(given.mpi, program, collective, algorithm, size)
                    most = max(ours.values())
                    differences = [(theirs[host] - ours[host]) / most for host in range(HOSTS)]
                    row = {
                        "collective": collective, "algorithm": algorithm, "bytes": size,
                        "estimated_MB": f"{sum(ours.values()) / 1e6:.3f}",
                        "counted_MB": f"{sum(theirs.values()) / 1e6:.3f}",
                        "largest_difference": f"{100 * max(differences, key=abs):.2f}%",
                    }  # fmt: skip
                    rows.writerow(row)
                    file.flush()
                    print(*row.values(), flush=True)


if __name__ == "__main__":
    main()
