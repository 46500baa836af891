"""Under srun on two hosts of Slurm, which are names on this machine: results, placed ranks.

`make test-srun` runs this in bench/cluster/slurm.sh.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "build/release/tests"
FAMILIES = sorted(path.name for path in (ROOT / "build/release/lib").iterdir())
RECORDED = [each for each in FAMILIES if (TESTS / "recording" / each / "traffic").exists()]
HOSTS = ["toccata0", "toccata1"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
LIMIT = 120  # seconds of one run


def srun(family: str, *options: str) -> list[str]:
    """With what MPIs of this family expect of a launcher."""
    plugin = "pmix" if family.startswith("openmpi") else "pmi2"
    return ["srun", "--nodes=2", "--overcommit", f"--mpi={plugin}", *options]


def toccata(*words: str) -> str:
    done = subprocess.run(
        [str(ROOT / "toccata"), *words],
        env=os.environ | AS_ROOT, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


@pytest.mark.parametrize("family", FAMILIES)
def test_collectives(family: str) -> None:
    program = str(TESTS / "hosts" / family / "collectives")
    said = toccata(
        "run", "--no-learn", "--allreduce", "hierarchical", "--report", "--",
        *srun(family, "-n6", "--distribution=cyclic"), program, "20",
    )  # fmt: skip
    assert " ".join(HOSTS * 3) in said
    assert re.search(r"allreduce +6 +hierarchical", said), said


@pytest.mark.parametrize("family", FAMILIES)
def test_the_doctor_sees_all_hosts(family: str) -> None:
    program = str(TESTS / "hosts" / family / "collectives")
    said = toccata("doctor", "--", *srun(family, "-n6", "--distribution=cyclic"), program, "1")
    for host in HOSTS:
        assert re.search(rf"ok +host +{host}: 3 of 6 ranks loaded the library", said), said


@pytest.mark.parametrize("family", RECORDED)
def test_ranks_start_where_the_mapping_says(family: str, tmp_path: Path) -> None:
    """Pairs of ranks, placed cyclically, send every message to the other host."""
    record = tmp_path / "traffic.json"
    ring = str(TESTS / "recording" / family / "traffic")
    cyclic = srun(family, "-n4", "--distribution=cyclic")
    toccata("run", "--record", str(record), "--", *cyclic, ring, "sends")
    # Of a ring, some messages cross anyway, and the slowest rank gains nothing.
    traffic = json.loads(record.read_text())
    traffic["pairs"] = [each for each in traffic["pairs"] if each[0] // 2 == each[1] // 2]
    record.write_text(json.dumps(traffic))
    program = str(TESTS / "hosts" / family / "collectives")
    said = toccata("run", "--place", str(record), "--", *srun(family, "-n4"), program, "1")
    assert "Map the ranks" in said
    planned = (tmp_path / "traffic.places").read_text().split()
    assert sorted(planned) == sorted(HOSTS * 2)
    assert planned != HOSTS * 2
    assert " ".join(planned) in said
    assert "runs on" not in said


@pytest.mark.parametrize("family", [each for each in FAMILIES if "-" not in each])
@pytest.mark.parametrize("word", ["balanced", "spread"])
def test_ranks_start_as_a_word_says(family: str, word: str) -> None:
    """On whole hosts; otherwise Slurm's allocation decides."""
    program = str(TESTS / "hosts" / family / "collectives")
    whole = [*srun(family, "-n4"), "--exclusive"]
    said = toccata("doctor", "--place", word, "--", *whole, program, "1")
    assert re.search(rf"ok +places +--place {word}: ", said), said


@pytest.mark.parametrize("family", [each for each in FAMILIES if "-" not in each])
def test_check(family: str) -> None:
    """Other programs of this machine may make something slow; both hosts are measured."""
    words = ["check", "--mpi", family, "--no-collectives", "--", *srun(family, "-n2")]
    done = subprocess.run(
        [str(ROOT / "toccata"), *words],
        env=os.environ | AS_ROOT, capture_output=True, text=True, timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 3), done.stderr
    assert re.search(r"2 hosts, .*: latency .* measured (once|[23] times)", done.stdout), (
        done.stdout
    )
