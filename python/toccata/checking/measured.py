"""The measurements of one check, as the program prints them and as files contain them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

import msgspec

from toccata import documents
from toccata.errors import Failure, InputError

KEY, VERSION = "toccata_check", 1
REMEDY = "`toccata check --json FILE` writes them"


@dataclass(frozen=True)
class Core:
    """One rank's core while only its host computes."""

    host: int
    seconds: float  # of processor time for a piece of work
    share: float  # of the time for which the rank had its core
    interruptions: float  # by other programs
    memory: float  # seconds of processor time to copy memory; 0 if another rank of the host did


@dataclass(frozen=True)
class Pair:
    """Messages between two hosts, of which the first asks; all times in seconds."""

    first: int
    second: int
    latency: float  # lower quartile of one direction
    mean: float  # of one direction
    there: float  # a long message from the first host
    back: float  # from the second one
    error: float  # relative standard error of the latency


@dataclass(frozen=True)
class Collective:
    """The MPI library's own algorithm, and the one that is predicted to be the fastest."""

    name: str
    bytes: int  # of a block, or of the message
    native: float  # median seconds
    rival: str
    rival_seconds: float
    expected: float  # seconds by the model from the median of this machine's links


@dataclass(frozen=True)
class Measured:
    """One run of the program, and the collectives that were measured with it."""

    mpi: str
    hosts: list[str]
    cores: list[Core]
    bytes: int  # of a long message
    rounds: list[list[Pair]]  # the pairs of a round were active at the same time
    collectives: list[Collective] = field(default_factory=list)

    @property
    def pairs(self) -> list[Pair]:
        return [pair for each in self.rounds for pair in each]


def together(runs: Sequence[Measured]) -> Measured:
    """The least times of several runs of the same hosts, because noise only adds time.

    A fault remains: it makes the same times long in every run. Of the means, which show lost
    messages, the result is the mean, because messages are lost by chance.
    """
    first, *others = runs
    cores = [_combined(each) for each in zip(*(run.cores for run in runs), strict=True)]
    same = [{(pair.first, pair.second): pair for pair in run.pairs} for run in others]
    rounds = [
        [_combined([pair, *(each[pair.first, pair.second] for each in same)]) for pair in of_round]
        for of_round in first.rounds
    ]
    return replace(first, cores=cores, rounds=rounds)


Part = TypeVar("Part", Core, Pair)


# How to combine the values of several runs; other values are times, of which the least counts.
COMBINED: dict[str, Callable[[Sequence[float]], float]] = {"share": max, "mean": fmean}


def _combined(parts: Sequence[Part]) -> Part:
    best: dict[str, Any] = {
        each.name: COMBINED.get(each.name, min)([getattr(part, each.name) for part in parts])
        for each in fields(parts[0])
    }
    return type(parts[0])(**best)


def read(events: Iterable[dict[str, Any]]) -> Measured:
    """The output of the program.

    Raises Failure if it is incomplete, with the names of silent hosts.
    """
    mpi, hosts, host_of, size, done = "", list[str](), list[int](), 0, False
    cores, rounds = list[Core](), list[list[Pair]]()
    for event in events:
        match event["event"]:
            case "start":
                mpi = " ".join(str(event["mpi"]).split())
                hosts, host_of = event["hosts"], event["host_of"]
            case "cores":
                cores = [Core(host, *of) for host, of in zip(host_of, event["cores"], strict=True)]
            case "bytes":
                size = event["bytes"]
            case "round":
                rounds.append([Pair(*each) for each in event["pairs"]])
            case "silent":
                raise Failure(_silent(event["ranks"], hosts, host_of))
            case "done":
                done = True
    if not done:
        reached = f"in round {len(rounds) + 1}" if size else "before the first round"
        raise Failure(f"the measurement ended early, {reached}")
    return Measured(mpi, hosts, cores, size, rounds)


def _silent(ranks: list[int], hosts: list[str], host_of: list[int]) -> str:
    if not ranks:
        return (
            "a message was lost: two ranks wait for each other, although every rank still responds"
        )
    names = dict.fromkeys(hosts[host_of[rank]] for rank in ranks)
    which = f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))}"
    verb = "does" if len(names) == 1 else "do"
    return f"{', '.join(names)} {verb} not answer ({which})"


def as_document(measured: Measured) -> dict[str, Any]:
    """The contents of a file, for a baseline or a history."""
    fields_: dict[str, Any] = msgspec.to_builtins(measured)
    return {KEY: VERSION, **fields_}


def from_file(path: Path) -> Measured:
    """A check that --json wrote; InputError in one line for any other file."""
    found = documents.read(path, Measured, KEY, VERSION, what="check", remedy=REMEDY)
    hosts = range(len(found.hosts))
    for each in found.pairs:
        numbers = (each.latency, each.mean, each.there, each.back)
        if each.first not in hosts or each.second not in hosts or min(numbers) <= 0:
            raise InputError(
                f"{path}: the pair of hosts {each.first} and {each.second} is invalid; {REMEDY}"
            )
    for of in found.collectives:
        if min(of.native, of.rival_seconds) <= 0:
            raise InputError(f"{path}: a time of {of.name} is not more than 0; {REMEDY}")
    return found
