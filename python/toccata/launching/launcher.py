"""The MPI of a launcher, our files for it, and the command to start programs with it.

Families have the names of the build. If the build has several MPIs of one family, the first has the
name of the family, such as "openmpi". The others add their version, as in "openmpi-5.0".
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata.errors import InputError
from toccata.launching import commandline

FAMILIES = {
    "openmpi": "Open MPI",
    "mpich": "MPICH",
    "intelmpi": "Intel MPI",
    "abi": "the standard ABI of MPI",  # of programs and libraries, not of launchers
}
# Programs of this MPI run in a simulation, without a launcher.
SIMULATED = {"simgrid": "SimGrid"}
LAUNCHED = ("openmpi", "mpich", "intelmpi")
NAME_MPI = "add --mpi openmpi, mpich or intelmpi"  # the remedy for an unknown MPI
# Patterns for a launcher's output; the first match determines its MPI. Intel's is tested before
# MPICH's, because both contain Hydra.
SIGNATURES = {
    "openmpi": r"Open ?MPI|OpenRTE|PRRTE",
    "intelmpi": r"Intel\(R\) MPI",
    "mpich": r"HYDRA|MPICH",
}


@dataclass(frozen=True)
class Launcher:
    """A program that starts MPI processes; `version` is such as "4.1", if it prints one."""

    path: str
    family: str
    version: str = ""

    def is_of(self, library: str) -> bool:
        """Whether it starts programs of the MPI library with that text of
        MPI_Get_library_version."""
        version = re.escape(self.version)
        same = not version or re.search(rf"(?<![\d.]){version}(?!\d)", library) is not None
        return re.search(SIGNATURES[self.family], library, re.IGNORECASE) is not None and same

    @property
    def name(self) -> str:
        """The name of its MPI, for messages."""
        return f"{FAMILIES[self.family]} {self.version}".rstrip()


def library_text(family: str, version: str) -> str:
    """How the text of MPI_Get_library_version begins, such as "Open MPI v 5.0"."""
    [sign] = [each.sign for each in _core.mpi_libraries() if each.name == FAMILIES[family]]
    return f"{sign} {version}"


def fit(program: str, starter: str) -> bool:
    """Whether programs of one family run under the launcher of another: MPICH and its derivatives
    have one binary interface; a program of the standard ABI runs with MPIs that support it."""
    children = ("mpich", "intelmpi")
    return program in (starter, "abi") or (program in children and starter in children)


def home() -> Path:
    """The directory above the compiled module's: build/release, or PREFIX/lib/toccata.

    In a wheel, it is `home` next to the module.
    """
    module = Path(str(_core.__file__)).resolve()
    in_wheel = module.with_name("home")
    return in_wheel if in_wheel.is_dir() else module.parents[2]


def _ours(family: str, in_build: str, file: str, version: str = "") -> Path:
    """A file of ours for one family, in a build directory or installed.

    A file for that version has precedence. Intel MPI can use MPICH's file. Raises InputError if
    there is none.
    """
    names = [f"{family}-{version}", family, *(["mpich"] if family == "intelmpi" else [])]
    tops = [home() / in_build, home()]
    for name in names:
        for top in tops:
            if (top / name / file).exists():
                return top / name / file
    places = [top / family / file for top in tops]
    looked = " and ".join(str(place.parent) for place in places)
    raise InputError(
        f"{file} was not built for {(FAMILIES | SIMULATED)[family]} (looked in {looked}); "
        f"run `make` in the source folder, with that MPI's mpicc, and use ./toccata there"
    )


def library(family: str, version: str = "") -> Path:
    """The library to preload; InputError if it was not built."""
    return _ours(family, "lib", "libtoccata.so", version)


def recorder(family: str, version: str = "") -> Path:
    """The library that records traffic; InputError if it was not built."""
    return _ours(family, "lib", "libtoccata_record.so", version)


def is_setting(name: str) -> bool:
    """Whether a variable of the environment belongs to Toccata, so that all ranks must get it."""
    return name == "TOCCATA" or name.startswith("TOCCATA_")


def libraries() -> dict[str, Path]:
    """All built libraries, by the build's name of their MPI."""
    found = [*home().glob("lib/*/libtoccata.so"), *home().glob("*/libtoccata.so")]
    return {each.parent.name: each for each in sorted(found)}


def benchmark(family: str, program: str = "toccata_bench") -> Path:
    """A benchmark program; InputError if it was not built."""
    return _ours(family, "bench", program)


def locator(family: str) -> Path:
    """The program that prints where its ranks run; InputError if it was not built."""
    return _ours(family, "bench", "toccata_where")


def calibration(family: str) -> Path:
    """The program that measures messages; InputError if it was not built."""
    return _ours(family, "bench", "toccata_calibrate")


def identify(command: str, remedy: str = NAME_MPI) -> Launcher:
    """The launcher of a command.

    Raises InputError if it does not exist or is unknown; the `remedy` is for an unknown MPI.
    """
    path = shutil.which(command)
    if path is None:
        raise InputError(
            f"there is no program '{command}'; give a launcher, such as mpirun or mpiexec"
        )
    # Only programs with these names are run with --version. Others could have any effect.
    if commandline.kind_of(command) not in ("openmpi", "hydra", "mpiexec"):
        raise InputError(
            f"'{command}' is not a known launcher; give mpirun or mpiexec before the program, "
            f"or name its MPI, for example with toccata run --mpi openmpi -- {command}"
        )
    try:
        asked = subprocess.run(
            [path, "--version"],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"'{command} --version' fails ({error}); give another launcher") from None
    told = asked.stdout + asked.stderr
    for family, signature in SIGNATURES.items():
        if re.search(signature, told, re.IGNORECASE):
            number = re.search(r"\b(\d+\.\d+)(\.\d+|[ab]\d+|rc\d+)*\b", told)
            return Launcher(path, family, number[1] if number else "")
    raise InputError(f"'{command} --version' names an unknown MPI; {remedy}")


def find(family: str = "auto") -> Launcher:
    """The first launcher of a family in PATH. "auto" means any family.

    Families with a built benchmark have precedence. Raises InputError if there is no launcher.
    """
    if family not in ("auto", *LAUNCHED):
        known = ", ".join(["auto", *LAUNCHED[:-1]])
        raise InputError(f"'{family}' is not a known MPI; expected {known} or {LAUNCHED[-1]}")
    wanted = list(LAUNCHED) if family == "auto" else [family]
    found = [each for each in launchers() if each.family in wanted]
    if not found:
        wanted_text = " or ".join(FAMILIES[each] for each in wanted)
        raise InputError(f"no mpirun of {wanted_text} in PATH; install it or extend PATH")
    built = [each for each in found if _exists(each.family)]
    return (built or found)[0]


def launchers() -> list[Launcher]:
    """All launchers in PATH: mpirun and mpiexec, then those whose names contain an MPI."""
    names = ["mpirun", "mpiexec", "mpiexec.hydra"]
    names += [f"{name}.{each}" for each in LAUNCHED for name in ("mpirun", "mpiexec")]
    found = []
    for name in names:
        try:
            found.append(identify(name))
        except InputError:
            continue
    return found


def _exists(family: str) -> bool:
    try:
        return benchmark(family).exists()
    except InputError:
        return False


def cores() -> int:
    """The number of usable cores; by default, Open MPI starts that many processes."""
    allowed = os.sched_getaffinity(0)
    topology = "/sys/devices/system/cpu/cpu{}/topology/{}"
    try:
        return len(
            {
                (
                    Path(topology.format(cpu, "physical_package_id")).read_text(encoding="utf-8"),
                    Path(topology.format(cpu, "core_id")).read_text(encoding="utf-8"),
                )
                for cpu in allowed
            }
        )
    except OSError:
        return len(allowed)


def others_running() -> int:
    """The number of other threads that are running or waiting for a core."""
    running = Path("/proc/loadavg").read_text(encoding="utf-8").split()[3].split("/")[0]
    return int(running) - 1


def start(launcher: Launcher, ranks: int, more: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that starts a program on `ranks` processes; `more` are the launcher's arguments.

    By default, Open MPI refuses to run as root, or with more processes than cores, so this adds the
    necessary options. With more processes than cores, waiting processes must also yield.
    """
    command = [launcher.path, "-n", str(ranks)]
    if launcher.family == "openmpi":
        if os.geteuid() == 0 and "--allow-run-as-root" not in more:
            command.append("--allow-run-as-root")
        elsewhere = any(re.fullmatch(r"-{1,2}(host|hostfile|machinefile|H)", each) for each in more)
        if ranks > cores() and not elsewhere:
            command += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    return [*command, *more, *program]


def per_node(launcher: Launcher, ranks: int) -> list[str]:
    """The arguments that place that many ranks on each node."""
    if launcher.family in ("mpich", "intelmpi"):
        return ["-ppn", str(ranks)]
    return ["--map-by", f"ppr:{ranks}:node"]
