"""When ranks arrived at collectives: the time until the last needed rank arrived is *waiting*, the
time after that is *working* (docs/design/0027-waiting.md).
"""

from collections.abc import Sequence
from dataclasses import dataclass

MUCH = 0.05  # of the time in collectives: less waiting for a rank does not make it late


@dataclass(frozen=True)
class RowArrivals:
    """The arrivals at the calls of a row. Lists are by rank of MPI_COMM_WORLD."""

    sampled: int  # calls; the other numbers are estimates for all calls
    waiting: float  # seconds per call, the mean over ranks
    working: float
    after_first: list[float | None]  # mean time after the first rank's arrival; None: no calls
    awaited: list[float]  # seconds in total for which other ranks waited for this one
    last: list[float]  # calls in which most was waited for this rank


@dataclass(frozen=True)
class Arrivals:
    """The arrivals of a run. Lists are by rank of MPI_COMM_WORLD."""

    hosts: list[str]
    waiting: list[float]  # seconds
    working: list[float]
    left_out: int  # calls with times that contradict each other
    clock_error: float  # seconds between two hosts

    @property
    def share(self) -> float:
        """Waiting as a share of the time in collectives."""
        total = sum(self.waiting) + sum(self.working)
        return sum(self.waiting) / total if total > 0 else 0.0

    def by_host(self, values: Sequence[float]) -> dict[str, float]:
        """The sum of a list over the ranks of each host."""
        sums = dict.fromkeys(self.hosts, 0.0)
        for host, value in zip(self.hosts, values, strict=True):
            sums[host] += value
        return sums

    def late(self, awaited: Sequence[float], last: Sequence[float]) -> tuple[str, float] | None:
        """The rank or host for which the others wait, and its share of all waiting; None if they
        wait for different ones.

        One rank or host causes half of all waiting, twice as much as any other one, and is the last
        one more often than any other.
        """
        total = sum(awaited)
        if not total or self.share < MUCH:
            return None
        hosts = self.by_host(awaited)
        ranks = [
            f"rank {rank} on {host}" if len(hosts) > 1 else f"rank {rank}"
            for rank, host in enumerate(self.hosts)
        ]
        candidates = [(ranks, awaited, last)]
        if len(hosts) > 1:
            names = [f"host {host}" for host in hosts]
            candidates.append((names, list(hosts.values()), list(self.by_host(last).values())))
        for names, times, calls in candidates:
            most = max(range(len(times)), key=times.__getitem__)
            others = [time for place, time in enumerate(times) if place != most]
            stands_out = times[most] >= total / 2 and times[most] >= 2 * max(others, default=0)
            if (
                stands_out
                and calls[most] == max(calls)
                and times[most] >= MUCH * total / self.share
            ):
                return names[most], times[most] / total
        return None
