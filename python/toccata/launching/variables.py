"""How launchers pass variables to the ranks on all hosts.

A launcher has its own options for that. If the user gives such an option for a variable of ours,
we remove it and merge its value with ours, because launchers disagree on the option that wins.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toccata.launching import commandline, launcher
from toccata.launching.commandline import Option

PRELOAD = "LD_PRELOAD"
OPENMPI_LIST = f"OMPI_MCA_{commandline.ENV_LIST}"


@dataclass(frozen=True)
class Exported:
    """The variables of the ranks, from the settings of a run and from its environment."""

    libraries: Sequence[Path]
    settings: Mapping[str, str]
    environment: Mapping[str, str]

    def __contains__(self, name: str) -> bool:
        inherited = launcher.is_setting(name) and name in self.environment
        return name == PRELOAD or name in self.settings or inherited

    def merged(self, theirs: Mapping[str, str | None]) -> dict[str, str]:
        """All variables, with our libraries first in LD_PRELOAD. `theirs`, from the launcher's own
        options, override the environment, but not the settings."""
        given = {name: value for name, value in theirs.items() if value is not None}
        known = {**self.environment, **given, **self.settings}
        found = {name: value for name, value in known.items() if name in self and name != PRELOAD}
        preloaded = [*map(str, self.libraries), known.get(PRELOAD, "")]
        return {**found, PRELOAD: ":".join(each for each in preloaded if each)}


def inherited(exported: Exported, listed: bool) -> dict[str, str]:
    """The environment for a command that cannot be inspected: its programs inherit it.

    If `listed`, a variable of Open MPI names the variables that it passes to other hosts.
    """
    if not listed:
        return exported.merged({})
    theirs = exported.environment.get(OPENMPI_LIST, "")
    merged = exported.merged(commandline.entries(theirs.split(";")))
    return {**merged, OPENMPI_LIST: _env_list(theirs, merged, PRELOAD)}


Handed = tuple[list[str], dict[str, str]]  # the launcher's arguments, and its environment
Hand = Callable[[Sequence[str], Exported], Handed]


def _parts(
    arguments: Sequence[str], kind: str, removes: Callable[[Option], bool]
) -> list[tuple[list[str], list[Option]]]:
    """The arguments of each program without some options, and these options."""
    found = []
    for start, end in commandline.sections(arguments, kind):
        words = arguments[start:end]
        removed = [each for each in commandline.options(words, kind) if removes(each)]
        gone = {at for each in removed for at in range(each.start, each.end)}
        found.append(([word for at, word in enumerate(words) if at not in gone], removed))
    return found


def _sets(exported: Exported, kind: str) -> Callable[[Option], bool]:
    """Whether an option sets one of our variables."""
    return lambda option: any(name in exported for name in option.variables(kind))


def _said(options: Iterable[Option], kind: str) -> dict[str, str | None]:
    """The variables that options set."""
    return {n: value for each in options for n, value in each.variables(kind).items()}


def _joined(sections: Sequence[Sequence[str]]) -> list[str]:
    """The arguments of several programs, with colons between them."""
    return [word for at, each in enumerate(sections) for word in [*([":"] if at else []), *each]]


def _by(option: Callable[[str, str], list[str]], kind: str) -> Hand:
    """Passes variables as options before all others of each program."""

    def hand(arguments: Sequence[str], exported: Exported) -> Handed:
        result = []
        for rest, removed in _parts(arguments, kind, _sets(exported, kind)):
            merged = exported.merged(_said(removed, kind))
            result.append([*(word for each in merged.items() for word in option(*each)), *rest])
        return _joined(result), {}

    return hand


def _openmpi(arguments: Sequence[str], exported: Exported) -> Handed:
    """Passes variables with -x. Open MPI 4 refuses -x beside a list of variables; then the list
    names them, too."""
    lists = [
        each.values[1]
        for start, end in commandline.sections(arguments, "openmpi")
        for each in commandline.options(arguments[start:end], "openmpi")
        if each.is_env_list
    ]
    usual = next(iter(lists), exported.environment.get(OPENMPI_LIST, ""))
    if not usual:
        return _by(lambda name, value: ["-x", f"{name}={value}"], "openmpi")(arguments, exported)
    sets = _sets(exported, "openmpi")
    result: list[list[str]] = []
    outside: dict[str, str] = {}
    parts = _parts(arguments, "openmpi", lambda option: option.is_env_list or sets(option))
    for rest, removed in parts:
        own = ";".join(each.values[1] for each in removed if each.is_env_list) or usual
        said = commandline.entries(own.split(";")) | _said(removed, "openmpi")
        merged = exported.merged(said)
        text = _env_list(own, merged, f"{PRELOAD}={merged.pop(PRELOAD)}")
        result.append(["--mca", commandline.ENV_LIST, text, *rest])
        outside |= merged
    return _joined(result), outside


def _env_list(theirs: str, ours: Iterable[str], preload: str) -> str:
    """The user's list with our variables, which have their values in the environment."""
    names = [*(each for each in ours if each != PRELOAD), PRELOAD]
    kept = [each for each in theirs.split(";") if each and each.split("=")[0] not in names]
    return ";".join([*kept, *names[:-1], preload])


def _hydra(arguments: Sequence[str], exported: Exported) -> Handed:
    """Passes variables with -genv, which concerns all programs. If the user gives -env for one of
    them, which concerns one program and overrides -genv, passes this one with -env."""
    parts = _parts(arguments, "hydra", _sets(exported, "hydra"))
    everywhere = _said(
        (each for _, removed in parts for each in removed if "genv" in each.names[0]), "hydra"
    )
    result = []
    for rest, removed in parts:
        own = _said((each for each in removed if "genv" not in each.names[0]), "hydra")
        words = [w for each in exported.merged(everywhere).items() for w in ("-genv", *each)]
        for name, value in exported.merged(everywhere | own).items():
            words += ["-env", name, value] if name in own else []
        result.append([*words, *rest])
    return _joined(result), {}


def _srun(arguments: Sequence[str], exported: Exported) -> Handed:
    """Passes variables by --export, which cannot contain values with commas.

    So --export contains only names; srun takes their values from its environment. LD_PRELOAD is
    passed with its value, because otherwise srun itself would load the library.
    """
    result: list[list[str]] = []
    outside: dict[str, str] = {}
    usual = exported.environment.get("SLURM_EXPORT_ENV", "ALL")
    for rest, removed in _parts(arguments, "srun", lambda option: "--export" in option.names):
        before = removed[-1].values[:1] if removed else [usual]
        theirs = ",".join(before).split(",")
        merged = exported.merged(commandline.entries(theirs))
        kept = [each for each in theirs if each.split("=")[0] not in [*merged, "NONE", "NIL", ""]]
        preload = f"{PRELOAD}={merged.pop(PRELOAD)}"
        result.append([f"--export={','.join([*kept, *merged, preload])}", *rest])
        outside |= merged
    return _joined(result), outside


def _flux(arguments: Sequence[str], exported: Exported) -> Handed:
    """Passes variables by --env, after the user's own rules, which may remove variables."""
    [(rest, removed)] = _parts(arguments, "flux", _sets(exported, "flux"))
    rules = [each.end for each in commandline.options(rest, "flux") if each.names[0][:5] == "--env"]
    at = max([commandline.start_of_options(rest, "flux"), *rules])
    merged = exported.merged(_said(removed, "flux"))
    return [*rest[:at], *(f"--env={name}={merged[name]}" for name in merged), *rest[at:]], {}


HANDING: dict[str, Hand] = {
    "openmpi": _openmpi,
    "hydra": _hydra,
    "srun": _srun,
    "jsrun": _by(lambda name, value: ["-E", f"{name}={value}"], "jsrun"),
    "aprun": _by(lambda name, value: ["-e", f"{name}={value}"], "aprun"),
    "flux": _flux,
}
