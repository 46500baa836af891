#!/usr/bin/env python3
"""around.py [TURNS]: long collectives of four emulated hosts, one with a quarter of the rate.

`toccata check --save` measures the hosts and writes their topology. With this file as
TOCCATA_TOPOLOGY and no other setting, calls of Toccata then alternate with those of the MPI
library. Needs root.
"""

import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checking import CLUSTER, RATE, ROOT, slow_host

HOSTS, SLOW, SHARE = 4, 3, 0.25
WHOLE = 64 << 20  # bytes of the message, or of all blocks
# Bytes of the message or block, and bytes through the slow host's cable in its busier direction.
SIZES = {"bcast": (WHOLE, WHOLE), "allgather": (WHOLE // HOSTS, WHOLE // HOSTS * (HOSTS - 1))}


def main() -> None:
    turns = sys.argv[1] if len(sys.argv) > 1 else "5"
    environment = os.environ | {"PATH": f"{CLUSTER / 'bin'}:{os.environ['PATH']}", "SLOTS": "1"}
    subprocess.run([CLUSTER / "up.sh"], check=True)
    try:
        with slow_host(SLOW, SHARE), tempfile.TemporaryDirectory() as folder:
            there, saved = Path(folder) / "there.txt", Path(folder) / "saved.conf"
            there.write_text(f"machine node:{HOSTS} core:1\nlabels node toccata[0-{HOSTS - 1}]\n")
            check = [ROOT / "toccata", "check", "--machine", there, "--save", saved]
            subprocess.run([*check, "--", "mpirun", "-n", str(HOSTS)], env=environment, check=False)
            print(saved.read_text(), flush=True)
            for collective, (unit, through) in SIZES.items():
                table = Path(folder) / "times.csv"
                bench = [ROOT / "toccata", "bench", collective, "--mpi", "openmpi"]
                bench += [
                    "--ranks",
                    str(HOSTS),
                    "--sizes",
                    str(unit),
                    "--algorithms",
                    "native,auto",
                ]
                bench += [
                    "--repetitions",
                    turns,
                    "--warmup",
                    "1",
                    "--limit",
                    "3600",
                    "--csv",
                    table,
                ]
                with_file = environment | {"TOCCATA_TOPOLOGY": str(saved)}
                subprocess.run(bench, env=with_file, check=True)
                print(table.read_text())
                times = {}
                for row in csv.DictReader(table.read_text().splitlines()):
                    times[row["algorithm"]] = float(row["median_us"]) / 1e6
                bound = through * 8 / (RATE * SHARE * 1e6)
                print(f"{collective}: native / Toccata {times['native'] / times['auto']:.2f}, "
                      f"Toccata / bound {times['auto'] / bound:.2f}", flush=True)  # fmt: skip
    finally:
        subprocess.run([CLUSTER / "down.sh"], check=True)


if __name__ == "__main__":
    main()
