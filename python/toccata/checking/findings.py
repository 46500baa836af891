"""The parts of a machine that are slower than expected: found in one run, confirmed by others."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

from toccata.checking import attribution, expected
from toccata.checking.expected import METRICS, Site
from toccata.checking.measured import Core, Measured

SLOW_CORE, SLOW_MEMORY = 1.25, 1.5  # from which factors of processor time on
LITTLE_SHARE = 0.6  # of its core that a rank has, compared with the ranks of other hosts
# A program on the same core interrupts a rank every few milliseconds of lost time. A core that is
# throttled or stopped does so rarely.
LOST_PER_INTERRUPTION = 0.03  # seconds
CORE_SECONDS = 0.1  # approximate processor time of a probe
STALLS_BESIDE = 1.35  # from which factor on stalls count beside other programs
AGREE = 1.5  # factors of two runs that differ by less agree
SLOW_CHOICE = 1.5  # the MPI library's time, as a multiple of the rival's
SLOW_COLLECTIVE = 1.3  # the same time, as a multiple of the baseline's


@dataclass(frozen=True)
class Finding:
    """A part of the machine, the measured quantity, and how many times as long it takes."""

    kind: str  # host, switch, cable, machine, choice
    name: str
    what: str  # latency, stalls, bandwidth, core, memory, or a collective with its bytes
    factor: float
    way: str = ""  # into, out of, or "from a to b"; "" for both directions
    since_baseline: bool = False  # compared with the baseline, not with another algorithm

    @property
    def key(self) -> tuple[str, str, str]:
        return self.kind, self.name, self.what

    @property
    def is_alarm(self) -> bool:
        """Whether something is at fault. A choice that was always bad is only advice."""
        return self.kind != "choice" or self.since_baseline

    @property
    def text(self) -> str:
        """One line."""
        subject = {
            "switch": f"the uplink of {self.name}" + _WAYS.get(self.way, ""),
            "cable": f"the link {self.name}" + f", {self.way}" * bool(self.way),
        }.get(self.kind, f"{self.way} {self.name}".strip())
        meaning = _MEANINGS.get(self.what, "{what} takes {factor:.2f} times as long as expected")
        if self.kind == "choice":
            than = "as in the baseline" if self.since_baseline else "as with another algorithm"
            meaning = "{what} takes {factor:.1f} times as long " + than
            meaning += "; `toccata tune` finds better choices"
        told = meaning.format(what=self.what, factor=self.factor, rate=1 / self.factor)
        return f"{subject}: {told}"


_WAYS = {"out of": ", upwards", "into": ", downwards"}
_MEANINGS = {
    "latency": "short messages take {factor:.2f} times as long as expected",
    "stalls": "some short messages are lost or delayed; the mean time is {factor:.1f} times as "
    "long as expected",
    "bandwidth": "long messages reach {rate:.0%} of the expected bandwidth",
    "core": "a core reaches {rate:.0%} of the expected speed",
    "memory": "memory reaches {rate:.0%} of the expected speed",
}


def find(measured: Measured, site: Site, baseline: Measured | None = None) -> list[Finding]:
    """The findings of one run, without the collectives."""
    result = []
    loads = expected.loads_of(measured, site)
    for metric in METRICS if measured.rounds else ():
        if baseline is None:
            slowness = expected.of_machine(measured, site, metric)
        else:
            slowness = expected.of_baseline(measured, baseline, metric)
        factors, least = slowness.factors, expected.threshold(measured, metric)
        if baseline is not None and factors and (whole := _whole(factors, least)):
            result.append(Finding("machine", "the whole machine", metric, whole))
            factors = {pair: factor / whole for pair, factor in factors.items()}
        suspects = site.suspects(list(factors), loads if metric == "bandwidth" else None)
        alone = max(least, expected.SLOW_ALONE[metric])
        for cause in attribution.causes(factors, suspects, least, site.names, alone):
            part = cause.suspect
            result.append(Finding(part.kind, part.name, metric, cause.factor, part.way))
    return _without_consequences(result + _of_nodes(measured, baseline))


def _without_consequences(found: Sequence[Finding]) -> list[Finding]:
    """Leaves out slow cables of a host that is slow in another respect: the host explains them."""
    hosts = [each.name for each in found if each.kind == "host"]
    return [each for each in found if not _is_cable_of(each, hosts)]


def _is_cable_of(finding: Finding, hosts: Iterable[str]) -> bool:
    return finding.kind == "cable" and any(
        finding.name.startswith(f"{name}-") or finding.name.endswith(f"-{name}") for name in hosts
    )


def certain(found: Sequence[Finding], disturbed: Sequence[str]) -> list[Finding]:
    """Without slow cables and small stalls of hosts on whose cores other programs run: these delay
    single pairs, now one and then another, for longer than the runs of a check."""
    return [
        each
        for each in found
        if not _is_cable_of(each, disturbed)
        and not (each.what == "stalls" and each.name in disturbed and each.factor < STALLS_BESIDE)
    ]


def is_doubtful(measured: Measured, site: Site) -> bool:
    """Whether short messages of any pair were late: more of them show whether this is a fault."""
    if not measured.rounds:
        return False
    stalls = expected.of_machine(measured, site, "stalls").factors
    return max(stalls.values()) >= expected.threshold(measured, "stalls")


def _whole(factors: expected.Directed, least: float) -> float | None:
    """The factor of nearly all pairs, if it is large."""
    ordered = sorted(factors.values())
    common = ordered[int(expected.FASTEST * (len(ordered) - 1))]
    return common if common >= least else None


def _by_host(cores: Iterable[Core], of: Callable[[Core], float]) -> dict[int, float]:
    """The slowest rank of each host."""
    result = defaultdict[int, float](float)
    for each in cores:
        result[each.host] = max(result[each.host], of(each))
    return dict(result)


def _of_nodes(measured: Measured, baseline: Measured | None) -> list[Finding]:
    """Slow cores and memory. A core is also slow if its rank often stands still although no other
    program uses it."""
    result = []
    ways: list[tuple[str, float, Callable[[Core], float]]] = [
        ("core", SLOW_CORE, lambda each: each.seconds),
        ("memory", SLOW_MEMORY, lambda each: each.memory),
    ]
    for what, least, of in ways:
        values = _by_host(measured.cores, of)
        reference = _by_host(baseline.cores if baseline else measured.cores, of)
        usual = median(reference.values()) if reference else 0.0
        for host, value in values.items():
            if usual > 0 and value >= least * usual:
                name = measured.hosts[host]
                result.append(Finding("host", name, what, value / usual))
    known = {each.name for each in result if each.what == "core"}
    for host, share in _standing_still(measured).items():
        if measured.hosts[host] not in known:
            result.append(Finding("host", measured.hosts[host], "core", 1 / share))
    return result


def _is_disturbed(core: Core) -> bool:
    lost = CORE_SECONDS * (1 / max(core.share, 0.01) - 1)
    return lost < LOST_PER_INTERRUPTION * core.interruptions


def _standing_still(measured: Measured) -> dict[int, float]:
    """The hosts with a rank that lacks its core, and the least share of their ranks."""
    if not measured.cores:
        return {}
    usual = median(each.share for each in measured.cores)
    result = dict[int, float]()
    for each in measured.cores:
        if each.share < LITTLE_SHARE * usual and not _is_disturbed(each):
            result[each.host] = min(each.share / usual, result.get(each.host, 1.0))
    return result


def disturbed(measured: Measured) -> list[str]:
    """The hosts on whose cores other programs run."""
    hosts = {each.host for each in measured.cores if each.share < 0.9 and _is_disturbed(each)}
    return [measured.hosts[host] for host in sorted(hosts)]


def of_collectives(measured: Measured, baseline: Measured | None) -> list[Finding]:
    """The slow collectives.

    With a baseline, the whole machine if another algorithm is slower than there, too; otherwise the
    MPI library's choice. Without one, its choice if another algorithm is faster.
    """
    result = []
    before = {(e.name, e.bytes): e for e in baseline.collectives} if baseline else {}
    library = "the MPI library's choice"
    for each in measured.collectives:
        name = f"{each.name} of {each.bytes} bytes"
        old = before.get((each.name, each.bytes))
        since = each.native / old.native if old else 0.0
        if old and since >= SLOW_COLLECTIVE:
            if each.rival_seconds >= SLOW_COLLECTIVE * old.rival_seconds:
                result.append(Finding("machine", "the whole machine", name, since))
            else:
                result.append(Finding("choice", library, name, since, since_baseline=True))
        elif each.native >= SLOW_CHOICE * each.rival_seconds:
            result.append(Finding("choice", library, name, each.native / each.rival_seconds))
    return result


def confirmed(runs: Sequence[Sequence[Finding]]) -> list[Finding]:
    """The findings of at least two runs whose factors agree; the factor is their median."""
    found = defaultdict[tuple[str, str, str], list[Finding]](list)
    for run in runs:
        for each in {each.key: each for each in run}.values():
            found[each.key].append(each)
    result = []
    for some in found.values():
        middle = median(each.factor for each in some)
        near = [each for each in some if middle / AGREE <= each.factor <= middle * AGREE]
        if len(near) >= 2:
            result.append(replace(near[0], factor=median(each.factor for each in near)))
    return sorted(result, key=lambda each: -each.factor)
