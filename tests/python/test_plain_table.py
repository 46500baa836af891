"""Tables in a terminal of a given width."""

import io

from rich.console import Console

from toccata.plain_table import PlainTable


def table(figures: int, kept: int = 1) -> PlainTable:
    """The first column names the row; `figures` more follow, eleven characters each."""
    result = PlainTable(kept)
    for each in range(kept):
        result.add_column(f"Of{each}")
    for each in range(figures):
        result.add_column(f"name\n{each}", justify="right")
    for row in range(2):
        result.add_row(*["1K"] * kept, *(f"{row}{each:02}.25±100%" for each in range(figures)))
    return result


def shown(what: PlainTable, width: int, terminal: bool = True) -> list[str]:
    console = Console(width=width, file=io.StringIO(), force_terminal=terminal, color_system=None)
    with console.capture() as said:
        console.print(what, crop=False)
    return said.get().splitlines()


def test_what_fits_is_one_table() -> None:
    lines = shown(table(5), 80)
    assert len(lines) == 4
    assert lines[2].split() == ["1K", *(f"00{each}.25±100%" for each in range(5))]


def test_what_does_not_fit_comes_in_parts() -> None:
    lines = shown(table(20), 80)
    assert max(map(len, lines)) <= 80
    words = " ".join(lines).split()
    for row in range(2):
        assert [f"{row}{each:02}.25±100%" in words for each in range(20)] == [True] * 20
    starts = [line.split()[0] for line in lines if "±" in line]
    assert starts == ["1K"] * len(starts) and len(starts) > 4
    assert not any("…" in line for line in lines)


def test_several_columns_are_in_all_parts() -> None:
    lines = [line for line in shown(table(20, kept=3), 60) if "±" in line]
    assert all(line.split()[:3] == ["1K"] * 3 for line in lines)


def test_too_narrow_for_anything_is_not_cut() -> None:
    lines = shown(table(3), 8)
    assert sum("±100%" in line for line in lines) == 6


def test_in_a_pipe_it_is_one_table() -> None:
    lines = shown(table(40), 80, terminal=False)
    assert len(lines) == 4 and len(lines[2]) > 400


def test_a_name_is_folded_before_figures_are_parted() -> None:
    name = "allgather/locality_bruck:lanes=smallest,levels=node"
    what = PlainTable()
    what.add_column("Algorithm", overflow="fold")
    for each in range(4):
        what.add_column(str(each), justify="right")
    what.add_row(name, *["123456789"] * 4)
    lines = shown(what, 70)
    assert max(map(len, lines)) <= 70
    assert " ".join(lines).split().count("123456789") == 4
    assert "".join(line.split()[0] for line in lines[1:]) == name
