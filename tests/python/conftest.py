"""Fixtures that several tests share."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import fakes
from toccata.launching import launcher

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
