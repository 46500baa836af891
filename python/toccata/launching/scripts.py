"""Scripts that start MPI programs, as far as their text shows it."""

import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from toccata import documents
from toccata.errors import InputError
from toccata.launching import commandline, launcher, programs

MOST_BYTES = 1 << 20
# Open MPI's option -x after a launcher, or in a variable: FLAGS="-x A".
_PASSES = re.compile(
    r"((mpirun|mpiexec|orterun|prterun)\b|^\s*(export\s+)?\w+\+?=).*(?<![\w-])-x\b"
)


def family(program: str) -> str:
    """The MPI of the launchers in a shell script. InputError if the file is not such a script."""
    path = Path(shutil.which(program) or program)
    documents.check(path)
    first, lines = _read(path)
    families: dict[str, str] = {}
    others = ""  # launchers of any MPI; the program determines it
    if re.match(r"#!.*\b(ba|da|k|z)?sh\b", first):
        families = {each.family: word for word, each in _identified(lines).items()}
        for line in lines:
            for word, theirs in _of_any_mpi(line):
                others = word
                families |= {theirs: word} if theirs else {}
    if len(families) == 1:
        return next(iter(families))
    if families:
        names = " and ".join(families.values())
        raise InputError(
            f"'{program}' names {names}, which belong to two MPIs; choose one, for example "
            "--mpi openmpi"
        )
    if others:
        raise InputError(
            f"'{program}' names {others}, which starts programs of any MPI; name the MPI, for "
            "example --mpi openmpi"
        )
    launcher.identify(program)  # raises the error
    raise InputError(f"'{program}' is not a launcher")


def _of_any_mpi(line: str) -> Iterator[tuple[str, str]]:
    """The launchers in a script line that may start any MPI, each with its program's MPI, or ""."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:  # a quoted text continues in the next line
        return
    for at, word in enumerate(words):
        kind = commandline.kind_of(word)
        if kind not in ("", "openmpi", "hydra", "mpiexec"):
            behind = words[at + 1 :]
            found = [programs.nature(behind[i]).family for i in commandline.programs(behind, kind)]
            yield from ((word, each) for each in found or [""])


def replaces_list(script: str) -> bool:
    """Whether a script must not inherit Open MPI's list of variables, because it passes variables
    itself: Open MPI 4 refuses its option -x beside a list, and a list of the script overrides ours.
    """
    if documents.why_unreadable(Path(script)):
        return False
    _, lines = _read(Path(script))
    if any(commandline.ENV_LIST in line for line in lines):
        return True
    versions = [each.version for each in _identified(lines).values()]
    older = not versions or any(re.match(r"[1-4]\.|$", each) for each in versions)
    return older and any(_PASSES.search(line) for line in lines)


def here_only(program: str) -> str:
    """The remark for such a script."""
    return (
        f"'{program}' passes variables to the ranks itself, so Toccata reaches only the ranks on "
        "this host; to reach all, write toccata run -- before mpirun in the script"
    )


def _read(path: Path) -> tuple[str, list[str]]:
    """The first line of a script, and its lines without comments."""
    with path.open("rb") as file:
        text = file.read(MOST_BYTES).decode(errors="replace")
    lines = text.replace("\\\n", " ").splitlines()
    return text.split("\n", 1)[0], [each for each in lines if not each.lstrip().startswith("#")]


def _identified(lines: Sequence[str]) -> dict[str, launcher.Launcher]:
    """The launchers with an MPI of their own in lines, by their words."""
    found = {}
    for word in re.findall(r"[\w./+-]+", "\n".join(lines)):
        if commandline.kind_of(word) in ("openmpi", "hydra", "mpiexec"):
            with suppress(InputError):
                found[word] = launcher.identify(word)
    return found
