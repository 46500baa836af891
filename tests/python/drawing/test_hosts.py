"""Heat maps of pairs of hosts."""

from toccata.drawing import hosts


def texts(number: int, factors: dict[tuple[int, int], float]) -> tuple[list[str], list[str], str]:
    """The names on an axis, the numbers in cells, and the title."""
    figure = hosts.draw({"latency": factors}, [f"n{i}" for i in range(number)], "title")
    axes = figure.axes[0]
    names = [each.get_text() for each in axes.get_yticklabels()]
    return names, [each.get_text() for each in axes.texts], figure.get_suptitle()


def test_few_hosts_have_all_names_and_numbers() -> None:
    names, numbers, title = texts(3, {(0, 1): 1.02, (2, 0): 3.5})
    assert (names, numbers, title) == (["n0", "n1", "n2"], ["1.02", "3.50"], "title")


def test_many_hosts_have_some_names() -> None:
    names, numbers, title = texts(64, {(0, 1): 1.0})
    assert (names[0], names[-1], len(names), numbers) == ("n0", "n63", 24, [])
    assert title == "title"


def test_with_more_hosts_a_cell_shows_the_slowest_pair_of_two_groups() -> None:
    names, _, title = texts(1000, {(0, 999): 1.0, (15, 998): 4.0})
    assert (names[0], names[-1]) == ("n0", "n992")
    assert title == "title; cells show the slowest pair of 16 × 16 hosts"
