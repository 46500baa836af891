"""The programs of Debian that `make applications` runs, unmodified, each with a small input."""

import gzip
import math
import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

INPUTS = Path(__file__).parent / "inputs"
PSEUDOPOTENTIAL = Path(
    "/usr/share/doc/quantum-espresso/examples/EPW/sic/pp/Si.pz-vbc.UPF.gz"
)  # of quantum-espresso-data

# Between hosts, a step takes about a second, so programs run fewer steps there.
RANKS_OF_HOSTS = 16

Results = dict[str, float]


@dataclass(frozen=True)
class Program:
    """A program and its input.

    `prepare` writes the input for a number of ranks into a folder, in which `command` runs.
    `patterns` find results by name in the output, each by its last match. `tolerance` is the
    maximum relative difference to the results of the bare run.
    """

    name: str
    packages: tuple[str, ...]
    command: tuple[str, ...]
    prepare: Callable[[Path, int], None]
    patterns: dict[str, str]
    tolerance: float
    output: str = ""  # a file that has the results; the standard output if empty

    @property
    def is_installed(self) -> bool:
        system = os.environ.get("SYSTEM")  # bench/cluster/system.sh
        return shutil.which(self.command[0], path=system and f"{system}/usr/bin") is not None

    def results(self, folder: Path, stdout: str) -> Results:
        """ValueError if the output lacks one."""
        text = (folder / self.output).read_text(errors="replace") if self.output else stdout
        found = {}
        for name, pattern in self.patterns.items():
            matches = re.findall(pattern, text, re.MULTILINE)
            if not matches:
                raise ValueError(f"{self.name}: the output has no {name}")
            found[name] = float(matches[-1].replace("D", "E"))
        return found

    def agree(self, one: Results, other: Results) -> bool:
        return all(
            math.isclose(one[name], other[name], rel_tol=self.tolerance, abs_tol=1e-12)
            for name in one
        )


def _copy(name: str, target: str = "") -> Callable[[Path, int], None]:
    def prepare(folder: Path, ranks: int) -> None:
        del ranks
        shutil.copy(INPUTS / name, folder / (target or name))

    return prepare


def _abinit(folder: Path, ranks: int) -> None:
    text = (INPUTS / "abinit.in").read_text()
    (folder / "abinit.abi").write_text(text.replace("NPBAND", str(ranks)))


def _lammps(folder: Path, ranks: int) -> None:
    text = (INPUTS / "lammps.in").read_text()
    steps = 200 if ranks < RANKS_OF_HOSTS else 25
    (folder / "lammps.in").write_text(text.replace("STEPS", str(steps)))


def _cp2k(folder: Path, ranks: int) -> None:
    text = (INPUTS / "cp2k.inp").read_text()
    is_short = ranks >= RANKS_OF_HOSTS  # it must converge: newer versions end otherwise
    kind, iterations, tolerance = ("ENERGY", 2, "0.12") if is_short else ("MD", 50, "1.0E-6")
    text = text.replace("KIND_OF_RUN", kind).replace("ITERATIONS", str(iterations))
    text = text.replace("TOLERANCE", tolerance)
    (folder / "cp2k.inp").write_text(text)


def _espresso(folder: Path, ranks: int) -> None:
    text = (INPUTS / "espresso.in").read_text()
    iterations, must_converge = (100, ".true.") if ranks < RANKS_OF_HOSTS else (5, ".false.")
    text = text.replace("ITERATIONS", str(iterations)).replace("MUST_CONVERGE", must_converge)
    (folder / "espresso.in").write_text(text)
    (folder / "Si.pz-vbc.UPF").write_bytes(gzip.decompress(PSEUDOPOTENTIAL.read_bytes()))


def _hpcc(folder: Path, ranks: int) -> None:
    rows = next(each for each in range(math.isqrt(ranks), 0, -1) if ranks % each == 0)
    text = (INPUTS / "hpcc.txt").read_text()
    text = text.replace("GRID_P", str(rows)).replace("GRID_Q", str(ranks // rows))
    (folder / "hpccinf.txt").write_text(text)


NUMBER = r"([-+]?\d+\.\d+(?:[EeD][-+]?\d+)?)"

PROGRAMS = (
    Program(
        "lammps", ("lammps",), ("lmp", "-in", "lammps.in"), _lammps,
        # Molecular dynamics is chaotic: only the first steps can agree.
        {"energy at step 10": r"^ +10 +\S+ +\S+ +" + NUMBER}, 1e-5,
    ),
    Program(
        "espresso", ("quantum-espresso", "quantum-espresso-data"), ("pw.x", "-in", "espresso.in"),
        _espresso, {"energy": r"^!? +total energy += +" + NUMBER}, 1e-7,
    ),
    Program(
        "abinit", ("abinit", "abinit-data"), ("abinit", "abinit.abi"), _abinit,
        {"energy": r"^ *etotal +" + NUMBER}, 1e-7, "abinit.abo",
    ),
    Program(
        "nwchem", ("nwchem-openmpi",), ("nwchem.openmpi", "nwchem.nw"), _copy("nwchem.nw"),
        {"energy": r"Total DFT energy = +" + NUMBER}, 1e-7,
    ),
    Program(
        "hpcc", ("hpcc",), ("hpcc",), _hpcc,
        {"failures of HPL": r"^ +(\d+) tests completed and failed", "success": r"^Success=(\d+)"},
        0, "hpccoutf.txt",
    ),
    Program(
        "cp2k", ("cp2k",), ("cp2k.popt", "cp2k.inp"), _cp2k,
        {"energy": r"ENERGY\| Total FORCE_EVAL.*[:\]] +" + NUMBER}, 1e-7,
    ),
)  # fmt: skip
