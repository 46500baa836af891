"""The commands, as a user enters them."""

import csv
import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import fakes
from conftest import BUILD, ROOT, Toccata
from running import bench, invoke
from toccata import cli
from toccata._core import Shape, collectives
from toccata.algorithms import catalogue, counting, proving
from toccata.algorithms.catalogue import split_choices
from toccata.algorithms.proving import Case
from toccata.commands import COMMANDS, GROUPS
from toccata.commands.common import console
from toccata.errors import InputError
from toccata.measuring import tables
from toccata.measuring.results import Measurement, Results, read_csv
from toccata.models import cross_validation
from toccata.quantities import parse_bytes, parse_ranks, parse_seconds, parse_sizes, show_bytes

WARNING = (
    "toccata: TOCCATA_TOPOLOGY=no.conf: there is no file 'no.conf'. Using the discovered topology."
)


def test_list_json(toccata: Toccata) -> None:
    done = toccata("list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    listed = {each["name"]: each for each in json.loads(done.stdout)}
    assert {"allgather/ring", "allgather/sparbit"} <= set(listed)
    assert listed["allgather/neighbor_exchange"]["constraint"] == "needs an even number of ranks"
    assert listed["allgather/ring"]["constraint"] is None
    assert listed["allgather/sparbit"]["parameters"][0]["accepts"] == "per_round|per_block"


def test_list(toccata: Toccata) -> None:
    done = toccata("list", "allgather")
    assert "allgather/recursive_doubling" in done.stdout
    assert "needs a power of two ranks · thakur2005" in done.stdout


def test_version_and_help(toccata: Toccata) -> None:
    assert toccata("--version").stdout.startswith("toccata ")
    help_ = toccata("--help").stdout
    assert "<bool>" not in help_
    for title, commands in GROUPS.items():
        assert re.search(rf"^{title}:\n  {next(iter(commands))} ", help_, re.MULTILINE)
    alone = toccata()
    assert (alone.returncode, alone.stdout, alone.stderr) == (0, help_, "")


def test_locales_without_utf_8(tmp_path: Path) -> None:
    """Characters that the terminal lacks become question marks; files are in UTF-8."""
    ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    files = []
    for locale in ascii_only, {"LC_ALL": "C.UTF-8"}:
        files.append(tmp_path / f"{locale['LC_ALL']}.json")
        done = subprocess.run(
            [sys.executable, "-m", "toccata", "prove", "allgather/bruck", "--ranks", "2",
             "-o", str(files[-1])],
            env={**os.environ, **locale}, capture_output=True, check=True, timeout=120,
        )  # fmt: skip
        assert done.stderr == b""
        listed = subprocess.run(
            [sys.executable, "-m", "toccata", "list", "allgather"],
            env={**os.environ, **locale}, capture_output=True, check=True, timeout=120,
        )  # fmt: skip
        mark = b"?" if locale is ascii_only else "·".encode()
        assert b"needs a power of two ranks " + mark + b" thakur2005" in listed.stdout
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "⌈log2 p⌉ rounds" in files[0].read_text("utf-8")


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_output_that_is_closed(tmp_path: Path, closed: str) -> None:
    command = f"exec '{ROOT}/toccata' topo node:2 -o '{tmp_path}/tree.svg' {closed}"
    done = subprocess.run(
        ["sh", "-c", command], env={**os.environ, "TOCCATA_BUILD": str(BUILD)},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "tree.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("--version", 2), ("--help", 2), ("list --help", 2), ("show sparbit -p 4", 2),
     ("list", 2), ("show allgather/absent -p 4", 2)],
)  # fmt: skip
def test_output_to_a_full_device(arguments: str, code: int) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONUNBUFFERED", None)
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "toccata", *arguments.split()], env=environment, stdout=full,
            stderr=subprocess.PIPE, text=True, check=False, timeout=120,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (code, 1), done.stderr
    reason = "there is no algorithm" if "absent" in arguments else "No space left on device\n"
    assert done.stderr.startswith(f"toccata: {reason}")


def test_bytes_that_are_not_utf_8(toccata: Toccata, tmp_path: Path) -> None:
    """In names and contents of files, arguments and settings; replaced by U+FFFD."""
    text = b"SwitchName=caf\xe9 Nodes=h\xe9[1-2]\n# caf\xe9\n"
    (tmp_path / "plain.conf").write_bytes(text)
    name = os.fsdecode(b"caf\xe9.conf")
    (tmp_path / name).write_bytes(text)
    for each, saved in (("plain.conf", "saved"), (name, "saved"), ("saved", "again")):
        done = toccata("topo", each, "--save", saved, "-o", "tree.png")
        assert (done.returncode, done.stderr) == (0, "")
        done = toccata("topo", each)
        assert "1 leaf, 2 nodes\n└── leaf 0 caf\ufffd   2 nodes h\ufffd[1-2]\n" in done.stdout
    assert "labels leaf caf\ufffd\nlabels node h\ufffd[1-2]\n" in (tmp_path / "saved").read_text(
        "utf-8"
    )
    schedules = os.fsdecode(b"caf\xe9.json")
    assert toccata("prove", "allgather/bruck", "--ranks", "2", "-o", schedules).returncode == 0
    assert "caf\ufffd.json  proved" in toccata("prove", schedules).stdout
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(b'{"caf\xe9": 1}')
    for arguments, complaint in [
        (("traffic", str(wrong)), f"{wrong}: is not text"),
        (("prove", str(wrong)), f"{wrong}: is not a file of schedules"),
        (("topo", str(wrong)), f"{wrong}:1: '{{\"caf\ufffd\": 1}}' is unknown"),
        (("topo", os.fsdecode(b"node:2 c\xe9re:2")), "cannot have 'c\ufffdre:2'"),
        (("show", os.fsdecode(b"caf\xe9"), "-p", "2"), "'caf?'"),
    ]:
        done = toccata(*arguments)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert complaint in done.stderr
    done = toccata("doctor", TOCCATA_ALLGATHER=os.fsdecode(b"caf\xe9"))
    assert "TOCCATA_ALLGATHER=caf\ufffd" in done.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command(command: str) -> None:
    code, help_, complaint = invoke(*command.split(), "--help")
    assert (code, complaint) == (0, "")
    assert re.search(rf"Usage: .*{command} ", help_)
    assert "Examples" in help_ or command == "demo"  # demo needs no arguments
    assert COMMANDS[command].summary[:40] in help_
    assert "<bool>" not in help_ and "<str>" not in help_


def test_via_symlink(toccata: Toccata, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ROOT / "toccata")
    assert os.system(f"TOCCATA_BUILD={BUILD} {link} --version >/dev/null") == 0


def test_not_built(toccata: Toccata, tmp_path: Path) -> None:
    """Nor on a machine with the files of CMake but without a compiler."""
    (tmp_path / "python/toccata").mkdir(parents=True)
    for build in "/nowhere", str(tmp_path):
        done = toccata("list", TOCCATA_BUILD=build)
        assert done.returncode == 2
        assert "run `make` first" in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("play", "'play'"),
        ("list alltoallx", "'alltoallx'"),
        ("show", "ALGORITHM"),
        ("show sparbit", "--ranks"),
        ("show quick -p 4", "'quick'"),
        ("show sparbit -p five", "'five'"),
        ("show sparbit -p 0", "'0'"),
        ("show sparbit -p 5 --rank 5", "no rank 5 among 5"),
        ("show sparbit -p 5 --rank 1 -o x.png", "exclude each other"),
        ("show neighbor_exchange -p 5", "even number of ranks"),
        ("show sparbit:messages=two -p 5", "per_round|per_block"),
        ("show sparbit -p 5 -o picture.bmp", "picture.bmp"),
        ("show sparbit -p 5 -o /proc/nope/x.png", "/proc/nope"),
        ("verify quick", "'quick'"),
        ("verify --max-p many", "'many'"),
        ("traffic -p 4 --bytes lots", "'lots'"),
        ("bench allreducex", "'allreducex'"),
        ("bench allgather --sizes 4:1", "'4:1'"),
        ("bench allgather --ranks 2:4", "'2:4'"),
        ("bench allgather --repetitions 0", "'0'"),
        ("bench allgather --algorithms ring,quick", "'quick'"),
        ("bench allgather --algorithms ring --highlight bruck", "--highlight bruck"),
        ("bench allgather --algorithms ring --baseline native", "--baseline native"),
        ("bench allgather --mpi lam", "'lam'"),
        ("bench allgather --sizes 0,4", "expected 1 to 1G bytes"),
        ("bench allgather --launcher-args '", "--launcher-args ': no closing quotation"),
        ("bench links --launcher-args '", "no closing quotation"),
        ("calibrate -o x.json --launcher-args '", "no closing quotation"),
        ("topo --ranks 2 --launcher-args '", "no closing quotation"),
        ("show sparbit -p 99999999999", "from 1 to 1048576"),
        ("show sparbit -p 4 --rank 99999999999", "invalid rank '99999999999'"),
        ("show bcast/binomial -p 4 --root 99999999999", "from 0 to 1048575"),
        ("traffic sparbit -p 4 --bytes 99999999999999999999G", "the maximum is 1024G"),
        (f"traffic sparbit -p 4 --bytes {'9' * 5000}", "the maximum is 1024G"),
        ("predict sparbit --model gigabit --sizes 9223372036854775807", "the maximum is 1024G"),
        ("predict sparbit --model gigabit --ranks 2:99999999999:1", "'99999999999'"),
        ("verify --max-p 1048577", "from 1 to 1048576"),
        ("bench allgather --repetitions 99999999999", "from 1 to 1000000"),
        ("calibrate -o x.json --sizes 8", "at least 4 different sizes above 0"),
        ("calibrate -o x.json --sizes 0,8,8,16,32", "at least 4 different sizes above 0"),
        (
            "predict sparbit --model gigabit --machine node:2 --nodes 0",
            "invalid number of nodes '0'",
        ),
        ("bench allgather --heatmap map.gif", "map.gif"),
        ("bench allgather --metric fastest", "fastest"),
        ("bench allgather --wrong", "--wrong"),
        ("bench allgather --paper", "not allgather"),
        ("bench alltoall --distribution even", "vector form"),
        ("bench alltoallv --distribution odd", "odd"),
        ("bench alltoall --scaling lines.gif", "lines.gif"),
        ("show bruck -p 4", "'bruck' is ambiguous: allgather/bruck or alltoall/bruck"),
        ("run", "'COMMAND'"),
        ("run -- ./not-there", "'./not-there'"),
        ("run -- env true", "'true'"),
        ("run --allgather quick -- mpirun true", "'quick'"),
    ],
)
def test_bad_input_is_one_line(arguments: str, said: str) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert code == 2
    assert said in stderr
    assert stderr.count("\n") == 1
    assert stderr.startswith("toccata: ")


def test_an_impossible_algorithm_is_told_of() -> None:
    said = "5 ranks: without {}neighbor_exchange, which needs an even number of ranks\n"
    code, stdout, _ = invoke("traffic", "neighbor_exchange", "allgather/ring", "-p", "5")
    assert (code, stdout.endswith(said.format("allgather/"))) == (0, True)
    predict = ("predict", "--model", "gigabit", "--sizes", "1", "--ranks")
    code, stdout, _ = invoke(*predict, "4,5", "neighbor_exchange", "allgather/ring")
    assert (code, stdout.endswith(said.format(""))) == (0, True)
    for command in (("traffic", "-p", "5"), (*predict, "5,7")):
        code, stdout, stderr = invoke(*command, "neighbor_exchange")
        assert (code, stdout, stderr.count("\n")) == (2, "", 1)
        assert "no algorithm can run with 5" in stderr
        assert "neighbor_exchange needs an even number of ranks" in stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sparbt", "did you mean allgather/sparbit? `toccata list` shows all"),
        ("allgather/rng", "did you mean allgather/ring? "),
        ("allgater/ring", "did you mean allgather/ring or "),
        ("bruk", "allgather/bruck"),
        ("warp", "there is no algorithm 'warp'; `toccata list` shows all"),
        ("allgather", "allgather is a collective; give one of its algorithms, such as allgather/"),
        ("alltoallv", "alltoallv is a collective; give one of its algorithms, such as alltoall/"),
        (
            "allgatherv",
            "allgatherv is a collective; give one of its algorithms, such as allgather/",
        ),
    ],
)
def test_what_is_no_algorithm_was_meant_to_be_one(name: str, said: str) -> None:
    code, _, stderr = invoke("show", name, "-p", "4")
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr
    assert stderr.count(" or ") < catalogue.MOST_CLOSE


@pytest.mark.parametrize(
    "arguments",
    ["bench allgather --metric odd", "bench alltoallv --distribution odd", "fit x.csv --split odd"],
)
def test_a_wrong_one_of_several_is_told_of_plainly(arguments: str) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert (code, "Value error" in stderr) == (2, False)
    assert "'odd' is not one of '" in stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("list", "no collective ''"),
        ("bench allgather --ranks", "invalid number of ranks ''"),
        ("bench allgather --sizes", "invalid size ''"),
        ("bench allgather --algorithms", "'' does not name an algorithm"),
        ("bench allgather --highlight", "the name of the allgather algorithm is missing"),
        ("bench allgather --machine", "No such option: --machine"),
        ("bench links --ranks", "invalid number of ranks ''"),
        ("bench links --sizes", "invalid size ''"),
        ("predict sparbit --model gigabit --machine node:2 --nodes", "invalid number of nodes ''"),
    ],
)
def test_what_is_empty_is_not_what_is_left_out(arguments: str, said: str, machine: Path) -> None:
    code, _, stderr = invoke(*arguments.split(), "")
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr


def test_show_draws(tmp_path: Path) -> None:
    for name in ("a.png", "a.svg"):
        code, stdout, _ = invoke("show", "sparbit", "-p", "5", "-o", str(tmp_path / name))
        assert (code, (tmp_path / name).exists()) == (0, True)
        assert "wrote" in stdout
    assert "<svg" in (tmp_path / "a.svg").read_text()


def test_verify() -> None:
    code, stdout, _ = invoke("verify", "sparbit", "allgather/ring", "--max-p", "9")
    assert code == 0
    lines = stdout.splitlines()
    assert [line.split()[:2] for line in lines[:2]] == [
        ["allgather/sparbit", "proved"],
        ["allgather/ring", "proved"],
    ]
    proofs = sum(int(line.split()[2]) for line in lines[:2])
    assert re.fullmatch(rf"correct: 2 of 2 algorithms; {proofs} proofs in \d+ s", lines[2])
    assert "up to 4096 ranks" in lines[0]


def test_verify_goes_through_every_setting() -> None:
    from toccata.algorithms.catalogue import find

    sparbit = find("sparbit").algorithm
    assert sparbit is not None
    cases = {(c.choice.text, c.shape.p) for c in proving.cases(sparbit, [5])}
    assert cases == {("sparbit", 5), ("sparbit:messages=per_block", 5)}
    assert not list(proving.cases(find("allgather/ring"), [100_000]))
    assert not list(proving.cases(find("neighbor_exchange"), [5]))


class Wrong:
    """A choice whose proof fails with four ranks."""

    text = "wrong"

    def verify(self, shape: Shape) -> str:
        return "rank 1, round 2: [red] block" if shape.p == 4 else ""


def test_verify_fails_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = [Case(Wrong(), Shape(3)), Case(Wrong(), Shape(4))]  # type: ignore[arg-type]
    monkeypatch.setattr(proving, "cases", lambda *_: iter(wrong))
    code, stdout, stderr = invoke("verify", "allgather/ring")
    assert code == 1
    assert "wrong with 4 ranks: rank 1, round 2: [red] block" in stdout
    assert re.fullmatch(r"toccata: wrong: 1 of 1 algorithms; 1 proof in \d+ s\n", stderr)


def test_verify_knows_the_bibliography(monkeypatch: pytest.MonkeyPatch) -> None:
    known = proving.known_citations()
    assert known is not None and "thakur2005" in known
    assert proving.unknown_citation("thakur2005, section 4", known) == ""
    wrong = "citation 'nobody2099': not in references.bib"
    assert proving.unknown_citation("nobody2099, section 3", known) == wrong
    monkeypatch.setattr(proving, "citation_of", lambda _: "nobody2099")
    code, stdout, stderr = invoke("verify", "allgather/ring", "--max-p", "2")
    assert code == 1
    assert wrong in stdout and "wrong: 1 of 1 algorithms" in stderr


def test_traffic() -> None:
    code, stdout, _ = invoke("traffic", "allgather", "-p", "5", "--bytes", "1K")
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in stdout.splitlines()[2:]}
    assert rows["allgather/ring"] == [
        "4",
        "(4)",
        "4",
        "(4)",
        "4",
        "(4)",
        "4096",
        "1",
        "(1)",
        "1024",
    ]
    assert rows["allgather/bruck"][-3:] == ["6", "(6)", "6144"]
    assert rows["allgather/sparbit:messages=per_block"][2:4] == ["4", "(4)"]
    assert set(rows["allgather/neighbor_exchange"]) == {"–"}


def test_bench(machine: Path) -> None:
    code, stdout, stderr = bench("--repetitions", "7", "--details")
    assert (code, stderr) == (0, "")
    assert "allgather, 3 ranks   median time in µs   Fake MPI 1.0" in stdout
    assert "without neighbor_exchange, which needs an even number" in stdout
    rows = list(csv.DictReader((machine / "results/allgather-openmpi.csv").open()))
    timed = {ranks: {r["algorithm"] for r in rows if r["ranks"] == ranks} for ranks in "34"}
    known = {each.name for each in catalogue.of_collective("allgather")} | {"native"}
    assert timed["4"] == known
    assert timed["3"] == known - {"neighbor_exchange"}  # as the fake reports
    assert len(rows) == 2 * (len(timed["3"]) + len(timed["4"]))  # sizes
    row = next(r for r in rows if (r["ranks"], r["bytes"], r["algorithm"]) == ("4", "4", "bruck"))
    median = float(row["median_us"])
    assert median > 0
    assert float(row["mean_of_fastest_rank_us"]) == median / 2
    assert float(row["mean_of_slowest_rank_us"]) == median * 2
    assert (row["spread"], row["complete"]) == ("0.100", "true")
    assert row["repetitions"] == "7"
    assert json.loads((machine / "results/allgather-openmpi.json").read_text())[0]["ranks"] == 3
    assert (machine / "results/allgather-openmpi.png").stat().st_size > 1000
    assert "sparbit is clearly fastest at 2 of 4 points, by 50.0% on average" in stdout


def test_bench_leaves_what_it_has_measured(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First a run with wrong data at the second size; then a comparison with an old run."""
    monkeypatch.setenv("FAKE_WRONG", "1")
    code, _, stderr = bench()
    assert code == 1
    assert "allgather-openmpi.csv and results/allgather-openmpi.json are incomplete" in stderr
    rows = list(csv.DictReader((machine / "results/allgather-openmpi.csv").open()))
    assert [(row["bytes"], row["complete"]) for row in rows] == [("4", "false"), ("16", "false")]
    monkeypatch.delenv("FAKE_WRONG")
    code, _, _ = bench("--csv", "old.csv")
    code, stdout, _ = bench("--compare", "old.csv")
    assert "0 faster and 0 slower than before" in stdout
    code, _, stderr = bench("--compare", str(machine / "bin/mpirun"))
    assert code == 2 and "not a table of toccata bench" in stderr


@pytest.mark.parametrize("time", ["0", "nan", "-3", "inf", ""])
def test_an_old_time_that_is_none_is_found_before_the_measurement(
    time: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench("--csv", "old.csv")[0] == 0
    rows = list(csv.DictReader((machine / "old.csv").open()))
    with (machine / "old.csv").open("w", newline="") as old:
        writer = csv.DictWriter(old, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"median_us": time} for row in rows)
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, stderr = bench("--compare", "old.csv", "--csv", "new.csv")
    assert (code, stdout) == (2, "")
    assert stderr == "toccata: old.csv: line 2 is not a line of toccata bench\n"
    assert not (machine / "log").exists()


def test_a_rank_may_need_no_time() -> None:
    one = Measurement(
        "bcast", "an MPI", 4, 64, "binomial", 9, min=0.0, average=1e-6, max=2e-6, median=2e-6,
        q25=2e-6, q75=2e-6, valid=True,
    )  # fmt: skip
    later = replace(one, min=1e-6)
    with console.capture() as caught:
        console.print(tables.changes(Results([one]), Results([later]), "min"))
    said = " ".join(caught.get().split())
    assert "0 faster and 1 slower than before" in said and "times" not in said


@pytest.mark.parametrize(
    ("module", "printing"),
    [("bench", "print_whole"), ("explain", "_print_report")],
)
def test_files_are_written_before_the_results_are_printed(
    module: str, printing: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader of the output may have closed it."""
    report = {"toccata_report": 1, "mpi": "an MPI", "ranks": 4, "seconds": 0, "rows": []}
    (machine / "run.json").write_text(json.dumps(report))
    assert bench("--csv", "old.csv")[0] == 0
    command = import_module(f"toccata.commands.{module}")
    printed = getattr(command, printing)

    def closed(what: object) -> None:
        if module == "explain" or (machine / "new.csv").exists():
            raise BrokenPipeError
        printed(what)  # a table of a run that has ended

    monkeypatch.setattr(command, printing, closed)
    monkeypatch.setattr(cli, "_end_output", lambda: None)
    if module == "bench":
        code, _, _ = bench("--compare", "old.csv", "--csv", "new.csv", "--json", "new.json",
                           "--heatmap", "new.png")  # fmt: skip
        files = ["new.csv", "new.json", "new.png"]
        rows = csv.DictReader((machine / "new.csv").open())
        assert {row["complete"] for row in rows} == {"true"}
    else:
        code, _, _ = invoke("explain", "run.json", "--html", "run.html", "-o", "run.png")
        files = ["run.html", "run.png"]
    assert code == 1
    assert all((machine / name).stat().st_size > 0 for name in files)


def test_fit_reads_what_bench_writes(machine: Path) -> None:
    invoke("bench", "allgather", "--ranks", "4", "--sizes", "8,1K,64K")
    file = machine / "results/allgather-openmpi.csv"
    found = cross_validation.load(file, [], [])
    assert found.machines == ["Fake MPI 1.0"]
    assert {each.total_bytes for each in found.cases} == {32, 4096, 4 * 65536}
    assert {each.p for each in found.cases} == {4}
    assert "sparbit" in {each.algorithm for each in found.cases}


def test_sizes_of_old_tables_keep_their_meaning(machine: Path) -> None:
    """Without the column bytes_of, the bytes of an all-to-all are the total for all ranks."""
    invoke("bench", "alltoall", "--ranks", "4", "--sizes", "8,1K")
    file = machine / "results/alltoall-openmpi.csv"
    now = read_csv(file)
    assert {each.bytes for each in now.all} == {8, 1024}
    fitted = cross_validation.load(file, [], [])
    assert {each.unit_bytes for each in fitted.cases} == {8, 1024}
    rows = list(csv.DictReader(file.open()))
    with (machine / "old.csv").open("w", newline="") as old:
        writer = csv.DictWriter(old, [each for each in rows[0] if each != "bytes_of"],
                                extrasaction="ignore")  # fmt: skip
        writer.writeheader()
        writer.writerows(row | {"bytes": str(4 * int(row["bytes"]))} for row in rows)
    assert {each.bytes for each in read_csv(machine / "old.csv").all} == {8, 1024}
    fitted = cross_validation.load(machine / "old.csv", [], [])
    assert {each.unit_bytes for each in fitted.cases} == {8, 1024}
    code, stdout, _ = invoke("bench", "alltoall", "--ranks", "4", "--sizes", "8,1K",
                             "--compare", "old.csv")  # fmt: skip
    assert code == 0 and "0 have no earlier time" in stdout


def test_a_size_is_the_same_everywhere() -> None:
    """The table of the docs, the axes, and the library define a block in the same way."""
    table = (ROOT / "docs/tuning.md").read_text().partition("## Sizes")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:3] for line in table.splitlines() if line.startswith("| `")]
    told = {name: of for names, of in rows for name in re.findall(r"`(\w+)`", names)}
    for each in collectives():
        assert catalogue.size_is_of(each.name) or each.name == "barrier"
        of = catalogue.size_is_of(each.name) or "nothing"
        assert of in told[each.name], each.name
    # 4 ranks. In an all-to-all, the size is that of a rank's own block; in a message, that of the
    # whole.
    shape = Shape(4)
    for name, sent in (("alltoall/pairwise", 3 * 64), ("bcast/scatter_allgather", None)):
        choice = catalogue.find(name)
        block = counting.bytes_of_blocks(choice, shape, 64)
        assert block == (64 if sent else 64 // choice.data(shape))
        if sent:
            assert choice.traffic(shape, block).sent_bytes == sent


def test_bench_files_and_algorithms(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, _, _ = bench(
        "--csv", "a/b.csv", "--json", "c.json", "--heatmap", "d.svg", "--warmup", "0",
        "--algorithms", "native,sparbit:messages=per_block,travel=packed,ring",
        "--launcher-args", "--bind-to 'core'", "--highlight", "ring",
    )  # fmt: skip
    assert code == 0
    assert all((machine / name).exists() for name in ("a/b.csv", "c.json", "d.svg"))
    log = (machine / "log").read_text()
    assert "--algorithms native;sparbit:messages=per_block,travel=packed;ring" in log
    assert "--bind-to core" in log
    assert "--sizes 4,16 --repetitions 100 --warmup 0" in log


def test_bench_as_the_paper(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, stderr = invoke("bench", "alltoall", "--paper")
    assert (code, stderr) == (0, "")
    assert "median execution time (ms) of Zero copy, bruck_zero_copy" in stdout
    assert "12 processes with 12 elements each" in stdout
    log = (machine / "log").read_text().splitlines()
    runs = [line for line in log if "--sizes" in line]
    assert [line.split()[3] for line in runs] == ["2", "4", "8", "12"]
    # The paper's sizes cover all blocks of a rank, ours one block; the tables keep the paper's
    # sizes.
    assert "--sizes 32,512,8192,131072,2097152 --repetitions 1000" in runs[0]
    assert "--sizes 8,128,2048,32768,524288 --repetitions 1000" in runs[2]
    assert "--sizes 4 --repetitions 1000" in runs[3]
    assert "2^4 " in stdout and "2^20" in stdout
    rows = list(csv.DictReader((machine / "results/alltoall-paper-openmpi.csv").open()))
    assert len(rows) == (3 * 5 + 1) * 5
    assert {row["bytes_of"] for row in rows} == {"block"}
    for name in ("alltoall-paper-openmpi.png", "alltoall-paper-openmpi-scaling.png"):
        assert (machine / "results" / name).stat().st_size > 1000


def test_bench_of_uneven_blocks(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, _ = invoke(
        "bench", "alltoallv", "--ranks", "4", "--sizes", "64", "--distribution", "silent",
        "--algorithms", "native,pairwise,alltoall/bruck",
    )  # fmt: skip
    assert code == 0
    assert "alltoallv, 4 ranks" in stdout
    log = (machine / "log").read_text()
    assert "--algorithms native;pairwise;bruck --sizes 64" in log
    assert "--distribution silent" in log
    assert (machine / "results/alltoallv-silent-openmpi.csv").exists()


@pytest.mark.parametrize(
    ("variable", "said"),
    [
        ("FAKE_WRONG", "gave wrong data with 3 ranks and 16 bytes"),
        ("FAKE_CRASH", "failed with exit code 3"),
        ("FAKE_SHORT", "ended early"),
    ],
)
def test_bench_fails(
    variable: str, said: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "1")
    code, _, stderr = bench()
    assert code == 1
    assert said in stderr
    assert ("rank 1 fell over" in stderr) == (variable == "FAKE_CRASH")


@pytest.mark.parametrize(
    "arguments",
    ["bench allgather --ranks 2 --sizes 4", "bench links", "topo --ranks 2", "calibrate -o x"],
)
@pytest.mark.parametrize("code", [0, 3])
def test_what_the_library_warns_of_is_passed_on(arguments: str, code: int, machine: Path) -> None:
    text = f"""
import sys
print({WARNING!r}, "not ours", {WARNING!r}, sep="\\n", file=sys.stderr)
sys.exit({code})
"""
    for program in ("toccata_bench", "links", "toccata_where", "toccata_calibrate"):
        fakes.script(machine / "home/bench/openmpi" / program, text)
    _, _, stderr = invoke(*arguments.split())
    first, second, *more = stderr.splitlines()
    assert first == WARNING
    assert second.startswith("toccata: ")
    assert more == (["  not ours"] if code else []), "what others say is the reason of a failure"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["--report", "--"], "1"),
        (["--report", "sub/run.json", "--"], "sub/run.json"),
        (["--report=run.json", "--"], "run.json"),
        (["--report", "--allgather", "ring", "--"], "1"),
        (["--bcast", "binomial", "--report", "run.json"], "run.json"),
        (["--report"], "1"),
    ],
)
def test_run_reports_to_a_file(words: list[str], value: str, machine: Path) -> None:
    code, stdout, stderr = invoke("run", "--dry-run", *words, "mpirun", "-n", "2", "./app")
    why = "it does not exist, or is not an executable file"
    said = f"toccata: cannot detect the MPI of './app' ({why}); assuming Open MPI\n"
    assert (code, stderr) == (0, said)
    path = value if value == "1" else str(machine / value)
    assert f"TOCCATA_REPORT={path}" in stdout.split()


def test_run_refuses_a_report_that_is_none(machine: Path) -> None:
    code, _, stderr = invoke("run", "--report", "table.txt", "--", "mpirun", "./app")
    said = "toccata: --report table.txt: a report is a file named *.json, or 0 or 1\n"
    assert (code, stderr) == (2, said)
    for words in (["traffic.txt", "--"], ["--"]):
        code, _, stderr = invoke("run", "--record", *words, "mpirun", "./app")
        said = f"toccata: --record {words[0]}: a record is a file named *.json\n"
        assert (code, stderr) == (2, said)
    (machine / "run.json").mkdir()
    code, _, stderr = invoke("run", "--report", "run.json", "--", "mpirun", "./app")
    assert code == 2 and "'run.json' cannot be written: Is a directory" in stderr


def test_run_dry(machine: Path) -> None:
    code, stdout, _ = invoke(
        "run", "--allgather", "allgather/sparbit", "--report", "--dry-run", "--",
        "mpirun", "-n", "2", "./app", "--report",
    )  # fmt: skip
    assert code == 0
    assert stdout.split() == [
        str(machine / "bin/mpirun"), "-x", "TOCCATA_ALLGATHER=allgather/sparbit",
        "-x", "TOCCATA_REPORT=1", "-x", "TOCCATA=learn",
        "-x", f"LD_PRELOAD={machine / 'home/lib/openmpi/libtoccata.so'}", "-n", "2", "./app",
        "--report",
    ]  # fmt: skip


@pytest.mark.skipif(
    not (BUILD / "lib/openmpi/libtoccata.so").exists(), reason="not built for Open MPI"
)
def test_run_passes_exit_code_and_spares_the_launcher(toccata: Toccata, tmp_path: Path) -> None:
    fake = fakes.launcher(tmp_path / "mpirun", "openmpi")
    program = fakes.script(tmp_path / "app", "import os, sys; sys.exit(41 + len(sys.argv))")
    log = tmp_path / "log"
    done = toccata("run", "--", str(fake), "-n", "1", str(program), FAKE_LOG=str(log))
    assert done.returncode == 42
    assert done.stderr.splitlines()[-1] == (
        "toccata: the next run uses the results of this run, but not for floating-point sums "
        "(--learn-sums includes these, --no-learn turns learning off)"
    )
    assert log.read_text().startswith("preload None -x")


def test_run_learns_unless_told_otherwise(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def learning(*options: str) -> list[str]:
        code, stdout, _ = invoke("run", *options, "--dry-run", "--", "mpirun", "-n", "2", "./app")
        assert code == 0
        return [each for each in stdout.split() if each.startswith("TOCCATA")]

    assert learning() == ["TOCCATA=learn"]
    assert learning("--learn-sums") == ["TOCCATA=learn", "TOCCATA_SUMS=learn"]
    assert learning("--no-learn") == []
    assert invoke("run", "--learn-sums", "--no-learn", "--", "mpirun", "./app")[0] == 2
    monkeypatch.setenv("TOCCATA", "learn:mine.json")
    assert learning() == ["TOCCATA=learn:mine.json"]
    assert learning("--learn-sums") == ["TOCCATA=learn:mine.json", "TOCCATA_SUMS=learn"]
    assert learning("--no-learn") == ["TOCCATA=auto"]
    monkeypatch.setenv("TOCCATA", "off")
    assert learning() == ["TOCCATA=off"]


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_bench_on_the_real_thing(family: str, toccata: Toccata, tmp_path: Path) -> None:
    if not (BUILD / "bench" / family / "toccata_bench").exists():
        pytest.skip("not built for this MPI")
    done = toccata(
        "bench", "allgather", "--mpi", family, "--ranks", "2", "--sizes", "1,4K",
        "--algorithms", "native,sparbit:messages=per_block", "--repetitions", "3",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads((tmp_path / f"results/allgather-{family}.json").read_text())
    assert {(row["algorithm"], row["bytes"], row["valid"]) for row in rows} == {
        (name, size, True)
        for name in ("native", "sparbit:messages=per_block")
        for size in (1, 4096)
    }


def test_bench_with_buffers_on_a_device(toccata: Toccata, tmp_path: Path) -> None:
    stand_in = BUILD / "tests/mpi"
    if not (BUILD / "bench/openmpi/toccata_bench").exists():
        pytest.skip("not built for Open MPI")
    if not (stand_in / "libcuda.so.1").exists():
        pytest.skip("the stand-in for CUDA was not built")
    words = [
        "bench", "allgather", "--mpi", "openmpi", "--ranks", "2", "--sizes", "1,4K",
        "--algorithms", "native,ring,bruck", "--repetitions", "3", "--device", "cuda",
    ]  # fmt: skip
    done = toccata(*words, LD_LIBRARY_PATH=str(stand_in))
    assert done.returncode == 0, done.stderr
    rows = json.loads((tmp_path / "results/allgather-cuda-openmpi.json").read_text())
    assert {(row["algorithm"], row["bytes"], row["valid"]) for row in rows} == {
        (name, size, True) for name in ("ring", "bruck") for size in (1, 4096)
    }
    assert "may not accept device memory" in done.stdout + done.stderr
    done = toccata(*words)
    assert done.returncode != 0
    assert "--device cuda: no CUDA runtime (libcuda.so.1) is on this host" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("collective", [each.name for each in collectives()])
def test_bench_of_every_collective(collective: str, toccata: Toccata, tmp_path: Path) -> None:
    if not (BUILD / "bench/openmpi/toccata_bench").exists():
        pytest.skip("not built for Open MPI")
    done = toccata(
        "bench", collective, "--mpi", "openmpi", "--ranks", "2", "--sizes", "64",
        "--repetitions", "1",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    rows = json.loads((tmp_path / f"results/{collective}-openmpi.json").read_text())
    assert len(rows) > 1
    assert all(row["valid"] for row in rows)


def test_lists() -> None:
    assert split_choices("ring, sparbit:messages=per_block,travel=packed,bruck") == [
        "ring",
        "sparbit:messages=per_block,travel=packed",
        "bruck",
    ]
    assert split_choices("a:x=1,y=2;b") == ["a:x=1,y=2", "b"]


def test_quantities() -> None:
    assert parse_sizes("1:16") == [1, 2, 4, 8, 16]
    assert parse_sizes("1K,4,1:1M:1024") == [1, 4, 1024, 1 << 20]
    assert parse_bytes("2MiB") == 2 << 20
    assert parse_ranks("8:24:8,2") == [2, 8, 16, 24]
    assert [show_bytes(each) for each in (0, 1, 1000, 1024, 3 << 20)] == [
        "0", "1", "1000", "1K", "3M"
    ]  # fmt: skip
    assert [parse_seconds(each) for each in ("0.3", "3", "1e3")] == [0.3, 3, 1000]
    for wrong in ("", "x", "0", "-1", "nan", "inf", "1e9", "0.0001", "."):
        with pytest.raises(InputError, match=r"from 0\.001 to 1000000, such as 0\.3"):
            parse_seconds(wrong)
    for wrong in ("", "x", "1:", "0:4", "1:4:1", "-1"):
        with pytest.raises(InputError):
            parse_sizes(wrong)


def test_help_imports_no_command() -> None:
    """Help is fast because it imports neither the commands nor the C++ module."""
    program = """
import sys
from toccata.cli import app
try:
    app(["--help"], prog_name="toccata")
except SystemExit:
    pass
heavy = ("toccata.commands.", "rich", "toccata._core", "matplotlib", "scipy", "numpy")
print("LOADED", [name for name in sys.modules if name.startswith(heavy)])
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )  # fmt: skip
    assert "Study algorithms:" in done.stdout
    assert "LOADED []" in done.stdout


def test_summaries_are_those_of_the_commands() -> None:
    for name, entry in COMMANDS.items():
        function = getattr(import_module(f"toccata.commands.{entry.module}"), entry.function)
        first = inspect.cleandoc(function.__doc__).split("\n\n")[0].replace("\n", " ")
        assert entry.summary == first, name
