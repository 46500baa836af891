"""The checks of `toccata doctor`: each finding is one line, with a remedy if something is wrong."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toccata import _core, documents, quantities
from toccata.algorithms import catalogue, outside
from toccata.errors import CommandError, InputError
from toccata.launching import launcher, place_words, programs, starting
from toccata.topology import machines
from toccata.tuning import tuning_file

SECONDS = 60  # until all ranks reach MPI_Init
TYPICAL = (("allreduce", 8), ("bcast", 1024), ("allgather", 4096), ("alltoall", 65536))
CORRECT = "correct the setting or the file that this line names"
READS = "toccata: doctor: reads "
DEVICES = "toccata: doctor: devices: "
NODE = "toccata: doctor: node: "
NETWORK = "toccata: doctor: network: "
TRANSFERS = "toccata: doctor: transfers"
MPI = "toccata: doctor: mpi: "
PLACES = re.compile(r"^toccata: doctor: places: (.+) \| (.+)$", re.MULTILINE)
RANK = re.compile(
    r"toccata: doctor: rank (\d+) of (\d+) on (\S+) has (\S+), settings ([0-9a-f]{16})"
)
# In MPICH 5.0.2 and Intel MPI 2021.18 (docs/mpi-libraries.md).
DIFFERENCES = {
    "MPICH": "MPI_Error_string returns the texts of other error classes",
    "Intel MPI": "MPI_SEEK_SET, MPI_ERRORS_RETURN and six other constants have other values than "
    "in MPICH's library; compile a program with the header of the library that it runs with",
}
# Intel MPI's line about an algorithm that it does not have, such as I_MPI_ADJUST_ALLREDUCE=99.
IGNORED = re.compile(r"MPI startup\(\): Incorrect algorithm: ((\w+)=\w+), will be ignored")

Ranks = Mapping[int, re.Match[str]]  # the line of each rank that reported
Said = _core.Configuration  # what the user and the site have set


@dataclass(frozen=True)
class Finding:
    """`topic: text`; for an error, `remedy` is the remedy."""

    topic: str
    text: str
    remedy: str = ""

    @property
    def good(self) -> bool:
        return not self.remedy


@dataclass(frozen=True)
class Job:
    """The ranks for which choices are checked, each with the number of its host; and if they
    reported these, the machine with their places, the text of MPI_Get_library_version, and whether
    hosts have only Ethernet."""

    hosts: Sequence[int]
    machine: str = ""
    places: str = ""
    mpi: str = ""
    ethernet: bool = False

    @property
    def ranks(self) -> int:
        return len(self.hosts)

    @property
    def crowded(self) -> bool:
        """Whether a host has more ranks than cores."""
        machine = _core.Machine(self.machine) if self.machine else _core.this_machine()
        cores = machines.cores(machine) // (len(set(self.hosts)) if self.machine else 1)
        return max(self.hosts.count(host) for host in set(self.hosts)) > cores

    def placement(self) -> _core.Placement:
        """As reported."""
        return _core.Placement(_core.Machine(self.machine), self.ranks, self.places)

    def shape(self) -> _core.Shape:
        """The ranks where the launcher placed them. If that is unknown, each on its own core, on
        hosts like this one; if a host has more ranks than cores, with as many cores as ranks."""
        if self.machine:
            return _core.Shape(self.placement(), 0)
        inside = _core.this_machine().text
        slots = [self.hosts[:rank].count(host) for rank, host in enumerate(self.hosts)]
        cores = machines.cores(_core.this_machine())
        if max(slots) >= cores:
            cores = max(slots) + 1
            inside = f"core:{cores}"
        number = len(set(self.hosts))
        there = _core.Machine(f"node:{number} {inside}" if number > 1 else inside)
        places = [host * cores + slot for host, slot in zip(self.hosts, slots, strict=True)]
        return _core.Shape(_core.Placement(there, self.ranks, ",".join(map(str, places))), 0)


def examine(environment: Mapping[str, str]) -> tuple[list[Finding], Said, str]:
    """Checks MPIs, libraries, settings, the machine and tuning files.

    Also returns the arguments of choices(): the settings, and the path of the tuning file that is
    used ("" for none).
    """
    built = launcher.libraries()
    path = str(next(iter(built.values()))) if built else ""
    said = configuration(environment, path)
    files, used = tuned(said, path)
    launchers = launcher.launchers()
    findings = [
        *mpis(),
        *mpi4py(launchers),
        *forced(environment, launchers),
        *settings(said),
        *preloaded(environment),
        *machine(said),
        *registry(),
        *files,
    ]
    return findings, said, used


def configuration(environment: Mapping[str, str], library: str) -> Said:
    """The settings in the environment and in the files of the user and of a library's site."""
    ours = {name: value for name, value in environment.items() if launcher.is_setting(name)}
    return _core.Configuration(_core.configuration_files(library), ours)


def mpis() -> list[Finding]:
    """The MPIs whose launchers are in PATH, and the built libraries."""
    findings = []
    built = launcher.libraries()
    for name, path in built.items():
        findings.append(Finding("library", f"{name}: {path}"))
    if not built:
        findings.append(
            Finding(
                "library",
                "no library was built",
                "install the development files of an MPI, then run make",
            )
        )
    found = {(each.family, each.version): each for each in reversed(launcher.launchers())}
    for each in found.values():
        text = f"{each.name} ({each.path})"
        try:
            library = launcher.library(each.family, each.version)
        except InputError:
            remedy = "install its development files, then run make or make MPI=/path/to/its/mpicc"
            findings.append(Finding("launcher", f"{text}: no library for it", remedy))
        else:
            findings.append(Finding("launcher", f"{text}: served by {library.parent.name}"))
    if not found:
        findings.append(Finding("launcher", "no mpirun in PATH", "load an MPI, or extend PATH"))
    return findings


def mpi4py(launchers: Sequence[launcher.Launcher]) -> list[Finding]:
    """The MPI that mpi4py loads in the first Python of PATH, and whether a launcher starts it."""
    python = shutil.which("python3")
    found = programs.nature(python) if python else programs.Nature("", "")
    if not found.family:
        return []
    text = f"{python}: {found.reason}, {launcher.FAMILIES[found.family]}"
    if not launchers or any(launcher.fit(found.family, each.family) for each in launchers):
        return [Finding("mpi4py", text)]
    others = ", ".join(sorted({each.name for each in launchers}))
    remedy = "start it with its own mpiexec, or set MPI4PY_LIBMPI to the library of that MPI"
    return [Finding("mpi4py", f"{text}, but the launchers in PATH belong to {others}", remedy)]


def forced(environment: Mapping[str, str], launchers: Sequence[launcher.Launcher]) -> list[Finding]:
    """Variables of MPICH 5 that name native algorithms and have an effect for few calls only."""
    concerns = any(each.family == "mpich" and each.version[:2] == "5." for each in launchers)
    device = environment.get("MPIR_CVAR_DEVICE_COLLECTIVES")
    if not concerns or device == "none":
        return []
    text = (
        "{}={}: on one node, MPICH 5 ignores this after the first four collectives of a "
        "communicator"
    )
    names = [
        f"MPIR_CVAR_{each}_INTRA_ALGORITHM"
        for each in ("ALLREDUCE", "BCAST", "REDUCE")
        if (device, environment.get(f"MPIR_CVAR_{each}_DEVICE_COLLECTIVE")) != ("percoll", "0")
    ]
    if device != "percoll":  # `toccata export` names the collectives
        names.append("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE")
    return [
        Finding(
            "native",
            text.format(name, environment[name]),
            "set MPIR_CVAR_DEVICE_COLLECTIVES=none, too",
        )
        for name in names
        if environment.get(name, "auto") != "auto"
    ]


def mpi_of(text: str) -> Finding:
    """Whether the tests cover the MPI with this text of MPI_Get_library_version."""
    version = text.split(",")[0].strip()
    if _core.is_tested(text):
        return Finding("mpi", f"{version}: tested with Toccata")
    known = _core.mpi_library_of(text)
    if known is None:
        return Finding("mpi", f"{version}: unknown, treated as MPICH, not tested with Toccata")
    if known.tested:
        wanted = f"(tested versions: {known.tested})"
        return Finding("mpi", f"{version}: this version is not tested with Toccata {wanted}")
    return Finding("mpi", f"{known.name} ({version}): not tested with Toccata")


def differences(text: str) -> list[Finding]:
    """Where the library for the standard ABI of an MPI differs from the standard."""
    known = _core.mpi_library_of(text)
    if known is None or "(standard ABI)" not in text or known.name not in DIFFERENCES:
        return []
    return [Finding("mpi", f"{known.name}, standard ABI: {DIFFERENCES[known.name]}")]


def settings(said: Said) -> list[Finding]:
    """The settings, their origins, and whether they are valid."""
    findings = [Finding("file", f"{each} is read") for each in said.files]
    findings += [Finding("setting", each, "correct it") for each in said.complaints]
    for name in said.names:
        remedy = complaint(name, said)
        text = f"{name}={said.value(name)}, from {said.origin(name)}"
        findings.append(Finding("setting", text, remedy))
    if not said.names:
        text = "none: the library chooses automatically; TOCCATA=off turns it off"
        findings.append(Finding("setting", text))
    return findings


def complaint(name: str, said: Said) -> str:
    """The error in a setting's value; "" for none."""
    value = said.value(name)
    if not value:
        return ""
    collective = next((each.name for each in _core.collectives() if each.variable == name), None)
    values = next((each.values for each in _core.variables() if each.name == name), "")
    try:
        paths = _paths(name, value) if "FILE" in values else []
        for path in filter(_exists, paths):
            if wrong := documents.why_unreadable(Path(path)):
                return f"{path} {wrong}"
        if collective == "allreduce" and value == "nccl":
            return ""  # the ranks check whether it can serve
        if collective is not None and value != "auto":
            outside.load_named(value)
            _core.parse_sized_choice(collective, value)
        elif name == "TOCCATA_TOPOLOGY":
            return _wrong_topology(value)
        elif name == "TOCCATA_TUNING":
            for path in filter(_core.is_model, paths):
                _core.Model.read(path)
    except _core.ChoiceError as error:
        return str(error)
    folder = Path(paths[0] if paths else "").parent
    if name == "TOCCATA_REPORT" and value.endswith(".json") and not os.access(folder, os.W_OK):
        return f"cannot write to {folder}; name a file in another folder"
    if name == "TOCCATA" and paths:
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not os.access(there, os.W_OK):
            return f"cannot write to {there}; name a file in another folder"
    return _core.complaint_of_value(name, value)


def _paths(name: str, value: str) -> list[str]:
    """The files that a setting names, if it names files."""
    if name == "TOCCATA":
        return [value.partition(":")[2]] if value.startswith("learn:") else []
    if name == "TOCCATA_TUNING":
        return [each.strip() for each in value.split(",") if each.strip() not in ("off", "0", "")]
    if name == "TOCCATA_TOPOLOGY":
        return [text] if (text := _core.parse_topology_setting(value).machine) else []
    return [value] if name == "TOCCATA_REPORT" else []


def _wrong_topology(value: str) -> str:
    """The error in the value of TOCCATA_TOPOLOGY; "" for none."""
    setting = _core.parse_topology_setting(value)
    if not setting.machine:
        return (
            "placement: has no effect without a machine; name one before it"
            if setting.placement
            else ""
        )
    pretended = _core.Machine(setting.machine)
    if setting.placement:
        _core.Placement(pretended, machines.cores(pretended), setting.placement)
    return machines.unknown_levels(pretended)


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # the text cannot be a path
        return False


def preloaded(environment: Mapping[str, str]) -> list[Finding]:
    """The errors of an LD_PRELOAD that is already set."""
    findings = []
    for each in re.split(r"[:\s]+", environment.get("LD_PRELOAD", "")):
        if "libtoccata" in each:
            exists = Path(each).exists()
            remedy = "" if exists else "the file does not exist; unset LD_PRELOAD"
            findings.append(Finding("preload", f"{each}, from the environment", remedy))
    return findings


def registry() -> list[Finding]:
    """Whether all algorithms have passed their proof."""
    unproved = catalogue.unproved()
    number = len(_core.algorithms())
    proved = f"{number - len(unproved)} of {number} are proved"
    remedy = "`toccata verify` shows the error; correct the algorithm, then run make"
    return [
        Finding("algorithm", proved),
        *(Finding("algorithm", f"{each} is {catalogue.NOT_PROVED}", remedy) for each in unproved),
    ]


def machine(said: Said) -> list[Finding]:
    """The machine that hwloc finds, and its replacement by TOCCATA_TOPOLOGY."""
    findings = [Finding("machine", f"this host: {_core.this_machine().text}")]
    with suppress(_core.ChoiceError):  # named among the settings
        if text := _core.parse_topology_setting(said.value("TOCCATA_TOPOLOGY")).machine:
            findings.append(Finding("machine", f"TOCCATA_TOPOLOGY: {_core.Machine(text).text}"))
    return findings


def tuned(said: Said, library: str) -> tuple[list[Finding], str]:
    """Checks the named tuning file; without one, those in the library's folders. Also returns the
    path of the file that is used; "" for none."""
    setting = said.value("TOCCATA_TUNING")
    named = [each for each in _paths("TOCCATA_TUNING", setting) if not _core.is_model(each)]
    if not named and "off" in setting.split(","):
        return [Finding("tuning", "none, because TOCCATA_TUNING=off")], ""
    if named:
        finding, found = _tuning_file(Path(named[-1]), "name another file, or unset TOCCATA_TUNING")
        return [finding], named[-1] if found else ""
    folders = _core.tuning_folders(library)
    files = [each for folder in folders for each in sorted(Path(folder).glob("*.json"))]
    if not files:
        return [Finding("tuning", f"no file in {' or '.join(folders)}")], ""
    read = [(each, *_tuning_file(each, "correct or remove it")) for each in files]
    why = {each: _why_not_used(found) for each, _, found in read if found}
    used = next((each for each, reason in why.items() if not reason), None)
    findings = []
    for each, finding, _ in read:
        reason = why.get(each)
        if reason is None:
            findings.append(finding)
        elif each == used:
            findings.append(Finding("tuning", f"{finding.text}: used"))
        elif used is not None:
            reason = reason or f"{used} comes first"
            findings.append(Finding("tuning", f"{finding.text}: not used, because {reason}"))
        else:
            text = f"{finding.text}: not used, because {reason}"
            remedy = "run `toccata tune` on a node of this kind, with this MPI, or remove the file"
            findings.append(Finding("tuning", text, remedy))
    return findings, str(used) if used else ""


def _tuning_file(path: Path, remedy: str) -> tuple[Finding, tuning_file.Tuning | None]:
    try:
        found = tuning_file.read(path)
    except InputError as error:
        return Finding("tuning", str(error), remedy), None
    whose = f"{found.mpi or 'any MPI'}, nodes of {_node(found) or 'any kind'}"
    return Finding(
        "tuning", f"{path}: {quantities.plural('point', len(found.points))} for {whose}"
    ), found


def _node(found: tuning_file.Tuning) -> str:
    """The levels inside a node, such as "socket:2 core:8", by the library's rules
    (src/choices/tuning.cpp)."""
    return re.sub(r".*\bnode:\S+ ?", "", found.machine)


def _why_not_used(found: tuning_file.Tuning) -> str:
    """Why the library does not use a file automatically; "" if it does."""
    here = _core.this_machine().text
    if not found.mpi:
        return "it does not name the MPI that it was measured with"
    if not _node(found):
        return f"it does not describe its nodes; this host has {here}"
    if _node(found) != here:
        return f"this host has {here}"
    mpis = launcher.launchers()
    if mpis and not any(each.is_of(found.mpi) for each in mpis):
        return f"the MPIs here are {', '.join(sorted({each.name for each in mpis}))}"
    return ""


def choices(said: Said, job: Job | None = None, tuning_file: str = "") -> list[Finding]:
    """The choices for some typical calls, and whether requested algorithms are possible.

    The calls are among the ranks of the job; without a job, among one rank per core of this host,
    under the MPI of the first launcher in PATH.
    """
    if said.value("TOCCATA") in ("off", "0"):
        why = f"because of TOCCATA=off in {said.origin('TOCCATA')}"
        return [Finding("choice", f"native for all, {why}")]
    job = job or Job([0] * machines.cores(_core.this_machine()), mpi=_first_mpi())
    p = job.ranks
    if p < 2:
        return []
    model = _core.usual_model()  # even if another file cannot be read
    for path in filter(_core.is_model, _paths("TOCCATA_TUNING", said.value("TOCCATA_TUNING"))):
        with suppress(_core.ModelError):
            model = _core.Model.read(path)
    shape, nodes = job.shape(), len(set(job.hosts))
    on = quantities.plural("node", nodes)
    findings = []
    typical = dict(TYPICAL)
    for collective in _core.collectives():
        name, variable = collective.name, collective.variable
        text = said.value(variable)
        if (name, text) == ("allreduce", "nccl"):
            call = f"{name} with {p} ranks, one device each"
            findings.append(Finding("choice", f"{call}: NCCL or RCCL, because of {variable}"))
        elif text not in ("", "auto"):
            findings += _asked(name, variable, text, shape, bool(complaint(variable, said)))
        elif name in typical:
            size = typical[name]
            text, why = _by_itself(said, name, size, job, model, tuning_file)
            call = f"{name} of {quantities.show_amount(size)} with {p} ranks on {on}"
            findings.append(Finding("choice", f"{call}: {text}, {why}"))
    return findings


def _first_mpi() -> str:
    """The text of the MPI library of the first launcher in PATH; "" if there is none."""
    found = launcher.launchers()
    return launcher.library_text(found[0].family, found[0].version) if found else ""


def _asked(
    collective: str, variable: str, text: str, shape: _core.Shape, wrong: bool
) -> list[Finding]:
    """The findings for a collective if a setting names its algorithms."""
    call = f"{collective} with {shape.p} ranks"
    if wrong:
        return [Finding("choice", f"{call}: native, because {variable} is invalid")]
    findings = []
    for _, choice in _core.parse_sized_choice(collective, text):
        if not choice.native and (why := choice.why_impossible(shape)):
            findings.append(
                Finding(
                    "choice",
                    f"{call}: native instead of {choice.text}, which {why}",
                    f"set {variable} to another algorithm: `toccata list {collective}` shows all",
                )
            )
    return findings or [Finding("choice", f"{call}: {text}, because of {variable}")]


def _by_itself(
    said: Said, collective: str, size: int, job: Job, model: _core.Model, tuning_file: str
) -> tuple[str, str]:
    """The library's choice for a call, and the reason."""
    shape, nodes = job.shape(), len(set(job.hosts))
    is_sum = collective == "allreduce"
    if is_sum and said.value("TOCCATA_SUMS") == "reproducible":
        return (
            "an algorithm with the same bits for any placement",
            "because of TOCCATA_SUMS=reproducible",
        )
    with suppress(_core.ChoiceError):  # reported by tuned()
        if tuning_file and (known := _core.tuned(tuning_file, collective, shape.p, nodes, size)):
            return known.text, f"because of {tuning_file}"
    rule = _core.fixed_rule(job.mpi, collective, shape, size, job.crowded, job.ethernet)
    by_rule = "by a fixed rule of Toccata, from the 33rd call on at the latest"
    if rule is not None and nodes == 1 and said.value("TOCCATA_NODE") != "off":
        return rule.text, by_rule
    tried = _core.worth_trying(collective, shape, model, [size], published=nodes > 1)[0]
    if not tried:
        return "native", "because Toccata has no algorithm for this call"
    if said.value("TOCCATA") == "model":
        ours = tried[0][0].text
        return "native", f"or {ours} if the model predicts a gain of 10% (TOCCATA=model)"
    has_trials = not is_sum or said.value("TOCCATA_SUMS") == "all"
    if rule is not None and nodes > 1:
        return rule.text, by_rule + ("; trials compare it with native" if has_trials else "")
    if not has_trials:
        return (
            "native",
            "because no fixed rule applies, and trials do not change floating-point sums",
        )
    best = ", ".join(each.text for each, _ in tried)
    return "native first", f"then trials of {best}"


def treat(
    command: Sequence[str],
    environment: Mapping[str, str],
    family: str | None = None,
    seconds: float = SECONDS,
) -> tuple[list[Finding], Job | None]:
    """Starts exactly this command. With our library, its ranks end in MPI_Init.

    Without effect of the library, the program itself runs, and is ended after `seconds`. The job is
    None unless all ranks reported their hosts.
    """
    try:
        start = starting.prepare(command, {"TOCCATA_DOCTOR": "1"}, environment, family)
    except CommandError as error:
        return [Finding("command", "cannot be started", str(error))], None
    findings = [Finding("command", shlex.join(start.words))]
    findings += [Finding("program", each) for each in start.remarks]
    said, code = _run(start, environment, seconds)
    ranks = {int(match[1]): match for match in RANK.finditer(said)}
    findings += _reported(said)
    if not ranks:
        return [*findings, _without_ranks(said, code, seconds)], None
    job = _job(ranks, said)
    return [*findings, *transfers(said), *_reached(ranks), *placed(job)], job


def _reported(said: str) -> list[Finding]:
    """Findings from the library's lines that do not concern single ranks."""
    findings = []
    for line in dict.fromkeys(said.splitlines()):
        if line.startswith(READS):
            findings.append(Finding("file", f"{line.removeprefix(READS)} is read"))
        elif line.startswith(MPI):
            findings.append(mpi_of(line.removeprefix(MPI)))
            findings += differences(line.removeprefix(MPI))
        elif line.startswith(DEVICES):
            findings.append(Finding("devices", line.removeprefix(DEVICES)))
        elif line.startswith(NODE):
            findings.append(Finding("node", line.removeprefix(NODE)))
        elif line.startswith(NETWORK):
            findings.append(Finding("network", line.removeprefix(NETWORK)))
        elif match := IGNORED.search(line):
            told = (
                f"{match[1]}: Intel MPI has no such algorithm, and may use another one than usual"
            )
            findings.append(Finding("native", told, "correct or unset I_MPI_ADJUST_" + match[2]))
        elif line.startswith("toccata: ") and "toccata: doctor: " not in line:
            findings.append(Finding("library", line.removeprefix("toccata: "), CORRECT))
    return findings


def _without_ranks(said: str, code: int | None, seconds: float) -> Finding:
    """No rank reported: the command ended with `code`, or had to be ended after `seconds`."""
    if code:
        last = [line for line in said.splitlines() if line.strip("- ")][-3:]
        text = f"the command ended with code {code} before MPI_Init: {' / '.join(last)}"
        return Finding("ranks", text, "check that the command runs without Toccata")
    remedy = "check that no wrapper clears the environment, and that MPI is not linked statically"
    what = "ended" if code is not None else f"ran for {seconds:g} s"
    return Finding("ranks", f"the command {what}, and no rank loaded the library", remedy)


def _hosts(ranks: Ranks) -> dict[str, list[int]]:
    hosts: dict[str, list[int]] = {}
    for rank, match in sorted(ranks.items()):
        hosts.setdefault(match[3], []).append(rank)
    return hosts


def _missing(ranks: Ranks) -> list[str]:
    return [str(rank) for rank in range(_size(ranks)) if rank not in ranks]


def _size(ranks: Ranks) -> int:
    return int(next(iter(ranks.values()))[2])


def _reached(ranks: Ranks) -> list[Finding]:
    """The ranks with the library, and a comparison of their settings."""
    findings = [
        Finding("host", f"{host}: {len(here)} of {_size(ranks)} ranks loaded the library")
        for host, here in _hosts(ranks).items()
    ]
    if missing := _missing(ranks):
        those = "rank" if len(missing) == 1 else "ranks"
        some = f"{', '.join(missing[:8])}{', ...' * (len(missing) > 8)}"
        text = f"the library is not loaded in {those} {some}"
        remedy = "check that the path of the library exists on their hosts"
        findings.append(Finding("ranks", text, remedy))
    if len({match[5] for match in ranks.values()}) > 1:
        remedy = "set the TOCCATA_ variables identically on all hosts"
        findings.append(Finding("ranks", "settings differ", remedy))
    return findings


def _job(ranks: Ranks, said: str) -> Job | None:
    if _missing(ranks):
        return None
    hosts = list(_hosts(ranks))
    numbers = [hosts.index(ranks[rank][3]) for rank in range(_size(ranks))]
    machine, places = told.groups() if (told := PLACES.search(said)) else ("", "")
    mpi = next((each for each in said.splitlines() if each.startswith(MPI)), "")
    return Job(numbers, machine, places, mpi.removeprefix(MPI), NETWORK in said)


def placed(job: Job | None) -> list[Finding]:
    """Where the launcher placed the ranks, and whether some share a core although they are bound.
    Empty if they did not report that."""
    if job is None or not job.machine:
        return []
    machine = _core.Machine(job.machine)
    text = f"the launcher placed the ranks on {job.places} of {machine.text}"
    ranks: dict[int, list[int]] = {}
    for rank, (level, core) in enumerate(job.placement().places):
        if level == len(machine.levels) - 1 and machine.levels[level] in ("core", "pu"):
            ranks.setdefault(core, []).append(rank)
    shared = [each for each in ranks.values() if len(each) > 1]
    if not shared:
        return [Finding("places", text)]
    first = ", ".join(map(str, shared[0][:8]))
    remedy = "start fewer ranks per host, or do not bind them, for example with --bind-to none"
    return [Finding("places", f"{text}: ranks {first} are bound to the same core", remedy)]


def as_said(word: str, job: Job) -> Finding:
    """Whether the hosts of the ranks are as a word of --place says."""
    if len(set(job.hosts)) == 1:
        text = f"--place {word}: all ranks are on one host, so there are no hosts to compare"
        return Finding("places", text)
    text = f"--place {word}: {place_words.WORDS[word]}"
    if not (why := place_words.complaint(word, job.hosts)):
        return Finding("places", text)
    remedy = "unset variables of the launcher that place ranks, or use another word"
    return Finding("places", f"{text}; but {why}", remedy)


def transfers(said: str) -> list[Finding]:
    """Whether messages between device buffers arrived correctly; empty if the ranks did not test
    them."""
    lines = [line.removeprefix(TRANSFERS) for line in said.splitlines() if TRANSFERS in line]
    if not lines:
        return []
    if ": right" in lines:
        return [
            Finding("devices", "messages of 64 B and 1 MiB between device buffers arrive correctly")
        ]
    remedy = "unset TOCCATA_DEVICE, or set it to staged"
    if lines == [" begin"]:
        text = "a message between device buffers crashed the program"
        return [Finding("devices", text, remedy)]
    if ": wrong" in lines:
        return [
            Finding("devices", "messages between device buffers arrive with wrong data", remedy)
        ]
    return [Finding("devices", f"messages were not tested{lines[-1]}")]


def _run(
    start: starting.Start, environment: Mapping[str, str], seconds: float
) -> tuple[str, int | None]:
    """The command's output on both streams, and its exit code; None if it had to be ended."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        process = subprocess.Popen(
            start.words, stdout=said, stderr=said, stdin=subprocess.DEVNULL,
            env={**environment, **start.environment}, start_new_session=True,
        )  # fmt: skip
        try:
            code: int | None = process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            if process.poll() is None:
                process.terminate()  # launchers then end their ranks
                time.sleep(1)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        said.seek(0)
        return said.read(), code
