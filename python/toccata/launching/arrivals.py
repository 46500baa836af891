"""When ranks arrived at collectives: the time until the last needed rank arrived is *waiting*, the
time after that is *working* (docs/design/0027-waiting.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from toccata.documents import Count

Seconds = Annotated[float, Meta(ge=0, le=1e12)]
Estimate = Annotated[float, Meta(ge=0, le=1e19)]  # of a number of calls
Difference = Annotated[float, Meta(ge=-1e12, le=1e12)]  # of two clocks, in seconds

# Less waiting for a rank does not make it late.
MUCH = 0.05  # of the time in collectives
LITTLE = 0.01  # of the time of the run
# Two balanced ranks are last in half of the calls each.
MOST_CALLS = 0.7


@dataclass(frozen=True)
class RowArrivals:
    """The arrivals at the calls of a row. Lists are by rank of MPI_COMM_WORLD."""

    sampled: Count  # calls; the other numbers are estimates for all calls
    waiting: Seconds  # per call, the mean over ranks
    working: Difference
    after_first: list[Seconds | None]  # mean time after the first rank's arrival; None: no calls
    awaited: list[Seconds]  # seconds in total for which other ranks waited for this one
    last: list[Estimate]  # calls in which most was waited for this rank


@dataclass(frozen=True)
class Arrivals:
    """The arrivals of a run. Lists are by rank of MPI_COMM_WORLD."""

    hosts: list[str]
    waiting: list[Seconds]
    working: list[Difference]
    left_out: Count  # calls with times that contradict each other
    clock_error: Seconds  # between two hosts

    @property
    def short_hosts(self) -> list[str]:
        """The hosts without their domains, unless two hosts would have the same name then."""
        short = [each.split(".")[0] or each for each in self.hosts]
        return short if len(set(short)) == len(set(self.hosts)) else self.hosts

    def by_host(self, values: Sequence[float]) -> dict[str, float]:
        """The sum of a list over the ranks of each host."""
        sums = dict.fromkeys(self.hosts, 0.0)
        for host, value in zip(self.hosts, values, strict=True):
            sums[host] += value
        return sums

    def late(
        self, awaited: Sequence[float], last: Sequence[float], seconds: float
    ) -> tuple[str, float] | None:
        """The rank or host for which the others wait, and its share of all waiting; None if they
        wait for different ones, or if the waiting is short. `seconds` is the time of the run.

        A late rank or host is the last one in most calls, and causes half of all waiting and twice
        as much as any other one.
        """
        least = max(
            MUCH * (sum(self.waiting) + sum(self.working)), LITTLE * seconds * len(self.hosts)
        )
        hosts = self.by_host(awaited)
        ranks = [
            f"rank {rank} on {host}" if len(hosts) > 1 else f"rank {rank}"
            for rank, host in enumerate(self.hosts)
        ]
        candidates = [(ranks, list(awaited), list(last))]
        if len(hosts) > 1:
            names = [f"host {host}" for host in hosts]
            candidates.append((names, list(hosts.values()), list(self.by_host(last).values())))
        for names, times, calls in candidates:
            most = max(range(len(times)), key=times.__getitem__)
            time, total = times[most], sum(times)
            others = max((each for i, each in enumerate(times) if i != most), default=0.0)
            often = calls[most] >= MOST_CALLS * sum(calls)
            if often and time >= max(least, total / 2, 2 * others) and time > 0:
                return names[most], time / total
        return None
