"""Options that would have no effect, files that would be lost, and inputs that cannot be."""

import json
import shlex
from pathlib import Path

import pytest

from recorded_programs import ring, write
from running import invoke
from toccata import _core
from toccata.algorithms import catalogue, outside, skeletons
from toccata.commands import new
from toccata.errors import Failure
from toccata.launching import reports

TUNED = {"toccata_tuning": 1, "mpi": "Fake MPI 1.0", "points": [
    {"collective": "allgather", "ranks": 4, "nodes": 1, "bytes": 8, "choice": "ring"}
]}  # fmt: skip
REPORT = {"toccata_report": 1, "mpi": "an MPI", "ranks": 4, "seconds": 0, "rows": []}
LATIN = b"machine node:2 core:2\nlabels node h\xe9[1-2]\n"


@pytest.fixture
def files(machine: Path) -> Path:
    """A folder with one file of each kind."""
    write(machine / "record.json", ring(4, 65536), "node:2 core:2", "cyclic")
    (machine / "report.json").write_text(json.dumps(REPORT))
    (machine / "tuned.json").write_text(json.dumps(TUNED))
    (machine / "predicted.json").write_text(json.dumps(TUNED | {"model": "usual"}))
    (machine / "model.json").write_text(_core.usual_model().json)
    (machine / "machine.txt").write_text("machine node:2 core:2\n")
    (machine / "latin.txt").write_bytes(LATIN)
    ring_ = catalogue.find("allgather/ring")
    outside.as_file(ring_, [_core.Shape(2), _core.Shape(4)], machine / "mine.json")
    return machine


BY_MODEL = "tune allgather --by-model usual --machine node:4 --ranks 2 --sizes 8"
PREDICT = "predict allgather/ring --model usual --sizes 8"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (f"{BY_MODEL} --algorithms ring", "--algorithms has no effect with --by-model"),
        (f"{BY_MODEL} --per-node 2", "--per-node has no effect"),
        (f"{BY_MODEL} --mpi mpich", "--mpi has no effect"),
        (f"{BY_MODEL} --launcher-args x", "--launcher-args has no effect"),
        (f"{BY_MODEL} --again", "--again has no effect"),
        (f"{BY_MODEL} --limit 3", "--limit has no effect"),
        (f"{BY_MODEL} --repetitions 200", "--repetitions has no effect"),
        (f"{BY_MODEL} --no-validate", "--no-validate has no effect"),
        ("tune allgather --report report.json", "COLLECTIVE has no effect with --report"),
        ("tune --report report.json --ranks 2", "--ranks has no effect with --report"),
        ("tune --report report.json --algorithms ring", "--algorithms has no effect"),
        ("tune --show tuned.json --again", "--again has no effect with --show"),
        (f"{PREDICT} --machine node:4 --nodes 2 --ranks 3", "--ranks has no effect with --nodes"),
        ("explain report.json --model usual", "--model has no effect with report.json"),
        ("explain report.json --bytes 4", "--bytes has no effect with report.json"),
        ("explain barrier -p 4 --bytes 4", "--bytes has no effect for barrier"),
        ("traffic record.json --bytes 4", "--bytes has no effect with the record"),
        ("traffic record.json --root 1", "--root has no effect with the record"),
        ("verify allgather/ring --every-p --machine node:4", "--machine has no effect"),
        ("verify allgather/ring allgather/bruck:rotation=none --every-p",
         "leave out allgather/bruck:rotation=none"),
        ("run --model usual -- mpirun -n 2 ./app", "--model has no effect without --place"),
        ("place record.json --launcher slurm", "--launcher has no effect without --rankfile"),
        ("reorder allgather/ring --launcher slurm", "--launcher has no effect without --rankfile"),
        ("reorder --paper --rankfile x", "--rankfile has no effect with --paper"),
        ("reorder --paper --order straight", "--order has no effect with --paper"),
        ("doctor --mpi openmpi", "--mpi has no effect without a command"),
        ("doctor --seconds 3", "--seconds has no effect without a command"),
        ("doctor --place spread", "--place has no effect without a command"),
        ("doctor --mpi foo -- /bin/true", "--mpi foo is not a known MPI"),
        ("check --mpi foo -- mpirun -n 2", "--mpi foo is not a known MPI"),
        ("run --report=foo.txt -- mpirun -n 2 ./app", "a report is a file named *.json, or 0 or 1"),
        ("reorder allgather/ring --seed -1", "invalid seed '-1'"),
        ("reorder allgather/ring --seed 99999999999999999999", "invalid seed"),
        ("bounds bcast --machine node:2 --root 9", "there is no rank 9 among 2; ranks are 0..1"),
        ("reorder bcast/binomial --machine node:2 --root 9", "there is no rank 9 among 2; ranks"),
        ("search bcast --machine node:1 --bytes 8", "1 rank has nothing to exchange"),
        ("search bcast --machine node:2 --bytes 0", "--bytes 0: expected 1 to 4G"),
        ("search bcast --machine node:2 --bytes 5G", "--bytes 5G: expected 1 to 4G"),
        ("sim allgather --platform node:2 --algorithms ,", "',' does not name an algorithm"),
        ("prove allgather/bruck --ranks 8 --placement cyclic", "--placement cyclic has no effect"),
        ("explain allreduce -p 4 --html x", "--html requires a report FILE"),
        ("tune --per-node 16 --ranks 2", "--per-node 16: expected at most 2 (--ranks)"),
        ("reorder allgather/ring --machine latin.txt --rankfile r", "is not text"),
        ("place record.json --machine latin.txt --rankfile r", "is not text"),
        ("check --links leaf -- mpirun -n 2", "expected WHAT=FACTOR"),
    ],
)  # fmt: skip
def test_what_has_no_effect_or_cannot_be_is_one_line(
    arguments: str, said: str, files: Path
) -> None:
    code, stdout, stderr = invoke(*arguments.split())
    assert (code, stdout, stderr.count("\n")) == (2, "", 1), stderr
    assert said in stderr


@pytest.mark.parametrize("command", ["show allgather/ring -p 4", "bounds", "check -- mpirun"])
def test_an_empty_machine_is_called_so(command: str, machine: Path) -> None:
    first, *rest = command.split()
    code, _, stderr = invoke(first, "--machine", "", *rest)
    assert (code, stderr.count("\n")) == (2, 1)
    assert "the machine is empty" in stderr


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        (f"{PREDICT} --json machine.txt --machine machine.txt", "machine.txt"),
        ("predict allgather/ring --model model.json --json model.json", "model.json"),
        ("reorder allgather/ring --machine machine.txt --rankfile machine.txt", "machine.txt"),
        ("place record.json --machine machine.txt --rankfile machine.txt", "machine.txt"),
        ("run --place record.json --record record.json -- mpirun -n 4 ./app", "record.json"),
        ("run --dry-run --place record.json --record record.json -- mpirun ./app", "record.json"),
        ("check --baseline record.json --json record.json -- mpirun -n 2", "record.json"),
        ("check --machine machine.txt --save machine.txt -- mpirun -n 2", "machine.txt"),
        ("tune --by-model model.json --machine node:2 -o model.json", "model.json"),
        ("tune --report report.json -o report.json", "report.json"),
        ("explain report.json --html report.json", "report.json"),
        ("export tuned.json --openmpi -o tuned.json", "tuned.json"),
        ("topo machine.txt --save machine.txt", "machine.txt"),
        ("topo machine.txt --trees 0 --save machine.txt", "machine.txt"),
        ("prove mine.json -o mine.json", "mine.json"),
        ("prove file:mine.json --ranks 4 -o mine.json", "mine.json"),
        ("prove file:mine.json:size=1 -o mine.json", "mine.json"),
        ("predict file:mine.json --model usual --ranks 4 --json mine.json", "mine.json"),
        ("reorder file:mine.json --machine node:2 --rankfile mine.json", "mine.json"),
        ("bench allgather --algorithms file:mine.json --json mine.json", "mine.json"),
        ("bench allgather --compare record.json --csv record.json", "record.json"),
    ],
)
def test_an_input_is_not_written(arguments: str, file: str, files: Path) -> None:
    before = (files / file).read_bytes()
    code, _, stderr = invoke(*arguments.split())
    assert (code, stderr) == (2, f"toccata: '{file}' is also the input; name another file\n")
    assert (files / file).read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ("explain report.json -o same.svg --html same.svg", "same.svg"),
        ("run --record x.json --report ./x.json -- mpirun -n 2 ./app", "x.json"),
        ("check --json x --history x -- mpirun -n 2", "x"),
        (f"{PREDICT} --json x.png -o x.png", "x.png"),
    ],
)
def test_two_outputs_need_two_files(arguments: str, file: str, files: Path) -> None:
    code, _, stderr = invoke(*arguments.split())
    said = f"toccata: '{file}' is named for two outputs; name another file for one\n"
    assert (code, stderr) == (2, said)
    assert not (files / file).exists()


@pytest.mark.parametrize(
    ("arguments", "file", "said"),
    [
        (
            "tune allgather --ranks 4 --sizes 8 -o",
            "predicted.json",
            "predicted times, not measured",
        ),
        (f"{BY_MODEL} -o", "tuned.json", "measured times, not predicted"),
    ],
)
def test_predictions_and_measurements_have_files_of_their_own(
    arguments: str, file: str, said: str, files: Path
) -> None:
    before = (files / file).read_text()
    code, _, stderr = invoke(*arguments.split(), file)
    assert (code, (files / file).read_text()) == (2, before)
    assert f"{file} has {said} ones; give another --output" in stderr


def test_a_dry_run_writes_nothing(files: Path) -> None:
    write(files / "record.json", ring(16, 65536), "node:4 core:4", "cyclic")
    before = {each: each.read_bytes() for each in files.iterdir() if each.is_file()}
    words = ("--report", "new/run.json", "--", "mpirun", "-n", "16", "./app")
    code, stdout, stderr = invoke("run", "--dry-run", "--place", "record.json", *words)
    assert code == 0 and str(files / "record.places") in stdout, stderr
    assert not (files / "new").exists()
    assert {each: each.read_bytes() for each in files.iterdir() if each.is_file()} == before


@pytest.mark.parametrize("name", ["bcast/binomial", "barrier/dissemination", "reduce/binomial"])
def test_one_rank_is_mapped_to_itself(name: str) -> None:
    code, stdout, _ = invoke("reorder", name, "--machine", "node:2 core:2", "-p", "1")
    assert code == 0
    assert "as placed" in stdout
    assert ("4K" in stdout) == (name != "barrier/dissemination")


def test_a_barrier_has_no_size() -> None:
    assert invoke("explain", "barrier", "-p", "4")[1].startswith("barrier with 4 ranks")


@pytest.mark.parametrize("machine", ["torus:2x2", "node:2 core:2"])
def test_a_barrier_has_bounds(machine: str) -> None:
    code, stdout, _ = invoke("bounds", "barrier", "--machine", machine)
    assert code == 0
    assert "barrier/dissemination" in stdout


def test_the_cores_of_a_machine_limit_the_proofs() -> None:
    code, stdout, _ = invoke("verify", "allgather/ring", "--machine", "node:2 core:2")
    assert code == 0
    assert "up to 4 ranks" in stdout


def test_levels_have_their_plurals() -> None:
    where = ("-p", "4", "--machine", "leaf:2 node:2")
    assert "leaves" in invoke("traffic", "allgather/ring", *where)[1]


def test_a_run_without_time_has_no_share(files: Path) -> None:
    said = reports.summary(reports.read(files / "report.json"))[0]
    assert said == "rank 0 was in collectives for 0.0 µs"


def test_predicted_times_are_called_so(machine: Path) -> None:
    assert "predicted time in µs   model usual" in invoke(*BY_MODEL.split())[1]


@pytest.mark.parametrize(
    "command", ["topo --ranks 2 --save machine.txt", "check --save machine.txt -- mpirun -n 2"]
)
def test_the_topology_of_the_environment_is_an_input(
    command: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOCCATA_TOPOLOGY", "machine.txt placement:cyclic")
    code, _, stderr = invoke(*command.split())
    assert (code, stderr) == (2, "toccata: 'machine.txt' is also the input; name another file\n")
    assert (files / "machine.txt").read_text() == "machine node:2 core:2\n"


def test_schedules_have_two_formats(files: Path) -> None:
    code, stdout, stderr = invoke("prove", "allgather/ring", "--ranks", "4", "-o", "ring.txt")
    assert (code, stdout) == (2, "")
    said = "'ring.txt': the name of a file of schedules must end in .json or .xml\n"
    assert stderr == f"toccata: {said}"
    assert not (files / "ring.txt").exists()


@pytest.mark.parametrize("name", ["run[a].json", "d[/b].json", "[red].json"])
def test_names_of_files_are_not_markup(name: str, machine: Path) -> None:
    code, stdout, _ = invoke("prove", "allgather/ring", "--ranks", "4", "-o", name)
    assert code == 0
    assert f"wrote {name}: 4 ranks" in stdout
    quoted = shlex.quote(f"file:{machine / name}")
    assert f"to run it: TOCCATA_ALLGATHER={quoted}" in stdout
    code, stdout, _ = invoke("prove", name, "--ranks", "4")
    assert code == 0 and stdout.startswith(f"allgather/file:{name}  proved  ")
    code, stdout, _ = invoke("reorder", "allgather/ring", "--machine", "node:2 core:2",
                             "--placement", "cyclic", "--rankfile", f"{name}.txt")  # fmt: skip
    assert code == 0 and f"wrote {name}.txt, for " in stdout


def test_a_link_to_a_file_remains(machine: Path) -> None:
    (machine / "link.json").symlink_to(machine / "there.json")
    assert invoke("prove", "allgather/ring", "--ranks", "4", "-o", "link.json")[0] == 0
    assert (machine / "link.json").is_symlink()
    assert invoke("prove", "there.json", "--ranks", "4")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("allgather/if", "if has a meaning in Python or in toccata.writing; give another name"),
        ("allgather/range", "range has a meaning"),
        ("bcast/send", "send has a meaning"),
        ("bcast/algorithm", "algorithm has a meaning"),
        ("bcast/mine -o mine.txt", "'mine.txt': the name of a file with an algorithm must end in"),
    ],
)
def test_a_new_file_is_a_working_one(arguments: str, said: str, machine: Path) -> None:
    before = sorted(machine.iterdir())
    code, _, stderr = invoke("new", *arguments.split())
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr
    assert sorted(machine.iterdir()) == before


def test_a_new_file_gets_its_folder(machine: Path) -> None:
    assert invoke("new", "bcast/tree", "-o", "ideas/more/tree.py")[0] == 0
    assert "# round" in (machine / "ideas/more/tree.py").read_text()


def test_a_new_file_that_cannot_be_read_is_removed(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(skeletons, "text", lambda *_: "def mine(:\n")
    with pytest.raises(Failure):
        new.new("bcast/mine", Path("mine.py"))
    assert not (machine / "mine.py").exists()


def test_one_rank_has_no_candidates(machine: Path) -> None:
    code, stdout, _ = invoke("explain", "allgather", "-p", "1")
    assert code == 0
    assert stdout.count("\n") == 1
    assert "native; one rank has nothing to exchange" in stdout
