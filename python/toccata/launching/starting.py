"""`toccata run`: a user's command with our library preloaded in all its ranks.

The program determines the library, and the launcher must have the same MPI. The launcher's own
options pass the variables to other hosts. If the program of a command is unknown, its environment
contains the variables instead.
"""

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata.errors import InputError
from toccata.launching import commandline, launcher, programs, scripts, variables
from toccata.launching.variables import Exported


@dataclass(frozen=True)
class Start:
    """A command, additional variables of its environment, and remarks."""

    words: list[str]
    environment: dict[str, str]
    family: str
    remarks: list[str]


def prepare(
    command: Sequence[str],
    settings: Mapping[str, str],
    environment: Mapping[str, str],
    family: str | None = None,
) -> Start:
    """The same command with our library preloaded; `family` is set if the user names the MPI.

    `settings` and every TOCCATA_* variable of the environment are passed to the ranks on all hosts.
    Raises InputError if this is impossible: the program does not exist or is static, its MPI is
    unknown or not the launcher's, or no library was built for that MPI.
    """
    words = list(command)
    at = commandline.unwrapped(words)
    if at == len(words):
        raise InputError(
            f"'{' '.join(words)}' does not start a program; give a launcher, such as mpirun"
        )
    path = shutil.which(words[at])
    if path is None:
        raise InputError(
            f"there is no program '{words[at]}'; give a launcher, such as mpirun or mpiexec"
        )
    environment = {**environment, **commandline.assignments(words[:at])}
    kind = commandline.kind_of(words[at])
    words[at] = path
    if not kind:
        family = family or scripts.family(command[at])
        exported = Exported(_libraries(family, "", settings), settings, environment)
        listed = family == "openmpi" and not scripts.replaces_list(path)
        remarks = [scripts.here_only(command[at])] if family == "openmpi" and not listed else []
        return _start(words, at, variables.inherited(exported, listed), family, remarks)
    arguments = words[at + 1 :]
    own = _launcher(command[at], kind, family)
    starts = f"--mpi says {launcher.FAMILIES[family]}" if family else ""
    family, remarks = _family(
        command[at], kind, arguments, family or (own.family if own else ""), starts
    )
    libraries = _libraries(family, own.version if own else "", settings)
    exported = Exported(libraries, settings, environment)
    if kind == "mpiexec":
        kind = "openmpi" if (own.family if own else family) == "openmpi" else "hydra"
    handed, outside = variables.HANDING[kind](arguments, exported)
    return _start([*words[: at + 1], *handed], at, outside, family, remarks)


def _start(
    words: Sequence[str], at: int, outside: Mapping[str, str], family: str, remarks: list[str]
) -> Start:
    """The start of the program at an index with additional variables. env before it may clear or
    override them, so another env then sets them."""
    if "env" not in (Path(each).name for each in words[:at]) or not outside:
        return Start(list(words), dict(outside), family, remarks)
    settled = (f"{name}={value}" for name, value in outside.items())
    return Start([*words[:at], "env", *settled, *words[at:]], {}, family, remarks)


def _launcher(word: str, kind: str, family: str | None) -> launcher.Launcher | None:
    """The launcher; None if it may start any MPI, or if it is unknown and the user names the MPI.
    InputError if the user names an MPI other than the launcher's."""
    if kind not in ("openmpi", "hydra", "mpiexec"):
        return None
    try:
        own = launcher.identify(word)
    except InputError:
        if family is None:
            raise
        return None
    if family is None or launcher.fit(family, own.family):
        return own
    others = [
        Path(each.path).name for each in launcher.launchers() if launcher.fit(family, each.family)
    ]
    others.sort(key=lambda each: not each.startswith(f"{Path(word).name}."))  # mpirun.mpich first
    better = f"start it with {others[0]}" if others else "load that MPI"
    raise InputError(
        f"--mpi {family}: '{word}' starts programs of {launcher.FAMILIES[own.family]}; {better}, "
        f"or leave out --mpi {family}"
    )


def _family(
    starter: str, kind: str, arguments: Sequence[str], family: str, option: str = ""
) -> tuple[str, list[str]]:
    """The family of the library, and a line for each program whose MPI is unknown.

    `family` comes from the launcher, or from the user (by the `option`); "" if unknown.
    """
    remarks = []
    for place in commandline.programs(arguments, kind):
        program = arguments[place]
        found = programs.nature(program)
        if found.static:
            raise InputError(
                f"'{program}' is linked statically, so no library can be preloaded; link it "
                f"with the shared MPI library, or with Toccata (pkg-config toccata-...)"
            )
        if not found.family:
            remarks.append(
                f"cannot detect the MPI of '{program}' ({found.reason})"
                + (f"; assuming {launcher.FAMILIES[family]}" if family else "")
            )
        elif not family:
            family = found.family
        elif not launcher.fit(found.family, family):
            theirs, ours = launcher.FAMILIES[found.family], launcher.FAMILIES[family]
            but = (
                f"{option}; leave out --mpi"
                if option
                else (
                    f"'{starter}' starts programs of {ours}; start it with {theirs}'s own launcher"
                )
            )
            raise InputError(f"'{program}' runs with {theirs} ({found.reason}), but {but}")
        elif found.family == "abi":  # with any launcher
            family = "abi"
    if not family and not remarks:
        raise InputError(
            f"'{starter}': no program follows the launcher; give it last, such as {starter} ./app"
        )
    if not family:
        raise InputError(
            f"'{starter}': {remarks[0]}; name the MPI, for example toccata run --mpi openmpi -- "
            f"{starter}"
        )
    return family, remarks


def _libraries(family: str, version: str, settings: Mapping[str, str]) -> list[Path]:
    """The libraries to preload. The recorder comes first, because it records the program's calls,
    not those of our library."""
    recorder = [launcher.recorder(family, version)] if "TOCCATA_RECORD" in settings else []
    return [*recorder, launcher.library(family, version)]


def say(remarks: Sequence[str]) -> None:
    """Prints each remark as a line on standard error."""
    for each in remarks:
        print(f"toccata: {each}", file=sys.stderr)
