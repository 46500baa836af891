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

from toccata import _core, launcher, starting
from toccata.errors import CommandError, InputError

SECONDS = 60  # for all ranks to come to MPI_Init
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
    """MPIs, libraries, settings and the machine."""
    return [*mpis(), *settings(environment), *preloaded(environment), *machine(environment)]


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


def settings(environment: Mapping[str, str]) -> list[Finding]:
    """What is set, whence, and whether it can be understood."""
    findings = []
    known = {each.variable: each.name for each in _core.collectives()}
    for name, value in sorted(environment.items()):
        if not name.startswith("TOCCATA_"):
            continue
        remedy = _core.complaint_of_variable(name)
        try:
            if name in known and value:
                _core.parse_choice(known[name], value)
            elif name == "TOCCATA_TOPOLOGY" and value:
                unknown = _core.unknown_levels(_core.Machine(value))
                if unknown:
                    remedy = f"nothing goes by a level called {', '.join(unknown)}"
        except _core.ChoiceError as error:
            remedy = str(error)
        findings.append(Finding("setting", f"{name}={value}, from the environment", remedy))
    if not findings:
        findings.append(Finding("setting", "none: the MPI library's own collectives are used"))
    return findings


def preloaded(environment: Mapping[str, str]) -> list[Finding]:
    """What is wrong with an LD_PRELOAD that is set already."""
    findings = []
    for each in re.split(r"[:\s]+", environment.get("LD_PRELOAD", "")):
        if "libtoccata" in each:
            exists = Path(each).exists()
            remedy = "" if exists else "there is no such file; unset LD_PRELOAD"
            findings.append(Finding("preload", f"{each}, from the environment", remedy))
    return findings


def machine(environment: Mapping[str, str]) -> list[Finding]:
    """What hwloc finds, and what TOCCATA_TOPOLOGY puts in its place."""
    findings = [Finding("machine", f"this host: {_core.this_machine().text}")]
    if text := environment.get("TOCCATA_TOPOLOGY"):
        with suppress(_core.ChoiceError):  # named among the settings
            findings.append(Finding("machine", f"TOCCATA_TOPOLOGY: {_core.Machine(text).text}"))
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
        if line.startswith("toccata: ") and "toccata: doctor: " not in line:
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
