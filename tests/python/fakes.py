"""Small scripts that replace launchers and the benchmark."""

import sys
from pathlib import Path

BENCHMARK = """
import json, os, sys
racing = "--race" in sys.argv
words = [each for each in sys.argv if each != "--race"]
options = dict(zip(words[1::2], words[2::2]))
ranks = int(os.environ["FAKE_RANKS"])
tell = lambda **event: print(json.dumps(event), flush=True)
print("a launcher may talk")
tell(event="start", collective=options["--collective"], ranks=ranks, mpi="Fake MPI  1.0",
     nodes=2 if racing else 0, machine="node:2 core:2" if racing else "")
if os.environ.get("FAKE_CRASH"):
    print("rank 1 fell over", file=sys.stderr)
    sys.exit(3)
for number, algorithm in enumerate(options["--algorithms"].split(";"), 1):
    if algorithm == "neighbor_exchange" and ranks % 2:
        tell(event="impossible", algorithm=algorithm, ranks=ranks, reason="needs an even number")
        continue
    for size in map(int, options["--sizes"].split(",")):
        # sparbit wins for 4 ranks, by half; the first one elsewhere
        time = 1e-6 * (0.5 if algorithm == "sparbit" and ranks == 4 else number) * (1 + size)
        tell(event="result", algorithm=algorithm, bytes=size, ranks=ranks,
             repetitions=int(options["--repetitions"]), min=time / 2, avg=time, max=time * 2,
             median=time, q25=time * 0.9, q75=time * 1.1,
             wins=20 if algorithm == "sparbit" and ranks == 4 and size < 1000 else 9, pairs=20,
             valid=not (os.environ.get("FAKE_WRONG") and size == 16))
        if size == int(os.environ.get("FAKE_STOP", 0)) and algorithm == options[
                "--algorithms"].split(";")[-1]:
            sys.exit(3)
if not os.environ.get("FAKE_SHORT"):
    tell(event="done")
"""

LAUNCHER = """
import os, sys
if "--version" in sys.argv:
    print({version!r})
    sys.exit()
if os.environ.get("FAKE_LOG"):
    with open(os.environ["FAKE_LOG"], "a") as log:
        print("preload", os.environ.get("LD_PRELOAD"), *sys.argv[1:], file=log)
if "-n" in sys.argv:
    os.environ["FAKE_RANKS"] = sys.argv[sys.argv.index("-n") + 1]
program = next(
    i for i, word in enumerate(sys.argv[1:], 1) if word.startswith("/") and ".so" not in word
)
os.execv(sys.argv[program], sys.argv[program:])
"""

VERSIONS = {
    "openmpi": "mpirun (Open MPI) 4.1.4\n\nReport bugs to http://www.open-mpi.org/community/help/",
    "mpich": "HYDRA build details:\n    Version:                                 4.0.2",
    "intelmpi": "Intel(R) MPI Library for Linux* OS, Version 2021.14 Build 20241121 (id: e7829d6)",
    "other": "slurm 22.05.8",
}


def script(path: Path, text: str) -> Path:
    """An executable Python script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def launcher(path: Path, family: str) -> Path:
    """A program that claims to be mpirun of that family, and runs the following command once."""
    return script(path, LAUNCHER.format(version=VERSIONS[family]))


# The program of `toccata check` on FAKE_RANKS hosts. FAKE_SLOW is the number of a host with half of
# the bandwidth, FAKE_ONCE a file that makes it slow only as long as the file does not exist.
CHECK = """
import json, os, pathlib, sys
hosts = [os.environ.get("FAKE_NAME", "n") + str(i) for i in range(int(os.environ["FAKE_RANKS"]))]
tell = lambda **event: print(json.dumps(event), flush=True)
slow = int(os.environ.get("FAKE_SLOW", -1))
if (once := os.environ.get("FAKE_ONCE")) and pathlib.Path(once).exists():
    slow = -1
elif once:
    pathlib.Path(once).touch()
whole = float(os.environ.get("FAKE_WHOLE", 1))
tell(event="start", mpi="Fake MPI 1.0", hosts=hosts, host_of=list(range(len(hosts))))
tell(event="cores", cores=[[1e-3, 1.0, 0, 2e-3] for _ in hosts])
tell(event="bytes", bytes=1 << 20)
if os.environ.get("FAKE_SILENT"):
    tell(event="silent", ranks=[2])
    sys.exit(3)
if os.environ.get("FAKE_DEATH"):  # what a launcher prints, to stdout or stderr
    stream, _, text = os.environ["FAKE_DEATH"].partition(":")
    print("-----", text, sep=chr(10), file=getattr(sys, stream))
    sys.exit(137)
for distance in range(1, len(hosts)):
    pairs = [(a, a ^ distance) for a in range(len(hosts)) if a < a ^ distance < len(hosts)]
    times = [(1e-6 * whole, 1.1e-6 * whole, *([(2e-4 if slow in pair else 1e-4) * whole] * 2), 1e-3)
             for pair in pairs]
    tell(event="round", number=distance, pairs=[[*p, *t] for p, t in zip(pairs, times)])
tell(event="done")
"""
