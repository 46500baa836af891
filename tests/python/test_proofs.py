"""What an installation asks before it copies anything (cmake/Proofs.cmake), and the registry."""

import subprocess
from pathlib import Path

import pytest

import fakes
from conftest import ROOT

PROVE = """
import sys
from pathlib import Path
Path("{ran}").open("a").write("x")
wrong = Path("{objects}").read_text() != "right"
if wrong: print("toccata_prove: allgather/linear: waits for ever", file=sys.stderr)
print(f"{{2 - wrong}} of 2 algorithms are right; 9 proofs in 0 s")
sys.exit(wrong)
"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A build with one object, and a prover that finds it wrong unless it says that it is right."""
    (tmp_path / "linear.o").write_text("wrong")
    (tmp_path / "objects.txt").write_text(f"{tmp_path}/linear.o\n")
    text = PROVE.format(ran=tmp_path / "ran", objects=tmp_path / "linear.o")
    fakes.script(tmp_path / "prove", text)
    return tmp_path


def ask(built: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["cmake", f"-DOBJECTS={built}/objects.txt", f"-DPROVE={built}/prove",
         f"-DPROOFS={built}/proofs", "-P", ROOT / "cmake/Proofs.cmake"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_wrong_registry_is_not_installed(built: Path) -> None:
    for _ in range(2):  # it is asked again, as nothing is known to be right
        asked = ask(built)
        assert asked.returncode != 0
        assert "toccata_prove: allgather/linear: waits for ever\n" in asked.stderr
        assert "not installed: 1 of 2 algorithms are right" in asked.stderr
    assert not (built / "proofs").exists()


def test_a_registry_is_proved_once(built: Path) -> None:
    (built / "linear.o").write_text("right")
    assert [ask(built).returncode for _ in range(3)] == [0, 0, 0]
    assert (built / "ran").read_text() == "x"
    [stamp] = (built / "proofs").iterdir()
    assert "2 of 2 algorithms are right" in stamp.read_text()
    (built / "linear.o").write_text("changed")
    assert ask(built).returncode != 0


def written(source: Path) -> str:
    files = sorted(source.glob("algorithms/*/*.cpp"))
    (source / "files.txt").write_text(
        "".join(f"{each.relative_to(source / 'algorithms')}\n" for each in files)
    )
    subprocess.run(
        ["cmake", f"-DFILES={source}/files.txt", f"-DSOURCE={source}",
         f"-DOUTPUT={source}/registry.cpp", "-P", ROOT / "cmake/registry.cmake"],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    return (source / "registry.cpp").read_text()


def test_a_variable_has_the_name_of_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "algorithms/allgather"
    folder.mkdir(parents=True)
    template = "algorithms/registry.cpp.in"
    (tmp_path / template).write_text((ROOT / "src" / template).read_text())
    (folder / "ring.cpp").write_text((ROOT / "src/algorithms/allgather/ring.cpp").read_text())
    assert "&algorithms::allgather::ring,\n" in written(tmp_path)
    wrong = (folder / "ring.cpp").read_text().replace("Algorithm ring{", "Algorithm rings{")
    (folder / "other.cpp").write_text(wrong)
    for text in wrong, wrong.replace("rings{", "other{").replace("::allgather {", "::bcast {"):
        (folder / "other.cpp").write_text(text)
        [line] = written(tmp_path).splitlines()
        assert line.startswith(
            '#error src/algorithms/allgather/other.cpp: define "extern const Algorithm other" in '
            "namespace toccata::algorithms::allgather"
        )
