"""`toccata run`: users' commands, parsed and completed."""

import shutil
import subprocess
from pathlib import Path

import pytest

import fakes
from toccata.errors import InputError
from toccata.launching import commandline, launcher, programs, starting
from toccata.launching.programs import Nature

RING = {"TOCCATA_ALLGATHER": "ring"}


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


def test_the_recorder_comes_first(started: Path) -> None:
    record = {"TOCCATA_RECORD": "/home/me/traffic.json"}
    with pytest.raises(InputError, match=r"libtoccata_record\.so was not built for MPICH"):
        starting.prepare(["mpiexec.hydra", "-n", "2", "app.mpich"], record, {})
    recorder = Path(library(started, "mpich")).with_name("libtoccata_record.so")
    recorder.touch()
    start = starting.prepare(["mpiexec.hydra", "-n", "2", "app.mpich"], record, {})
    assert start.words[1:7] == [
        "-genv", "TOCCATA_RECORD", "/home/me/traffic.json",
        "-genv", "LD_PRELOAD", f"{recorder}:{library(started, 'mpich')}",
    ]  # fmt: skip


def test_slurm(started: Path) -> None:
    """The program determines the library; srun itself does not load it."""
    preload, srun = f"LD_PRELOAD={library(started, 'mpich')}", str(started / "bin/srun")
    start = starting.prepare(["srun", "-n", "2", "app.mpich"], RING, {})
    assert start.words == [srun, f"--export=ALL,TOCCATA_ALLGATHER,{preload}", "-n", "2",
                           "app.mpich"]  # fmt: skip
    assert start.environment == RING
    start = starting.prepare(["srun", "--export=HOME", "-n2", "app.mpich", "--export=x"], {}, {})
    assert start.words == [srun, f"--export=HOME,{preload}", "-n2", "app.mpich", "--export=x"]
    for none in ["--export=NONE"], ["--export", "NONE"]:
        start = starting.prepare(["srun", *none, "app.mpich"], {}, {})
        assert start.words == [srun, f"--export={preload}", "app.mpich"]
    start = starting.prepare(["srun", "app.mpich"], {}, {"SLURM_EXPORT_ENV": "NONE"})
    assert start.words == [srun, f"--export={preload}", "app.mpich"]


@pytest.mark.parametrize(
    "options",
    [
        ["-n", "2", "--"],
        ["--job-name", "test", "-n", "4"],  # test is a program
        ["--account", "env", "--partition", "timeout", "--mem", "4G"],
        ["-lN2", "-n4", "--exclusive"],
        ["--plugin-option", "value"],
    ],
)
def test_options_of_srun_stay_together(started: Path, options: list[str]) -> None:
    start = starting.prepare(["srun", *options, "app.mpich", "b"], {}, {})
    export = f"--export=ALL,LD_PRELOAD={library(started, 'mpich')}"
    assert start.words[1:] == [export, *options, "app.mpich", "b"]


def test_programs_of_other_hosts_are_not_values(started: Path) -> None:
    for options in (["-n4"], ["--exclusive"], ["-lu"]):
        assert commandline.programs([*options, "missing", "./app", "b"], "srun") == [1]


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


@pytest.mark.parametrize(
    "wrapper",
    [
        "timeout --foreground 60", "timeout --preserve-status 60", "timeout -v 60",
        "timeout -sKILL 60", "timeout -k5 60", "timeout -vk 5 60", "nice -5", "nice -n5",
        "taskset -ac 0", "env - A=1", "env -iu X A=1", "stdbuf -oL", "ionice -c2 -n7",
    ],
)  # fmt: skip
def test_options_of_wrappers(started: Path, wrapper: str) -> None:
    fakes.script(started / "bin/60", "")  # a program with the name of a word
    for name in ("nice", "taskset", "stdbuf", "ionice"):
        fakes.script(started / "bin" / name, "")
    start = starting.prepare([*wrapper.split(), "mpirun", "-n", "2", "app.openmpi"], {}, {})
    assert start.words[: len(wrapper.split()) + 1] == [
        *wrapper.split(), str(started / "bin/mpirun")
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"'app.mpich' runs with MPICH"):
        starting.prepare(["mpirun", "-n", "2", *wrapper.split(), "app.mpich"], {}, {})


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("mpirun -x LD_PRELOAD=/a app.openmpi -x LD_PRELOAD=/b",
         "-x LD_PRELOAD=OURS:/a app.openmpi -x LD_PRELOAD=/b"),
        ("mpirun -x LD_PRELOAD -x A app.openmpi : -x LD_PRELOAD=/b app.openmpi",
         "-x LD_PRELOAD=OURS:/outer -x A app.openmpi : -x LD_PRELOAD=OURS:/b app.openmpi"),
        ("mpiexec.hydra -genv LD_PRELOAD /a -genv A 1 app.mpich : app.mpich",
         "-genv LD_PRELOAD OURS:/a -genv A 1 app.mpich : -genv LD_PRELOAD OURS:/a app.mpich"),
        ("mpiexec.hydra app.mpich : -env LD_PRELOAD=/b app.mpich",
         "-genv LD_PRELOAD OURS:/outer app.mpich : -genv LD_PRELOAD OURS:/outer "
         "-env LD_PRELOAD OURS:/b app.mpich"),
        ("srun --export=ALL,LD_PRELOAD=/a,B=1 app.mpich",
         "--export=ALL,B=1,LD_PRELOAD=OURS:/a app.mpich"),
        ("jsrun -n2 -ELD_PRELOAD=/a app.mpich", "-E LD_PRELOAD=OURS:/a -n2 app.mpich"),
        ("aprun -e LD_PRELOAD=/a app.mpich", "-e LD_PRELOAD=OURS:/a app.mpich"),
        ("flux run --env=-* -n2 --env LD_PRELOAD=/a app.mpich",
         "run --env=-* --env=LD_PRELOAD=OURS:/a -n2 app.mpich"),
    ],
)  # fmt: skip
def test_an_ld_preload_of_the_launcher_comes_after_ours(
    started: Path, command: str, expected: str
) -> None:
    words = command.split()
    family = next(word for word in words if word.startswith("app.")).removeprefix("app.")
    start = starting.prepare(words, {}, {"LD_PRELOAD": "/outer"})
    assert " ".join(start.words[1:]).replace(library(started, family), "OURS") == expected


def test_an_option_of_the_launcher_overrides_the_environment_only(started: Path) -> None:
    command = ["mpirun", "-x", "TOCCATA_BCAST=binomial", "-x", "TOCCATA_ALLGATHER=bruck",
               "app.openmpi"]  # fmt: skip
    start = starting.prepare(command, RING, {"TOCCATA_BCAST": "native"})
    assert start.words[1:5] == ["-x", "TOCCATA_BCAST=binomial", "-x", "TOCCATA_ALLGATHER=ring"]
    assert start.words.count("-x") == 3
    assert commandline.variables(command)["TOCCATA_BCAST"] == "binomial"
    assert commandline.variables(["env", "A=1", "srun", "--export=B=2,C", "app.mpich"]) == {
        "A": "1", "B": "2",
    }  # fmt: skip


def test_open_mpis_list_of_variables(started: Path) -> None:
    """Open MPI 4 refuses -x beside a list, which the user may give in two ways."""
    name, ours = "mca_base_env_list", library(started, "openmpi")
    listed = ["--mca", name, f"HOME;TOCCATA_ALLGATHER;LD_PRELOAD={ours}"]
    for environment, option in (
        ({f"OMPI_MCA_{name}": "HOME"}, []),
        ({f"OMPI_MCA_{name}": "A=1"}, ["--gmca", name, "HOME"]),
    ):
        command = ["mpirun", *option, "-n", "2", "app.openmpi", ":", "app.openmpi"]
        start = starting.prepare(command, RING, environment)
        assert start.words[1:] == [
            *listed, "-n", "2", "app.openmpi", ":", *listed, "app.openmpi",
        ]  # fmt: skip
        assert start.environment == RING
    command = ["mpirun", "-mca", name, "LD_PRELOAD=/a;TOCCATA_ALLGATHER", "app.openmpi"]
    start = starting.prepare(command, RING, {})
    assert start.words[3] == f"TOCCATA_ALLGATHER;LD_PRELOAD={ours}:/a"


@pytest.mark.parametrize("kind", ["mca", "gmca", "omca", "gomca", "pmixmca", "gpmixmca", "prtemca"])
def test_parameters_have_two_values(started: Path, kind: str) -> None:
    for option in (f"-{kind}", f"--{kind}"):
        assert commandline.programs([option, "a", "env", "./app"], "openmpi") == [3]


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
        "cannot detect the MPI of 'app.sh' (it is a script for sh); assuming Open MPI"
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
    start = starting.prepare(["env", "-i", "job"], RING, {})
    assert start.words[:4] == ["env", "-i", "env", "TOCCATA_ALLGATHER=ring"]
    assert start.words[-1] == str(job) and start.environment == {}
    job.write_text("#!/bin/sh\nmpirun a\nmpiexec.hydra b\n")
    with pytest.raises(
        InputError, match=r"names mpirun and mpiexec.hydra, which belong to two MPIs"
    ):
        starting.prepare(["job"], {}, {})


@pytest.mark.parametrize(
    "text",
    [
        "mpirun -n 2 \\\n  -x A ./app",
        'FLAGS="-n 2 -x A"\nmpirun $FLAGS ./app',
        "mpirun --mca mca_base_env_list A ./app",
    ],
)
def test_a_script_that_passes_variables_itself(started: Path, text: str) -> None:
    job = started / "bin/job"
    job.write_text(f"#!/bin/sh\n{text}\n")
    job.chmod(0o755)
    for family in (None, "openmpi"):
        start = starting.prepare(["job"], {}, {}, family)
        assert start.environment == {"LD_PRELOAD": library(started, "openmpi")}
        [remark] = start.remarks
        assert remark.startswith("'job' passes variables to the ranks itself, so Toccata reaches")
        assert "write toccata run -- before mpirun" in remark and "\n" not in remark


def test_a_script_with_other_options_x(started: Path) -> None:
    """Open MPI 5 accepts -x beside a list; and -x has other meanings elsewhere."""
    job = started / "bin/job"
    job.write_text("#!/bin/sh -x\nset -x\n# mpirun -x A\n[ -x ./app ] && mpirun ./app\n")
    job.chmod(0o755)
    start = starting.prepare(["job"], {}, {"OMPI_MCA_mca_base_env_list": "LD_PRELOAD=/a"})
    assert start.environment == {
        "LD_PRELOAD": f"{library(started, 'openmpi')}:/a",
        "OMPI_MCA_mca_base_env_list": "LD_PRELOAD",
    }
    fakes.script(started / "bin/prterun", "print('prterun (PRRTE) 5.0.7')")
    job.write_text("#!/bin/sh\nprterun -x A ./app\n")
    start = starting.prepare(["job"], {}, {})
    assert "OMPI_MCA_mca_base_env_list" in start.environment and start.remarks == []


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


def test_off_goes_to_all_ranks(started: Path) -> None:
    fakes.script(started / "app.openmpi", "")
    command = ["mpirun", "-n", "2", str(started / "app.openmpi")]
    start = starting.prepare(command, {}, {"TOCCATA": "off", "TOCCATAX": "1"})
    handed = [each for each in start.words if each.startswith("TOCCATA")]
    assert handed in (["TOCCATA"], ["TOCCATA=off"])
