"""`toccata tune` and its files."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conftest import BUILD, ROOT, Toccata
from running import invoke
from toccata import _core
from toccata.errors import InputError
from toccata.launching import launcher
from toccata.measuring.results import Measurement
from toccata.tuning import tuning_file

SETTING = (
    "tune", "allgather", "--ranks", "3,4", "--sizes", "4,16,4K",
    "--algorithms", "neighbor_exchange,sparbit,ring",
)  # fmt: skip


def measured(algorithm: str, median: float, wins: int, pairs: int = 20) -> Measurement:
    return Measurement(
        "allgather", "an MPI", 4, 64, algorithm, pairs, min=median, average=median, max=median,
        median=median, q25=median * 0.9, q75=median * 1.2, valid=True, wins=wins, pairs=pairs,
    )  # fmt: skip


def test_decides_beyond_doubt() -> None:
    native = measured("native", 2e-6, 0, 0)
    lucky = measured("ring", 1e-6, 12)
    better = measured("bruck", 1.5e-6, 20)
    assert tuning_file.decide([native, lucky], 1, None).choice == "native"
    assert tuning_file.decide([native, lucky, better], 1, None).choice == "bruck"
    point = tuning_file.decide([native, better, measured("sparbit", 1.2e-6, 19)], 2, 2)
    assert (point.choice, point.nodes, point.per_node) == ("sparbit", 2, 2)
    assert point.gain == pytest.approx(0.4)
    assert point.spread == pytest.approx(0.3)
    assert point.medians == {"native": 2e-6, "bruck": 1.5e-6, "sparbit": 1.2e-6}
    assert tuning_file.decide([native], 1, None).choice == "native"


def test_level_is_shared_by_all_that_were_tried() -> None:
    native = measured("native", 2e-6, 0, 0)
    ahead = measured("ring", 1e-6, 15)  # probability 1/48 if both are equal
    assert _core.chance(15, 20) == pytest.approx(0.0207, abs=1e-4)
    assert tuning_file.decide([native, ahead], 1, None).choice == "ring"
    crowd = [measured(f"a{i}", 3e-6, 0) for i in range(9)]
    assert tuning_file.decide([native, ahead, *crowd], 1, None).choice == "native"


def test_the_final_alone_judges_the_first_of_many() -> None:
    native = measured("native", 2e-6, 0, 0)
    crowd = [measured(f"a{i}", 3e-6, 0) for i in range(9)]
    first = measured("ring", 1e-6, 9, 10)  # too few wins for ten candidates
    assert tuning_file.decide([native, first, *crowd], 1, None).choice == "native"
    winner = replace(first, final_wins=15, final_pairs=20)
    assert tuning_file.decide([native, winner, *crowd], 1, None).choice == "ring"
    lucky = replace(measured("ring", 1e-6, 20), final_wins=14, final_pairs=20)
    assert tuning_file.decide([native, lucky, *crowd], 1, None).choice == "native"
    second = measured("bruck", 1.5e-6, 20)
    assert tuning_file.decide([native, lucky, second, *crowd], 1, None).choice == "bruck"


def points(path: Path) -> dict[tuple[int, int], dict[str, Any]]:
    document = json.loads(path.read_text())
    assert document["toccata_tuning"] == 1
    return {(each["ranks"], each["bytes"]): each for each in document["points"]}


def test_tune(machine: Path) -> None:
    code, stdout, stderr = invoke(*SETTING)
    assert (code, stderr) == (0, "")
    path = machine / "results/tuning-openmpi.json"
    found = points(path)
    choices = {key: each["choice"] for key, each in found.items()}
    # With 4 ranks, sparbit is the fastest in the fake, with 4K only by its median.
    assert choices == {
        (3, 4): "native", (3, 16): "native", (3, 4096): "native",
        (4, 4): "sparbit", (4, 16): "sparbit", (4, 4096): "native",
    }  # fmt: skip
    assert found[4, 4]["native_seconds"] == pytest.approx(2 * found[4, 4]["seconds"])
    assert found[4, 4]["nodes"] == 2
    document = json.loads(path.read_text())
    assert (document["machine"], document["mpi"]) == ("node:2 core:2", "Fake MPI 1.0")
    assert document["partial"] is False
    assert "Toccata serves 2 of 6 points" in stdout
    assert path.with_suffix(".png").stat().st_size > 1000
    assert list(path.parent.glob("*.json.*")) == []  # no incomplete file
    _, stdout, _ = invoke(*SETTING)
    assert "contains all results; --again repeats the measurements" in stdout
    assert f"wrote {path.relative_to(machine)}" not in stdout
    code, stdout, _ = invoke("tune", "--show", str(path), "--heatmap", "again.png")
    assert code == 0
    assert "allgather, 4 ranks on 2 nodes" in stdout
    assert "50%" in stdout
    assert (machine / "again.png").exists()


def test_the_library_reads_it(machine: Path) -> None:
    assert invoke(*SETTING)[0] == 0
    path = str(machine / "results/tuning-openmpi.json")
    assert _core.tuned(path, "allgather", 4, 2, 4).text == "sparbit"  # type: ignore[union-attr]
    assert _core.tuned(path, "allgather", 3, 2, 20).text == "native"  # type: ignore[union-attr]
    assert _core.tuned(path, "allgather", 64, 2, 4) is None
    assert _core.tuned(path, "alltoall", 4, 2, 4) is None


def test_goes_on_where_it_stopped(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_STOP", "4")
    code, _, stderr = invoke(*SETTING)
    assert code == 1
    assert stderr.count("\n") == 1
    path = machine / "results/tuning-openmpi.json"
    assert list(points(path)) == [(3, 4)]
    assert json.loads(path.read_text())["partial"] is True
    assert "the file is incomplete" in invoke("tune", "--show", str(path))[1]
    monkeypatch.delenv("FAKE_STOP")
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert invoke(*SETTING)[0] == 0
    runs = (machine / "log").read_text().splitlines()
    assert ["--sizes 16,4096 " in each for each in runs] == [True, False]
    assert len(points(path)) == 6
    assert json.loads(path.read_text())["partial"] is False


def test_a_file_is_partial_until_all_interrupted_commands_are_complete(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = machine / "results/tuning-openmpi.json"
    other = ("tune", "alltoall", "--ranks", "3", "--sizes", "8", "--algorithms", "pairwise")
    monkeypatch.setenv("FAKE_STOP", "4")
    assert invoke(*SETTING)[0] == 1
    monkeypatch.delenv("FAKE_STOP")
    code, stdout, _ = invoke(*other)
    assert code == 0 and "the file is incomplete" in stdout
    found = tuning_file.read(path)
    assert found.partial and len(found.missing) == 5
    assert ("allgather", 3, None, 4096) in found.missing
    assert "the file is incomplete" in invoke(*other)[1]  # also without any work
    assert invoke(*SETTING)[0] == 0
    found = tuning_file.read(path)
    assert (found.partial, found.missing, len(found.points)) == (False, [], 7)
    assert "missing" not in path.read_text()


def test_an_interrupted_repetition_goes_on(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine / "results/tuning-openmpi.json"
    assert invoke(*SETTING)[0] == 0
    monkeypatch.setenv("FAKE_STOP", "4")
    assert invoke(*SETTING, "--again")[0] == 1
    assert tuning_file.read(path).partial
    monkeypatch.delenv("FAKE_STOP")
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert invoke(*SETTING)[0] == 0
    runs = (machine / "log").read_text().splitlines()
    assert ["--sizes 16,4096 " in each for each in runs] == [True, False]
    assert not tuning_file.read(path).partial


def test_a_complete_file_of_an_older_version_is_called_so(machine: Path) -> None:
    path = machine / "results/tuning-openmpi.json"
    assert invoke(*SETTING)[0] == 0
    path.write_text(path.read_text().replace('"partial": false', '"partial": true'))
    code, stdout, _ = invoke(*SETTING)
    assert code == 0 and "the file is incomplete" not in stdout
    assert not tuning_file.read(path).partial


WRITER = """
import sys
from pathlib import Path
from toccata.tuning.tuning_file import Point, update
collective, path = sys.argv[1], Path(sys.argv[2])
for size in range(1, 9):
    update(path, lambda found: found.add(Point(collective, 4, 1, size, "ring")))
"""


def test_no_result_of_several_processes_is_lost(tmp_path: Path) -> None:
    file, link = tmp_path / "there.json", tmp_path / "link.json"
    link.symlink_to(file)
    names = ("allgather", "allreduce", "reduce_scatter")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, name, path],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for name, path in zip(names, (link, file, link), strict=True)
    ]
    assert [each.wait(timeout=120) for each in writers] == [0] * len(names)
    found = tuning_file.read(file).points
    assert {(each.collective, each.bytes) for each in found} == {
        (name, size) for name in names for size in range(1, 9)
    }
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, file]  # no lock, and no incomplete file


def test_again_keeps_all_other_points(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert invoke(*SETTING)[0] == 0
    path = machine / "results/tuning-openmpi.json"
    before = points(path)
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    setting = ("--ranks", "4", "--sizes", "8", "--algorithms", "pairwise")
    for more in ((), ("--again",)):
        assert invoke("tune", "alltoall", *setting, *more)[0] == 0
    assert len((machine / "log").read_text().splitlines()) == 2
    found = tuning_file.read(path).points
    assert [each.collective for each in found] == ["allgather"] * 6 + ["alltoall"]
    assert {key: each for key, each in points(path).items() if key in before} == before


def test_says_where_to_put_the_file(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(machine / "data"))
    folder = machine / "data/toccata/tuning"
    code, stdout, _ = invoke(*SETTING, "--limit", "0.3")
    assert code == 0
    said = f"on nodes of this kind: mkdir -p {folder} && cp "
    assert said in stdout and "(all users: " in stdout
    assert f"mkdir -p {folder} && cp results/tuning-openmpi.json {folder}" in stdout
    monkeypatch.setenv("XDG_DATA_HOME", str(machine / "my data"))
    folder = machine / "my data/toccata/tuning"
    code, stdout, _ = invoke(*SETTING, "--limit", "0.3", "--output", "my file.json")
    assert code == 0 and "set TOCCATA_TUNING='my file.json'" in stdout
    assert f"mkdir -p '{folder}' && cp 'my file.json' '{folder}'" in stdout


def test_a_limit_may_be_a_fraction(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert invoke(*SETTING, "--limit", "0.3")[0] == 0
    assert "--limit 0.3 " in (machine / "log").read_text()
    code, _, stderr = invoke(*SETTING, "--limit", "0")
    assert (code, stderr.count("\n")) == (2, 1)
    assert "invalid number of seconds '0'" in stderr


def test_ranks_a_node(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert invoke(*SETTING, "--per-node", "2,4")[0] == 0
    runs = (machine / "log").read_text().splitlines()
    assert ["ppr:2:node" in each for each in runs] == [True, True, False]  # 4 per node: not 3 ranks
    assert "ppr:4:node" in runs[2]


def test_another_mpi(machine: Path) -> None:
    path = machine / "ours.json"
    path.write_text('{"toccata_tuning": 1, "mpi": "Other MPI", "points": []}')
    before = path.read_text()
    code, _, stderr = invoke(*SETTING, "-o", "ours.json")
    assert (code, path.read_text()) == (2, before)
    assert "with Other MPI, not Fake MPI 1.0; give another --output" in stderr


def test_by_model(machine: Path) -> None:
    place = ("--machine", "node:4 core:4", "--ranks", "6,16", "--sizes", "8,64K")
    code, stdout, _ = invoke("tune", "allgather", "alltoall", "--by-model", "usual", *place)
    assert code == 0
    path = machine / "results/tuning-model.json"
    document = json.loads(path.read_text())
    assert (document["model"], document["machine"]) == ("usual", "node:4 core:4")
    assert len(document["points"]) == 8
    assert {each["nodes"] for each in document["points"]} == {2, 4}
    assert "Predicted" in stdout
    shape = _core.Shape(_core.Placement(_core.Machine("node:4 core:4"), 16))
    first = _core.rank("alltoall", shape, _core.usual_model(), [65536])[0][0]
    chosen = next(
        each
        for each in document["points"]
        if (each["collective"], each["ranks"], each["bytes"]) == ("alltoall", 16, 65536)
    )
    assert (chosen["choice"], chosen["seconds"]) == (first[0].text, pytest.approx(first[1], 1e-3))


def test_sizes_are_of_blocks(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    setting = ("--ranks", "3,4", "--sizes", "8", "--algorithms", "pairwise")
    assert invoke("tune", "alltoall", *setting)[0] == 0
    runs = (machine / "log").read_text().splitlines()
    assert all("--sizes 8 " in each for each in runs)
    assert set(points(machine / "results/tuning-openmpi.json")) == {(3, 8), (4, 8)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not a tuning file"),
        ("[]", "is not a tuning file"),
        ('{"toccata_tuning": 2}', "has version 2, but this Toccata reads version 1"),
        ('{"toccata_tuning": 1}', "points is missing; `toccata tune` writes them"),
        ('{"toccata_tuning": 1, "points": 3}', "points is not a list"),
        (
            '{"toccata_tuning": 1, "points": [], "partial": 3}',
            "partial: expected 'bool', got 'int'",
        ),
        ('{"toccata_tuning": 1, "points": [3]}', "points[0] is not an object"),
        ('{"toccata_tuning": 1, "points": [{"collective": "bcast"}]}', "choice is missing"),
        (
            '{"toccata_tuning": 1, "points": [{"collective": "bcast", "choice": "binomial", '
            '"ranks": "two"}]}',
            'points[0]: ranks cannot be "two"',
        ),
        *(
            (
                '{"toccata_tuning": 1, "points": [{"collective": "bcast", "choice": "binomial", '
                f'"ranks": {ranks}, "nodes": {nodes}, "bytes": {size}}}]}}',
                f"points[0].{field}: expected 'int' >= ",
            )
            for ranks, nodes, size, field in (
                (-1, 1, 8, "ranks"),
                (4, 0, 8, "nodes"),
                (4, 1, -8, "bytes"),
            )
        ),
    ],
)
def test_what_is_wrong_with_a_file(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"t\.json") as caught:
        tuning_file.read(path)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("tune allgatherx", "unknown collective 'allgatherx'"),
        ("tune allgather --algorithms quick", "'quick'"),
        ("tune --machine node:2", "--by-model"),
        ("tune --by-model usual", "requires --machine"),
        ("tune --by-model absent --machine node:2", "'absent'"),
        ("tune --show nothing.json", "nothing.json: cannot be read"),
        ("tune --heatmap x.gif", "x.gif"),
        ("tune --per-node 0", "'0'"),
    ],
)
def test_bad_input(arguments: str, said: str, machine: Path) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert code == 2
    assert said in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_on_the_real_thing(family: str, toccata: Toccata, tmp_path: Path) -> None:
    if not (BUILD / "bench" / family / "toccata_bench").exists():
        pytest.skip("not built for this MPI")
    done = toccata(
        "tune", "allgather", "--mpi", family, "--ranks", "2", "--sizes", "8,4K",
        "--algorithms", "ring,sparbit", "--repetitions", "30", "--limit", "1",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    found = tuning_file.read(tmp_path / f"results/tuning-{family}.json")
    assert [each.bytes for each in found.points] == [8, 4096]
    for each in found.points:
        assert set(each.medians) == {"native", "ring", "sparbit"}
        assert each.choice in each.medians
        assert (each.ranks, each.nodes) == (2, 1)
    # If there are more ranks than cores, ranks are unbound; the library finds the file
    # nevertheless.
    crowd = str(launcher.cores() + 1)
    done = toccata(
        "tune", "barrier", "--mpi", family, "--ranks", crowd, "--algorithms", "dissemination",
        "--repetitions", "2", "--limit", "0.1", "-o", "crowd.json",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    node = _core.this_machine().text
    assert tuning_file.read(tmp_path / "crowd.json").machine == f"node:1 {node}"
    # The library selects the file for its MPI.
    program = BUILD / "examples" / family / "fft"
    library = BUILD / "lib" / family / "libtoccata.so"
    if not program.exists() or not library.exists():
        return
    file = tmp_path / f"results/tuning-{family}.json"
    ran = subprocess.run(
        [
            ROOT / "scripts/mpiexec.sh", family, "2", "env", f"LD_PRELOAD={library}",
            f"TOCCATA_TUNING={file}", program, "32", "2",
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "right" in ran.stdout
    assert "toccata:" not in ran.stderr
