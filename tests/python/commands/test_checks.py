"""The checks of `toccata doctor`."""

import os
import re
from pathlib import Path

import pytest

import fakes
from conftest import ROOT
from toccata import _core
from toccata.commands import checks
from toccata.launching import launcher, programs
from toccata.tuning import tuning_file


def test_doctor_starts_that_very_command(started: Path) -> None:
    """Ranks that report the library; a rank that does not; a program that fails."""
    told = "toccata: doctor: rank {} of 2 on here has /lib/libtoccata.so, settings 0123456789abcdef"
    ranks = "\n".join(f"print({told.format(rank)!r}, file=sys.stderr)" for rank in (0, 1))
    program = fakes.script(started / "app.openmpi", f"import sys\n{ranks}")
    findings, job = checks.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert [each.text for each in findings if each.topic == "host"] == [
        "here: 2 of 2 ranks loaded the library"
    ]
    assert all(each.good for each in findings)
    assert job is not None and job.ranks == 2
    program.write_text(program.read_text().rsplit("\n", 1)[0])
    findings, job = checks.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert [each.text for each in findings if not each.good] == [
        "the library is not loaded in rank 1"
    ]
    assert job is None
    fakes.script(started / "app.openmpi", "raise SystemExit('oh no')")
    findings, job = checks.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert findings[-1].text == "the command ended with code 1 before MPI_Init: oh no"
    fakes.script(started / "app.openmpi", "import time; time.sleep(60)")
    findings, job = checks.treat(["mpirun", "-n", "2", str(program)], {}, seconds=1)
    assert findings[-1].text == "the command ran for 1 s, and no rank loaded the library"


def test_doctor_tells_of_messages_between_devices() -> None:
    begin = "toccata: doctor: transfers begin\n"
    for said, text, good in (
        ("", "", True),
        (begin + "toccata: doctor: transfers: right\n", "between device buffers arrive", True),
        (begin + "toccata: doctor: transfers: wrong\n", "arrive with wrong data", False),
        (begin + "Segmentation fault\n", "crashed the program", False),
        ("toccata: doctor: transfers: not all ranks have device memory\n", "not tested", True),
    ):
        findings = checks.transfers(said)
        assert [text in each.text for each in findings] == [True] * bool(text)
        assert all(each.good == good for each in findings)


def test_doctor_accepts_nccl_for_allreduce() -> None:
    for name, good in ("TOCCATA_ALLREDUCE", True), ("TOCCATA_REDUCE", False):
        assert checks.settings(_said({name: "nccl"}))[-1].good == good


def test_doctor_tells_tested_mpis() -> None:
    texts = {
        "Open MPI v4.1.4, package: Debian OpenMPI": "Open MPI v4.1.4: tested with Toccata",
        "Open MPI v3.1.0, package: IBM Spectrum MPI, ident: 10": "IBM Spectrum MPI (Open MPI "
        "v3.1.0): not tested with Toccata",
        "MPICH Version: 3.4.2": "MPICH Version: 3.4.2: this version is not tested with Toccata "
        "(tested versions: 4.0, 5.0)",
        "HPE MPT 2.23": "HPE MPT (HPE MPT 2.23): not tested with Toccata",
        "Odd MPI 1.0": "Odd MPI 1.0: unknown, treated as MPICH, not tested with Toccata",
    }
    for text, told in texts.items():
        assert checks.mpi_of(text).text == told


def test_doctor_tells_of_native_algorithms_without_effect() -> None:
    ring = {"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM": "ring"}
    mpich = [launcher.Launcher("/bin/mpirun", "mpich", "5.0")]
    [found] = checks.forced(ring, mpich)
    assert "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=ring: on one node, MPICH 5 ignores" in found.text
    assert found.remedy == "set MPIR_CVAR_DEVICE_COLLECTIVES=none, too"
    assert not checks.forced(ring | {"MPIR_CVAR_DEVICE_COLLECTIVES": "none"}, mpich)
    some = {"MPIR_CVAR_DEVICE_COLLECTIVES": "percoll"}
    assert checks.forced(ring | some, mpich)
    assert not checks.forced(ring | some | {"MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0"}, mpich)
    file = {"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": "f.json"}
    assert checks.forced(file, mpich) and not checks.forced(file | some, mpich)
    assert not checks.forced({"MPIR_CVAR_REDUCE_INTRA_ALGORITHM": "auto"}, mpich)
    assert not checks.forced(ring, [launcher.Launcher("/bin/mpirun", "mpich", "4.0")])
    [found] = checks._reported(
        "MPI startup(): Incorrect algorithm: ALLREDUCE=99, will be ignored\n"
    )
    assert found.text.startswith("ALLREDUCE=99: Intel MPI has no such algorithm")
    assert found.remedy == "correct or unset I_MPI_ADJUST_ALLREDUCE"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("MPICH Version: 5.0.2", "MPI_Error_string"),
        ("Intel(R) MPI Library 2021.18.1 for Linux* OS", "MPI_SEEK_SET"),
    ],
)
def test_doctor_knows_both_libraries_of_the_standard_abi(text: str, told: str) -> None:
    tested, differs = checks._reported(f"toccata: doctor: mpi: {text} (standard ABI)\n")
    assert tested.text == f"{text} (standard ABI): tested with Toccata"
    assert told in differs.text
    [tested] = checks._reported(f"toccata: doctor: mpi: {text}\n")
    assert tested.text == f"{text}: tested with Toccata"


def test_doctor_names_the_mpi_of_mpi4py(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = tmp_path / "python3"
    python.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(
        programs, "nature", lambda _: programs.Nature("mpich", "mpi4py with /lib/libmpi.so.12")
    )
    [found] = checks.mpi4py([launcher.Launcher("/bin/mpirun", "intelmpi", "2021.18")])
    assert (found.text, found.good) == (f"{python}: mpi4py with /lib/libmpi.so.12, MPICH", True)
    [found] = checks.mpi4py([launcher.Launcher("/bin/mpirun", "openmpi", "5.0")])
    assert found.text.endswith("MPICH, but the launchers in PATH belong to Open MPI 5.0")
    assert not found.good


NO_INTERFACE = "another one (Toccata switches itself off)"


def test_the_table_of_mpis_is_complete() -> None:
    page = (ROOT / "docs" / "installing.md").read_text()
    rows = page.partition("\n| interface |")[2].partition("\n\n")[0].splitlines()[2:]
    table = {cells[1]: cells[2:] for cells in (re.split(r" *\| *", row) for row in rows)}
    for each in _core.mpi_libraries():
        tested, others, _ = table[launcher.FAMILIES.get(each.family, NO_INTERFACE)]
        if each.tested:
            assert f"{each.name} {each.tested}" in tested.split("; ")
        else:
            assert each.name in others.split(", ")


def _said(environment: dict[str, str], *files: Path) -> checks.Said:
    ours = {name: value for name, value in environment.items() if launcher.is_setting(name)}
    return _core.Configuration([str(each) for each in files], ours)


def test_doctor_reads_the_files_of_user_and_site(tmp_path: Path) -> None:
    file = tmp_path / "toccata.conf"
    file.write_text("TOCCATA=off\nTOCCATA_ALLGATHER=ring<=4K, native\nnonsense\n")
    found = checks.settings(_said({"TOCCATA_ALLGATHER": "auto"}, file))
    texts = [each.text for each in found]
    assert f"TOCCATA=off, from {file}" in texts
    assert "TOCCATA_ALLGATHER=auto, from the environment" in texts
    assert [each.text for each in found if not each.good] == [
        f"{file}:3: 'nonsense' is not a setting; lines are NAME=value, such as TOCCATA_REPORT=1"
    ]
    assert [each.text for each in checks.choices(_said({}, file))] == [
        f"native for all, because of TOCCATA=off in {file}"
    ]


def test_doctor_tells_what_is_chosen(tmp_path: Path) -> None:
    if _core.this_machine().objects(len(_core.this_machine().levels) - 1) < 2:
        pytest.skip("one core has nothing to choose")
    environment = {"TOCCATA_BCAST": "binomial"}
    job = checks.Job([0, 0])  # under an unknown MPI library
    told = _told(environment, job)
    assert told["bcast"].endswith("binomial, because of TOCCATA_BCAST")
    assert "native first, then trials of" in told["allgather"]
    assert told["allreduce"].endswith("trials do not change floating-point sums")
    assert "then trials of" in _told({"TOCCATA_SUMS": "all"}, job)["allreduce"]
    assert len(checks.choices(_said(environment))) == len(told)


def _told(environment: dict[str, str], job: checks.Job) -> dict[str, str]:
    return {each.text.split()[0]: each.text for each in checks.choices(_said(environment), job)}


LEADERS = "hierarchical:between=recursive_multiplying,travel=published"
RULE = "by a fixed rule of Toccata, from the 33rd call on at the latest"


def test_doctor_knows_the_fixed_rules_of_a_node() -> None:
    job = checks.Job([0, 0], "node:1 core:2", "core:0,1", "Open MPI v4.1.4, package: Debian")
    assert not job.crowded
    told = _told({}, job)
    assert (
        told["allreduce"]
        == f"allreduce of 8 B with 2 ranks on 1 node: shared:reducers=whole, {RULE}"
    )
    assert told["allgather"] == f"allgather of 4 KiB with 2 ranks on 1 node: shared, {RULE}"
    assert "shared" not in str(_told({"TOCCATA_NODE": "off"}, job))
    same = _told({"TOCCATA_SUMS": "reproducible"}, job)["allreduce"]
    assert same.endswith(
        "with the same bits for any placement, because of TOCCATA_SUMS=reproducible"
    )
    crowd = checks.Job([0] * 4, "node:1 core:2", "core:0,1,0,1", job.mpi)
    assert crowd.crowded
    alone = checks.Job([0] * 4, "node:1 core:4", "core:0,1,2,3", job.mpi)
    assert "alltoall of 64 KiB with 4 ranks on 1 node: shared, by" in _told({}, alone)["alltoall"]
    assert "native first" in _told({}, crowd)["alltoall"]


@pytest.mark.parametrize(
    ("mpi", "allreduce", "allgather", "bcast"),
    [
        ("Open MPI v4.1.4", "recursive_multiplying", "native first", "native first"),
        ("Open MPI v5.0.11", LEADERS, "locality_bruck:travel=published", "knomial"),
        ("MPICH Version:      5.0.2", LEADERS, "locality_bruck:travel=published", "knomial"),
    ],
)
def test_doctor_knows_the_rule_for_networks(
    mpi: str, allreduce: str, allgather: str, bcast: str
) -> None:
    """The choices of runs on four hosts with four ranks each."""
    places = "core:" + ",".join(map(str, range(16)))
    hosts = [rank // 4 for rank in range(16)]
    job = checks.Job(hosts, "node:4 core:4", places, mpi, ethernet=True)
    told = _told({}, job)
    assert told["allreduce"] == f"allreduce of 8 B with 16 ranks on 4 nodes: {allreduce}, {RULE}"
    assert told["allgather"].startswith(
        f"allgather of 4 KiB with 16 ranks on 4 nodes: {allgather}, "
    )
    assert told["bcast"].startswith(f"bcast of 1 KiB with 16 ranks on 4 nodes: {bcast}, ")
    assert ("trials compare it with native" in told["bcast"]) == (bcast == "knomial")
    assert RULE not in str(_told({"TOCCATA": "model"}, job))


def test_doctor_judges_the_ranks_of_the_command() -> None:
    said = _said({"TOCCATA_ALLGATHER": "neighbor_exchange", "TOCCATA_SCAN": "linear"})
    for job, good in (checks.Job([0, 0, 0]), False), (checks.Job([0, 0, 1, 1]), True):
        told = {each.text.split()[0]: each for each in checks.choices(said, job)}
        assert told["allgather"].good is good
        assert all(f"with {job.ranks} ranks" in each.text for each in told.values())
        assert told["scan"].text.endswith("linear, because of TOCCATA_SCAN")
    odd = checks.choices(said, checks.Job([0, 0, 0]))[0]
    assert "native instead of neighbor_exchange, which needs an even number" in odd.text
    assert "toccata list allgather" in odd.remedy
    assert checks.Job([0, 1, 0, 1]).shape().p == 4


def test_doctor_sees_where_the_launcher_placed_the_ranks(started: Path) -> None:
    told = "toccata: doctor: rank {} of 2 on here has /lib/libtoccata.so, settings 0123456789abcdef"
    lines = [told.format(0), told.format(1), "toccata: doctor: places: node:1 core:4 | core:2,{}"]
    for core, good in (3, True), (2, False):
        ranks = "\n".join(f"print({each.format(core)!r}, file=sys.stderr)" for each in lines)
        program = fakes.script(started / "app.openmpi", f"import sys\n{ranks}")
        findings, job = checks.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
        [places] = [each for each in findings if each.topic == "places"]
        assert places.good is good
        assert f"core:2,{core} of node:1 core:4" in places.text
        assert good or "ranks 0, 1 are bound to the same core" in places.text
        assert job is not None and job.placement().places[0] == (1, 2)
        assert job.shape().p == 2


def test_doctor_knows_that_a_model_makes_no_trials() -> None:
    told = [each.text for each in checks.choices(_said({"TOCCATA": "model"}), checks.Job([0, 0]))]
    assert len(told) == len(checks.TYPICAL)
    assert not any("then trials" in each for each in told)
    assert all(": native, or " in each and "TOCCATA=model" in each for each in told)


def test_doctor_looks_at_tuning_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    here = launcher.Launcher("/bin/mpirun", "openmpi", "4.1")
    monkeypatch.setattr(launcher, "launchers", lambda: [here])
    folder = tmp_path / "toccata" / "tuning"
    folder.mkdir(parents=True)
    findings, used = checks.tuned(_said({}), "")
    assert "no file in" in findings[0].text and used == ""
    node = _core.this_machine().text
    (folder / "a.json").write_text("{")
    tuning_file.Tuning(machine="node:1", mpi="Open MPI v4.1.4").write(folder / "b.json")
    tuning_file.Tuning(machine="node:4 core:1000", mpi="Open MPI v4.1.4").write(folder / "c.json")
    tuning_file.Tuning(machine=f"node:4 {node}", mpi="Open MPI v4.10.1").write(folder / "d.json")
    findings, used = checks.tuned(_said({}), "")
    assert used == "" and not any(each.good for each in findings)
    assert [each.text.partition("not used, because ")[2] for each in findings[1:]] == [
        f"it does not describe its nodes; this host has {node}", f"this host has {node}",
        "the MPIs here are Open MPI 4.1",
    ]  # fmt: skip
    assert "toccata tune" in findings[1].remedy
    # A fitting file is used; unused files for other nodes are not a problem.
    tuning_file.Tuning(machine=f"node:4 {node}", mpi="Open MPI v4.1.4").write(folder / "e.json")
    tuning_file.Tuning(machine=f"node:2 {node}", mpi="Open MPI v4.1.4").write(folder / "f.json")
    findings, used = checks.tuned(_said({}), "")
    assert used == str(folder / "e.json")
    assert [each.good for each in findings] == [False, True, True, True, True, True]
    assert findings[4].text.endswith(f"nodes of {node}: used")
    assert findings[5].text.endswith(f"not used, because {used} comes first")
    missing = _said({"TOCCATA_TUNING": str(tmp_path / "none.json")})
    assert [each.good for each in checks.tuned(missing, "")[0]] == [False]


def test_doctor_looks_at_settings() -> None:
    environment = {"TOCCATA_ALGATHER": "ring", "TOCCATA_BCAST": "nix", "TOCCATA_REPORT": "1",
                   "TOCCATA_TOPOLOGY": "foo:3", "HOME": "/h"}  # fmt: skip
    wrong = [each for each in checks.settings(_said(environment)) if not each.good]
    assert len(wrong) == 3
    assert "did you mean TOCCATA_ALLGATHER?" in wrong[0].text
    assert "'nix'" in wrong[1].remedy
    assert "foo" in wrong[2].remedy


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("TOCCATA", "of", "expected auto, learn, learn:FILE, model or off"),
        ("TOCCATA_SUMS", "maybe", "expected fixed, learn, all or reproducible"),
        ("TOCCATA_TOPOLOGY", "reorder:x", "expected off, auto, straight, exchange, shuffle or"),
        ("TOCCATA_TOPOLOGY", "placement:cyclic", "has no effect without a machine"),
        ("TOCCATA_REPORT", "table.txt", "expected 0, 1 or FILE.json"),
        ("TOCCATA_REPORT", "/nosuch/y.json", "cannot write to /nosuch"),
        ("TOCCATA", "learn:/proc/x", "cannot write to /proc"),
    ],
)
def test_doctor_refuses_what_the_library_does(
    name: str, value: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = os.access
    monkeypatch.setattr(  # because root may write anywhere
        os, "access", lambda path, mode: str(path) != "/proc" and may_write(path, mode)
    )
    [found] = checks.settings(_said({name: value}))
    assert remedy in found.remedy
    assert checks.choices(_said({name: value}))  # terminates


def test_doctor_goes_on_where_a_file_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "hello.c"
    file.write_text("int main() {}\n")
    wrong = _said({"TOCCATA_TUNING": str(file), "TOCCATA_ALLGATHER": "sparbitt"})
    assert [each.good for each in checks.tuned(wrong, "")[0]] == [False]
    told = [each.text for each in checks.choices(wrong)]
    if told:  # on more than one core
        assert any("native, because TOCCATA_ALLGATHER is invalid" in each for each in told)
