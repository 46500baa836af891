"""Every command of docs/outside.md, in the order of the page, in one directory."""

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/outside.md"
LIMIT = 120  # seconds per command
# The text that the output of a command must contain; the key is the beginning of the command.
EXPECTED = {
    r"toccata prove mine\.py": "proved",
    r"toccata show mine\.py -p 5$": "round 2",
    "toccata traffic": "mine",
    "toccata sim": "64K",
    "toccata bench": "native",
    "toccata run": "the last of 2 ranks is 1",
    "toccata search": "proved, and wrote found.json",
    r"toccata prove mine\.xml": "proved",
}


def blocks(language: str) -> list[tuple[str, str]]:
    """The file name, which depends on the language, and the contents."""
    return re.findall(rf"^```{language} ?(\S*)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page")
    for language in ("python", "c"):
        for name, text in blocks(language):
            assert name, "a block of the page has no file's name"
            (path / name).write_text(text)
    return path


COMMANDS = [line for _, text in blocks("sh") for line in text.splitlines()]


def test_the_page_has_commands() -> None:
    assert len(COMMANDS) >= 12
    for start in EXPECTED:
        assert any(re.match(start, line) for line in COMMANDS), start


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page(directory: Path, command: str) -> None:
    environment = os.environ | {
        "PATH": f"{ROOT}:{os.environ['PATH']}",
        # As root, or with more ranks than cores, Open MPI requires these permissions.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
    }
    done = subprocess.run(
        command, shell=True, cwd=directory, env=environment, capture_output=True, text=True,
        timeout=LIMIT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for start, text in EXPECTED.items():
        if re.match(start, command):
            assert text in done.stdout, done.stdout + done.stderr
    if command.startswith("toccata run"):
        assert re.search(r"allgather +2 +file:mine.json +forced +1 ", done.stderr), done.stderr
    written = re.search(r"-o (\S+)", command)
    if written is not None:
        assert (directory / written[1]).stat().st_size > 0
