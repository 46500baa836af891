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
