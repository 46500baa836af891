"""Detection of the MPI, and the commands that start programs with it."""

import os
from pathlib import Path

import pytest

import fakes
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.launching.launcher import Launcher


@pytest.mark.parametrize("family", ["openmpi", "mpich", "intelmpi"])
def test_identify(family: str, tmp_path: Path) -> None:
    path = fakes.launcher(tmp_path / "mpiexec.some", family)
    version = {"openmpi": "4.1", "mpich": "4.0", "intelmpi": "2021.14"}[family]
    assert launcher.identify(str(path)) == Launcher(str(path), family, version)


def test_unknown_launcher(tmp_path: Path) -> None:
    path = fakes.launcher(tmp_path / "mpirun", "other")
    with pytest.raises(InputError, match="names an unknown MPI; add --mpi openmpi"):
        launcher.identify(str(path))
    with pytest.raises(InputError, match="no program 'mpirun-not-there'"):
        launcher.identify("mpirun-not-there")


def test_other_programs_are_not_run(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    program = fakes.script(tmp_path / "app", f"open({str(marker)!r}, 'w')")
    with pytest.raises(InputError, match="not a known launcher"):
        launcher.identify(str(program))
    assert not marker.exists()


def test_find(machine: Path) -> None:
    assert launcher.find().family == "openmpi"
    with pytest.raises(InputError, match="no mpirun of MPICH"):
        launcher.find("mpich")
    with pytest.raises(InputError, match="auto, openmpi, mpich or intelmpi"):
        launcher.find("lam")
    fakes.launcher(machine / "bin/mpiexec.mpich", "mpich")
    assert launcher.find("mpich").family == "mpich"


def test_start_adds_only_what_is_needed(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ompi, mpich = Launcher("/b/mpirun", "openmpi"), Launcher("/b/mpiexec", "mpich")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert launcher.start(ompi, 4, [], ["/x"]) == ["/b/mpirun", "-n", "4", "/x"]
    crowded = launcher.start(ompi, 5, [], ["/x"])
    assert crowded[3:-1] == ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    assert launcher.start(ompi, 5, ["--hostfile", "h"], ["/x"])[3:-1] == ["--hostfile", "h"]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert launcher.start(ompi, 4, [], ["/x"])[3:-1] == ["--allow-run-as-root"]
    assert launcher.start(mpich, 9, [], ["/x"]) == ["/b/mpiexec", "-n", "9", "/x"]


def test_ranks_per_node() -> None:
    for family in ("mpich", "intelmpi"):  # both have Hydra
        assert launcher.per_node(Launcher("/b/mpiexec", family), 4) == ["-ppn", "4"]
    assert launcher.per_node(Launcher("/b/mpirun", "openmpi"), 4) == ["--map-by", "ppr:4:node"]


def test_not_built(machine: Path) -> None:
    (machine / "home/lib/mpich/libtoccata.so").unlink()
    with pytest.raises(InputError, match="was not built for MPICH"):
        launcher.library("mpich")


def test_installed_layout(machine: Path) -> None:
    installed = machine / "home/mpich/libtoccata.so"
    installed.parent.mkdir()
    (machine / "home/lib/mpich/libtoccata.so").rename(installed)
    assert launcher.library("mpich") == installed


def test_several_of_one_family(machine: Path) -> None:
    """The library of the same version comes first; without its own, Intel MPI uses MPICH's."""
    newer = machine / "home/lib/openmpi-5.0/libtoccata.so"
    newer.parent.mkdir()
    newer.touch()
    assert launcher.library("openmpi", "5.0") == newer
    assert launcher.library("openmpi", "4.1").parent.name == "openmpi"
    assert launcher.library("intelmpi").parent.name == "mpich"
    benchmark = fakes.script(machine / "home/bench/mpich/toccata_bench", "")
    assert launcher.benchmark("intelmpi") == benchmark  # MPICH's ABI
    assert list(launcher.libraries()) == ["mpich", "openmpi", "openmpi-5.0"]
    assert launcher.fit("mpich", "intelmpi") and launcher.fit("abi", "mpich")
    assert not launcher.fit("mpich", "openmpi")
