"""Recorded traffic: reading files, the numbers of `toccata traffic FILE.json`, predicted times."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import Toccata
from recorded_programs import ring, write
from toccata import _core
from toccata.drawing import traffic_maps
from toccata.errors import InputError
from toccata.models import predicting
from toccata.models import traffic as recorded


def traffic(file: Path) -> recorded.Traffic:
    record = recorded.read(file)
    return record.traffic(record.placed(file))


def test_numbers_of_a_ring(tmp_path: Path) -> None:
    file = write(tmp_path / "ring.json", ring(8, 1000), "node:4 core:2", "cyclic")
    record = recorded.read(file)
    placed = record.placed(file)
    found = record.traffic(placed)
    assert (found.messages, found.bytes) == (8, 8000)
    assert [(each.level, each.messages, each.bytes, each.most)
            for each in recorded.crossings(found)] == [
        ("node", 8, 8000, 2000),
        ("core", 8, 8000, 1000),
    ]  # fmt: skip
    in_order = placed.among([0, 4, 1, 5, 2, 6, 3, 7])  # ranks 0 and 1 where 0 and 4 run: on node 0
    assert [each.bytes for each in recorded.crossings(record.traffic(in_order))] == [4000, 8000]
    assert recorded.heaviest(found, 2) == [(0, 1, 1, 1000), (0, 7, 1, 1000)]


def test_both_directions_and_all_kinds_of_a_pair_are_one(tmp_path: Path) -> None:
    pairs = [[0, 1, "point-to-point", 1, 10], [1, 0, "one-sided", 2, 20],
             [0, 1, "neighborhood", 4, 40], [2, 3, "point-to-point", 1, 69]]  # fmt: skip
    found = traffic(write(tmp_path / "a.json", pairs, "node:2 core:2"))
    assert recorded.heaviest(found) == [(0, 1, 7, 70), (2, 3, 1, 69)]
    assert found.flows.row(0) == [(1, 50)]


def test_flows_do_not_contain_messages_to_itself(tmp_path: Path) -> None:
    pairs = [[0, 0, "point-to-point", 1, 10], [0, 1, "point-to-point", 1, 10]]
    flows = traffic(write(tmp_path / "a.json", pairs, "node:2 core:2")).flows
    assert (flows.p, flows.row(0), flows.row(1)) == (4, [(1, 10)], [])


def test_ranks_that_are_bound_to_nodes_only(tmp_path: Path) -> None:
    found = traffic(write(tmp_path / "a.json", ring(4, 10), "node:2 core:2", "node:0,0,1,1"))
    assert [each.bytes for each in recorded.crossings(found)] == [20, 20]


def test_predicted_time_is_that_of_the_busiest_rank_or_node(tmp_path: Path) -> None:
    model = _core.Model.parse(
        '{"name": "m", "origin": "", "levels": ['
        '{"level": "network", "threshold": 100, "eager": {"alpha": 1, "beta": 0.5},'
        ' "rendezvous": {"alpha": 10, "beta": 0.5}},'
        '{"level": "node", "injection": 4, "eager": {"alpha": 0.25, "beta": 0}}]}'
    )
    pairs = [[0, 1, "point-to-point", 4, 40], [0, 2, "point-to-point", 2, 20],
             [1, 3, "point-to-point", 1, 1000]]  # fmt: skip
    file = write(tmp_path / "a.json", pairs, "node:2 core:2")
    found = recorded.read(file)
    placed = found.placed(file)
    # Rank 1: 10 + 1000 · 0.5 between nodes, and at the same time 4 · 0.25 inside the node.
    assert recorded.seconds(found.traffic(placed), model) == pytest.approx(10 + 500)
    # Ranks 1 and 3 are on one node; rank 0: 4 · 1 + 40 · 0.5, and at the same time 2 · 0.25.
    other = found.traffic(placed.among([0, 2, 1, 3]))
    assert recorded.seconds(other, model) == pytest.approx(4 + 20)
    assert 0 < recorded.seconds(other, predicting.read_model("usual")) < 1


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"toccata_traffic": 5}, "has version 5, but this Toccata reads versions 1 to 4"),
        ({"toccata_traffic": 0}, "has version 0, but this Toccata reads versions 1 to 4"),
        ({"toccata_traffic": "1"}, "has version '1', but this Toccata reads versions 1 to 4"),
        ({"ranks": 0}, "ranks: expected"),
        ({"pairs": [[0, 1, "one-sided", 1, 10**400]]}, r"pairs\[0\]"),
        ({"cores": [0, 1, 2, -7]}, r"cores\[3\]"),
        ({"pairs": [[0, 4, "point-to-point", 1, 1]]}, "there is no rank 4 among 4"),
        ({"pairs": [[0, 1, "letters", 1, 1]]}, r"pairs\[0\]"),
        ({"pairs": [[0, -1, "one-sided", 1, 1]]}, r"pairs\[0\]"),
        ({"pairs": [[0, 1]]}, r"pairs\[0\]"),
        ({"pairs": [[0, 1, "one-sided", 1, 1, 2**31]]}, r"pairs\[0\]\[5\]: expected"),
        ({"collectives": [["bcast", 0, 8, 0, 1, "blocking", "x"]]}, r"collectives\[0\]\[6\]: exp"),
        ({"cores": [0]}, "cores: expected one for each of 4 ranks"),
        ({"machine": "nonsense"}, "record"),
        ({"placement": "node:0"}, "record"),
        ({"outside": None}, "outside: expected"),
        ({"mpi": 4}, "mpi: expected"),
        ({"left_out": -1}, "left_out: expected"),
        ({"communicators": [[]]}, r"communicators\[0\]: expected"),
        ({"communicators": [[[0, 4, 0]]]}, r"communicators\[0\]: the step of a run must not be 0"),
        ({"communicators": [[[0, 5, 1]]]}, "has 5 ranks, but there are only 4"),
        ({"communicators": [[[0, 2**20, 1]]]}, "has 1048576 ranks, but there are only 4"),
        ({"communicators": [[[1, 4, 1]]]}, "expected ranks from 0 to 3"),
        ({"communicators": [[[2, 4, -1]]]}, "expected ranks from 0 to 3"),
        ({"communicators": [[[0, 2, 1], [1, 1, 1]]]}, r"communicators\[0\]: names a rank twice"),
        ({"communicators": [[[0, 2, 1.5]]]}, r"communicators\[0\]\[0\]\[2\]: expected"),
        ({"collectives": [["bcast", 0, 8, 0, 1, "blocking"]]}, "there is no communicator 0"),
        ({"collectives": [["cast", 0, 8, 0, 1, "blocking"]]}, r"collectives\[0\]\[0\]: "),
        ({"collectives": [["bcast", 0, 2**60, 0, 1, "blocking"]]}, r"collectives\[0\]\[2\]: "),
        ({"collectives": [["bcast", 0, 8, 0, -1, "blocking"]]}, r"collectives\[0\]\[4\]: "),
        ({"collectives": [["bcast", 0, 8, 0, 1, "late"]]}, r"collectives\[0\]\[5\]: "),
        ({"collectives": [["bcast", 0, 8]]}, r"collectives\[0\]: expected"),
        (
            {"communicators": [[[1, 2, 1]]], "collectives": [["bcast", 0, 8, 2, 1, "blocking"]]},
            r"collectives\[0\]: there is no root 2 among 2 ranks",
        ),
    ],
)
def test_broken_files_are_one_line(tmp_path: Path, change: dict[str, Any], complaint: str) -> None:
    file = write(tmp_path / "a.json", ring(4, 10), "node:2 core:2")
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(InputError, match=complaint) as error:
        recorded.read(file).placed(file)
    assert "\n" not in str(error.value) and "toccata run --record" in str(error.value)


def test_only_records_are_traffic(tmp_path: Path) -> None:
    file = write(tmp_path / "a.json", ring(4, 10), "node:2 core:2")
    assert recorded.is_traffic(str(file))
    for name, text in {"b.json": "{}", "c.json": "{", "d.json": "[1]", "e.txt": "{}"}.items():
        (tmp_path / name).write_text(text)
        assert not recorded.is_traffic(str(tmp_path / name))
    assert not recorded.is_traffic("allgather/ring") and not recorded.is_traffic("missing.json")


def test_many_ranks_share_cells(tmp_path: Path) -> None:
    found = traffic(write(tmp_path / "a.json", ring(1000, 10), "node:125 core:8"))
    left, right, *_ = traffic_maps.draw(found, "a ring").axes
    assert left.get_images()[0].get_size() == (125, 125)
    assert left.get_title() == "bytes, 8 ranks per cell"
    assert right.get_title().startswith("messages")
    empty = traffic(write(tmp_path / "b.json", [], "node:1 core:2"))
    assert len(traffic_maps.draw(empty, "nothing").axes) == 4


def test_command_line(toccata: Toccata, tmp_path: Path) -> None:
    file = write(tmp_path / "ring.json", ring(8, 1024), "node:4 core:2", outside=[3, 2048])
    said = toccata("traffic", str(file), "-o", str(tmp_path / "matrix.png"))
    assert said.returncode == 0, said.stderr
    assert "8 ranks on node:4 core:2: 8 messages, 8 KiB" in said.stdout
    assert re.search(r"node +4 +4 KiB +50\.0%", said.stdout)
    assert "without 3 messages (2 KiB) to ranks outside MPI_COMM_WORLD" in said.stdout
    assert (tmp_path / "matrix.png").stat().st_size > 1000
    broken = tmp_path / "broken.json"
    broken.write_text("[" * 100_000)
    for arguments, complaint in {
        (): "give the number of ranks",
        (str(broken),): f"{broken}: is not a record of traffic",
        ("missing.json", "-o", "a.png"): "missing.json: cannot be read",
        (str(file), "-p", "4"): "a record has its own ranks and machine",
        ("ring", "-p", "4", "-o", "a.png"): "-o draws recorded traffic",
    }.items():
        said = toccata("traffic", *arguments)
        assert said.returncode == 2 and complaint in said.stderr, said.stderr


def with_phases(file: Path) -> Path:
    """Phase 1 sends along a ring; phase 7 to the opposite rank, and broadcasts; others, little."""
    write(file, ring(8, 1000), "node:4 core:2")
    pairs = ring(8, 1000)
    pairs += [[rank, (rank + 4) % 8, "point-to-point", 2, 5000, 7] for rank in range(8)]
    pairs += [[0, 1, "point-to-point", 3, 10, 0], [0, 1, "point-to-point", 1, 100, -2]]
    collectives = [["bcast", 0, 10, 0, 2, "blocking"], ["bcast", 0, 10, 0, 3, "blocking", 7]]
    more = {"toccata_traffic": 3, "mpi": "MPICH Version: 4.0.2", "pairs": pairs,
            "communicators": [[[0, 8, 1]]], "collectives": collectives, "left_out": 0}  # fmt: skip
    file.write_text(json.dumps(json.loads(file.read_text()) | more))
    return file


def test_phases_are_parts_of_the_whole(tmp_path: Path) -> None:
    record = recorded.read(with_phases(tmp_path / "a.json"))
    placed = record.placed(tmp_path / "a.json")
    assert record.phases == [-2, 1, 7, 0]
    whole = record.traffic(placed)
    parts = [record.of_phase(each).traffic(placed) for each in record.phases]
    assert [each.bytes for each in parts] == [100, 8000 + 2 * 70, 40000 + 3 * 70, 10]
    assert (whole.bytes, whole.messages) == (
        sum(each.bytes for each in parts), sum(each.messages for each in parts)
    )  # fmt: skip
    ends = [(each.sender, each.receiver, each.kind) for each in whole.pairs]
    assert len(set(ends)) == len(ends) and len(whole.called) == 1
    with pytest.raises(InputError, match=r"--phase 3: .* are: -2, 1, 7, others$"):
        record.of_phase(3)


def test_command_lines_of_phases(toccata: Toccata, tmp_path: Path) -> None:
    file = with_phases(tmp_path / "a.json")
    said = toccata("traffic", str(file))
    assert said.returncode == 0, said.stderr
    for row in (r"-2 +1 +100 B +0\.2%", r"7 +37 +39\.3 KiB +83\.0%", r"others +3 +10 B +0\.0%"):
        assert re.search(row, said.stdout), said.stdout
    said = toccata("traffic", str(file), "--phase", "7", "-o", str(tmp_path / "matrix.png"))
    assert "8 ranks on node:4 core:2, phase 7: 37 messages" in said.stdout, said.stderr
    assert "Phase" in said.stdout and re.search(r"0, 4 +7 +9\.79 KiB", said.stdout)
    said = toccata("place", str(file), "--phase", "7", "--no-scotch", "--seconds", "0.1")
    assert "phase 7" in said.stdout and "Map the ranks" in said.stdout, said.stdout + said.stderr
    for words, complaint in {
        ("traffic", str(file), "--phase", "0"): "--phase 0: expected a number passed",
        ("traffic", str(file), "--phase", "solve"): "--phase solve: expected a number passed",
        ("place", str(file), "--phase", "8"): "--phase 8: the phases of this record are: -2, 1",
        ("traffic", "ring", "-p", "4", "--phase", "1"): "--phase selects recorded traffic",
    }.items():
        said = toccata(*words)
        assert said.returncode == 2 and complaint in said.stderr, said.stderr
