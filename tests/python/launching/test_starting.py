"""`toccata run`: users' commands, parsed and completed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import fakes
from conftest import ROOT
from toccata import _core
from toccata.errors import InputError
from toccata.launching import commandline, doctor, launcher, programs, starting
from toccata.launching.programs import Nature
from toccata.tuning import tuning_file

RING = {"TOCCATA_ALLGATHER": "ring"}


@pytest.fixture
def started(machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which the suffix of a program app.* gives its kind."""
    natures = {
        "app.openmpi": Nature("openmpi", "libmpi.so.40"),
        "app.mpich": Nature("mpich", "libmpi.so.12"),
        "app.abi": Nature("abi", "libmpi_abi.so.1"),
        "app.static": Nature("", "it is linked statically", static=True),
    }
    unknown = Nature("", "it is a script for sh")
    monkeypatch.setattr(programs, "nature", lambda path: natures.get(Path(path).name, unknown))
    for name in ("mpiexec.hydra", "srun", "jsrun", "aprun", "flux", "timeout", "numactl", "env",
                 *natures, "app.sh"):  # fmt: skip
        fakes.script(machine / "bin" / name, "")
    fakes.launcher(machine / "bin/mpiexec.hydra", "mpich")
    return machine


def library(machine: Path, family: str) -> str:
    return str(machine / "home/lib" / family / "libtoccata.so")


def test_open_mpi(started: Path) -> None:
    environment = {
        "TOCCATA": "off", "TOCCATA_REPORT": "1", "HOME": "/h", "LD_PRELOAD": "/theirs.so",
    }  # fmt: skip
    command = ["mpirun", "-n", "2", "app.openmpi", ":", "-n", "1", "app.openmpi", "b"]
    start = starting.prepare(command, RING, environment)
    exported = ["-x", "TOCCATA=off", "-x", "TOCCATA_REPORT=1", "-x", "TOCCATA_ALLGATHER=ring",
                "-x", f"LD_PRELOAD={library(started, 'openmpi')}:/theirs.so"]  # fmt: skip
    assert start.words == [
        str(started / "bin/mpirun"), *exported, "-n", "2", "app.openmpi",
        ":", *exported, "-n", "1", "app.openmpi", "b",
    ]  # fmt: skip
    assert start.environment == {} and start.remarks == []


def test_hydra(started: Path) -> None:
    start = starting.prepare(["mpiexec.hydra", "-n", "2", "app.mpich"], RING, {})
    assert start.words == [
        str(started / "bin/mpiexec.hydra"), "-genv", "TOCCATA_ALLGATHER", "ring",
        "-genv", "LD_PRELOAD", library(started, "mpich"), "-n", "2", "app.mpich",
    ]  # fmt: skip


def test_slurm(started: Path) -> None:
    """The program determines the library; srun itself does not load it."""
    preload, srun = f"LD_PRELOAD={library(started, 'mpich')}", str(started / "bin/srun")
    start = starting.prepare(["srun", "-n", "2", "app.mpich"], RING, {})
    assert start.words == [srun, "-n", "2", f"--export=ALL,TOCCATA_ALLGATHER,{preload}",
                           "app.mpich"]  # fmt: skip
    assert start.environment == RING
    start = starting.prepare(["srun", "--export=HOME", "-n2", "app.mpich", "--export=x"], {}, {})
    assert start.words == [srun, "-n2", f"--export=HOME,{preload}", "app.mpich", "--export=x"]
    for none in ["--export=NONE"], ["--export", "NONE"]:
        start = starting.prepare(["srun", *none, "app.mpich"], {}, {})
        assert start.words == [srun, f"--export={preload}", "app.mpich"]


@pytest.mark.parametrize(
    ("command", "place", "words"),
    [
        (["jsrun", "-n", "2", "app.openmpi"], 1, ["-E", "{0}", "-E", "{1}"]),
        (["aprun", "-n", "2", "app.mpich"], 1, ["-e", "{0}", "-e", "{1}"]),
        (["flux", "run", "-n2", "app.mpich"], 2, ["--env={0}", "--env={1}"]),
    ],
)
def test_other_launchers(started: Path, command: list[str], place: int, words: list[str]) -> None:
    family = command[-1].removeprefix("app.")
    given = ["TOCCATA_ALLGATHER=ring", f"LD_PRELOAD={library(started, family)}"]
    start = starting.prepare(command, RING, {})
    assert start.words == [
        str(started / "bin" / command[0]), *command[1:place],
        *(each.format(*given) for each in words), *command[place:],
    ]  # fmt: skip


def test_wrappers(started: Path) -> None:
    """Wrappers before the launcher stay there; the program after a wrapper is found."""
    before = ["timeout", "-k", "5", "60", "env", "-u", "X", "TOCCATA_BCAST=binomial"]
    command = [*before, "mpirun", "-n", "2", "numactl", "-m", "0", "app.openmpi"]
    start = starting.prepare(command, {}, {})
    assert start.words[: len(before) + 1] == [*before, str(started / "bin/mpirun")]
    assert "TOCCATA_BCAST=binomial" in start.words[len(before) + 1 :]
    assert start.remarks == []


def test_the_standard_abi_has_a_library_of_its_own(started: Path) -> None:
    """The launcher passes settings with its own option, for any program."""
    with pytest.raises(InputError, match="not built for the standard ABI"):
        starting.prepare(["mpiexec.hydra", "app.abi"], {}, {})
    ours = started / "home/lib/abi/libtoccata.so"
    ours.parent.mkdir()
    ours.touch()
    start = starting.prepare(["mpiexec.hydra", "-n", "2", "app.abi"], {}, {})
    assert start.words[1:4] == ["-genv", "LD_PRELOAD", str(ours)]
    start = starting.prepare(["mpirun", "-n", "2", "app.abi"], {}, {})
    assert start.words[1:3] == ["-x", f"LD_PRELOAD={ours}"]


def test_refusals(started: Path) -> None:
    with pytest.raises(InputError, match=r"'app.mpich' runs with MPICH \(libmpi.so.12\), but"):
        starting.prepare(["mpirun", "-n", "2", "app.mpich"], {}, {})
    with pytest.raises(InputError, match=r"'app.mpich' runs with MPICH"):
        starting.prepare(["mpirun", "app.openmpi", ":", "app.mpich"], {}, {})
    with pytest.raises(InputError, match=r"'app.static' is linked statically"):
        starting.prepare(["mpirun", "-n", "2", "app.static"], {}, {})
    (started / "home/lib/mpich/libtoccata.so").unlink()
    with pytest.raises(InputError, match="not built for MPICH"):
        starting.prepare(["mpiexec.hydra", "-n", "2", "app.mpich"], {}, {})
    with pytest.raises(InputError, match="no program 'not-there'"):
        starting.prepare(["not-there"], {}, {})
    with pytest.raises(InputError, match="does not start a program"):
        starting.prepare(["env", "A=b"], {}, {})


def test_an_mpi_that_is_not_the_launchers(started: Path) -> None:
    fakes.launcher(started / "bin/mpirun.mpich", "mpich")
    with pytest.raises(InputError) as caught:
        starting.prepare(["mpirun", "-n", "2", "app.openmpi"], {}, {}, "mpich")
    assert str(caught.value) == (
        "--mpi mpich: 'mpirun' starts programs of Open MPI; start it with mpirun.mpich, or leave "
        "out --mpi mpich"
    )
    with pytest.raises(InputError, match=r"but --mpi says MPICH; leave out --mpi"):
        starting.prepare(["mpirun.mpich", "app.openmpi"], {}, {}, "mpich")
    assert starting.prepare(["mpirun.mpich", "app.mpich"], {}, {}, "mpich").family == "mpich"
    (started / "bin/mpirun.mpich").unlink()
    (started / "bin/mpiexec.hydra").unlink()
    with pytest.raises(InputError, match="load that MPI, or leave out"):
        starting.prepare(["mpirun", "app.mpich"], {}, {}, "mpich")


def test_what_nobody_can_tell(started: Path) -> None:
    start = starting.prepare(["mpirun", "app.sh"], {}, {})
    assert start.family == "openmpi"
    assert start.remarks == [
        "cannot detect the MPI of 'app.sh' (it is a script for sh); taking Open MPI"
    ]
    with pytest.raises(InputError, match="for example toccata run --mpi openmpi -- srun"):
        starting.prepare(["srun", "app.sh"], {}, {})
    start = starting.prepare(["srun", "app.sh"], {}, {}, "mpich")
    assert start.words[1].endswith(library(started, "mpich"))


def test_a_command_that_is_no_launcher(started: Path) -> None:
    preload = library(started, "openmpi")
    start = starting.prepare(["app.sh"], RING, {}, "openmpi")
    assert start.words == [str(started / "bin/app.sh")]
    handed = {"OMPI_MCA_mca_base_env_list": "TOCCATA_ALLGATHER;LD_PRELOAD"}
    assert start.environment == {**RING, "LD_PRELOAD": preload, **handed}
    with pytest.raises(InputError, match="not a known launcher"):
        starting.prepare(["app.openmpi"], {}, {})


def test_wrappers_with_words_of_their_own(started: Path) -> None:
    for wrapper in (["taskset", "-c", "0"], ["taskset", "0x3"]):
        fakes.script(started / "bin/taskset", "")
        start = starting.prepare([*wrapper, "mpirun", "-n", "2", "app.openmpi"], RING, {})
        assert start.family == "openmpi"
        with pytest.raises(InputError, match=r"'app.mpich' runs with MPICH"):
            starting.prepare(["mpirun", "-n", "2", *wrapper, "app.mpich"], RING, {})
    start = starting.prepare(["env", "-i", "A=b", "srun", "app.mpich"], RING, {})
    srun = str(started / "bin/srun")
    assert start.words[1:6] == ["-i", "A=b", "env", "TOCCATA_ALLGATHER=ring", srun]
    assert start.environment == {}


def test_a_shell_script_that_starts_by_srun(started: Path) -> None:
    job = started / "bin/job"
    job.write_text("#!/bin/sh\nsrun -n 2 app.mpich --input 'a b'\n")
    job.chmod(0o755)
    assert starting.prepare(["job"], {}, {}).family == "mpich"
    job.write_text("#!/bin/sh\nsrun -n 2 app.sh\n")
    with pytest.raises(InputError, match=r"names srun, .* name the MPI, for example --mpi openmpi"):
        starting.prepare(["job"], {}, {})


def test_a_shell_script(started: Path) -> None:
    job = started / "bin/job"
    job.write_text("#!/bin/bash\n# mpiexec.hydra is not it\nexec mpirun -n 2 ./app\n")
    job.chmod(0o755)
    start = starting.prepare(["job"], {}, {})
    assert start.family == "openmpi" and start.words == [str(job)]
    job.write_text("#!/bin/sh\nmpirun a\nmpiexec.hydra b\n")
    with pytest.raises(
        InputError, match=r"names mpirun and mpiexec.hydra, which belong to two MPIs"
    ):
        starting.prepare(["job"], {}, {})


def test_programs_of_this_machine() -> None:
    """With the benchmark programs, which exist for each MPI that was found."""
    for family in launcher.libraries():
        program = launcher.home() / "bench" / family / "guest"
        if family in launcher.LAUNCHED and program.exists():
            assert programs.nature(str(program)).family == family
    assert programs.nature("/bin/sh") == Nature("", "it is not linked with a known MPI")


def test_a_static_program(tmp_path: Path) -> None:
    source, program = tmp_path / "main.c", tmp_path / "main"
    source.write_text("int main(void) { return 0; }")
    subprocess.run([shutil.which("cc") or "gcc", "-static", source, "-o", program], check=True)
    assert programs.nature(str(program)).static


def test_where_the_program_stands(started: Path) -> None:
    words = ["-mca", "a", "b", "--map-by", "env", "--odd", "thing", "-n", "2", "app.sh", "-n"]
    assert commandline.programs(words, "openmpi") == [9]
    assert commandline.programs(["--version"], "openmpi") == []


def test_doctor_starts_that_very_command(started: Path) -> None:
    """Ranks that report the library; a rank that does not; a program that fails."""
    told = "toccata: doctor: rank {} of 2 on here has /lib/libtoccata.so, settings 0123456789abcdef"
    ranks = "\n".join(f"print({told.format(rank)!r}, file=sys.stderr)" for rank in (0, 1))
    program = fakes.script(started / "app.openmpi", f"import sys\n{ranks}")
    findings, job = doctor.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert [each.text for each in findings if each.topic == "host"] == [
        "here: 2 of 2 ranks loaded the library"
    ]
    assert all(each.good for each in findings)
    assert job is not None and job.ranks == 2
    program.write_text(program.read_text().rsplit("\n", 1)[0])
    findings, job = doctor.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert [each.text for each in findings if not each.good] == ["ranks without it: 1"]
    assert job is None
    fakes.script(started / "app.openmpi", "raise SystemExit('oh no')")
    findings, job = doctor.treat(["mpirun", "-n", "2", str(program)], {}, seconds=20)
    assert findings[-1].text == "the command ended with code 1 before MPI_Init: oh no"
    fakes.script(started / "app.openmpi", "import time; time.sleep(60)")
    findings, job = doctor.treat(["mpirun", "-n", "2", str(program)], {}, seconds=1)
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
        findings = doctor.transfers(said)
        assert [text in each.text for each in findings] == [True] * bool(text)
        assert all(each.good == good for each in findings)


def test_doctor_accepts_nccl_for_allreduce() -> None:
    for name, good in ("TOCCATA_ALLREDUCE", True), ("TOCCATA_REDUCE", False):
        assert doctor.settings(_said({name: "nccl"}))[-1].good == good


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
        assert doctor.mpi_of(text).text == told


def test_the_table_of_mpis_is_complete() -> None:
    page = (ROOT / "docs" / "installing.md").read_text()
    for each in _core.mpi_libraries():
        served = launcher.FAMILIES.get(each.family, "none")
        assert f"| {each.name} | {served} | {each.tested or 'not tested'} |\n" in page


def _said(environment: dict[str, str], *files: Path) -> doctor.Said:
    return doctor.Said(environment, _core.Configuration([str(each) for each in files]))


def test_doctor_reads_the_files_of_user_and_site(tmp_path: Path) -> None:
    file = tmp_path / "toccata.conf"
    file.write_text("TOCCATA=off\nTOCCATA_ALLGATHER=ring<=4K, native\nnonsense\n")
    found = doctor.settings(_said({"TOCCATA_ALLGATHER": "auto"}, file))
    texts = [each.text for each in found]
    assert f"TOCCATA=off, from {file}" in texts
    assert "TOCCATA_ALLGATHER=auto, from the environment" in texts
    assert [each.text for each in found if not each.good] == [
        f"{file}:3: 'nonsense' is not a setting; lines are NAME=value, such as TOCCATA_REPORT=1"
    ]
    assert [each.text for each in doctor.choices(_said({}, file))] == [
        f"native for all, because of TOCCATA=off in {file}"
    ]


def test_doctor_tells_what_is_chosen(tmp_path: Path) -> None:
    if _core.this_machine().objects(len(_core.this_machine().levels) - 1) < 2:
        pytest.skip("one core has nothing to choose")
    environment = {"TOCCATA_BCAST": "binomial"}
    told = {each.text.split()[0]: each.text for each in doctor.choices(_said(environment))}
    assert told["bcast"].endswith("binomial, because of TOCCATA_BCAST")
    assert "native first, then trials of" in told["allgather"]
    assert "keep their bits" in told["allreduce"]
    model = {"TOCCATA_GUARD": "all"}
    assert any("allreduce" in each.text and "trials" in each.text
               for each in doctor.choices(_said(model)))  # fmt: skip


def test_doctor_judges_the_ranks_of_the_command() -> None:
    said = _said({"TOCCATA_ALLGATHER": "neighbor_exchange", "TOCCATA_SCAN": "linear"})
    for job, good in (doctor.Job([0, 0, 0]), False), (doctor.Job([0, 0, 1, 1]), True):
        told = {each.text.split()[0]: each for each in doctor.choices(said, job)}
        assert told["allgather"].good is good
        assert all(f"among {job.ranks} ranks" in each.text for each in told.values())
        assert told["scan"].text.endswith("linear, because of TOCCATA_SCAN")
    odd = doctor.choices(said, doctor.Job([0, 0, 0]))[0]
    assert "native instead of neighbor_exchange, which needs an even number" in odd.text
    assert "toccata list allgather" in odd.remedy
    assert doctor.Job([0, 1, 0, 1]).shape().p == 4


def test_doctor_knows_that_guard_off_makes_no_trials() -> None:
    told = [
        each.text for each in doctor.choices(_said({"TOCCATA_GUARD": "off"}), doctor.Job([0, 0]))
    ]
    assert len(told) == len(doctor.TYPICAL)
    assert not any("then trials" in each for each in told)
    assert all(": native, or " in each and "TOCCATA_GUARD=off" in each for each in told)


def test_doctor_looks_at_tuning_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    here = launcher.Launcher("/bin/mpirun", "openmpi", "4.1")
    monkeypatch.setattr(launcher, "launchers", lambda: [here])
    folder = tmp_path / "toccata" / "tuning"
    folder.mkdir(parents=True)
    findings, used = doctor.tuned(_said({}), "")
    assert "no file in" in findings[0].text and used == ""
    node = _core.this_machine().text
    (folder / "a.json").write_text("{")
    tuning_file.Tuning(machine="node:1", mpi="Open MPI v4.1.4").write(folder / "b.json")
    tuning_file.Tuning(machine="node:4 core:1000", mpi="Open MPI v4.1.4").write(folder / "c.json")
    tuning_file.Tuning(machine=f"node:4 {node}", mpi="Open MPI v4.10.1").write(folder / "d.json")
    findings, used = doctor.tuned(_said({}), "")
    assert used == "" and not any(each.good for each in findings)
    assert [each.text.partition("not used, because ")[2] for each in findings[1:]] == [
        f"it does not describe its nodes; this host has {node}", f"this host has {node}",
        "the MPIs here are Open MPI 4.1",
    ]  # fmt: skip
    assert "toccata tune" in findings[1].remedy
    # A fitting file is used; unused files for other nodes are not a problem.
    tuning_file.Tuning(machine=f"node:4 {node}", mpi="Open MPI v4.1.4").write(folder / "e.json")
    tuning_file.Tuning(machine=f"node:2 {node}", mpi="Open MPI v4.1.4").write(folder / "f.json")
    findings, used = doctor.tuned(_said({}), "")
    assert used == str(folder / "e.json")
    assert [each.good for each in findings] == [False, True, True, True, True, True]
    assert findings[4].text.endswith(f"nodes of {node}: used")
    assert findings[5].text.endswith(f"not used, because {used} comes first")
    missing = _said({"TOCCATA_TUNING": str(tmp_path / "none.json")})
    assert [each.good for each in doctor.tuned(missing, "")[0]] == [False]


def test_off_goes_to_all_ranks(started: Path) -> None:
    fakes.script(started / "app.openmpi", "")
    command = ["mpirun", "-n", "2", str(started / "app.openmpi")]
    start = starting.prepare(command, {}, {"TOCCATA": "off", "TOCCATAX": "1"})
    handed = [each for each in start.words if each.startswith("TOCCATA")]
    assert handed in (["TOCCATA"], ["TOCCATA=off"])


def test_doctor_looks_at_settings() -> None:
    environment = {"TOCCATA_ALGATHER": "ring", "TOCCATA_BCAST": "nix", "TOCCATA_REPORT": "1",
                   "TOCCATA_TOPOLOGY": "foo:3", "HOME": "/h"}  # fmt: skip
    wrong = [each.remedy for each in doctor.settings(_said(environment)) if not each.good]
    assert len(wrong) == 3
    assert "did you mean TOCCATA_ALLGATHER?" in wrong[0]
    assert "'nix'" in wrong[1]
    assert "foo" in wrong[2]


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("TOCCATA", "of", "expected auto or off"),
        ("TOCCATA_GUARD", "perhaps", "expected on, off or all"),
        ("TOCCATA_REPRODUCIBLE", "maybe", "expected 0 or 1"),
        ("TOCCATA_REORDER", "x", "'x'"),
        ("TOCCATA_REORDER_TOPOLOGIES", "x", "expected 0 or 1"),
        ("TOCCATA_REPORT", "table.txt", "expected 0, 1 or FILE.json"),
        ("TOCCATA_REPORT", "/nosuch/y.json", "cannot write to /nosuch"),
        ("TOCCATA_LEARN", "/proc/x", "cannot write to /proc"),
        ("TOCCATA_MODEL", "gigabit", "the models of Toccata are in /"),
        ("TOCCATA_PLACEMENT", "cyclic", "has no effect without TOCCATA_TOPOLOGY"),
    ],
)
def test_doctor_refuses_what_the_library_does(
    name: str, value: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = os.access
    monkeypatch.setattr(  # because root may write anywhere
        os, "access", lambda path, mode: str(path) != "/proc" and may_write(path, mode)
    )
    [found] = doctor.settings(_said({name: value}))
    assert remedy in found.remedy
    assert doctor.choices(_said({name: value}))  # terminates


def test_doctor_goes_on_where_a_file_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "hello.c"
    file.write_text("int main() {}\n")
    wrong = _said({"TOCCATA_TUNING": str(file), "TOCCATA_ALLGATHER": "sparbitt"})
    assert [each.good for each in doctor.tuned(wrong, "")[0]] == [False]
    told = [each.text for each in doctor.choices(wrong)]
    if told:  # on more than one core
        assert any("native, because TOCCATA_ALLGATHER is invalid" in each for each in told)
