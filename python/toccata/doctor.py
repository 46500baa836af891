"""What `toccata doctor` looks at: a finding is a line, and a remedy where something is wrong."""

import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from toccata import _core, launcher, machines, predicting, quantities, starting, tuning
from toccata.errors import CommandError, InputError

SECONDS = 60  # for all ranks to come to MPI_Init
TYPICAL = (("allreduce", 8), ("bcast", 1024), ("allgather", 4096), ("alltoall", 65536))
READS = "toccata: doctor: reads "
DEVICES = "toccata: doctor: devices: "
RANK = re.compile(
    r"toccata: doctor: rank (\d+) of (\d+) on (\S+) has (\S+), settings ([0-9a-f]{16})"
)


@dataclass(frozen=True)
class Finding:
    """`topic: text`; where it is wrong, `remedy` says what to do."""

    topic: str
    text: str
    remedy: str = ""

    @property
    def good(self) -> bool:
        return not self.remedy


def examine(environment: Mapping[str, str]) -> list[Finding]:
    """MPIs, libraries, settings, the machine, and what is chosen there."""
    built = launcher.libraries()
    path = str(next(iter(built.values()))) if built else ""
    said = Said(environment, _core.Configuration(_core.configuration_files(path)))
    return [
        *mpis(),
        *settings(said),
        *preloaded(environment),
        *machine(said),
        *tuned(said, path),
        *choices(said),
    ]


@dataclass(frozen=True)
class Said:
    """What the environment says, or where it says nothing, toccata.conf."""

    environment: Mapping[str, str]
    files: _core.Configuration

    def value(self, name: str) -> str:
        return self.environment.get(name, self.files.value(name))

    def origin(self, name: str) -> str:
        return "the environment" if name in self.environment else self.files.origin(name)

    @property
    def names(self) -> list[str]:
        ours = {each for each in self.environment if launcher.is_setting(each)}
        return sorted(ours | set(self.files.names))


def mpis() -> list[Finding]:
    """Whose launchers are in PATH, and which libraries were built."""
    findings = []
    built = launcher.libraries()
    for name, path in built.items():
        findings.append(Finding("library", f"{name}: {path}"))
    if not built:
        findings.append(
            Finding("library", "none was built", "install an MPI's development files; make")
        )
    found = {(each.family, each.version): each for each in reversed(launcher.launchers())}
    for each in found.values():
        text = f"{each.name} ({each.path})"
        try:
            library = launcher.library(each.family, each.version)
        except InputError:
            remedy = "install its development files, then make; or make MPI=/path/to/its/mpicc"
            findings.append(Finding("launcher", f"{text}: no library for it", remedy))
        else:
            findings.append(Finding("launcher", f"{text}: served by {library.parent.name}"))
    if not found:
        findings.append(Finding("launcher", "no mpirun in PATH", "load an MPI, or extend PATH"))
    return findings


def settings(said: Said) -> list[Finding]:
    """What is set, whence, and whether it can be understood."""
    findings = [Finding("file", f"{each} is read") for each in said.files.files]
    findings += [Finding("file", each, "mend that line") for each in said.files.complaints]
    for name in said.names:
        remedy = _core.complaint_of_variable(name) or complaint(name, said)
        text = f"{name}={said.value(name)}, from {said.origin(name)}"
        findings.append(Finding("setting", text, remedy))
    if not said.names:
        text = "none: the library chooses by itself; TOCCATA=off leaves all to the MPI library"
        findings.append(Finding("setting", text))
    return findings


def complaint(name: str, said: Said) -> str:
    """What is wrong with a setting's value; "" for nothing."""
    value = said.value(name)
    if not value:
        return ""
    collective = next((each.name for each in _core.collectives() if each.variable == name), None)
    try:
        if collective is not None and value != "auto":
            _core.parse_sized_choice(collective, value)
        elif name == "TOCCATA_TOPOLOGY":
            if unknown := _core.unknown_levels(_core.Machine(value)):
                return f"nothing goes by a level called {', '.join(unknown)}"
        elif name == "TOCCATA_PLACEMENT":
            if not (topology := said.value("TOCCATA_TOPOLOGY")):
                return "is of no use without TOCCATA_TOPOLOGY"
            pretended = _core.Machine(topology)
            _core.Placement(pretended, machines.cores(pretended), value)
        elif name == "TOCCATA_MODEL":
            _core.Model.read(value)
    except _core.ModelError as error:
        return f"{error}; those that come with Toccata are in {predicting.models_directory()}"
    except _core.ChoiceError as error:
        return str(error)
    folder = Path(value).parent
    if name == "TOCCATA_REPORT" and value.endswith(".json") and not os.access(folder, os.W_OK):
        return f"nothing can be written to {folder}"
    if name == "TOCCATA_LEARN" and value not in ("auto", "1", "off", "0"):
        there = next(each for each in (folder, *folder.parents) if each.exists())
        if not os.access(there, os.W_OK):
            return f"nothing can be written to {there}"
    return _core.complaint_of_value(name, value)


def preloaded(environment: Mapping[str, str]) -> list[Finding]:
    """What is wrong with an LD_PRELOAD that is set already."""
    findings = []
    for each in re.split(r"[:\s]+", environment.get("LD_PRELOAD", "")):
        if "libtoccata" in each:
            exists = Path(each).exists()
            remedy = "" if exists else "there is no such file; unset LD_PRELOAD"
            findings.append(Finding("preload", f"{each}, from the environment", remedy))
    return findings


def machine(said: Said) -> list[Finding]:
    """What hwloc finds, and what TOCCATA_TOPOLOGY puts in its place."""
    findings = [Finding("machine", f"this host: {_core.this_machine().text}")]
    if text := said.value("TOCCATA_TOPOLOGY"):
        with suppress(_core.ChoiceError):  # named among the settings
            findings.append(Finding("machine", f"TOCCATA_TOPOLOGY: {_core.Machine(text).text}"))
    return findings


def tuned(said: Said, library: str) -> list[Finding]:
    """The tuning file that is named; else those in the folders where the library looks for one."""
    named = said.value("TOCCATA_TUNING")
    if named == "off":
        return [Finding("tuning", "none, as TOCCATA_TUNING=off says")]
    remedy = "name another file, or unset TOCCATA_TUNING"
    files = [Path(named)]
    if not named:
        folders = _core.tuning_folders(library)
        remedy = "mend or remove it"
        files = [each for folder in folders for each in sorted(Path(folder).glob("*.json"))]
        if not files:
            return [Finding("tuning", f"no file in {' or '.join(folders)}")]
    findings = []
    here = _core.this_machine().text
    for each in files:
        try:
            found = tuning.read(each)
        except InputError as error:
            findings.append(Finding("tuning", str(error), remedy))
            continue
        node = re.sub(r".*\bnode:\S+ ?", "", found.machine)
        whose = f"{found.mpi or 'any MPI'}, nodes of {node or 'any kind'}"
        fits = "" if named else ", as this host" if node == here else ", which this host is not"
        findings.append(Finding("tuning", f"{each}: {len(found.points)} points for {whose}{fits}"))
    return findings


def choices(said: Said) -> list[Finding]:
    """What is chosen for some typical calls among as many ranks as this host has cores."""
    if said.value("TOCCATA") in ("off", "0"):
        return [Finding("choice", f"native for all, as {said.origin('TOCCATA')} says TOCCATA=off")]
    here = _core.this_machine()
    p = machines.cores(here)
    if p < 2:
        return []
    model = _core.usual_model()  # also where another cannot be read
    if path := said.value("TOCCATA_MODEL"):
        with suppress(_core.ModelError):
            model = _core.Model.read(path)
    shape = _core.Shape(_core.Placement(here, p, machines.STANDARD_PLACEMENT), 0)
    file = said.value("TOCCATA_TUNING")
    findings = []
    for collective, size in TYPICAL:
        variable = next(each.variable for each in _core.collectives() if each.name == collective)
        text, why = said.value(variable), f"{variable} says so"
        if complaint(variable, said):
            text, why = "native", f"{variable} cannot be understood"
        elif text in ("", "auto"):
            tried = _core.worth_trying(collective, shape, model, [size])[0]
            best = ", ".join(each.text for each, _ in tried)
            text, why = "native first", f"then trials of {best} beside it"
            if collective == "allreduce" and said.value("TOCCATA_GUARD") != "all":
                text, why = "native", "a sum of floating-point numbers keeps its bits"
            with suppress(_core.ChoiceError):  # named where tuning files are
                if Path(file).is_file() and (known := _core.tuned(file, collective, p, 1, size)):
                    text, why = known.text, f"{file} says so"
        call = f"{collective} of {quantities.show_bytes(size)} among {p} ranks"
        findings.append(Finding("choice", f"{call}: {text}; {why}"))
    return findings


def treat(
    command: Sequence[str],
    environment: Mapping[str, str],
    family: str | None = None,
    seconds: int = SECONDS,
) -> list[Finding]:
    """Starts that very command, which ends when its ranks come to MPI_Init with our library in it.

    Where the library takes no effect the program itself begins; it is ended after `seconds`.
    """
    try:
        start = starting.prepare(command, {"TOCCATA_DOCTOR": "1"}, environment, family)
    except CommandError as error:
        return [Finding("command", "cannot be started", str(error))]
    findings = [Finding("command", shlex.join(start.words))]
    findings += [Finding("program", each) for each in start.remarks]
    said, code = _run(start, environment, seconds)
    ranks = {int(match[1]): match for match in RANK.finditer(said)}
    for line in dict.fromkeys(said.splitlines()):
        if line.startswith(READS):
            findings.append(Finding("file", f"{line.removeprefix(READS)} is read"))
        elif line.startswith(DEVICES):
            findings.append(Finding("devices", line.removeprefix(DEVICES)))
        elif line.startswith("toccata: ") and "toccata: doctor: " not in line:
            findings.append(Finding("library", line.removeprefix("toccata: "), "mend that"))
    if not ranks and code:
        last = [line for line in said.splitlines() if line.strip("- ")][-3:]
        return [
            *findings,
            Finding(
                "ranks",
                f"it ended with code {code} before MPI_Init: {' / '.join(last)}",
                "does the command run without Toccata?",
            ),
        ]
    if not ranks:
        remedy = "a wrapper may empty the environment, or the program have an MPI inside itself"
        what = "ended" if code is not None else f"ran for {seconds} s"
        return [*findings, Finding("ranks", f"it {what}, and none has the library", remedy)]
    size = int(next(iter(ranks.values()))[2])
    missing = [str(rank) for rank in range(size) if rank not in ranks]
    by_host: dict[str, list[int]] = {}
    for rank, match in sorted(ranks.items()):
        by_host.setdefault(match[3], []).append(rank)
    for host, here in by_host.items():
        findings.append(Finding("host", f"{host}: {len(here)} of {size} ranks have the library"))
    if missing:
        findings.append(
            Finding(
                "ranks",
                f"without the library: {', '.join(missing[:8])}{', ...' * (len(missing) > 8)}",
                "is the library's path there on their hosts?",
            )
        )
    if len({match[5] for match in ranks.values()}) > 1:
        findings.append(
            Finding("ranks", "settings differ", "set the TOCCATA_ variables on all hosts alike")
        )
    return findings


def _run(
    start: starting.Start, environment: Mapping[str, str], seconds: int
) -> tuple[str, int | None]:
    """What the command said on both its outputs, and how it ended; None where it had to be."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
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
