"""Predictions: models by name, times, tables, plots."""

import io
import json
import os
import subprocess
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import Progress

from conftest import BUILD, ROOT
from running import invoke
from toccata import _core
from toccata._core import Shape
from toccata.algorithms import catalogue
from toccata.algorithms.catalogue import find
from toccata.commands.common import TimeLeft, time_left
from toccata.drawing import predictions
from toccata.errors import InputError
from toccata.models import predicting


def postal(alpha: float, beta: float) -> _core.Model:
    protocol = {"alpha": alpha, "beta": beta, "g": alpha}
    return _core.Model.parse(
        json.dumps({"name": "postal", "levels": [{"level": "network", "eager": protocol}]})
    )


def test_models_by_name_and_by_path(tmp_path: Path) -> None:
    lassen = predicting.read_model("lassen")
    assert lassen.levels == ["network", "node", "socket"]
    assert "bienz2021" in lassen.origin
    copy = tmp_path / "ours.json"
    copy.write_text(lassen.json)
    again = predicting.read_model(str(copy))
    assert again.coefficients == lassen.coefficients
    with pytest.raises(InputError, match="no model 'lasen'; expected one of gigabit, gpc, lassen"):
        predicting.read_model("lasen")
    copy.write_text(lassen.json.replace('"alpha"', '"alfa"', 1))
    with pytest.raises(_core.ModelError, match=r"ours.json: levels\[0\].eager.alfa is not a field"):
        predicting.read_model(str(copy))


def test_seconds_are_the_product_of_terms_and_parameters() -> None:
    model = predicting.read_model("lassen")
    shape = _core.Shape(_core.Placement(_core.Machine("node:4 socket:2 core:4"), 32))
    predictor = _core.Predictor(_core.parse_choice("allgather", "bruck"), shape)
    for size in (1, 10000):
        terms = predictor.terms(size, model)
        product = sum(a * b for a, b in zip(terms, model.coefficients, strict=True))
        assert predictor.seconds(size, model) == pytest.approx(product, rel=1e-12)
        assert len(terms) == len(model.term_names)


def test_times_after_the_last_arrival() -> None:
    """All ranks wait for a late root. A late leaf of the tree finds its message."""
    latency = 1e-6
    choices = [("binomial", _core.parse_choice("bcast", "binomial"))]

    def after(late: dict[int, float]) -> float | None:
        setting = predicting.Setting(None, Shape(8), arrivals=predicting.arrivals(late, 8))
        found = predicting.predict(choices, setting, [1], postal(latency, 0))
        assert found.bound == [None] or not late
        return found.seconds["binomial"][0]

    assert after({0: 1e-3}) == pytest.approx(after({}))
    assert after({7: 1e-3}) == pytest.approx(0, abs=1e-12)
    with pytest.raises(InputError, match="rank 8 cannot be late: there are 8 ranks, from 0 on"):
        after({8: 1e-3})


def test_predict_tells_times_after_the_last_arrival() -> None:
    arguments = ("predict", "bcast/binomial", "--model", "usual", "--ranks", "8", "--sizes", "64")
    code, out, _ = invoke(*arguments, "--late", "7:1ms")
    assert code == 0
    assert "time in µs after the last arrival" in out


def test_an_algorithm_for_a_late_rank_gets_the_latest_one() -> None:
    arguments = ("predict", "allreduce", "--model", "usual", "--ranks", "16", "--sizes", "64K")
    code, out, _ = invoke(*arguments, "--late", "3:1ms,5:9ms")
    assert code == 0
    assert "late=5" in out
    known = {each.name: each for each in catalogue.of_collective("allreduce")}
    assert catalogue.with_late_rank(known["late"], {3: 0.1, 5: 0.9}) == "late:late=5"
    assert catalogue.with_late_rank(known["late"], {}) == "late"
    assert catalogue.with_late_rank(known["ring"], {5: 0.9}) == "ring"


def test_a_late_rank_in_advance() -> None:
    """What the others reduce while they wait saves time, unless another rank is late."""

    def after(text: str, late: dict[int, float]) -> float:
        choices = [(text, _core.parse_choice("allreduce", text))]
        setting = predicting.Setting(None, Shape(16), arrivals=predicting.arrivals(late, 16))
        found = predicting.predict(choices, setting, [65536], predicting.read_model("usual"))
        seconds = found.seconds[text][0]
        assert seconds is not None
        return seconds

    ours = "late:late=3,radix=1048576"
    assert after(ours, {3: 1e-3}) * 1.2 < after("rabenseifner", {3: 1e-3})
    assert after(ours, {4: 1e-3}) > after(ours, {3: 1e-3})
    assert after(ours, {}) > after(ours, {3: 1e-3})


def test_prediction_beside_the_lower_bound() -> None:
    model = postal(1e-6, 1e-9)
    choices = [(n, _core.parse_choice("allgather", n)) for n in ("ring", "neighbor_exchange")]
    [setting] = predicting.settings(None, None, [7], [])
    found = predicting.predict(choices, setting, [0, 1000], model)
    assert found.seconds["ring"] == pytest.approx([6e-6, 12e-6])
    assert found.seconds["neighbor_exchange"] == [None, None], "7 is odd"
    assert found.bound == pytest.approx([3e-6, 7e-6])
    assert [row["bytes"] for row in predicting.as_rows([found])] == [0, 1000]


def test_nodes_are_filled() -> None:
    settings = predicting.settings("node:4,2,3 core:2", None, [], [1, 2, 9])
    assert [each.shape.p for each in settings] == [2, 4, 18]
    assert [each.nodes for each in settings] == [1, 2, 9]
    with pytest.raises(InputError, match=r"--nodes 10: .* has 9 nodes"):
        predicting.settings("node:4,2,3 core:2", None, [], [10])
    with pytest.raises(InputError, match='no level "node"'):
        predicting.settings("leaf:4 core:2", None, [], [2])
    with pytest.raises(InputError, match="--nodes has no effect without --machine"):
        predicting.settings(None, None, [], [2])


@pytest.mark.parametrize("sizes", [[8], [1, 64, 4096]])
def test_plot(sizes: list[int]) -> None:
    model = predicting.read_model("gigabit")
    choices = [(n, _core.parse_choice("allgather", n)) for n in ("ring", "bruck")]
    found = [
        predicting.predict(choices, setting, sizes, model)
        for machine in ("node:4 core:2", "node:4 core:4")
        for setting in predicting.settings(machine, None, [2, 4, 8], [])
    ]
    figure = predictions.draw(found, model.name)
    assert isinstance(figure, Figure)
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert len(shown) == (3 if len(sizes) > 1 else 1), "a panel for each number of ranks"
    for axis in shown:
        # Two machines with two algorithms and one bound each.
        assert len(axis.get_lines()) == 6
        assert axis.get_xlabel() == ("bytes" if len(sizes) > 1 else "ranks")
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["ring", "bruck", "node:4 core:2", "node:4 core:4", "lower bound"]


def test_predict_command(tmp_path: Path) -> None:
    picture, data = tmp_path / "times.png", tmp_path / "times.json"
    code, out, err = invoke(
        "predict", "allgather/ring", "sparbit", "--model", "quartz-like",
        "--machine", "node:2 core:4", "--ranks", "4,8", "--sizes", "1,1K",
        "-o", str(picture), "--json", str(data),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "8 ranks on node:2 core:4" in out
    assert "quartz-like" in out
    assert picture.stat().st_size > 10_000
    rows = json.loads(data.read_text())
    assert len(rows) == 8
    assert all(row["lower_bound"] <= row["seconds"] for row in rows)


def test_predict_tells_ratios_to_the_lower_bound() -> None:
    command = ["predict", "allgather/ring", "--model", "gigabit", "--ranks", "4", "--sizes", "1M"]
    code, out, _ = invoke(*command, "--ratios")
    assert code == 0
    assert "multiples of the lower bound (itself in µs) by the model" in out
    [row] = [line.split() for line in out.splitlines() if line.split()[:1] == ["1M"]]
    _, plain, _ = invoke(*command)
    [times] = [line.split() for line in plain.splitlines() if line.split()[:1] == ["1M"]]
    assert row[2] == times[2]
    assert float(row[1][1:]) == pytest.approx(float(times[1]) / float(times[2]), abs=0.006)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("allgather/ring", "--model", "x"), "there is no model 'x'; expected one of"),
        (("allgather/ring", "--model", "./x.json"), "x.json: cannot be read: No such file"),
        (
            ("allgather/ring", "alltoall", "--model", "lassen"),
            "cannot predict several collectives at once",
        ),
        (
            ("allgather/ring", "--model", "lassen", "-o", "x.gif"),
            "'x.gif': the name of a figure must end in",
        ),
        (
            ("allgather/ring", "--model", "lassen", "--placement", "cyclic"),
            "no effect without --machine",
        ),
        (
            ("allgather/ring", "--model", "usual", "--late", "7"),
            "invalid late rank '7': expected RANK:TIME with s, ms or us, such as 3:1ms",
        ),
        (
            ("allgather/ring", "--model", "usual", "--ranks", "4,8", "--late", "5:1ms"),
            "rank 5 cannot be late: there are 4 ranks, from 0 on",
        ),
        (
            ("allgather/ring", "--model", "usual", "--late", "1:1ms", "--ratios"),
            "leave out --ratios: with --late, no lower bound is known",
        ),
    ],
)
def test_predict_complains(arguments: tuple[str, ...], said: str) -> None:
    code, _, err = invoke("predict", *arguments)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_ctrl_c_keeps_what_is_there() -> None:
    """Stops at the second size of the second algorithm; before that, progress is printed."""
    choices = [(name, find(f"allgather/{name}")) for name in ("ring", "bruck")]
    setting = predicting.Setting(None, Shape(8))
    done: list[float] = []

    def advance(what: str, seconds: float) -> None:
        done.append(seconds)
        if what == "bruck, 1K":
            raise KeyboardInterrupt

    found = predicting.predict(
        choices, setting, [1, 1024], predicting.read_model("lassen"), advance
    )
    assert found.interrupted
    assert None not in found.seconds["ring"]
    assert found.seconds["bruck"][0] is not None and found.seconds["bruck"][1] is None
    expected = predicting.effort(choices[0][1], setting, [1, 1024])
    assert sum(done) > expected > 0


def test_who_reads_tables_may_have_enough_of_them(tmp_path: Path) -> None:
    """A closed pipe: the file has the predictions so far, marked incomplete; no message."""
    file = tmp_path / "times.json"
    read, write = os.pipe()
    os.close(read)
    words = ["predict", "allgather/ring", "--model", "lassen", "--ranks", "4,8", "--sizes", "8"]
    done = subprocess.run(
        [ROOT / "toccata", *words, "--json", file],
        env={**os.environ, "TOCCATA_BUILD": str(BUILD)},
        stdout=write, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")
    rows = json.loads(file.read_text())
    assert [(row["ranks"], row["complete"]) for row in rows] == [(4, False)]


def test_long_walks_are_left_out() -> None:
    """1024 ranks of a ring send a million messages at each size."""
    arguments = ["predict", "allgather/ring", "allgather/bruck", "--model", "lassen",
                 "--ranks", "1024", "--sizes", "1K", "--limit", "1"]  # fmt: skip
    code, stdout, _ = invoke(*arguments)
    assert code == 0
    assert "without ring, which would take about 1 s" in stdout
    code, _, stderr = invoke(*arguments[:2], *arguments[3:])
    assert code == 2 and "--limit 1 leaves no algorithm" in stderr


def test_the_time_left_agrees_with_the_estimate() -> None:
    """It starts with the estimate; a quick first part hardly changes it."""
    assert time_left(1380, 0, 0) == 1380
    assert time_left(1380, 690, 690) == pytest.approx(690)
    assert 1000 < time_left(1380, 20, 4) < 1380
    assert time_left(1380, 1000, 200) < 120  # all parts five times as fast as estimated
    assert time_left(1380, 1380, 900) == 0


def test_the_time_left_counts_down_between_advances() -> None:
    clock = [0.0]
    bar = Progress(TimeLeft(), get_time=lambda: clock[0], console=Console(file=io.StringIO()))
    task = bar.add_task("", total=100.0)
    column = bar.columns[0]
    assert isinstance(column, TimeLeft)
    said = []
    for now, done in ((0, 0), (10, 0), (20, 20), (30, 20), (200, 20)):
        clock[0] = now
        bar.update(task, completed=done)
        said.append(column.render(bar.tasks[0]).plain)
    assert said == ["0:01:40", "0:01:30", "0:01:20", "0:01:10", "0:00:00"]
