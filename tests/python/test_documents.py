"""Commands reject pipes, folders, devices and huge files."""

import os
from pathlib import Path

import pytest

from conftest import Toccata
from running import invoke
from toccata import documents
from toccata.errors import InputError
from toccata.launching import programs

READERS = (
    "explain {}",
    "explain allgather -p 4 --tuning {}",
    "explain allgather -p 4 --model {}",
    "tune --show {}",
    "export {} --openmpi",
    "fit {}",
    "bench allgather --compare {}",
    "sim allgather --platform {}",
    "predict allgather --model {}",
    "topo {}",
    "show sparbit -p 4 --machine {}",
)


@pytest.fixture
def hostile(tmp_path: Path) -> dict[str, Path]:
    pipe, folder, huge = (tmp_path / f"{name}.json" for name in ("pipe", "folder", "huge"))
    os.mkfifo(pipe)
    folder.mkdir()
    with huge.open("wb") as file:
        file.truncate(300 << 20)
    device = tmp_path / "device.json"
    device.symlink_to("/dev/zero")
    return {
        "is a named pipe; expected a file": pipe,
        "is a folder; expected a file": folder,
        "is a device; expected a file": device,
        "has 300 MiB; a file of this kind has at most 64 MiB": huge,
    }


@pytest.mark.parametrize("command", READERS)
def test_only_files_of_a_plausible_size_are_read(
    command: str, hostile: dict[str, Path], machine: Path
) -> None:
    for said, path in hostile.items():
        code, _, stderr = invoke(*(word.format(path) for word in command.split()))
        assert (code, stderr) == (2, f"toccata: {path}: {said}\n"), command


def test_doctor_does_not_wait_for_a_pipe(hostile: dict[str, Path], toccata: Toccata) -> None:
    for said, path in hostile.items():
        named = {"TOCCATA": f"learn:{path}", "TOCCATA_TUNING": str(path),
                 "TOCCATA_TOPOLOGY": str(path)}  # fmt: skip
        done = toccata("doctor", **named)
        assert done.returncode == 1
        assert done.stdout.count(said) >= len(named), done.stdout


def test_a_program_that_is_a_pipe(hostile: dict[str, Path], tmp_path: Path) -> None:
    pipe = hostile["is a named pipe; expected a file"]
    pipe.chmod(0o755)
    assert programs.nature(str(pipe)).reason in (
        "it is not a file",
        "there is no such program here",
    )
    documents.check(Path(__file__))
    with pytest.raises(InputError, match="nothing: cannot be read: No such file"):
        documents.check(tmp_path / "nothing")
