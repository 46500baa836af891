"""Commands check their output files before any work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fakes
from running import invoke
from toccata import outputs
from toccata.errors import InputError

HEADING = "machine,nodes,ranks_per_node,collective,algorithm,total_bytes,median_us"


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    file, link = tmp_path / "old.json", tmp_path / "link.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file)
    said = r"link\.json' cannot be written: No space"
    with pytest.raises(InputError, match=said), outputs.whole(link) as made:
        made.write_text("half")
        raise OSError(28, "No space left on device")
    assert file.read_text() == "old"
    outputs.write(link, "new")
    assert link.is_symlink() and file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link.json", "old.json"]
    outputs.write(Path("/dev/null"), "kept nowhere")


def test_nothing_is_left_behind_or_spoiled(tmp_path: Path) -> None:
    there = tmp_path / "there.csv"
    there.write_text("kept")
    dangling, pipe = tmp_path / "dangling", tmp_path / "pipe"
    dangling.symlink_to(tmp_path / "nothing")
    os.mkfifo(pipe)
    outputs.check(tmp_path / "a/b/new.json", there, dangling, pipe, None)
    assert there.read_text() == "kept"
    assert (tmp_path / "a/b").is_dir()
    assert not (tmp_path / "a/b/new.json").exists()
    assert dangling.is_symlink()
    assert not dangling.exists()


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path, tmp_path / "file/x", tmp_path / "file/x/y", Path("/proc/nope/x")):
        with pytest.raises(InputError, match=f"'{path}' cannot be written: .*irectory"):
            outputs.check(path)


@pytest.mark.parametrize(
    "arguments",
    [
        "show sparbit -p 4 -o",
        "topo node:2 -o",
        "topo node:2 --save",
        "topo --ranks 2 --save",
        "predict allgather/ring --model gigabit -o",
        "predict allgather/ring --model gigabit --json",
        "calibrate -o",
        "bench allgather --csv",
        "bench allgather --json",
        "bench allgather --heatmap",
        "bench allgather --scaling",
        "bench links --csv",
        "bench links --heatmap",
        "fit times.csv --save",
        "fit times.csv --plot",
        "fit times.csv --curves",
    ],
)
def test_every_command_checks_first(
    arguments: str, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for program in ("toccata_calibrate", "toccata_where", "links"):
        fakes.script(machine / "home/bench/openmpi" / program, fakes.BENCHMARK)
    times = ["lumi,4,1,allgather,ring_over,64,9", "lumi,4,1,allgather,ring_over,128,9"]
    (machine / "times.csv").write_text("\n".join([HEADING, *times]) + "\n")
    (machine / "file").touch()
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, stderr = invoke(*arguments.split(), "file/x.png")
    assert (code, stdout) == (2, "")
    assert stderr == "toccata: 'file/x.png' cannot be written: Not a directory\n"
    assert not (machine / "log").exists(), "nothing was started"


def test_topo_saves_nothing_where_the_picture_cannot_be(machine: Path) -> None:
    code, _, stderr = invoke("topo", "node:2", "--save", "machine.txt", "-o", "x.doc")
    assert (code, stderr.count("\n")) == (2, 1)
    assert not (machine / "machine.txt").exists()


def test_missing_directories_are_made(machine: Path) -> None:
    assert invoke("topo", "node:2", "--save", "a/machine.txt")[0] == 0
    command = ("predict", "allgather/ring", "--model", "gigabit", "--sizes", "1")
    assert invoke(*command, "--json", "b/c/times.json")[0] == 0
    assert (machine / "a/machine.txt").exists()
    assert (machine / "b/c/times.json").exists()


def test_nothing_is_drawn_where_nothing_can(machine: Path) -> None:
    """`make install PLOTS=OFF`: tables and files are written; a requested picture gives an error
    before any work."""
    without = (
        "import sys\n"
        "for name in ('matplotlib', 'numpy', 'scipy'): sys.modules[name] = None\n"
        "from pathlib import Path\n"
        "from toccata.launching import launcher\n"
        "launcher.home = lambda: Path('home').resolve()\n"
        "from toccata.cli import main\n"
        "main()"
    )

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        words = ["bench", "allgather", "--ranks", "2", "--sizes", "8", *more]
        return subprocess.run(
            [sys.executable, "-c", without, *words],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = run()
    assert done.returncode == 0, done.stderr
    assert "no picture, which needs matplotlib" in " ".join(done.stdout.split())
    assert {each.suffix for each in (machine / "results").iterdir()} == {".csv", ".json"}
    refused = run("--heatmap", "other.png")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("toccata: this needs matplotlib, which is not installed")
