"""External algorithms: in Python, in files, and as programs of MSCCL."""

import re
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Toccata
from toccata import _core
from toccata.algorithms import catalogue, outside, skeletons
from toccata.errors import CommandError, Failure, InputError

Write = Callable[..., str]
EXAMPLES = ROOT / "examples/algorithms/allgather.py"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file with one algorithm; `body` is the body of its function."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(outside, "MOST_SECONDS", 0.5)

    def written(body: str, collective: str = "allgather", more: str = "") -> str:
        text = f"from toccata.writing import *\n@algorithm('{collective}'{more})\n"
        text += "def mine(shape, rank, schedule):\n" + textwrap.indent(
            textwrap.dedent(body), "    "
        )
        path = tmp_path / f"mine{len(list(tmp_path.iterdir()))}.py"
        path.write_text(text)
        return path.name

    return written


def messages(choice: _core.Choice, p: int) -> list[object]:
    """All messages of all ranks, round by round, with their blocks."""
    all_: list[object] = []
    for rank in range(p):
        schedule = choice.schedule(_core.Shape(p), rank)
        for number in range(len(schedule)):
            for what in (schedule.round(number).sends, schedule.round(number).recvs):
                all_ += [
                    (rank, number, each.peer,
                     [(run.buffer, block) for run in each.ranges for block in run.blocks])
                    for each in what
                ]  # fmt: skip
    return all_


@pytest.mark.parametrize("name", ["ring", "bruck", "sparbit"])
def test_the_messages_are_those_of_the_library(name: str) -> None:
    ours, theirs = catalogue.find(f"allgather/{name}"), catalogue.find(f"{EXAMPLES}:{name}")
    for p in range(1, 65):
        assert messages(theirs, p) == messages(ours, p), p


def test_the_examples_are_short() -> None:
    functions = EXAMPLES.read_text().split("@algorithm")[1:]
    assert len(functions) == 3
    for each in functions:
        assert len(each.strip().splitlines()) <= 15


@pytest.mark.parametrize("name", list(skeletons._SKELETONS))
def test_skeletons_are_proved_and_drawn(toccata: Toccata, tmp_path: Path, name: str) -> None:
    assert toccata("new", f"{name}/mine").returncode == 0
    assert "# round" in (tmp_path / "mine.py").read_text()
    proved = toccata("prove", "mine.py", "--ranks", "1:9:1", "-o", "mine.json")
    assert proved.returncode == 0, proved.stdout + proved.stderr
    assert "proved" in proved.stdout
    assert toccata("new", f"{name}/mine").returncode == 2  # the file exists already
    again = toccata("prove", "mine.json", "--ranks", "1:9:1")
    assert again.returncode == 0, again.stdout + again.stderr


def test_printed_commands_are_for_a_shell(toccata: Toccata, tmp_path: Path) -> None:
    made = toccata("new", "allgather/mine", "--output", "my file.py")
    assert made.stdout.endswith("next: toccata prove 'my file.py'\n")
    proved = toccata("prove", "my file.py", "--ranks", "4", "-o", "my file.json")
    assert f"to run it: TOCCATA_ALLGATHER='file:{tmp_path / 'my file.json'}'" in proved.stdout


def test_commands_take_files(toccata: Toccata) -> None:
    name = f"{EXAMPLES}:sparbit"
    for command in (
        ["verify", name, "--max-p", "8"],
        ["show", name, "-p", "5"],
        ["traffic", name, "-p", "13"],
        ["predict", name, "--model", "gigabit", "--ranks", "8", "--sizes", "1K"],
    ):
        done = toccata(*command)
        assert done.returncode == 0, done.stderr
        assert "sparbit" in done.stdout
    assert "have several" not in toccata("prove", str(EXAMPLES), "--ranks", "3").stderr
    asked = toccata("show", str(EXAMPLES), "-p", "4")
    assert asked.returncode == 2
    assert "several algorithms: ring, bruck, sparbit" in asked.stderr


def test_parameters_claims_and_parts_are_heard(write: Write) -> None:
    file = write(
        """
        blocks = shape.parts
        schedule.round().copy(send(0, blocks), recv(rank * blocks, blocks))
        for i in range(1, shape.p):
            to, source = (rank + i) % shape.p, (rank - i) % shape.p
            if shape.rounds == 'many':
                schedule.round()
            schedule.send(to, send(0, blocks)).recv(source, recv(source * blocks, blocks))
        """,
        more=", parameters=[choice('rounds', 'of messages', ['one', 'many']),"
        " number('cut', 'into parts', 1, 8, 1, [1, 3])], parts=lambda shape: shape.cut,"
        " claim=lambda shape: Cost(1 if shape.rounds == 'one' else shape.p - 1, shape.p - 1,"
        " shape.cut * (shape.p - 1), shape.cut),"
        " impossible=lambda shape: 'needs two ranks' if shape.p < 2 else ''",
    )
    choice = catalogue.find(f"{file}:mine:rounds=many,cut=3")
    assert choice.verify(_core.Shape(5)) == ""
    assert (choice.cost(_core.Shape(5)).rounds, choice.cost(_core.Shape(5)).sent) == (4, 12)
    assert choice.why_impossible(_core.Shape(1)) == "needs two ranks"
    algorithm = choice.algorithm
    assert algorithm is not None
    assert len(algorithm.variants(5)) == 4
    assert all(not each.verify(_core.Shape(5)) for each in algorithm.variants(5))


WRONG = {
    "while True: pass": r"mine\d+.py:4: mine, rank \d of 1 did not end",
    "while True: schedule.round()": r":4: .*(check that each loop ends|did not end)",
    "while True:\n    try:\n        while True: pass\n    except Exception: pass": r"did not end",
    "schedule.round()\nreturn 1 // 0": r":5: .*ZeroDivisionError: integer division or modulo",
    "mine(shape, rank, schedule)": r"calls itself endlessly",
    "import sys\nsys.exit(3)": r":5: .*SystemExit: 3",
    "schedule.round().send('x', send(0))": r":4: .*the peer is 'x'; expected an integer",
    "schedule.round().send(rank, send(0))": r":4: .*a rank cannot be its own peer|expected 0 to 0",
    "schedule.round().send(2**63, send(0))": r":4: .*the peer is 9223372036854775808; expected",
    "schedule.round().copy(send(0), 5)": r":4: .*blocks are 5; they are send",
    "schedule.round().copy(send(0), recv(0, 2))": r":4: .*1 blocks are copied into 2",
    "schedule.copy(send(0), recv(0))": r":4: .*round\(\) comes first",
    "recv(-1)": r":4: .*the first block is -1; expected 0",
    "recv(2**63)": r":4: .*expected 0 to",
    "circular(recv, 0, 9, 3)": r":4: .*longer than its circle",
    "schedule.scratch(scratch(0))": r":4: .*scratch takes its sizes from blocks of send or recv",
    "schedule.round().send(1, send(0), travel='by air')": r"",
    "shape.radix": r":4: .*a shape has no radix; it has p, root",
}


@pytest.mark.parametrize("body", WRONG)
def test_wrong_functions_give_their_line(write: Write, body: str) -> None:
    file = write(body)
    with pytest.raises(CommandError, match=WRONG[body]) as error:
        choice = catalogue.find(file)
        for p in (1, 2):
            for rank in range(p):
                choice.schedule(_core.Shape(p), rank)
    assert "\n" not in str(error.value)


def test_wrong_schedules_give_their_line(write: Write, toccata: Toccata) -> None:
    deadlock = write(
        """
        schedule.round().copy(send(0), recv(rank))
        for i in range(1, shape.p):
            schedule.round().send((rank + 1) % shape.p, recv(rank))
            schedule.round().recv((rank - 1) % shape.p, recv((rank - i) % shape.p))
        """
    )
    done = toccata("prove", deadlock, "-o", "mine.json")
    assert done.returncode == 1
    assert re.search(r"mine\d+.py:7: rank 0, round 1: waits forever to send", done.stdout)
    assert not Path("mine.json").exists()
    wrong = write("schedule.round().copy(send(0), recv(0))")
    done = toccata("prove", wrong)
    assert re.search(r"mine\d+.py:4: .*rank 1, round 0: recv block 0 is meant for", done.stdout)


def test_wrong_files_are_named(write: Write, tmp_path: Path) -> None:
    cases = {
        "def f(:": "broken.py:1: ",
        "import nowhere": r"broken.py:1: the file: ModuleNotFoundError: No module named 'nowhere'",
        "x = 1": "no function in it is an algorithm",
        "from toccata.writing import *\n@algorithm('allgether')\ndef f(s, r, c): 0": "'allgether'",
    }
    for text, expected in cases.items():
        Path("broken.py").write_text(text + "\n" * len(text))  # the modification time changes
        outside._read.clear()
        with pytest.raises((CommandError, _core.ChoiceError), match=expected):
            catalogue.find("broken.py:f")
    with pytest.raises(InputError, match="no such file"):
        catalogue.find("nowhere.py:f")
    Path("large.json").touch()
    with Path("large.json").open("r+b") as file:
        file.truncate(1 << 30)
    with pytest.raises(InputError, match="the maximum is"):
        catalogue.find("large.json")


def test_files_are_written_of_what_is_named(toccata: Toccata, tmp_path: Path) -> None:
    made = toccata("prove", "allgather/bruck", "--ranks", "2,4", "-o", "bruck.json")
    assert made.returncode == 0, made.stderr
    assert "TOCCATA_ALLGATHER=file:" in made.stdout
    read = catalogue.find(str(tmp_path / "bruck.json"))
    assert read.algorithm is not None
    assert _core.tables_of(read.algorithm) == [(2, 0, 1), (4, 0, 1)]
    assert "has schedules only for 2, 4 ranks" in read.why_impossible(_core.Shape(3))
    text = (tmp_path / "bruck.json").read_text()
    (tmp_path / "changed.json").write_text(text.replace('["send",1', '["send",0'))
    with pytest.raises(_core.ChoiceError, match="was changed after it was written"):
        catalogue.find(str(tmp_path / "changed.json"))
    assert toccata("prove", str(EXAMPLES), "-o", "x.json").returncode == 2
    # A reduction may keep the order of ranks; this order differs between roots, so every root has a
    # table.
    made = toccata("prove", "reduce/binomial", "--ranks", "3", "-o", "reduce.json")
    assert made.returncode == 0, made.stderr
    assert toccata("verify", "reduce.json", "--max-p", "3").returncode == 0


def test_msccl_there_and_back(toccata: Toccata, tmp_path: Path) -> None:
    made = toccata("prove", f"{EXAMPLES}:sparbit", "--ranks", "6", "-o", "sparbit.xml")
    assert made.returncode == 0, made.stderr
    proved = toccata("prove", "sparbit.xml", "--ranks", "6", "-o", "sparbit.json")
    assert proved.returncode == 0, proved.stdout + proved.stderr
    assert toccata("prove", "sparbit.json", "--ranks", "6").returncode == 0
    assert toccata("prove", "bcast/binomial", "--ranks", "6", "-o", "no.xml").returncode == 2
    xml = (tmp_path / "sparbit.xml").read_text()
    (tmp_path / "odd.xml").write_text(xml.replace('coll="allgather"', 'coll="custom"'))
    said = toccata("prove", "odd.xml", "--ranks", "6")
    assert said.returncode == 2
    assert '"custom" cannot be converted' in said.stderr
    assert len(said.stderr.splitlines()) == 1


def test_failures_are_of_one_line() -> None:
    with pytest.raises(Failure) as error, outside._guarded(Path("x.py"), "it"):
        raise ValueError("first\nsecond")
    assert str(error.value) == "x.py: it: ValueError: first"
