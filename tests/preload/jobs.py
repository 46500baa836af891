"""Commands under mpirun, and their reports. No command runs longer than its caller."""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from pathlib import Path

REPORTS = "TOCCATA_REPORT"
HEADER = Path(__file__).resolve().parents[2] / "include/toccata/toccata.h"  # has the version


def whole(library):
    """The library that depends on MPI: on most processors, libtoccata.so only loads it."""
    found = Path(library).with_name("libtoccata_mpi.so")
    return str(found if found.exists() else library)


def where(condition, script):
    """A command line that runs a script before its command where `condition` holds of $rank."""
    rank = "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    return ["sh", "-c", f'{rank}; if [ {condition} ]; then {script}; fi; exec "$0" "$@"']


def only(condition, settings):
    """A command line that puts settings before its command where `condition` holds of $rank."""
    return where(
        condition, "; ".join(f"export {name}='{value}'" for name, value in settings.items())
    )


def another_version(library, folder):
    """A copy of the library with another number in it."""
    content = Path(whole(library)).read_bytes()
    major, rest = re.search(r'TOCCATA_VERSION "(\d+)(.*)"', HEADER.read_text()).groups()
    version, other = (f"{each}{rest}\0".encode() for each in (major, "9" * len(major)))
    assert version in content
    copy = Path(shutil.copy(library, folder))
    copy.with_name(Path(whole(library)).name).write_bytes(content.replace(version, other))
    return str(copy)


class Done(subprocess.CompletedProcess):
    """A completed process; `rows` are the rows of its report, if there is one."""

    def __init__(self, code, out, error, rows):
        super().__init__([], code, out, error)
        self.rows = rows


class Job:
    """`launcher`: its command line; `patience`: the seconds after which a command counts as hung.

    If `reports` is set, rank 0 writes a report to a file of the job, unless the settings name
    another file.
    """

    def __init__(
        self, launcher, patience, command, ranks, settings, for_launcher=False, reports=False
    ):
        self.folder = tempfile.TemporaryDirectory(prefix="toccata-job-")
        self.report = Path(self.folder.name) / "report.json"
        settings = ({REPORTS: str(self.report)} if reports else {}) | settings
        environment = dict(os.environ)
        given = [f"{name}={value}" for name, value in settings.items()]
        if for_launcher:  # spawned processes inherit its environment
            environment |= settings
            given = []
        self.hangs = False
        self.patience = patience
        self.process = subprocess.Popen(
            [*launcher, "-n", str(ranks), "env", *given, *command],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def end(self):
        """Ends the launcher by a signal; launchers then end their ranks."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)

    def _give_up(self):
        self.hangs = True
        self.end()

    def outcome(self):
        """The completed process; its code is not 0 if it hung."""
        clock = threading.Timer(self.patience, self._give_up)
        clock.start()
        out, error = self.process.communicate()
        clock.cancel()
        if self.hangs:
            error = f"hangs\n{error}"
        rows = json.loads(self.report.read_text())["rows"] if self.report.exists() else []
        self.folder.cleanup()
        return Done(self.process.returncode or self.hangs, out, error, rows)

    def hear(self, wanted):
        """Its lines on standard error, up to and including the wanted one; ends the job."""
        clock = threading.Timer(self.patience, self.end)
        clock.start()
        heard = []
        for line in self.process.stderr:
            heard.append(line)
            if wanted(line):
                break
        clock.cancel()
        self.end()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()
        return heard


class Outcome:
    """The output of a program, the messages of the library, and the report."""

    def __init__(self, done):
        self.code = done.returncode
        self.out = done.stdout.split()
        self.lines = done.stdout.splitlines()
        self.error = done.stderr
        self.messages = [line for line in done.stderr.splitlines() if line.startswith("toccata: ")]
        self.rows = done.rows

    @property
    def calls(self):
        """{(collective, ranks, algorithm): calls}"""
        calls = Counter()
        for row in self.rows:
            calls[row["collective"], row["ranks"], row["choice"]] += row["calls"]
        return calls

    def served(self, collective, reason):
        """{algorithm: calls} for this reason."""
        calls = Counter()
        for row in self.rows:
            if (row["collective"], row["reason"]) == (collective, reason):
                calls[row["choice"]] += row["calls"]
        return calls
