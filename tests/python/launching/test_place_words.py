"""Words that place ranks: each launcher's options, and where real launchers put the ranks."""

from collections.abc import Callable
from pathlib import Path

import pytest

import real_launchers
from conftest import Toccata
from real_launchers import LAUNCHERS
from toccata.commands import checks
from toccata.errors import InputError
from toccata.launching import launcher, maps, place_words
from toccata.topology import machines

NODES = "node:2 socket:2 core:4"
Known = Callable[[str, str], None]


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Known:
    """The launcher's MPI and version, on a host of eight cores: no process starts."""

    def set_(family: str, version: str) -> None:
        found = launcher.Launcher("mpirun", family, version)
        monkeypatch.setattr(launcher, "identify", lambda _: found)

    monkeypatch.setattr(launcher, "cores", lambda: 8)
    for name in ("SLURM_JOB_NUM_NODES", "SLURM_NNODES", "PBS_NODEFILE", "PE_HOSTFILE"):
        monkeypatch.delenv(name, raising=False)
    return set_


def placed(text: str, word: str, threads: int = 2) -> str:
    return " ".join(place_words.command(text.split(), word, threads))


def test_each_launcher_has_its_options(known: Known) -> None:
    known("openmpi", "4.1")
    assert placed("nice mpirun -n 4 app", "compact") == (
        "nice mpirun --map-by ppr:4:node:PE=2 --bind-to core -n 4 app"
    )
    known("openmpi", "5.0")
    assert placed("mpirun -n 4 app", "spread", 3) == (
        "mpirun --map-by package:PE=3:SPAN --rank-by node --bind-to core -n 4 app"
    )
    known("mpich", "4.0")
    assert placed("mpirun -n 3 a : -n 4 b", "balanced") == (
        "mpirun -ppn 7 -bind-to core:2 -n 3 a : -n 4 b"
    )
    known("intelmpi", "2021")
    assert placed("mpirun -hosts a,b,c -np 7 app", "balanced") == (
        "mpirun -ppn 3 -genv I_MPI_PIN on -genv I_MPI_PIN_CELL core "
        "-genv I_MPI_PIN_DOMAIN 2:compact -genv I_MPI_PIN_ORDER bunch -hosts a,b,c -np 7 app"
    )
    assert placed("srun -n 4 app", "balanced") == (
        "srun --distribution=block:block,NoPack --cpus-per-task=2 --cpu-bind=cores -n 4 app"
    )
    assert placed("flux run -n 4 app", "spread") == (
        "flux run --taskmap=cyclic --cores-per-task=2 -o cpu-affinity=per-task -n 4 app"
    )


@pytest.mark.parametrize(
    ("text", "word", "why"),
    [
        ("mpirun -n 4 -bind-to core app", "compact", "'-bind-to' places ranks, too"),
        ("mpirun app", "balanced", "the number of ranks is missing"),
        ("mpirun -n 4 app", "compact", "--threads 9: this host has only 8 cores"),
        ("mpirun -f missing -n 4 app", "balanced", "-f missing: cannot be read"),
        ("srun -c 4 app", "spread", "'-c' places ranks, too"),
        ("srun -n 4 -c2 app", "spread", "'-c2' places ranks, too"),
        ("flux run -n4 -c2 app", "spread", "'-c2' places ranks, too"),
        ("flux run -n 4 app", "balanced", "flux has no option for it; use compact or spread"),
        ("jsrun -n 4 app", "compact", "'jsrun' is not a launcher with options for it"),
        ("./script", "compact", "'./script' is not a launcher with options for it"),
    ],
)
def test_wrong_commands_are_one_line(known: Known, text: str, word: str, why: str) -> None:
    known("mpich", "4.0")
    with pytest.raises(InputError, match=why) as error:
        placed(text, word, 9)
    assert "\n" not in str(error.value)


def test_the_number_of_hosts(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("# four lines\na:4\nb slots=2\n\na\n")
    for text, number in {
        "-hosts a:2,b,a -n 4 app": 2,
        f"-f {file} -n 4 app": 2,
        f"-n 4 app -f {file}x": 1,
    }.items():
        assert place_words.hosts(text.split(), "hydra", {}) == number
    assert place_words.hosts(["-n", "4", "app"], "hydra", {"SLURM_NNODES": "7"}) == 7
    assert place_words.hosts(["-n", "4", "app"], "hydra", {"PBS_NODEFILE": str(file)}) == 2


# The cores of eight ranks on both nodes of NODES: 0 to 7 are on the first one.
FILLED = [0, 1, 2, 3, 4, 5, 6, 7]
SPREAD = [0, 8, 4, 12, 1, 9, 5, 13]
BALANCED = {"openmpi": [0, 1, 4, 5, 8, 9, 12, 13], "mpich": [0, 1, 2, 3, 8, 9, 10, 11]}


@pytest.mark.parametrize("name", [each for each in LAUNCHERS if each != "intelmpi"])
def test_real_launchers_place_ranks_as_the_words_say(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = real_launchers.launcher(name, monkeypatch)
    monkeypatch.setattr(launcher, "cores", lambda: 8)
    there = machines.named(NODES)
    hosts = "-hosts node0:8,node1:8" if name.startswith("mpich") else "--host node0:8,node1:8"
    expected = {"compact": FILLED, "balanced": BALANCED[name[:-2]], "spread": SPREAD}
    for word, cores in expected.items():
        found = maps.placed(there, 8, placed(f"{path} {hosts} -n 8 app", word, 1))
        assert found.places == [(2, core) for core in cores], word
        # Ranks with two cores of a socket are bound inside this socket.
        found = maps.placed(there, 4, placed(f"{path} {hosts} -n 4 app", word, 2))
        half = [cores[2 * rank] // 4 for rank in range(4)]
        if word == "spread":
            half = [0, 2, 1, 3]
        elif word == "balanced" and name.startswith("mpich"):
            half = [0, 0, 2, 2]
        assert found.places == [(1, socket) for socket in half], word


@pytest.mark.parametrize(
    ("word", "hosts", "why"),
    [
        ("compact", [0, 0, 1], ""),
        ("compact", [0, 0, 0, 1, 1, 2], ""),
        ("compact", [0, 1, 0], "consecutive ranks do not share a host"),
        ("balanced", [0, 0, 1, 1, 2], ""),
        ("balanced", [0, 0, 0, 1], "hosts have 1 to 3 ranks"),
        ("balanced", [0, 1, 0, 1], "consecutive ranks do not share a host"),
        ("spread", [0, 1, 0, 1, 0], ""),
        ("spread", [0, 0, 0], ""),
        ("spread", [0, 0, 1, 1], "consecutive ranks share a host"),
        ("spread", [0, 1, 0, 1, 0, 2], "hosts have 1 to 3 ranks"),
    ],
)
def test_hosts_are_checked(word: str, hosts: list[int], why: str) -> None:
    assert place_words.complaint(word, hosts) == why


def test_command_lines(toccata: Toccata, monkeypatch: pytest.MonkeyPatch) -> None:
    path = real_launchers.launcher("mpich-4", monkeypatch)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    start = (path, "-n", "2", "echo")
    said = toccata("run", "--place", "spread", "--threads", "2", "--dry-run", "--mpi", "mpich",
                   "--", *start)  # fmt: skip
    assert said.returncode == 0, said.stderr
    assert "-genv OMP_NUM_THREADS 2" in said.stdout
    assert "-ppn 1 -bind-to core:2 -map-by socket -n 2 echo" in said.stdout
    spread = ("run", "--place", "spread", "--threads", "2", "--dry-run", "--mpi", "mpich", "--")
    for own in (("env", "OMP_NUM_THREADS=8", path), (path, "-genv", "OMP_NUM_THREADS", "8")):
        said = toccata(*spread, *own, "-n", "2", "echo")
        assert said.returncode == 0 and said.stdout.count("OMP_NUM_THREADS") == 1, said.stdout
    for options, why in {
        ("--place", "wide"): "--place wide: expected compact, balanced, spread, or a file *.json",
        ("--threads", "2"): "--threads 2 has no effect without --place",
        ("--place", "a.json", "--threads", "2"): "--threads 2 has no effect with --place a.json",
        ("--place", "compact", "--threads", "0"): "invalid number of threads '0'",
    }.items():
        said = toccata("run", *options, "--", *start)
        assert said.returncode == 2 and why in said.stderr, said.stderr
        assert len(said.stderr.splitlines()) == 1
    said = toccata("doctor", "--place", "wide", "--", *start)
    assert said.returncode == 2 and "expected compact, balanced, spread" in said.stderr
    said = toccata("doctor", "--place", "compact")
    assert said.returncode == 2 and "has no effect without a command" in said.stderr


def test_doctor_compares_the_hosts_with_the_word() -> None:
    job = checks.Job([0, 0, 1, 1])
    assert checks.as_said("balanced", job).good
    found = checks.as_said("spread", job)
    assert "but consecutive ranks share a host" in found.text
    assert found.remedy.startswith("unset variables of the launcher")
    for word in place_words.WORDS:
        found = checks.as_said(word, checks.Job([0, 0]))
        assert found.good and found.text == (
            f"--place {word}: all ranks are on one host, so there are no hosts to compare"
        )
        assert "socket" not in checks.as_said(word, job).text
