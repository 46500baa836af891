"""The history of a machine's checks: a file with one line per check, and the trend."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import msgspec

from toccata import documents
from toccata.checking.expected import times_of
from toccata.checking.findings import Finding
from toccata.checking.measured import KEY, VERSION, Measured

SHOWN = 5  # earlier checks whose median is the trend's reference
TRENDS = ("latency", "bandwidth")  # both are 0 on a single host
REMEDY = "name another file with --history, or remove the broken lines"


@dataclass(frozen=True)
class Entry:
    """One check in short."""

    time: str
    hosts: list[str]
    latency: float  # medians over the pairs, in seconds
    bandwidth: float  # bytes per second
    findings: list[str]


def entry(measured: Measured, findings: list[Finding]) -> Entry:
    latency = median(each.latency for each in measured.pairs) if measured.pairs else 0.0
    times = [time for each in times_of(measured, "bandwidth") for time in each.values()]
    rate = measured.bytes / median(times) if times else 0.0
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return Entry(now, measured.hosts, latency, rate, [each.text for each in findings])


def read(path: Path) -> tuple[list[Entry], str]:
    """The earlier checks, and a line about unreadable ones, "" if there are none."""
    if not path.exists() or path.stat().st_size == 0:
        return [], ""
    entries, broken = list[Entry](), list[int]()
    for number, line in enumerate(documents.text_of(path).splitlines(), 1):
        try:
            document = msgspec.json.decode(line)
            if document.get(KEY) != VERSION:
                raise ValueError
            entries.append(msgspec.convert(document, Entry))
        except (msgspec.MsgspecError, ValueError, AttributeError):
            broken.append(number)
    if not broken:
        return entries, ""
    which = f"line {broken[0]}" if len(broken) == 1 else f"{len(broken)} lines"
    return entries, f"{path}: left out {which}, not from this version; {REMEDY}"


def append(path: Path, new: Entry) -> None:
    """Adds one line; OSError if the file cannot be written."""
    line = json.dumps({KEY: VERSION} | msgspec.to_builtins(new))
    with path.open("a+", encoding="utf-8") as file:
        file.seek(0, 2)
        if file.tell() > 0:
            file.seek(file.tell() - 1)
            line = ("" if file.read(1) == "\n" else "\n") + line
        file.write(line + "\n")


def trend(earlier: list[Entry], new: Entry) -> str:
    """The change against the last checks of the same hosts, in one line."""
    same = [each for each in earlier if set(each.hosts) == set(new.hosts)][-SHOWN:]
    if not same:
        return "no earlier check of these hosts"
    before = {what: median(getattr(each, what) for each in same) for what in TRENDS}
    changes = ", ".join(
        f"{what} {getattr(new, what) / before[what] - 1:+.0%}" for what in TRENDS if before[what]
    )
    alarms = sum(bool(each.findings) for each in same)
    checks = "check" if len(same) == 1 else f"{len(same)} checks"
    found = f"{changes or 'a single host has no links'}; {alarms} had findings"
    return f"compared with the last {checks}: {found}"
