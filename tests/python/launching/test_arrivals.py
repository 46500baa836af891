"""Waiting and working in `toccata explain`, and its page."""

import html
import json
import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from running import invoke
from toccata.drawing import gains
from toccata.launching import reports
from toccata.launching.arrivals import Arrivals

RANKS = 4


def row(collective: str, waiting: float, working: float, awaited: list[float]) -> dict[str, Any]:
    """1000 calls; the rank that is awaited most arrives last."""
    most = awaited.index(max(awaited)) if any(awaited) else -1
    return {
        "collective": collective, "ranks": RANKS, "nodes": 2, "bytes": 4096, "calls": 1000,
        "total_bytes": 4096000, "seconds": 1.5, "choice": "native", "reason": "native",
        "predicted": 0, "measured": 0, "native": 0, "bound": 1e-4, "why": "few",
        "arrivals": {
            "sampled": 100, "waiting": waiting, "working": working,
            "after_first": [1e-3 if rank == most else 0.0 for rank in range(RANKS)],
            "awaited": awaited, "last": [1000.0 if rank == most else 0.0 for rank in range(RANKS)],
        },
    }  # fmt: skip


def sample(awaited: list[float], hosts: list[str] | None = None) -> dict[str, Any]:
    return {
        "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": RANKS, "seconds": 10.0,
        "node": "", "devices": [],
        "rows": [
            row("allreduce", 1e-3, 5e-4, awaited),
            row("bcast", 0.0, 5e-5, [0.0] * RANKS),
        ],
        "arrivals": {
            "hosts": hosts or ["n1", "n1", "n2", "n2"], "waiting": [1.0] * RANKS,
            "working": [0.55] * RANKS, "left_out": 0, "clock_error": 1e-6,
        },
    }  # fmt: skip


def answers(document: dict[str, Any], folder: Path) -> list[str]:
    path = folder / "run.json"
    path.write_text(json.dumps(document))
    return reports.answers(reports.read(path))


def test_the_first_lines_answer_three_questions(tmp_path: Path) -> None:
    lines = answers(sample([0.0, 0.2, 3.6, 0.2]), tmp_path)
    assert lines == [
        "blocking collectives: 16% of the time, 1.55 s of 10.00 s (mean over ranks)",
        "65% of the time in blocking collectives is waiting for late ranks (1.00 s); 90% of this "
        "waiting is for rank 2 on n2",
        "better algorithms can save at most 400.00 ms, 4% of the time: the working time minus the "
        "lower bound, if the bound is known",
    ]
    stdout = invoke("explain", str(tmp_path / "run.json"))[1]
    assert stdout.splitlines()[:3] == lines


def test_available_contains_no_waiting(tmp_path: Path) -> None:
    """Working of 500 µs with a bound of 100 µs; the broadcasts are faster than their bound."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(sample([0.0, 0.2, 3.6, 0.2])))
    first, second = reports.read(path).rows
    assert first.available == pytest.approx(0.4) and second.available == 0


@pytest.mark.parametrize(
    ("awaited", "hosts", "said"),
    [
        ([1.0, 1.0, 1.0, 1.0], ["n1"] * RANKS, "no rank is late in most calls"),
        ([2.0, 1.5, 0.3, 0.2], ["n1"] * RANKS, "no rank is late in most calls"),
        ([3.0, 0.5, 0.3, 0.2], ["n1"] * RANKS, "75% of this waiting is for rank 0"),
        ([0.1, 0.1, 2.0, 1.8], ["n1", "n1", "n2", "n2"], "95% of this waiting is for host n2"),
        ([1.0, 1.0, 1.0, 1.0], ["n1", "n1", "n2", "n2"], "no rank is late in most calls"),
    ],
)
def test_for_which_ranks(awaited: list[float], hosts: list[str], said: str, tmp_path: Path) -> None:
    assert answers(sample(awaited, hosts), tmp_path)[1].endswith(said)


def test_who_is_late() -> None:
    """Little waiting makes no rank late, nor does a single long delay."""
    arrivals = Arrivals(["n"] * 2, [1.0, 0.0], [1.0, 1.0], 0, 0.0)
    assert arrivals.late([0.0, 1.0], [30.0, 70.0], 10.0) == ("rank 1", 1.0)
    assert arrivals.late([0.0, 1.0], [40.0, 60.0], 10.0) is None
    assert arrivals.late([0.0, 1.0], [30.0, 70.0], 51.0) is None
    few = Arrivals(["n"] * 2, [0.1, 0.0], [1.0, 1.0], 0, 0.0)
    assert few.late([0.0, 0.1], [0.0, 100.0], 1.0) is None


def test_reports_without_arrivals(tmp_path: Path) -> None:
    """Toccata 0.3 wrote such reports."""
    old = sample([1.0] * RANKS)
    del old["arrivals"]
    for each in old["rows"]:
        del each["arrivals"]
    assert answers(old, tmp_path) == []
    path, page = tmp_path / "run.json", tmp_path / "run.html"
    code, stdout, _ = invoke("explain", str(path), "--html", str(page))
    assert code == 0 and "waiting for late ranks" not in stdout
    assert "No arrivals: set TOCCATA_REPORT on all ranks." in page.read_text()


def cells(page: str, caption: str) -> list[list[str]]:
    table = page.split(f"<caption>{caption}")[1].split("</table>")[0].split("<tbody>")[1]
    return [
        [html.unescape(each) for each in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line)]
        for line in re.findall(r"<tr>(.*?)</tr>", table)
    ]


def test_the_page_has_the_numbers_of_the_report(tmp_path: Path) -> None:
    path, file = tmp_path / "run.json", tmp_path / "run.html"
    document = sample([0.0, 0.2, 3.6, 0.2])
    document["mpi"] = "<Open & MPI>"
    path.write_text(json.dumps(document))
    code, stdout, _ = invoke("explain", str(path), "--html", str(file))
    assert code == 0 and f"wrote {file}" in stdout
    page = file.read_text()
    assert cells(page, "Waiting and working") == [
        ["allreduce of 4 KiB, 4 ranks", "1000", "500"],
        ["bcast of 4 KiB, 4 ranks", "0", "50"],
    ]
    assert cells(page, "Ranks")[0] == ["2 on n2", "1000", "550", "3600"]
    [first, _] = cells(page, "Choices")
    assert first[:6] == ["allreduce", "4K", "native", "1500", "1000", "4"]
    assert first[6].startswith("too few calls")
    for line in reports.answers(reports.read(path)):
        assert f"<li>{html.escape(line)}</li>" in page
    assert "&lt;Open &amp; MPI&gt;" in page and "<Open" not in page


def test_the_page_needs_no_network_and_has_alternative_texts(tmp_path: Path) -> None:
    """Bars and heat maps by rank and by host, in the colours of the page."""
    path, file = tmp_path / "run.json", tmp_path / "run.html"
    path.write_text(json.dumps(sample([0.0, 0.2, 3.6, 0.2])))
    invoke("explain", str(path), "--html", str(file))
    page = file.read_text()
    addresses = set(re.findall(r'(?:src|href)="(?!#)([^"]*)"', page))
    assert not {each for each in addresses if not each.startswith("data:image/png;base64,")}
    assert "<script" not in page and "@import" not in page and "url(http" not in page
    alts = re.findall(r'<svg role="img" aria-label="([^"]+)"', page)
    assert len(alts) == page.count("<svg") == 4
    assert "allreduce of 4 KiB, 4 ranks: 1.00 s of waiting" in alts[0] and "all hosts" in alts[2]
    names = re.findall(r' id="([^"]*)"', page)
    assert len(names) == len(set(names))
    assert set(re.findall(r"url\(#([^)]*)\)", page)) <= set(names)
    assert "currentColor" in page and "#0a0b0c" not in page
    assert "prefers-color-scheme: dark" in page and "width=device-width" in page


def test_gains_beside_arrivals(tmp_path: Path) -> None:
    document = sample([0.0, 0.2, 3.6, 0.2])
    document["rows"][0] |= {
        "choice": "ring", "reason": "trials", "measured": 1e-3, "native": 2e-3,
    }  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    stdout = invoke("explain", str(path))[1]
    assert "the largest saving: allreduce of 4 KiB by ring, 1.50 s" in stdout


def test_unknown_arrivals_are_named(tmp_path: Path) -> None:
    document = sample([0.0, 0.2, 3.6, 0.2])
    del document["rows"][1]["arrivals"]
    document["arrivals"]["left_out"] = 100
    lines = answers(document, tmp_path)
    assert "known for 50% of the time in collectives" in lines[0]
    assert lines[1].startswith("100 of 200 sampled calls have contradictory times")
    document["rows"][1]["seconds"] = 0.05
    document["arrivals"]["left_out"] = 9
    assert answers(document, tmp_path)[0].startswith("blocking collectives")


@pytest.mark.parametrize(
    ("where", "what", "value", "said"),
    [
        ("row", "calls", -1, "rows[0].calls: expected 'int' >= 0"),
        ("row", "ranks", 0, "rows[0].ranks: expected 'int' >= 1"),
        ("row", "bytes", 10**400, "rows[0].bytes"),
        ("row", "seconds", 1e300, "rows[0].seconds: expected 'float' <= 1"),
        ("run", "hosts", ["n1"], "arrivals.hosts: expected one for each of 4 ranks"),
        ("run", "waiting", [], "arrivals.waiting: expected one for each of 4 ranks"),
        ("calls", "last", [1.0] * 5, "rows[0].arrivals.last: expected one for each of 4 ranks"),
        ("calls", "awaited", [], "rows[0].arrivals.awaited: expected one for each of 4 ranks"),
        ("report", "ranks", 3, "arrivals.hosts: expected one for each of 3 ranks"),
        ("report", "ranks", -4, "ranks: expected 'int' >= 1"),
    ],
)
def test_wrong_numbers_are_one_line(
    where: str, what: str, value: object, said: str, tmp_path: Path
) -> None:
    document = sample([0.0, 0.2, 3.6, 0.2])
    first = document["rows"][0]
    parts = {
        "report": document, "run": document["arrivals"], "row": first, "calls": first["arrivals"],
    }  # fmt: skip
    parts[where][what] = value
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    code, _, stderr = invoke("explain", str(path))
    assert code == 2 and said in stderr and stderr.count("\n") == 1, stderr


def test_names_are_not_markup(tmp_path: Path) -> None:
    document = sample([0.0, 0.2, 3.6, 0.2], hosts=["[/red]", "[/red]", "n2", "n2"])
    document["rows"][0] |= {"choice": "[/red]", "reason": "[/red]"}
    document["devices"] = ["[/red]"]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(document))
    code, stdout, stderr = invoke("explain", str(path))
    assert code == 0 and stdout.count("[/red]") >= 2, stderr


def test_a_page_does_not_replace_its_report(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(sample([0.0, 0.2, 3.6, 0.2])))
    before = path.read_text()
    code, _, stderr = invoke("explain", str(path), "--html", str(path))
    assert code == 2 and "is also the input; name another file" in stderr
    assert path.read_text() == before


def test_options_that_a_report_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(sample([0.0, 0.2, 3.6, 0.2])))
    code, _, stderr = invoke("explain", str(path), "-p", "4")
    assert code == 2 and "a report has its own ranks and machine" in stderr


def bars_of(figure: Figure) -> list[Rectangle]:
    return [each for each in figure.axes[0].patches if isinstance(each, Rectangle)]


def late_rank_0(**more: Any) -> dict[str, Any]:
    """Rank 0 takes 9 s for the first collective, the mean over ranks 1.5 s."""
    document = sample([0.0, 0.2, 3.6, 0.2])
    document["rows"][0] |= {"choice": "ring", "measured": 1e-4, "native": 2e-4, "seconds": 9.0}
    document["rows"] += [more] if more else []
    return document


def test_all_times_are_means_where_arrivals_are_known(tmp_path: Path) -> None:
    path, page = tmp_path / "run.json", tmp_path / "run.html"
    path.write_text(json.dumps(late_rank_0()))
    report = reports.read(path)
    assert report.after == pytest.approx(1.55)  # 1000 calls of 1.5 ms and of 50 µs
    assert report.before == pytest.approx(3.05)
    code, stdout, _ = invoke("explain", str(path), "--html", str(page))
    assert code == 0
    assert "blocking collectives: 16% of the time, 1.55 s of 10.00 s (mean over ranks)" in stdout
    said = "the ranks were, on average, in collectives for 1.55 s, 16% of the run's 10.00 s\n"
    assert said in stdout
    assert "with native, it would have been 3.05 s: Toccata saved 1.50 s" in stdout
    assert "Time: mean over all ranks" in stdout
    [line] = [each for each in stdout.splitlines() if each.startswith("allreduce")]
    assert " 1.50 s " in line and "97%" in line
    figure = gains.draw(report, "")
    assert figure.axes[0].get_xlabel() == "ms, mean over all ranks"
    widths = [bar.get_width() for bar in bars_of(figure)]  # pairs: all, allreduce, bcast
    assert widths == pytest.approx([3050, 1550, 3000, 1500, 50, 50])
    assert "16% of the time, 1.55 s of 10.00 s" in page.read_text()
    assert "ms on rank 0" in page.read_text()  # the column with the rows' seconds


def test_no_native_time_is_drawn_that_was_not_measured(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    document = late_rank_0()
    document["rows"][0] |= {"native": 0}
    document["rows"].append(row("barrier", 0, 1e-6, [0.0] * RANKS) | {"bytes": 0})
    path.write_text(json.dumps(document))
    figure = gains.draw(reports.read(path), "")
    rows = {round(bar.get_y() + bar.get_height() / 2) for bar in bars_of(figure)}
    assert len(bars_of(figure)) == len(rows) + 2  # two for each row that native served
    names = [each.get_text() for each in figure.axes[0].get_yticklabels()]
    assert names[:2] == ["all collectives", "allreduce of 4 KiB, 4 ranks"]
    assert "barrier, 4 ranks" in names


def test_times_without_arrivals_are_called_those_of_rank_0(tmp_path: Path) -> None:
    request = row("iallgather", 0, 0, [0.0] * RANKS) | {"seconds": 2.0}
    del request["arrivals"]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(late_rank_0(**request)))
    report = reports.read(path)
    assert report.after == pytest.approx(3.55)
    assert (
        "(mean over all ranks; without arrivals, rank 0 of each communicator)"
        in (reports.summary(report)[0])
    )
    alone = late_rank_0()
    del alone["arrivals"]
    for each in alone["rows"]:
        del each["arrivals"]
    path.write_text(json.dumps(alone))
    assert reports.summary(reports.read(path))[0].startswith(
        "rank 0 was in collectives for 10.50 s"
    )
