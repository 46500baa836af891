"""`toccata run`: a user's command with our library preloaded in all its ranks.

The program determines the library, and the launcher must have the same MPI. The launcher's own
options pass the variables to other hosts. If the program of a command is unknown, its environment
contains the variables instead.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toccata import documents
from toccata.errors import InputError
from toccata.launching import commandline, launcher, programs


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
        family = family or _started_by(command[at])
        exported = _exported(_libraries(family, "", settings), settings, environment)
        return Start(words, _inherited(family, exported, environment), family, [])
    arguments = words[at + 1 :]
    own = _launcher(command[at], kind, family)
    starts = f"--mpi says {launcher.FAMILIES[family]}" if family else ""
    family, remarks = _family(
        command[at], kind, arguments, family or (own.family if own else ""), starts
    )
    libraries = _libraries(family, own.version if own else "", settings)
    exported = _exported(libraries, settings, environment)
    if kind == "mpiexec":
        kind = "openmpi" if (own.family if own else family) == "openmpi" else "hydra"
    handed, outside = HANDING[kind](arguments, exported)
    if "env" in (Path(each).name for each in words[:at]):  # env may clear the outer environment
        settled = [f"{name}={value}" for name, value in outside.items()]
        words[at:at] = ["env", *settled] if settled else []
        at, outside = words.index(path, at), {}
    return Start([*words[: at + 1], *handed], outside, family, remarks)


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


def _started_by(program: str) -> str:
    """The MPI of the launchers in a shell script. InputError if the file is not such a script."""
    path = Path(shutil.which(program) or program)
    documents.check(path)
    with path.open("rb") as file:
        text = file.read(1 << 20)
    first = text.split(b"\n", 1)[0].decode(errors="replace")
    families: dict[str, str] = {}
    others = ""  # launchers of any MPI; the program determines it
    if re.match(r"#!.*\b(ba|da|k|z)?sh\b", first):
        lines = [line for line in text.decode(errors="replace").splitlines() if line[:1] != "#"]
        for word in re.findall(r"[\w./+-]+", "\n".join(lines)):
            if commandline.kind_of(word) in ("openmpi", "hydra", "mpiexec"):
                with suppress(InputError):
                    families[launcher.identify(word).family] = word
        for line in lines:
            for word, family in _of_any_mpi(line):
                others = word
                families |= {family: word} if family else {}
    if len(families) == 1:
        return next(iter(families))
    if families:
        names = " and ".join(families.values())
        raise InputError(
            f"'{program}' names {names}, which belong to two MPIs; choose one, for example "
            "--mpi openmpi"
        )
    if others:
        raise InputError(
            f"'{program}' names {others}, which starts programs of any MPI; name the MPI, for "
            "example --mpi openmpi"
        )
    launcher.identify(program)  # raises the error
    raise InputError(f"'{program}' is not a launcher")


def _of_any_mpi(line: str) -> Iterator[tuple[str, str]]:
    """The launchers in a script line that may start any MPI, each with its program's MPI, or ""."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # a quoted text continues in the next line
        return
    for at, word in enumerate(words):
        kind = commandline.kind_of(word)
        if kind not in ("", "openmpi", "hydra", "mpiexec"):
            behind = words[at + 1 :]
            found = [programs.nature(behind[i]).family for i in commandline.programs(behind, kind)]
            yield from ((word, each) for each in found or [""])


def _libraries(family: str, version: str, settings: Mapping[str, str]) -> list[Path]:
    """The libraries to preload. The recorder comes first, because it records the program's calls,
    not those of our library."""
    recorder = [launcher.recorder(family, version)] if "TOCCATA_RECORD" in settings else []
    return [*recorder, launcher.library(family, version)]


def _exported(
    libraries: Sequence[Path], settings: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, str]:
    """The variables for the ranks: those of Toccata, and LD_PRELOAD with our libraries first."""
    exported = {name: value for name, value in environment.items() if launcher.is_setting(name)}
    exported |= settings
    theirs = environment.get("LD_PRELOAD")
    exported["LD_PRELOAD"] = ":".join([*map(str, libraries), *([theirs] if theirs else [])])
    return exported


def _inherited(
    family: str, exported: Mapping[str, str], environment: Mapping[str, str]
) -> dict[str, str]:
    """The environment for a command that cannot be inspected: its programs inherit it.

    A variable of Open MPI lists the variables that Open MPI passes to other hosts.
    """
    if family == "openmpi":
        name = "OMPI_MCA_mca_base_env_list"
        theirs = environment.get(name)
        return {**exported, name: ";".join([*([theirs] if theirs else []), *exported])}
    return dict(exported)


Handed = tuple[list[str], dict[str, str]]  # the launcher's arguments, and its environment
Hand = Callable[[Sequence[str], Mapping[str, str]], Handed]


def _by(option: Callable[[str, str], list[str]], kind: str = "") -> Hand:
    """Passes variables as options before all others; for `kind`, before those of each program."""

    def hand(arguments: Sequence[str], exported: Mapping[str, str]) -> Handed:
        words = [word for name, value in exported.items() for word in option(name, value)]
        result: list[str] = []
        for start, end in commandline.sections(arguments, kind):
            result += [*([":"] if start else []), *words, *arguments[start:end]]
        return result, {}

    return hand


def _srun(arguments: Sequence[str], exported: Mapping[str, str]) -> Handed:
    """Passes variables by --export, which cannot contain values with commas.

    So --export contains only names; srun takes their values from its environment. LD_PRELOAD is
    passed with its value, because otherwise srun itself would load the library.
    """
    outside = {name: value for name, value in exported.items() if name != "LD_PRELOAD"}
    added = ",".join([*outside, f"LD_PRELOAD={exported['LD_PRELOAD']}"])
    result: list[str] = []
    for start, end in commandline.sections(arguments, "srun"):
        own = list(arguments[start:end])
        last = commandline.start_of_command(own, "srun")
        before, rest = "ALL", []
        words = iter(own[:last])
        for word in words:
            if word == "--export":
                before = next(words, "ALL")
            elif word.startswith("--export="):
                before = word.removeprefix("--export=")
            else:
                rest.append(word)
        before = "" if before in ("NONE", "NIL") else f"{before},"
        result += [*([":"] if start else []), *rest, f"--export={before}{added}", *own[last:]]
    return result, outside


def _flux(arguments: Sequence[str], exported: Mapping[str, str]) -> Handed:
    at = 2 if list(arguments[:1]) == ["mini"] else 1
    words = [f"--env={name}={value}" for name, value in exported.items()]
    return [*arguments[:at], *words, *arguments[at:]], {}


HANDING: dict[str, Hand] = {
    "openmpi": _by(lambda name, value: ["-x", f"{name}={value}"], "openmpi"),
    "hydra": _by(lambda name, value: ["-genv", name, value]),
    "srun": _srun,
    "jsrun": _by(lambda name, value: ["-E", f"{name}={value}"]),
    "aprun": _by(lambda name, value: ["-e", f"{name}={value}"]),
    "flux": _flux,
}


def say(remarks: Sequence[str]) -> None:
    """Prints each remark as a line on standard error."""
    for each in remarks:
        print(f"toccata: {each}", file=sys.stderr)
