"""Messages that cross the levels of a machine: their numbers and their drawings."""

from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from running import invoke
from toccata import _core
from toccata.algorithms.catalogue import find
from toccata.drawing import pictures, schedules

# [bienz2022, example 2.1]
EXAMPLE = _core.Shape(_core.Placement(_core.Machine("node:4 core:4"), 16))


def test_the_papers_example() -> None:
    (nodes, _) = _core.crossings(find("allgather/bruck"), EXAMPLE, 4)
    assert (nodes.level, nodes.rank.messages, nodes.rank.blocks) == ("node", 4, 15)
    (nodes, cores) = _core.crossings(find("locality_bruck"), EXAMPLE, 4)
    assert (nodes.rank.messages, nodes.rank.blocks, nodes.rank.bytes) == (1, 4, 16)
    assert (nodes.total.messages, len(nodes.regions), nodes.regions[3].messages) == (12, 4, 3)
    # In a region of 4 ranks, there are 8 messages before the exchange and 7 after it: rank 3 has
    # fetched nothing.
    assert cores.total.messages == 12 + 4 * (8 + 7)
    assert _core.crossings(find("locality_bruck"), _core.Shape(16)) == []


def test_regions_are_of_the_levels_that_divide() -> None:
    shape = _core.Shape(_core.Placement(_core.Machine("leaf:1 node:2 core:2"), 4, "cyclic"))
    assert _core.regions(shape) == [("node", [0, 1, 0, 1])]
    assert _core.regions(_core.Shape(4)) == []


def test_the_table_has_a_line_for_each_level() -> None:
    machine = ("--machine", "node:2 socket:2 core:4")
    code, stdout, _ = invoke("traffic", "locality_bruck:lanes=smallest", "-p", "16", *machine)
    assert code == 0
    lines = [line.split() for line in stdout.splitlines()]
    assert ["allgather/locality_bruck:lanes=smallest", "nodes", "1", "8"] in [x[:4] for x in lines]
    assert any(line[:1] == ["sockets"] for line in lines)
    code, stdout, _ = invoke("traffic", "locality_bruck", "-p", "16")
    assert code == 0
    assert "Between" not in stdout


def test_a_picture_tells_local_messages_from_others() -> None:
    figure = schedules.draw(find("locality_bruck"), EXAMPLE)
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    names = [next(text for text in each if text[:5] in ("start", "round")) for each in texts]
    assert names == ["start", *(f"round {number}" for number in range(1, 6))]
    for name, axes in zip(names, figure.axes, strict=True):
        arrows = [each for each in axes.patches if isinstance(each, FancyArrowPatch)]
        outward = sum(
            to_hex(each.get_edgecolor()) in (pictures.OUTWARD, pictures.FAINT_OUTWARD)
            for each in arrows
        )
        assert outward == (12 if name == "round 3" else 0)
    (legend,) = figure.legends
    assert "between nodes" in [each.get_text() for each in legend.get_texts()]
