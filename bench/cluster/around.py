#!/usr/bin/env python3
"""around.py [SECONDS]: long collectives of four emulated hosts, one with a quarter of the rate.

`toccata check --save` measures the hosts and writes their topology. With this file as
TOCCATA_TOPOLOGY and no other setting, calls of Toccata then alternate with those of the MPI library
for that many seconds for each collective. Needs root.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from checking import CLUSTER, RATE, ROOT, slow_host

HOSTS, SLOW, SHARE = 4, 3, 0.25
WHOLE = 64 << 20  # bytes of the message, or of all blocks
# Bytes through the cable of the slow host in its busier direction.
THROUGH = {"bcast": WHOLE, "allgather": WHOLE * (HOSTS - 1) // HOSTS}


def main() -> None:
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 120
    environment = os.environ | {"PATH": f"{CLUSTER / 'bin'}:{os.environ['PATH']}", "SLOTS": "1"}
    subprocess.run([CLUSTER / "up.sh"], check=True)
    try:
        with slow_host(SLOW, SHARE), tempfile.TemporaryDirectory() as folder:
            there, saved = Path(folder) / "there.txt", Path(folder) / "saved.conf"
            there.write_text(f"machine node:{HOSTS} core:1\nlabels node toccata[0-{HOSTS - 1}]\n")
            start = ["mpirun", "-n", str(HOSTS)]
            check = [ROOT / "toccata", "check", "--machine", there, "--save", saved]
            subprocess.run([*check, "--", *start], env=environment, check=False)
            print(saved.read_text())
            for collective, through in THROUGH.items():
                preload = ROOT / "build/release/lib/openmpi/libtoccata.so"
                words = ["-x", f"LD_PRELOAD={preload}:{ROOT / 'build/cluster/sleep_on_yield.so'}",
                         "-x", f"TOCCATA_TOPOLOGY={saved}", "-x", "TOCCATA_REPORT=1",
                         ROOT / "build/release/bench/openmpi/node", "-r", "-c", collective,
                         "-b", str(WHOLE), "-m", str(seconds * 500)]  # fmt: skip
                done = subprocess.run(
                    [*start, *words], env=environment, capture_output=True, text=True, check=False
                )
                print(done.stdout, done.stderr, flush=True)
                cell = next(line for line in done.stdout.splitlines() if collective in line).split()
                native, ours = float(cell[3]) / 1e6, float(cell[6]) / 1e6
                bound = through * 8 / (RATE * SHARE * 1e6)
                print(f"{collective}: native {native:.1f} s, Toccata {ours:.1f} s; "
                      f"native / Toccata {native / ours:.2f}, "
                      f"Toccata / bound {ours / bound:.2f}", flush=True)  # fmt: skip
    finally:
        subprocess.run([CLUSTER / "down.sh"], check=True)


if __name__ == "__main__":
    main()
