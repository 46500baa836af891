"""The list of proved algorithms (packaging/prove.cpp), and the registry."""

import re
import subprocess
from pathlib import Path

import pytest

from conftest import BUILD, ROOT
from toccata import _core

PROVE = BUILD / "src/toccata_prove"


def check(known: Path, source: Path, program: Path = PROVE) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, "check", known, source, ROOT / "src"],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip


def known_proofs() -> str:
    """What the build read: digests of this repository, and of other builds."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    [path] = re.findall(r"^TOCCATA_PROVED:FILEPATH=(.*)$", cache, re.MULTILINE)
    files = ROOT / "packaging/proved.txt", Path(path)
    return "".join(each.read_text() for each in files if each.exists())


@pytest.fixture
def changed(tmp_path: Path) -> Path:
    """A folder whose files take precedence over those of src/."""
    (tmp_path / "proofs").write_text(known_proofs())
    return tmp_path


def change(folder: Path, file: str, text: str) -> None:
    path = folder / "src" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((ROOT / "src" / file).read_text() + text)


def test_what_was_proved_is_not_proved_again(changed: Path) -> None:
    change(changed, "algorithms/exscan/linear.cpp", "// a comment\n\n")
    asked = check(changed / "proofs", changed / "src")
    assert asked.returncode == 0, asked.stderr
    number = len(_core.algorithms())
    assert asked.stdout == f"{number} of {number} algorithms are proved\n"


@pytest.mark.parametrize(
    "file",
    ["algorithms/exscan/linear.cpp", "patterns/binomial.h", "proofs/verify.cpp"],
)
def test_a_change_is_proved(changed: Path, file: str) -> None:
    """A change of an algorithm's file, of a pattern that it uses, or of the proof."""
    users = {
        "algorithms/exscan/linear.cpp": ["exscan/linear"],
        "patterns/binomial.h": ["bcast/binomial", "gather/binomial", "allreduce/reduce_bcast"],
        "proofs/verify.cpp": [each.path for each in _core.algorithms()],
    }[file]
    before = digests(changed, BUILD)
    change(changed, file, "static int changed = 1;\n")
    after = digests(changed, BUILD)
    different = {path for path in before if before[path] != after[path]}
    assert different >= set(users)
    assert "alltoall/linear" not in different or file == "proofs/verify.cpp"


def digests(folder: Path, build: Path) -> dict[str, str]:
    asked = subprocess.run(
        [build / "src/toccata_prove", "digests", folder / "src", ROOT / "src"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return {line.split()[1]: line.split()[0] for line in asked.stdout.splitlines()[1:]}


def test_the_repository_has_the_digests_of_this_version() -> None:
    """Otherwise every first build proves all algorithms, which takes minutes."""
    recorded = (ROOT / "packaging/proved.txt").read_text()
    asked = subprocess.run(
        [PROVE, "digests", ROOT / "src"], capture_output=True, text=True, timeout=60, check=True
    )
    if asked.stdout.splitlines()[0] != recorded.splitlines()[0]:
        pytest.skip("another compiler than the one that proved them")
    assert asked.stdout == recorded, "run `make proofs`"


def test_an_installation_asks_for_proofs() -> None:
    """tests/preload/choosing/wrong contains a wrong algorithm; this requires an MPI."""
    program = BUILD / "tests/preload/choosing/prove_wrong"
    if not program.exists():
        pytest.skip("no MPI")
    wrong = ROOT / "tests/preload/choosing/wrong"
    known = next(iter(BUILD.glob("cmake_install.cmake"))).read_text()
    assert "toccata_prove check" in known
    proofs = BUILD / "tests/preload/choosing/proofs"
    proofs.write_text(known_proofs())
    asked = check(proofs, wrong, program)
    assert asked.returncode == 1
    assert (
        "allgather/wrong is not proved, and runs by name only: wrong with 3 ranks" in asked.stderr
    )
    assert "allgather/wrong" not in proofs.read_text()


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
    template = "writing/registry.cpp.in"
    (tmp_path / template).parent.mkdir()
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
