"""Which MPI a launcher belongs to, where our files for it are, and how to start programs with it.

Families are named as the build names them: "openmpi" and "mpich" (which stands for all that start
processes with Hydra).
"""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata.errors import InputError

FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
# Only programs of these names are run to be asked for their version: others might be anything.
LAUNCHER_NAME = re.compile(r"(mpirun|mpiexec|orterun|prterun)(\W.*)?$")
SIGNATURES = {"openmpi": r"Open ?MPI|OpenRTE|PRRTE", "mpich": r"HYDRA|Intel\(R\) MPI|MPICH"}


@dataclass(frozen=True)
class Launcher:
    """A program that starts MPI processes."""

    path: str
    family: str


def home() -> Path:
    """The directory above the compiled module's: build/release, or PREFIX/lib/toccata."""
    return Path(str(_core.__file__)).resolve().parents[2]


def _ours(family: str, in_build: str, file: str) -> Path:
    """A file of ours for one family, in a build directory or installed.

    Raises InputError if it is in neither place.
    """
    places = [home() / in_build / family / file, home() / family / file]
    for place in places:
        if place.exists():
            return place
    looked = " and ".join(str(place.parent) for place in places)
    raise InputError(
        f"{file} was not built for {FAMILIES[family]} (looked in {looked}); "
        f"install that MPI's development files, then build again"
    )


def library(family: str) -> Path:
    """The library to preload; InputError if it was not built."""
    return _ours(family, "lib", "libtoccata.so")


def benchmark(family: str, program: str = "toccata_bench") -> Path:
    """A benchmark program; InputError if it was not built."""
    return _ours(family, "bench", program)


def locator(family: str) -> Path:
    """The program that tells where its ranks run; InputError if it was not built."""
    return _ours(family, "bench", "toccata_where")


def calibration(family: str) -> Path:
    """The program that measures messages; InputError if it was not built."""
    return _ours(family, "bench", "toccata_calibrate")


def identify(command: str) -> Launcher:
    """The launcher that a command is.

    Raises InputError if it does not exist or is none that we know.
    """
    path = shutil.which(command)
    if path is None:
        raise InputError(
            f"there is no program '{command}'; give the launcher, as mpirun or mpiexec"
        )
    if LAUNCHER_NAME.match(Path(command).name) is None:
        raise InputError(
            f"'{command}' is no launcher that we know; "
            f"give mpirun or mpiexec before the program, or set LD_PRELOAD yourself"
        )
    try:
        asked = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"'{command} --version' does not run: {error}") from None
    for family, signature in SIGNATURES.items():
        if re.search(signature, asked.stdout + asked.stderr, re.IGNORECASE):
            return Launcher(path, family)
    raise InputError(f"'{command} --version' tells of neither Open MPI nor MPICH")


def find(family: str = "auto") -> Launcher:
    """The launcher of a family, or with "auto" the one that is called mpirun.

    With "auto", a family whose benchmark was built goes first. Raises InputError if there is none.
    """
    if family not in ("auto", *FAMILIES):
        raise InputError(f"'{family}' is no MPI that we know; give auto, {' or '.join(FAMILIES)}")
    wanted = list(FAMILIES) if family == "auto" else [family]
    names = ["mpirun", "mpiexec"]
    names += [f"{name}.{each}" for each in wanted for name in ("mpirun", "mpiexec")]
    found = []
    for name in names:
        try:
            launcher = identify(name)
        except InputError:
            continue
        if launcher.family in wanted:
            found.append(launcher)
    if not found:
        wanted_text = " or ".join(FAMILIES[each] for each in wanted)
        raise InputError(f"there is no mpirun of {wanted_text} in PATH; install it or extend PATH")
    built = [each for each in found if _exists(each.family)]
    return (built or found)[0]


def _exists(family: str) -> bool:
    try:
        return benchmark(family).exists()
    except InputError:
        return False


def cores() -> int:
    """Cores that we may use; Open MPI starts so many processes without being told otherwise."""
    allowed = os.sched_getaffinity(0)
    topology = "/sys/devices/system/cpu/cpu{}/topology/{}"
    try:
        return len(
            {
                (
                    Path(topology.format(cpu, "physical_package_id")).read_text(),
                    Path(topology.format(cpu, "core_id")).read_text(),
                )
                for cpu in allowed
            }
        )
    except OSError:
        return len(allowed)


def start(launcher: Launcher, ranks: int, more: Sequence[str], program: Sequence[str]) -> list[str]:
    """The command that starts a program on `ranks` processes; `more` are the launcher's arguments.

    Open MPI refuses to run as root, or more processes than cores, unless told: that is added where
    it is needed. With more processes than cores they must also give way while they wait.
    """
    command = [launcher.path, "-n", str(ranks)]
    if launcher.family == "openmpi":
        if os.geteuid() == 0 and "--allow-run-as-root" not in more:
            command.append("--allow-run-as-root")
        elsewhere = any(re.fullmatch(r"-{1,2}(host|hostfile|machinefile|H)", each) for each in more)
        if ranks > cores() and not elsewhere:
            command += ["--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    return [*command, *more, *program]


def preload(
    launcher: Launcher,
    arguments: Sequence[str],
    settings: Mapping[str, str],
    environment: Mapping[str, str],
) -> list[str]:
    """The launcher's command with our library preloaded into all ranks, and not into itself.

    `settings` and every TOCCATA_* variable of the environment are handed to the ranks on all hosts.
    Raises InputError if the library is not built for this MPI.
    """
    ours = str(library(launcher.family))
    theirs = environment.get("LD_PRELOAD")
    exported = {name: value for name, value in environment.items() if name.startswith("TOCCATA_")}
    exported |= settings
    exported["LD_PRELOAD"] = f"{ours}:{theirs}" if theirs else ours
    if launcher.family == "mpich":
        words = [word for name, value in exported.items() for word in ("-genv", name, value)]
        return [launcher.path, *words, *arguments]
    words = [word for name, value in exported.items() for word in ("-x", f"{name}={value}")]
    command = [launcher.path, *words]
    for argument in arguments:  # a colon begins another program, with variables of its own
        command += [argument, *words] if argument == ":" else [argument]
    return command
