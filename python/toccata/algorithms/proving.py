"""Proves algorithms: every sampled setting, many numbers of ranks, in place and not."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from toccata import _core
from toccata.algorithms import outside
from toccata.launching import launcher
from toccata.quantities import plural

CHECKOUT = Path(__file__).resolve().parents[3]


def known_citations() -> frozenset[str] | None:
    """The keys of references.bib; None if the file does not exist."""
    installed = launcher.home() / "references.bib"
    path = installed if installed.exists() else CHECKOUT / "docs/references.bib"
    if not path.exists():
        return None
    return frozenset(re.findall(r"^@\w+\{\s*([^,\s]+)", path.read_text(), re.MULTILINE))


def citation_of(subject: _core.Algorithm | _core.Choice) -> str:
    algorithm = subject.algorithm if isinstance(subject, _core.Choice) else subject
    assert algorithm is not None
    return algorithm.citation


def unknown_citation(citation: str, known: frozenset[str] | None) -> str:
    """The error in an algorithm's citation, which must begin with a known key; "" for none."""
    key = re.split(r"[,;\s]", citation.strip(), maxsplit=1)[0]
    return (
        f"citation '{key}': not in references.bib" if known is not None and key not in known else ""
    )


@dataclass(frozen=True)
class Case:
    """One proof to make, in place and not."""

    choice: _core.Choice
    shape: _core.Shape


@dataclass
class Verdict:
    """The result for one algorithm."""

    proofs: int = 0
    largest: int = 0  # ranks
    error: str = ""  # the first; names setting and ranks

    @property
    def summary(self) -> str:
        return f"{plural('proof', self.proofs)}, up to {plural('rank', self.largest)}"


def cases(
    subject: _core.Algorithm | _core.Choice,
    ranks: Sequence[int],
    machine: Callable[[int], _core.Shape] | None = None,
    most_effort: int | None = _core.MOST_PROOF_EFFORT,
) -> Iterator[Case]:
    """All settings of an algorithm, or the one choice, if they are possible and cheap enough.

    The cases have different roots. If the algorithm depends on placements or meshes, they have
    several of these, or only the `machine`.
    """
    for p in ranks:
        for choice, shape in _tried(subject, p, machine):
            if choice.why_impossible(shape):
                continue
            if most_effort is not None and choice.proof_effort(shape) > most_effort:
                continue
            yield Case(choice, shape)


def all_cases(
    subjects: Mapping[str, _core.Algorithm | _core.Choice],
    ranks: Sequence[int],
    machine: Callable[[int], _core.Shape] | None = None,
) -> dict[str, list[Case]]:
    """The cases of every subject, found with all cores."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda each: list(cases(each, ranks, machine)), subjects.values())
        return dict(zip(subjects, found, strict=True))


def _tried(
    subject: _core.Algorithm | _core.Choice, p: int, machine: Callable[[int], _core.Shape] | None
) -> list[tuple[_core.Choice, _core.Shape]]:
    if isinstance(subject, _core.Choice):
        return [(subject, machine(p) if machine else _core.Shape(p))]
    if machine is None:
        return subject.samples(p)
    shape = machine(p)
    return [(choice, shape) for choice in subject.variants(p)]


def prove(
    work: Mapping[str, Sequence[Case]], advance: Callable[[str], None]
) -> Iterator[tuple[str, Verdict]]:
    """Proves the cases of every subject, with all cores, until one of them fails.

    Yields subjects in their order, each after its last proof. Calls `advance` with the subject's
    name after each proof.
    """
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        started = {
            label: [pool.submit(case.choice.verify, case.shape) for case in cases]
            for label, cases in work.items()
        }
        for label, errors in started.items():
            verdict = Verdict()
            for case, error in zip(work[label], errors, strict=True):
                if found := error.result():
                    found = outside.located(case.choice, case.shape, found)
                    verdict.error = f"{case.choice.text} with {case.shape.p} ranks: {found}"
                    for later in errors:
                        later.cancel()
                    break
                verdict.proofs += 1
                verdict.largest = case.shape.p
                advance(label)
            yield label, verdict
    finally:
        pool.shutdown(cancel_futures=True)
