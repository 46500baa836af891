"""The page of `toccata explain --html`: its numbers, its size, and how a browser shows it."""

import itertools
import json
import random
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from running import invoke
from toccata.drawing import arrivals, changes, markup, sizes

NAMES = ("allgather", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "exscan", "gather",
         "reduce", "reduce_scatter", "scan", "scatter")  # fmt: skip


@dataclass
class Parsed(HTMLParser):
    """The tables of a page by caption, and its elements."""

    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    elements: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._text: list[str] | None = None
        self._caption = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("caption", "td", "th"):
            self._text = []
        if tag == "tr":
            self.tables[self._caption].append([])

    def handle_data(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        text = "".join(self._text or [])
        if tag == "caption":
            self._caption = text
            assert text not in self.tables
            self.tables[text] = []
        elif tag in ("td", "th"):
            self.tables[self._caption][-1].append(text)
        if tag in ("caption", "td", "th"):
            self._text = None

    def rows(self, caption: str) -> list[dict[str, str]]:
        """All rows of a table, with those that the reader opens, by heading."""
        head, *found = self.tables[caption]
        found += self.tables.get(f"{caption}, continued", [head])[1:]
        return [dict(zip(head, row, strict=True)) for row in found]


def parsed(page: str) -> Parsed:
    result = Parsed()
    result.feed(page)
    return result


def report(seed: int, ranks: int = 8, sizes: int = 3) -> dict[str, Any]:
    """Random numbers for 12 collectives; no size occurs twice with the same choice."""
    chance = random.Random(seed)
    rows: list[dict[str, Any]] = []
    for name in NAMES:
        for size in chance.sample([0, 1, 8, 96, 1024, 65536, 1 << 20, 1 << 24], sizes):
            members = ranks if size % 3 else max(2, ranks // 2)  # of a communicator
            for choice in ("native", "ring"):
                calls = chance.randrange(1, 10**6)
                waiting, working = chance.uniform(0, 1e-3), chance.uniform(1e-6, 1e-3)
                rows.append({
                    "collective": name, "ranks": members, "nodes": 2, "bytes": size, "calls": calls,
                    "total_bytes": size * calls, "seconds": calls * chance.uniform(1e-6, 1e-3),
                    "outside": 0.0, "choice": choice, "predicted": 0, "measured": 0, "native": 0,
                    "bound": 0, "reason": "guarded" if choice == "ring" else "native",
                    "why": "" if choice == "ring" else "few",
                    "arrivals": {
                        "sampled": 10, "waiting": waiting, "working": working,
                        "after_first": [chance.uniform(0, 1e-3) for _ in range(ranks)],
                        "awaited": [chance.uniform(0, 1) for _ in range(ranks)],
                        "last": [1.0] * ranks,
                    },
                })  # fmt: skip
    return {
        "toccata_report": 1, "mpi": "Open MPI v4.1.4", "ranks": ranks, "seconds": 3600.0,
        "rows": rows,
        "arrivals": {
            "hosts": [f"node{rank * 4 // ranks}.example.org" for rank in range(ranks)],
            "waiting": [chance.uniform(0, 100) for _ in range(ranks)],
            "working": [chance.uniform(0, 100) for _ in range(ranks)],
            "left_out": 0, "clock_error": 1e-6,
        },
    }  # fmt: skip


def page_of(folder: Path, *documents: dict[str, Any]) -> str:
    paths = []
    for number, document in enumerate(documents):
        paths.append(folder / f"run{number}.json")
        paths[-1].write_text(json.dumps(document))
    file = folder / "run.html"
    code, _, stderr = invoke("explain", *map(str, paths), "--html", str(file))
    assert code == 0, stderr
    return file.read_text()


def near(text: str, value: float) -> bool:
    """Whether a number of the page is that of the report: it has six digits."""
    return float(text) == pytest.approx(value, rel=1e-5, abs=1e-12)


def size_of(text: str) -> float:
    units = {"K": 1 << 10, "M": 1 << 20}
    return float(text.rstrip("KM")) * units.get(text[-1], 1)


def call_of(label: str) -> tuple[str, float]:
    """The collective and the bytes of "allreduce of 4 KiB, 4 ranks"."""
    name, size = label.split(", ")[0].split(" of ")
    number, unit = size.split(" ")
    return name, float(number) * {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit]


@pytest.mark.parametrize("seed", [1, 2])
def test_every_number_is_that_of_the_report(seed: int, tmp_path: Path) -> None:
    document = report(seed)
    page = parsed(page_of(tmp_path, document))
    rows = document["rows"]

    choices = page.rows("Choices and their reasons")
    assert len(choices) == len(rows)
    for shown, row in zip(choices, sorted(rows, key=lambda row: -row["seconds"]), strict=True):
        assert shown["Collective"] == row["collective"] and shown["Choice"] == row["choice"]
        assert int(shown["Calls"]) == row["calls"] and int(shown["Ranks"]) == row["ranks"]
        assert size_of(shown["Size"]) == row["bytes"]
        assert near(shown["ms on rank 0"], row["seconds"] * 1e3)

    times = page.rows("Waiting and working, ms, mean over all ranks")
    assert len(times) == len(rows) / 2
    for shown in times:
        call = call_of(shown["Calls"])
        mine = [row for row in rows if (row["collective"], row["bytes"]) == call]
        for what in ("waiting", "working"):
            total = sum(row["calls"] * row["arrivals"][what] * row["ranks"] for row in mine)
            total /= document["ranks"]
            assert near(shown[what.capitalize()], total * 1e3)

    ranks = {each["Rank"]: each for each in page.rows("Ranks, ms, the most awaited first")}
    for rank in range(document["ranks"]):
        shown = ranks[f"{rank} on node{rank // 2}"]
        assert near(shown["Waiting"], document["arrivals"]["waiting"][rank] * 1e3)
        assert near(shown["Working"], document["arrivals"]["working"][rank] * 1e3)
        awaited = sum(row["arrivals"]["awaited"][rank] for row in rows)
        assert near(shown["Awaited"], awaited * 1e3)


def test_the_numbers_of_the_heat_maps(tmp_path: Path) -> None:
    document = report(3)
    page = parsed(page_of(tmp_path, document))
    by_rank = page.rows("Mean arrival after the first rank, µs, by rank")
    by_host = page.rows("Mean arrival after the first rank, µs, by host")
    assert len(by_rank) == 8 and [each["Host"] for each in by_host] == [
        "node0", "node1", "node2", "node3",
    ]  # fmt: skip
    for heading in list(by_rank[0])[1:]:
        call = call_of(heading)
        mine = [row for row in document["rows"] if (row["collective"], row["bytes"]) == call]
        calls = sum(row["calls"] for row in mine)
        late = [
            sum(row["calls"] * row["arrivals"]["after_first"][rank] for row in mine) / calls * 1e6
            for rank in range(8)
        ]
        assert all(near(each[heading], late[int(each["Rank"])]) for each in by_rank)
        for place, each in enumerate(by_host):
            assert near(each[heading], (late[2 * place] + late[2 * place + 1]) / 2)


def test_the_histograms_have_all_calls_and_times(tmp_path: Path) -> None:
    document = report(4)
    document["rows"][0]["bytes"] = -1
    document["rows"][1]["bytes"] = 2**63 - 1
    shown = parsed(page_of(tmp_path, document)).rows("Calls and time by size")
    calls: Counter[tuple[str, str]] = Counter()
    seconds: Counter[tuple[str, str]] = Counter()
    names = {0: "0", 1: "1", 8: "8", 96: "128", 1024: "1K", 65536: "64K", 1 << 20: "1M",
             1 << 24: "16M", -1: "?", 2**63 - 1: "longer"}  # fmt: skip
    for row in document["rows"]:
        calls[row["collective"], names[row["bytes"]]] += row["calls"]
        seconds[row["collective"], names[row["bytes"]]] += row["seconds"]
    assert {(each["Collective"], each["Size up to"]) for each in shown} == set(calls)
    for each in shown:
        key = each["Collective"], each["Size up to"]
        assert int(each["Calls"]) == calls[key] and near(each["Time, ms"], seconds[key] * 1e3)


def test_the_overlap_of_requests(tmp_path: Path) -> None:
    document = report(5)
    del document["rows"][2:]
    document["rows"][0] |= {"collective": "iallreduce", "seconds": 2.0, "outside": 1.5}
    document["rows"][1] |= {"collective": "bcast_init", "seconds": 0.0, "choice": "native"}
    for row in document["rows"]:
        del row["arrivals"]
    page = parsed(page_of(tmp_path, document))
    first, second = page.rows("Overlap")
    assert (first["Overlapped"], first["Overlapped, ms"]) == ("75%", "1500")
    assert first["Start to completion, ms"] == "2000"
    assert second["Overlapped"] == second["Start to completion, ms"] == "–"
    stdout = invoke("explain", str(tmp_path / "run0.json"))[1]
    calls = document["rows"][1]["calls"]
    assert (
        "nonblocking and persistent calls: 2.00 s from start to completion on rank 0, of which the "
        f"program overlapped 75% with its own work; {calls} calls by the MPI library, "
        "completion not known"
    ) in stdout
    assert "Overlap" in stdout


def test_two_reports_have_each_number(tmp_path: Path) -> None:
    before, after = report(6), report(7)
    page = parsed(page_of(tmp_path, before, after))
    shown = page.rows("Before and after, per call")
    keys = {(row["collective"], row["bytes"]) for row in before["rows"] + after["rows"]}
    assert {(each["Collective"], size_of(each["Size"])) for each in shown} == keys
    for each in shown:
        working = []
        for when, document in (("before", before), ("after", after)):
            mine = [
                row for row in document["rows"]
                if (row["collective"], row["bytes"]) == (each["Collective"], size_of(each["Size"]))
            ]  # fmt: skip
            calls = sum(row["calls"] for row in mine)
            assert int(each[f"Calls {when}"]) == calls
            if not mine:
                assert each[f"Working {when}, µs"] == each[f"Choice {when}"] == "–"
                continue
            for what in ("waiting", "working"):
                mean = sum(row["calls"] * row["arrivals"][what] for row in mine) / calls
                assert near(each[f"{what.capitalize()} {when}, µs"], mean * 1e6)
            working.append(float(each[f"Working {when}, µs"]))
            total = sum(row["seconds"] for row in mine)
            assert near(each[f"On rank 0 {when}, µs"], total / calls * 1e6)
            most = max(mine, key=lambda row: row["calls"])
            assert each[f"Choice {when}"].split(", ")[0] == most["choice"]
        if len(working) == 2:
            assert each["Working, ratio"] == f"×{working[1] / working[0]:.2f}"
        else:
            assert each["Working, ratio"] == "–"
    for when, document in (("Before", before), ("After", after)):
        assert len(page.rows(f"{when}: Choices and their reasons")) == len(document["rows"])


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of two reports: 64 ranks, 12 collectives of 5 sizes, 1 hour."""
    reports = (report(seed, ranks=64, sizes=5) for seed in (8, 9))
    return page_of(tmp_path_factory.mktemp("large"), *reports)


def test_a_large_page_is_small_and_readable_without_sight(large: str) -> None:
    text = large
    assert len(text.encode()) < 1_000_000
    assert "<script" not in text and "src=" not in text and "url(http" not in text
    elements = parsed(text).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    figures = [attributes for tag, attributes in elements if tag == "svg"]
    assert len(figures) == 9 and all(each["role"] == "img" for each in figures)
    regions = [attributes for _, attributes in elements if attributes.get("role") == "region"]
    for named in (figures, regions):
        names = [each["aria-label"] for each in named]
        assert all(names) and len(set(names)) == len(names)
    assert all(each["tabindex"] == "0" for each in regions)
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(b <= a + 1 for a, b in itertools.pairwise(levels))


def luminance(colour: str) -> float:
    """As WCAG 2 defines it, of a colour such as #0072B2."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    dark, bright = sorted((luminance(first), luminance(second)))
    return (bright + 0.05) / (dark + 0.05)


def test_colours_have_enough_contrast_in_light_and_dark() -> None:
    """WCAG 2: 4.5 for texts, 3 for parts of figures and for the mark of the focus."""
    light, dark = (
        dict(re.findall(r"--(\w+): (#\w{6})", part))
        for part in markup.STYLE.split("@media (prefers-color-scheme: dark)")
    )
    for page in (light, dark):
        assert contrast(page["paper"], page["ink"]) >= 4.5
        assert contrast(page["paper"], page["focus"]) >= 3
        for colour in (arrivals.WAITING, arrivals.WORKING, sizes.TIME, changes.UNKNOWN):
            assert contrast(page["paper"], colour) >= 3, colour


PHONE = """<!DOCTYPE html><html><body>
<iframe width="{width}" height="844" srcdoc="{page}"></iframe>
<script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  for (const each of page.querySelectorAll("details")) each.open = true;
  const sizes = Array.from(page.querySelectorAll("p, li, td, th, summary, svg text"),
    each => parseFloat(getComputedStyle(each).fontSize)
            * (each.getScreenCTM ? each.getScreenCTM().a : 1));
  const reached = Array.from(page.querySelectorAll("[tabindex], summary"), each => {{
    each.focus();
    return page.activeElement === each;
  }});
  document.title = JSON.stringify({{
    wide: page.documentElement.scrollWidth, letters: Math.min(...sizes),
    figures: page.querySelectorAll("svg").length, reached: reached.every(each => each),
  }});
}};
</script></body></html>
"""


@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_shows_the_page(width: int, large: str, tmp_path: Path) -> None:
    """On a phone, only tables scroll sideways, and letters stay readable. The keyboard reaches all
    that scrolls or opens."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium; install it (Debian: apt-get install chromium)")
    outer = tmp_path / "outer.html"
    outer.write_text(PHONE.format(width=width, page=escape(large)))
    shown = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/c",
         "--window-size=1400,900", "--dump-dom", outer.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", shown.stdout)
    assert title, shown.stderr
    seen = json.loads(title[1])
    assert seen["wide"] <= width and seen["figures"] == 9 and seen["reached"]
    assert seen["letters"] >= 9
