"""Platforms, and stored results of simulations; tests/simulator tests the simulation itself."""

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from conftest import Toccata
from running import invoke
from toccata import _core, store
from toccata.errors import Failure, InputError
from toccata.simulating import platforms, simulation
from toccata.simulating.simulation import Cell, Outcome

CELL = Cell("allgather", "ring", 4, 8, "sequential")


@pytest.mark.parametrize("name", platforms.names())
def test_every_platform_is_a_machine_and_a_model(name: str) -> None:
    platform = platforms.find(name)
    assert platform.name == name
    assert "Assumed" in platform.origin or "assumed" in platform.origin
    assert _core.Machine(platform.machine).levels
    assert platform.model.name == name


def test_a_machines_text_is_a_platform() -> None:
    platform = platforms.find("node:2 core:2")
    assert platforms.cores(platform, 4, "cyclic") == [0, 2, 1, 3]


def test_what_is_no_platform_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no platform 'yaho'; expected one of bluegene"):
        platforms.find("yaho")
    with pytest.raises(InputError, match="has its own model"):
        platforms.find("yahoo", "lassen")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}")
    with pytest.raises(InputError, match="machine is missing; the files in platforms"):
        platforms.find(str(wrong))


def test_a_rank_needs_a_core() -> None:
    with pytest.raises(InputError, match="places rank 0 on a node, but not on one"):
        platforms.cores(platforms.find("node:2 core:2"), 2, "node:0,1")


def test_a_changed_platform_is_another() -> None:
    yahoo = platforms.find("yahoo")
    slow = yahoo.changed("slow", {"alpha": 1e-3}, {"o": 1e-6}, noise=1e-6)
    costs = json.loads(slow.text)
    assert [level["eager"]["alpha"] for level in costs["levels"]] == [1e-3, 1e-3, 4e-7]
    assert [level["eager"]["o"] for level in costs["levels"]] == [5e-6, 5e-6, 1e-6]
    assert slow.is_noisy and not yahoo.is_noisy
    assert costs["noise"] == 1e-6
    assert slow.model.name == "slow"


def test_links_change_a_platform() -> None:
    torus = platforms.find("torus:4x4")
    damaged = torus.with_links("0.0-0.1=0")
    assert (torus.links, damaged.links) == ("", "0.0-0.1=0")
    assert torus.with_links("") == torus
    twice = damaged.with_links("1.1=1/2")
    assert twice.links == "0.0-0.1=0, 1.1=1/2"
    assert damaged.model.name == torus.model.name
    network = twice.network()
    at = {name: number for number, name in enumerate(network.names)}
    assert (at["0.0"], at["0.1"]) not in network.links
    assert network.links[at["1.1"], at["1.2"]] == Fraction(1, 2)
    assert network.rate == torus.network().rate


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that replaces the benchmark, with its own cache."""
    program, library = tmp_path / "bench", tmp_path / "platform"
    program.write_text("one")
    library.write_text("platform")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(simulation, "programs", lambda: (program, library))
    simulation._digest_of_code.cache_clear()
    return program


def test_outcomes_are_kept_by_code_platform_and_cell(code: Path) -> None:
    yahoo = platforms.find("yahoo")
    assert simulation.known(yahoo, CELL) is None
    simulation._keep(yahoo, CELL, Outcome(1e-6, True))
    assert simulation.known(yahoo, CELL) == Outcome(1e-6, True)
    assert simulation.run(yahoo, [CELL]) == {CELL: Outcome(1e-6, True)}
    assert simulation.known(platforms.find("cervino"), CELL) is None
    assert simulation.known(yahoo, Cell("allgather", "ring", 4, 9, "sequential")) is None
    code.write_text("two")
    simulation._digest_of_code.cache_clear()
    assert simulation.known(yahoo, CELL) is None
    simulation._digest_of_code.cache_clear()


def test_outcomes_depend_on_the_contents_of_a_machines_file(code: Path, tmp_path: Path) -> None:
    file = tmp_path / "machine.txt"
    file.write_text(_core.Machine("torus:2x2").saved)
    platform = platforms.find(str(file))
    simulation._keep(platform, CELL, Outcome(1e-6, True))
    assert simulation.known(platform, CELL) == Outcome(1e-6, True)
    file.write_text(_core.Machine("torus:4x4").saved)
    assert simulation.known(platform, CELL) is None
    simulation._digest_of_code.cache_clear()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("--links", "0.0-2.2=0"), "no cable joins"),
     (("--links", "0.0-0.1=0", "--predicted"), "ignores changed links")],
)  # fmt: skip
def test_links_that_are_wrong_are_told_before_a_simulation(
    code: Path, arguments: tuple[str, ...], complaint: str
) -> None:
    exit_code, _, stderr = invoke("sim", "bcast", "--platform", "torus:4x4", *arguments)
    assert exit_code == 2
    assert complaint in " ".join(stderr.split())
    simulation._digest_of_code.cache_clear()


@pytest.mark.parametrize(
    ("late", "complaint"),
    [("99:1ms", "rank 99 cannot be late: there are 16 ranks, from 0 on"),
     ("x:1ms", "invalid late rank 'x:1ms': expected RANK:TIME with s, ms or us, such as 3:1ms"),
     ("-1:1ms", "invalid late rank '-1:1ms': expected RANK:TIME"),
     ("1:-1ms", "invalid late rank '1:-1ms': expected RANK:TIME"),
     ("1:1ms,", "invalid late rank '': expected RANK:TIME"),
     ("1:1ms,1:2ms", "rank 1 is late twice in '1:1ms,1:2ms'; name each rank once"),
     ("1:9999s", "invalid late rank '1:9999s': expected at most 3600 s")],
)  # fmt: skip
def test_wrong_late_ranks_are_told_in_one_line(code: Path, late: str, complaint: str) -> None:
    exit_code, _, stderr = invoke(
        "sim", "allreduce", "--platform", "torus:4x4", "--model", "usual", "--late", late
    )
    assert exit_code == 2
    assert complaint in stderr
    assert stderr.count("\n") == 1
    simulation._digest_of_code.cache_clear()


def test_late_ranks_are_part_of_a_cell(code: Path) -> None:
    yahoo, late = platforms.find("yahoo"), replace(CELL, late=((3, 1e-3),))
    assert simulation.key(yahoo, late) != simulation.key(yahoo, CELL)
    simulation._digest_of_code.cache_clear()


@pytest.mark.parametrize(
    ("collective", "sizes", "complaint"),
    [("allgather", "4G", "expected 1 to 1G bytes"), ("bcast", "8G", "expected 1 to 4G bytes"),
     ("bcast", "4G", "add --peers none"),
     ("reduce", "3221225475", "multiples of 8 bytes")],
)  # fmt: skip
def test_sizes_above_1_gib_are_for_one_message(
    code: Path, collective: str, sizes: str, complaint: str
) -> None:
    exit_code, _, stderr = invoke("sim", collective, "--platform", "torus:4x4", "--sizes", sizes)
    assert exit_code == 2
    assert complaint in " ".join(stderr.split())
    simulation._digest_of_code.cache_clear()


def test_outcomes_of_other_versions_are_simulated_again(code: Path) -> None:
    """Results of earlier versions, which were files, and results with other fields."""
    yahoo = platforms.find("yahoo")
    name = simulation.key(yahoo, CELL)
    file = store.cache_home() / "simulated" / name[:2] / f"{name}.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"seconds": 1.0, "valid": true, "why_not": ""}')
    assert simulation.known(yahoo, CELL) is None
    for text in ('{"minutes": 1.0}', "seconds"):
        simulation.kept().put({name: text})
        assert simulation.known(yahoo, CELL) is None


@pytest.fixture
def smpimain(code: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A substitute for SimGrid: a size takes as many seconds. It crashes at 5, returns an error at
    7, hangs at 9, and has a deadlock at 11. At 13, it has one unless all messages wait for their
    receivers."""
    program = tmp_path / "bin" / "smpimain"
    program.parent.mkdir()
    program.write_text(
        "#!/usr/bin/env python3\n"
        "import json, pathlib, sys, time\n"
        f"with pathlib.Path({str(tmp_path / 'runs')!r}).open('a') as runs: runs.write('run\\n')\n"
        "for size in sys.argv[sys.argv.index('--sizes') + 1].split(','):\n"
        "    if size == '5': sys.exit('Segmentation fault')\n"
        "    if size == '9': time.sleep(60)\n"
        "    waits = '--cfg=smpi/async-small-thresh:0' in sys.argv\n"
        "    if size == '11' or (size == '13' and not waits): sys.exit('Oops! Deadlock detected')\n"
        "    print(json.dumps({'event': 'result', 'max': int(size), 'valid': size != '7'}),"
        " flush=True)\n"
    )
    program.chmod(0o755)
    monkeypatch.setattr(simulation, "simgrid", lambda: tmp_path)
    return tmp_path / "runs"


def cells(algorithm: str, *sizes: int) -> list[Cell]:
    return [Cell("allgather", algorithm, 4, size, "sequential") for size in sizes]


def test_sizes_share_a_run_and_are_free_the_second_time(smpimain: Path) -> None:
    yahoo = platforms.find("yahoo")
    wanted = cells("ring", 1, 2, 3)
    told: list[Cell] = []
    found = simulation.run(yahoo, wanted, told.append)
    assert [found[each].seconds for each in wanted] == [1, 2, 3]
    assert sorted(told, key=lambda each: each.bytes) == wanted
    assert simulation.run(yahoo, [*wanted, *wanted]) == found
    assert smpimain.read_text() == "run\n"
    simulation.run(yahoo.changed("noisy", {}, noise=1e-6), wanted)
    assert smpimain.read_text() == 4 * "run\n"


def test_what_a_peer_does_wrong_is_its_outcome(smpimain: Path) -> None:
    found = simulation.run(platforms.find("yahoo"), cells("ompi", 4, 5, 6, 7, 9, 10), limit=6)
    assert [outcome.seconds for outcome in found.values()] == [4, None, 6, None, None, 10]
    why = [outcome.why_not for outcome in found.values() if outcome.seconds is None]
    assert why == [
        "failed (Segmentation fault)", "gave wrong data", "did not end within 6 s"
    ]  # fmt: skip
    assert smpimain.read_text() == 3 * "run\n"
    simulation.run(platforms.find("yahoo"), cells("ompi", 4, 5, 9), limit=1)
    assert smpimain.read_text() == 4 * "run\n"  # it may end with more time, so it runs again


def test_a_deadlock_is_ours_if_it_stays_where_all_messages_wait(smpimain: Path) -> None:
    yahoo = platforms.find("yahoo")
    found = simulation.run(yahoo, cells("ring", 12, 13, 14))
    assert [each.seconds for each in found.values()] == [12, None, 14]
    assert found[cells("ring", 13)[0]].why_not == simulation.LOST_COUNT
    with pytest.raises(Failure, match=r"11 bytes failed under SimGrid: .*\n.*Deadlock detected"):
        simulation.run(yahoo, cells("ring", 11))


def test_what_ours_does_wrong_ends_the_command_and_the_rest_is_kept(
    smpimain: Path, tmp_path: Path
) -> None:
    yahoo = platforms.find("yahoo")
    with pytest.raises(Failure, match=r"ring with 4 ranks .* and 7 bytes gave wrong data"):
        simulation.run(yahoo, cells("ring", 6, 7))
    assert simulation.known(yahoo, cells("ring", 6)[0]) == Outcome(6, True)
    with pytest.raises(Failure, match=r"5 bytes failed under SimGrid: exit code 1\n.*Segmentation"):
        simulation.run(yahoo, cells("ring", 5))
    table = tmp_path / "table.csv"
    files = ["--csv", str(table), "--json", str(tmp_path / "table.json")]
    code, _, stderr = invoke("sim", "allgather", "--platform", "yahoo", "--ranks", "4", "--sizes",
                             "6,7", "--algorithms", "ring", "--peers", "none", *files)  # fmt: skip
    assert code == 1
    assert f"{table} and {tmp_path / 'table.json'} are incomplete" in stderr
    rows = list(csv.DictReader(table.open()))
    assert [(row["bytes"], row["complete"]) for row in rows] == [("6", "false")]


def test_large_cells_go_without_data() -> None:
    assert Cell("allgather", "ring", 512, 1024, "cyclic").with_data
    assert not Cell("allgather", "ring", 1024, 1024, "cyclic").with_data
    assert Cell("bcast", "binomial", 4096, 1024, "cyclic").with_data
    assert Cell("alltoallv", "pairwise", 4096, 1 << 20, "cyclic").with_data


def test_sim_names_what_is_wrong(toccata: Toccata, tmp_path: Path) -> None:
    nowhere = {"XDG_CACHE_HOME": str(tmp_path)}
    asked = toccata("sim", "allgather", "--platform", "node:2 core:2", **nowhere)
    assert asked.returncode == 2
    assert asked.stderr.strip().endswith("run `make simgrid` (about 10 minutes, once)")
    asked = toccata("sim", "allgather", "--platform", "nowhere")
    assert asked.returncode == 2
    assert "no platform 'nowhere'" in asked.stderr
