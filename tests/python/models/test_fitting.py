"""Fitting a cost model, judging it, and the command that does both."""

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from conftest import ROOT
from toccata.cli import app
from toccata.models import cross_validation, fitting
from toccata.models.fitting import Parameters, Walks, every_other_size, fit, score
from toccata.models.recorded import Case

RECORDED = ROOT / "../shared/data/recorded/collectives.csv"
ALGORITHMS = {
    "allgather": ("ring", "recursive_doubling", "bruck", "sparbit:messages=per_block"),
    "alltoall": ("linear", "pairwise", "bruck"),
}


def case(algorithm: str, total_bytes: int, seconds: float = 1, nodes: int = 16) -> Case:
    collective = next(each for each, names in ALGORITHMS.items() if algorithm in names)
    return Case("here", str(nodes), 1, collective, algorithm, total_bytes, seconds)


def machine(model: Parameters) -> list[Case]:
    """Times on a machine that corresponds to the model."""
    settings = [
        case(algorithm, 16 << shift)
        for names in ALGORITHMS.values()
        for algorithm in names
        for shift in range(0, 24, 2)
    ]
    times = Walks().times(settings, model)
    return [replace(each, seconds=time) for each, time in zip(settings, times, strict=True)]


def test_finds_the_parameters_of_a_machine_that_is_as_the_model_says() -> None:
    truth = Parameters.of_levels("network")
    named = truth.named | {
        "network.eager.alpha": 1e-6, "network.eager.o": 3e-7, "network.eager.beta": 4e-10,
        "network.rendezvous.alpha": 6e-6, "network.rendezvous.o": 8e-7,
        "network.rendezvous.beta": 5e-11, "copy": 2e-10, "start": 2e-6, "fresh": 0,
    }  # fmt: skip
    truth = replace(truth, values=tuple(named.values()), threshold=2048)
    fitted_to, rest = every_other_size(machine(truth))
    found = fit(fitted_to, Walks())
    judged = score(rest, Walks().times(rest, found))
    assert found.threshold == 2048
    assert found.named["network.rendezvous.beta"] == pytest.approx(5e-11, rel=0.05)
    assert found.named["copy"] == pytest.approx(2e-10, rel=0.05)
    assert judged.error < 0.02
    assert judged.in_order == judged.pairs > 20
    assert judged.regret == pytest.approx(1, abs=0.01)
    assert "gamma" in found.unseen


def test_a_walk_for_all_sizes_of_a_protocol_is_what_each_would_be() -> None:
    model = replace(Parameters.of_levels("network"), threshold=1024)
    shared = Walks()
    for size in (64, 512, 4096, 65536):
        each = case("ring", 400 * size, nodes=400)
        alone = sum(fitting._walk(each, model.model()) * model.values)
        assert shared.times([each], model)[0] == pytest.approx(alone, rel=1e-9)


def test_scores_are_those_by_hand() -> None:
    cases = [
        case("ring", 64, 10),
        case("bruck", 64, 20),
        case("recursive_doubling", 64, 21),  # too close to bruck to compare
        case("ring", 128, 30),
        case("bruck", 128, 45),
        case("linear", 64, 7),  # the only algorithm of this collective
    ]
    found = score(cases, [20, 10, 21, 33, 44, 7])
    assert (found.times, found.settings) == (6, 2)
    assert (found.pairs, found.in_order) == (3, 2)  # ring and bruck at 64 are in the wrong order
    assert found.regret == pytest.approx((20 / 10 + 1) / 2)
    assert found.error == pytest.approx((1 / 45 + 0.1) / 2)
    assert score([], []).times == 0


def test_every_other_size_of_each_job_and_collective() -> None:
    cases = [case(name, size) for name in ("ring", "linear") for size in (16, 32, 64)]
    chosen, rest = every_other_size(cases)
    assert [each.total_bytes for each in chosen] == [16, 64, 16, 64]
    assert [(each.collective, each.total_bytes) for each in rest] == [
        ("allgather", 32), ("alltoall", 32),
    ]  # fmt: skip


def write(path: Path, cases: list[Case]) -> Path:
    names = {
        "ring": "ring_over", "recursive_doubling": "recursive_doubling_mpich",
        "bruck": "brucks_mpich", "sparbit:messages=per_block": "sparbit_over",
    }  # fmt: skip
    file = path / "recorded.csv"
    heading = "machine,nodes,ranks_per_node,collective,algorithm,total_bytes,median_us"
    lines = [
        f"{each.machine},{each.nodes},1,{each.collective},{names[each.algorithm]},"
        f"{each.total_bytes},{each.seconds * 1e6}"
        for each in cases
        if each.algorithm in names and each.collective == "allgather"
    ]
    file.write_text("\n".join([heading, *lines]) + "\n")
    return file


def invoke(*arguments: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["fit", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout + result.stderr


def test_fit_prints_saves_and_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = Parameters.of_levels("network").named | {"network.rendezvous.alpha": 9e-6}
    model = Parameters(("network",), tuple(named.values()), threshold=2048)
    file = write(tmp_path, machine(model))
    monkeypatch.chdir(tmp_path)
    code, said = invoke(file, "--save", "here.json", "--plot", "p.png", "--curves", "c.svg")
    assert code == 0
    assert "rendezvous from 2K" in said
    assert said.count("100%") == 3  # allgather, all, and the verdict
    assert (tmp_path / "p.png").stat().st_size > 10_000
    assert "<svg" in (tmp_path / "c.svg").read_text()
    assert '"name": "here"' in (tmp_path / "here.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--machine", "moon"), "has no machine 'moon'; it has here"),
        (("--nodes", "5"), "has no node count '5'; it has 16"),
        (("--split", "collectives"), "here has only one collective"),
        (("--plot", "p.txt"), "p.txt"),
    ],
)
def test_fit_complains_in_one_line(tmp_path: Path, arguments: tuple[str], said: str) -> None:
    code, complaint = invoke(write(tmp_path, [case("ring", 64), case("ring", 128)]), *arguments)
    assert code == 2
    assert said in complaint


def test_fit_needs_times_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "others.csv"
    file.write_text(
        "machine,nodes,ranks_per_node,collective,algorithm,total_bytes,median_us\n"
        "here,4,1,allgather,bine_lat_over,64,3\n"
    )
    code, complaint = invoke(file)
    assert (code, "no line has the time of an algorithm of Toccata" in complaint) == (2, True)


@pytest.mark.skipif(not RECORDED.exists(), reason=f"there is no {RECORDED}")
@pytest.mark.parametrize("name", ["lumi", "mare_nostrum"])
def test_recorded_supercomputers(name: str) -> None:
    found = cross_validation.load(RECORDED, [name], [])
    judged = cross_validation.by_sizes(found.cases, Walks(), lambda: None).judged.score()
    assert judged.regret <= 1.15
    assert judged.in_order >= 0.9 * judged.pairs
