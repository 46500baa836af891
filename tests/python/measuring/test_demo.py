"""`toccata demo`."""

import subprocess
from contextlib import nullcontext
from pathlib import Path

import pytest

import fakes
from conftest import ROOT
from demo_cells import CELLS
from running import bench, invoke
from toccata.commands.common import console
from toccata.measuring import demo


def test_demo(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    code, stdout, stderr = invoke("demo", "--no-hosts", "--mpi", "openmpi")
    assert (code, stderr) == (0, "")
    # The fake's second algorithm takes twice as long as its first.
    for place in ("2 ranks", "4 ranks"):
        assert (
            f"{place}: Toccata is clearly faster in 0 of 16 cases, clearly slower in 16 (at most "
            "2.00× slower), without a clear winner in 0 (speedups counted as 1); geometric mean of "
            "the speedups over native: 0.50×"
        ) in " ".join(stdout.split())
    assert (machine / "results/demo.png").stat().st_size > 1000
    runs = (machine / "log").read_text().splitlines()
    # Two machines, four collectives, four sizes; slower cells are measured twice more.
    assert len(runs) == 8 + 32 * demo.AGAIN
    library = machine / "home/lib/openmpi/libtoccata.so"
    assert all(f'exec "$@" {library} ' in each for each in runs)
    assert all("--algorithms native;auto" in each for each in runs)
    assert all(f"--trials {demo.TRIALS}" in each for each in runs)


def test_demo_of_everything(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    monkeypatch.setattr(demo, "WHOLE_HERE", (demo.Place("2 ranks", 2, (8, 64), ("bcast",)),))
    code, stdout, stderr = invoke("demo", "--no-hosts", "--whole", "--mpi", "openmpi")
    assert (code, stderr) == (0, "")
    # In the fake, all cells are twice as slow, so each is measured twice more.
    runs = (machine / "log").read_text().splitlines()
    assert len(runs) == 1 + 2 * demo.AGAIN
    assert "clearly slower in 2 (at most 2.00× slower)" in stdout


def test_noise_is_no_result() -> None:
    assert [each.clear for each in CELLS] == [True, False, False, True]
    assert demo.summary(CELLS) == (
        "2 ranks: Toccata is clearly faster in 1 of 4 cases (at most 2.00× faster), "
        "clearly slower in 1 (at most 1.50× slower), without a clear winner in 2 "
        "(speedups counted as 1); geometric mean of the speedups over native: 1.07×"
    )
    with console.capture() as said:
        console.print(demo.table(CELLS))
    speedups = [line.split()[-1] for line in said.get().splitlines() if line.startswith("bcast")]
    assert speedups == ["2.00×", "1.67×?", "0.50×?", "0.67×"]


def test_demo_says_why_there_are_no_hosts(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "why_no_hosts", lambda: "there is no room")
    code, stdout, _ = invoke("demo")
    assert code == 0
    assert "without the four emulated hosts, where gains are larger: there is no room" in stdout


def test_the_hosts_are_shown_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "why_no_hosts", lambda: "")
    monkeypatch.setattr(demo, "hosts", nullcontext)
    monkeypatch.setattr(demo, "HERE", (demo.Place("2 ranks", 2, (8,), ("bcast",)),))
    code, stdout, _ = invoke("demo")
    assert code == 0
    first, *_, last = [each for each in stdout.splitlines() if each.startswith(("all", "bcast"))]
    assert "16 ranks on 4 hosts" in first and "2 ranks" in last
    assert stdout.index("16 ranks on 4 hosts: Toccata") < stdout.index("2 ranks: Toccata")


@pytest.mark.parametrize("demo_set", [True, False])
@pytest.mark.parametrize("fails", [True, False])
def test_make_demo_installs_what_the_hosts_need(
    demo_set: bool, fails: bool, tmp_path: Path
) -> None:
    """For root, on a machine that lacks only these packages."""
    programs, log = tmp_path / "bin", tmp_path / "log"
    fakes.script(programs / "id", "print(0)")
    of_hosts = ("iproute2", "iptables", "libmnl-dev", "pkg-config")
    fakes.script(
        programs / "dpkg-query",
        f"import sys\nif sys.argv[-1] not in {of_hosts}: print('install ok installed')",
    )
    fakes.script(
        programs / "apt-get",
        f"import sys\nprint(*sys.argv[1:], file=open({str(log)!r}, 'a'))\nsys.exit({int(fails)})",
    )
    done = subprocess.run(
        [ROOT / "scripts/setup.sh"], capture_output=True, text=True, timeout=60, check=False,
        env={"PATH": f"{programs}:/usr/bin:/bin", **({"DEMO": "yes"} if demo_set else {})},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert log.exists() == demo_set
    if demo_set and not fails:
        wanted = f"install -y --no-install-recommends {' '.join(of_hosts)}"
        assert wanted in log.read_text()
    if demo_set and fails:
        assert done.stderr.endswith("going on without several hosts\n")


def test_bench_of_the_automatic_choice(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_LOG", str(machine / "log"))
    assert bench("--algorithms", "native,auto,ring")[0] == 0
    assert "libtoccata.so" in (machine / "log").read_text()
    (machine / "log").unlink()
    assert bench("--algorithms", "native,ring")[0] == 0
    assert "libtoccata.so" not in (machine / "log").read_text()
