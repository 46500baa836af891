"""The work of `toccata check`: the runs, the confirmation of findings, and the collectives."""

import re
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from toccata import _core
from toccata.checking import expected, findings, measured
from toccata.checking.expected import Site, link_of
from toccata.checking.findings import Finding
from toccata.checking.measured import Collective, Measured
from toccata.errors import Failure, InputError
from toccata.launching import commandline, launcher
from toccata.measuring import benchmark
from toccata.simulating import platforms
from toccata.topology import machines, networks
from toccata.topology.networks import Network

PAUSE = 2.0  # seconds before suspected findings are measured again
MOST_RUNS = 3
AGAIN = ["--backwards", "--pings", "1200"]  # another order, and more chances to lose a message
GRACE = 10.0  # seconds after the lifetime of the ranks until the launcher is ended
# In a launcher's lines: a process ended, or one ended the run because it lost its connection.
ENDED = re.compile("signal|exit|kill|lost communication|running at", re.IGNORECASE)
ABORTED = re.compile(r"calling$|calling \"?abort|\*\*\*", re.IGNORECASE)
ALARM = re.compile(r"Alarm clock|signal 14\b")
ROOT = re.compile("allow[-_]run[-_]as[-_]root", re.IGNORECASE)
# By collective: bytes, None for those of the long messages between hosts, and the algorithms that
# the MPI library's own is compared with.
COLLECTIVES: dict[str, tuple[int | None, tuple[str, ...]]] = {
    "allreduce": (8, ("recursive_doubling", "hierarchical")),
    "bcast": (None, ("pipeline", "hierarchical")),
    "allgather": (None, ("ring", "hierarchical")),
}
REPETITIONS, WARMUP, SECONDS = 20, 2, 2.0


@dataclass(frozen=True)
class Request:
    """The requested check."""

    command: Sequence[str]  # a launcher with its options, without a program
    mpi: str | None
    machine: str | None  # the topology as text or file; None: all hosts on one switch
    links: str  # links that differ by design
    baseline: Measured | None
    seconds: float  # the limit of each run
    collectives: bool


@dataclass(frozen=True)
class Outcome:
    """The result of a check."""

    measured: Measured  # the first run
    site: Site
    findings: list[Finding]  # confirmed ones
    withdrawn: list[Finding]  # those that no other run confirmed
    disturbed: list[str]  # hosts on whose cores other programs run
    runs: int
    remarks: list[str] = field(default_factory=list)

    @property
    def alarms(self) -> list[Finding]:
        return [each for each in self.findings if each.is_alarm]


Say = Callable[[str], None]


def check(request: Request, say: Say) -> Outcome:
    """Runs the whole check. Failure in one line if a host or a rank stops."""
    family = _family(request)
    _check_links(request)
    mesh = _mesh(request, family)
    first = _run(request, family, mesh)
    site = Site.of(first.hosts, _network(request, first.hosts))
    remarks = _remarks(request, first, site)
    runs, found = [first], [findings.find(first, site, request.baseline)]
    kept = found[0]
    doubtful = findings.is_doubtful(first, site)
    while (kept or doubtful) and len(runs) < MOST_RUNS and not _agree(found, kept):
        say(f"measuring again: {kept[0].text if kept else 'some short messages were late'}")
        time.sleep(PAUSE)
        runs.append(_run(request, family, [*mesh, *AGAIN]))
        found.append(findings.find(runs[-1], site, request.baseline))
        kept = findings.find(measured.together(runs), site, request.baseline)
        doubtful = False
    keys = {each.key for each in findings.confirmed(found)}
    disturbed = sorted({name for each in runs for name in findings.disturbed(each)})
    kept = findings.certain([each for each in kept if each.key in keys], disturbed)
    if request.collectives and len(first.hosts) > 1:
        first = _with_collectives(request, family, first, site, say)
        slow = findings.of_collectives(first, request.baseline)
        if slow:
            again = _with_collectives(request, family, first, site, say)
            slow = findings.confirmed([slow, findings.of_collectives(again, request.baseline)])
        kept += [] if any(each.is_alarm for each in kept) else slow
    names = {each.key for each in kept}
    withdrawn = {each.key: each for run in found for each in run if each.key not in names}
    return Outcome(first, site, kept, list(withdrawn.values()), disturbed, len(runs), remarks)


def _agree(runs: Sequence[Sequence[Finding]], together: Sequence[Finding]) -> bool:
    """Whether every finding of all runs together is one of at least two of them."""
    keys = {each.key for each in findings.confirmed(runs)}
    return len(runs) > 1 and all(each.key in keys for each in together)


def _family(request: Request) -> str:
    """The MPI of the launcher; InputError if it is unknown, or does not exist."""
    words = list(request.command)
    at = commandline.unwrapped(words)
    if at == len(words) or not commandline.kind_of(words[at]):
        raise InputError(
            f"'{' '.join(words)}' is not a launcher; give it with its options and without a "
            "program, as in toccata check -- mpirun -n 4"
        )
    return request.mpi or launcher.identify(words[at]).family


def _check_links(request: Request) -> None:
    """InputError if --links is invalid; without a topology, only its factors are known so early."""
    machine = _machine(request)
    if machine or request.machine is not None:
        platforms.network(machine, request.links)
    else:
        networks.factors(request.links)


def _network(request: Request, hosts: Sequence[str]) -> Network:
    if machine := _machine(request):
        return platforms.network(machine, request.links)
    flat = f"machine node:{len(hosts)}\nlabels node {_core.fold_hosts(list(hosts))}\n"
    made = networks.of_machine(_core.read_saved(flat, "hosts"))
    return made.changed(request.links) if request.links else made


def _mesh(request: Request, family: str) -> list[str]:
    """The options of the program for hosts on a mesh: after a short run that prints the hosts in
    their order, because the program must know the cells of all hosts."""
    if not (machine := _machine(request)) or not platforms.network(machine).is_direct:
        return []
    hosts = _run(request, family, ["--names"]).hosts
    return Site.of(hosts, _network(request, hosts)).mesh


def _machine(request: Request) -> str:
    return request.machine or machines.of_environment()


def _run(request: Request, family: str, options: Sequence[str]) -> Measured:
    program = [str(launcher.benchmark(family, "toccata_check"))]
    program += ["--lifetime", str(round(request.seconds)), *options]
    events = list[dict[str, object]]()
    said = list[str]()  # by Hydra; other launchers write to stderr
    run = benchmark.events([*request.command, *program], None, request.seconds + GRACE, said)
    try:
        with closing(run):  # ends the launcher, which may wait for a host that does not answer
            for each in run:
                events.append(each)
                if each["event"] == "silent":
                    break
        return measured.read(events)
    except Failure as failure:
        raise Failure(_in_one_line(str(failure), events, said)) from None


def _in_one_line(failure: str, events: Sequence[dict[str, object]], said: Sequence[str]) -> str:
    """The silent host, if the program named one; otherwise the launcher's line about a host."""
    try:
        measured.read(events)
    except Failure as told:
        reason = str(told)
    else:
        reason = "the measurement is complete, but the launcher failed"
    if events and events[-1]["event"] == "silent":
        return reason
    hosts = next((each["hosts"] for each in events if each["event"] == "start"), [])
    assert isinstance(hosts, list)
    lines = [line.strip(" =\n") for line in [*said, *failure.splitlines()[1:]]]
    if any(ROOT.search(line) for line in lines):
        return f"{reason}: the launcher refuses to run as root; add --allow-run-as-root to it"
    if any(ALARM.search(line) for line in lines):  # toccata_check ends its ranks after --seconds
        return f"{reason}; give more --seconds"
    # The line about a process that ended; other lines may be of ranks that noticed it.
    for line in sorted(lines, key=_of_others):
        for name in hosts:
            if re.search(rf"\b{re.escape(name)}\b", line):
                if any(_of_others(line)):
                    return f"{reason}: {name} lost its connection to another host"
                return f"{name}: {reason}; the launcher says: {line}"
    return f"{reason}; {lines[-1] if lines else failure}"


def _of_others(line: str) -> tuple[bool, bool]:
    """Whether a launcher's line is not about the process that ended: the less, the better."""
    return ABORTED.search(line) is not None, ENDED.search(line) is None


def _remarks(request: Request, first: Measured, site: Site) -> list[str]:
    """What differs from the baseline; InputError if it is of another machine."""
    baseline = request.baseline
    if baseline is None:
        pairs = expected.of_machine(first, site, "bandwidth").factors if first.rounds else {}
        return [] if pairs or not first.pairs else [
            "bandwidth is not compared: no two hosts are neighbours on the mesh; --baseline "
            "compares all pairs"
        ]  # fmt: skip
    common = set(first.hosts) & set(baseline.hosts)
    both_have_pairs = min(len(first.hosts), len(baseline.hosts)) > 1
    if len(common) < (2 if both_have_pairs else 1):
        raise InputError(
            f"--baseline has other hosts ({_some(baseline.hosts)}) than this run "
            f"({_some(first.hosts)}); make a new one with --json"
        )
    remarks = []
    if new := sorted(set(first.hosts) - common):
        remarks.append(f"not in the baseline, so not compared: {_some(new)}")
    if missing := sorted(set(baseline.hosts) - common):
        remarks.append(f"in the baseline, but not in this run: {_some(missing)}")
    if baseline.mpi != first.mpi:
        remarks.append(f"the baseline was measured with {baseline.mpi}, this run with {first.mpi}")
    return remarks


def _some(hosts: Sequence[str]) -> str:
    shown = ", ".join(hosts[:3])
    return shown if len(hosts) <= 3 else f"{shown} and {len(hosts) - 3} more"


def _with_collectives(
    request: Request, family: str, first: Measured, site: Site, say: Say
) -> Measured:
    found = []
    for name, (size, rivals) in COLLECTIVES.items():
        say(f"measuring {name}")
        number = size if size is not None else first.bytes
        found.append(_collective(request, family, first, site, name, number, rivals))
    return replace(first, collectives=found)


def _collective(
    request: Request, family: str, first: Measured, site: Site, name: str, size: int,
    rivals: Sequence[str],
) -> Collective:  # fmt: skip
    """The MPI library's time and the best time of the rivals, interleaved in one run."""
    ranks = len(first.cores)
    block = max(1, size // ranks) if name == "allgather" else size
    plan = benchmark.Plan(
        name, ["native", *rivals], [block], REPETITIONS, WARMUP, SECONDS, validate=False
    )
    program = [str(launcher.benchmark(family)), *plan.arguments()]
    run = benchmark.measure(plan, [*request.command, *program], ranks, limit=request.seconds)
    times = {each.algorithm: each.median for each in run.measurements}
    native = times.pop("native")
    best = min(times, key=lambda each: times[each])
    return Collective(name, block, native, best, times[best], _bound(first, site, name, size))


def _bound(first: Measured, site: Site, name: str, size: int) -> float:
    """The lower bound on the network with the median of this machine's links."""
    from toccata.topology import network_bounds  # needs numpy

    latency, rate = link_of(first)
    weights = [0] * site.network.nodes
    for each in first.cores:
        weights[site.vertices[each.host]] += 1
    root = site.vertices[0]
    found = network_bounds.find(site.network, weights, name, root, float(size), False)
    return found.rounds * latency + found.free / rate
