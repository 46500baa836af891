"""`toccata run --place`: commands whose launcher reads a file of places."""

from pathlib import Path

import pytest

from toccata.errors import InputError
from toccata.launching import launcher, placed_start
from toccata.launching.start_files import Seat

SEATS = [Seat(0, "a", 2), Seat(1, "b", 0), Seat(0, "a", 3), Seat(0, "a", 0)]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Launchers by name: no process starts."""
    found = {
        "mpirun": launcher.Launcher("mpirun", "openmpi", "4.1.4"),
        "prterun": launcher.Launcher("prterun", "openmpi", "5.0.7"),
        "mpiexec": launcher.Launcher("mpiexec", "mpich", "4.0.2"),
    }
    monkeypatch.setattr(launcher, "identify", lambda word: found[word])


UNBOUND = [Seat(each.node, each.host, -1) for each in SEATS]


def command(tmp_path: Path, text: str, seats: list[Seat] = SEATS) -> tuple[str, str]:
    """The command, with FILE for the path, and the file's contents."""
    file = tmp_path / "traffic.places"
    words = placed_start.command(text.split(), seats, file)
    return " ".join(words).replace(str(file), "FILE"), file.read_text()


def test_each_launcher_reads_the_file(tmp_path: Path) -> None:
    cores = "rank 0=a slot=2\nrank 1=b slot=0\nrank 2=a slot=3\nrank 3=a slot=0\n"
    assert command(tmp_path, "nice mpirun -n 4 app") == (
        "nice mpirun --rankfile FILE -n 4 app",
        cores,
    )
    assert command(tmp_path, "prterun --bind-to core -n 4 app --map-by x") == (
        "prterun --map-by rankfile:file=FILE --bind-to core -n 4 app --map-by x",
        cores,
    )
    assert command(tmp_path, "mpiexec -n 4 app") == (
        "mpiexec -f FILE -n 4 app",
        "a:1\nb:1\na:1\na:1\n",
    )
    assert command(tmp_path, "srun -n 4 app") == (
        "srun --distribution=arbitrary --nodelist=FILE -n 4 app",
        "a\nb\na\na\n",
    )
    for start in ("flux run", "flux mini run"):
        assert command(tmp_path, f"{start} -n 4 app") == (
            f"{start} --taskmap=hostfile:FILE -n 4 app",
            "a\nb\na\na\n",
        )


@pytest.mark.parametrize("seats", [UNBOUND, [*SEATS[:3], SEATS[0]]])  # one core for two ranks
@pytest.mark.parametrize("launcher", ["mpirun", "prterun"])
def test_ranks_without_cores_are_placed_by_hosts(
    tmp_path: Path, launcher: str, seats: list[Seat]
) -> None:
    assert command(tmp_path, f"{launcher} -n 4 app", seats) == (
        f"{launcher} --map-by seq --hostfile FILE --bind-to none -n 4 app",
        "a\nb\na\na\n",
    )
    with pytest.raises(InputError, match="'--hostfile' places ranks, too"):
        command(tmp_path, f"{launcher} --hostfile all -n 4 app", UNBOUND)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("mpirun --map-by node -n 4 app", "'--map-by' places ranks, too"),
        ("mpirun -n 2 app : -n 2 -rf x app", "'-rf' places ranks, too"),
        ("mpiexec -hosts a,b -n 4 app", "'-hosts' places ranks, too"),
        ("srun --distribution=cyclic -n 4 app", "'--distribution=cyclic' places ranks, too"),
        ("srun -mcyclic -n 4 app", "'-mcyclic' places ranks, too"),
        ("srun -lwhost1 -n 4 app", "'-lwhost1' places ranks, too"),
        ("jsrun -n 4 app", "'jsrun' is not a launcher that reads a file of places"),
        ("./script", "'./script' is not a launcher"),
    ],
)
def test_other_commands_are_refused(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        command(tmp_path, text)
    assert list(tmp_path.iterdir()) == []


def test_the_library_learns_the_hosts() -> None:
    assert placed_start.plan(SEATS) == {"TOCCATA_PLACED": "a,b,a*2"}
    assert placed_start.plan([Seat(0, "", 1)]) == {}
    assert placed_start.plan([Seat(each % 2, f"h{each % 2}", 0) for each in range(100_000)]) == {}
