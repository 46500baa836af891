"""Fixtures that several tests share."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import fakes
from toccata.launching import launcher, programs
from toccata.launching.programs import Nature

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TOCCATA_BUILD", ROOT / "build/release"))
Toccata = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def toccata(tmp_path: Path) -> Toccata:
    """Runs the command line from an empty directory."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ROOT / "toccata", *arguments],
            cwd=tmp_path,
            env={**os.environ, "TOCCATA_BUILD": str(BUILD), **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with a fake Open MPI, and a fake library and benchmark built for it."""
    programs = tmp_path / "bin"
    fakes.launcher(programs / "mpirun", "openmpi")
    home = tmp_path / "home"
    fakes.script(home / "bench/openmpi/toccata_bench", fakes.BENCHMARK)
    for family in ("openmpi", "mpich"):
        library = home / "lib" / family / "libtoccata.so"
        library.parent.mkdir(parents=True)
        library.touch()
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setattr(launcher, "home", lambda: home)
    monkeypatch.setattr(launcher, "cores", lambda: 4)
    monkeypatch.chdir(tmp_path)
    ours = [each for each in os.environ if launcher.is_setting(each) or each == "LD_PRELOAD"]
    for name in ours:
        monkeypatch.delenv(name)
    return tmp_path


@pytest.fixture
def started(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which the suffix of a program app.* gives its kind."""
    natures = {
        "app.openmpi": Nature("openmpi", "libmpi.so.40"),
        "app.mpich": Nature("mpich", "libmpi.so.12"),
        "app.abi": Nature("abi", "libmpi_abi.so.1"),
        "app.static": Nature("", "it is linked statically", static=True),
    }
    unknown = Nature("", "it is a script for sh")
    monkeypatch.setattr(programs, "nature", lambda path: natures.get(Path(path).name, unknown))
    for name in ("mpiexec.hydra", "srun", "jsrun", "aprun", "flux", "timeout", "numactl", "env",
                 *natures, "app.sh"):  # fmt: skip
        fakes.script(machine / "bin" / name, "")
    fakes.launcher(machine / "bin/mpiexec.hydra", "mpich")
    return machine
