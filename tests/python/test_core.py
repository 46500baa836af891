"""The compiled module: descriptors, schedules and analyses in Python."""

import pytest

from toccata import _core


def algorithm(path: str) -> _core.Algorithm:
    return next(each for each in _core.algorithms() if each.path == path)


def test_descriptor() -> None:
    sparbit = algorithm("allgather/sparbit")
    assert (sparbit.collective, sparbit.name) == ("allgather", "sparbit")
    assert sparbit.citation.startswith("loch2021")
    (messages,) = sparbit.parameters
    assert messages.accepts == "per_round|per_block"
    assert messages.standard == "per_round"
    assert messages.samples == ["per_round", "per_block"]
    assert [each.text for each in sparbit.variants(5)] == ["sparbit", "sparbit:messages=per_block"]


def test_descriptors_outlive_their_lists() -> None:
    for _ in range(3):
        assert [each.path for each in _core.algorithms()] == sorted(
            each.path for each in _core.algorithms()
        )
    regular = {each.variable: each.regular for each in _core.collectives()}
    assert regular["TOCCATA_ALLGATHER"] == "allgather"
    assert regular["TOCCATA_ALLTOALLV"] == "alltoall"
    assert regular["TOCCATA_SCATTERV"] == "scatter"


def test_settings_of_algorithms_that_consider_nodes_also_publish() -> None:
    from toccata.algorithms import catalogue

    texts = catalogue.measured("allreduce", "variants")
    assert "multi_lane:travel=published" in texts and "ring" in texts
    assert "ring:travel=published" not in texts, "it does not know where the nodes are"
    for collective in _core.collectives():
        texts = catalogue.measured(collective.name, "variants")
        assert len(set(texts)) == len(texts)
        for each in texts:
            assert _core.parse_choice(collective.name, each).text == each


def test_choice_is_normalised() -> None:
    choice = _core.parse_choice("allgather", "allgather/sparbit:messages=per_round,travel=packed")
    assert choice.text == "sparbit:travel=packed"
    assert _core.parse_choice("allgather", "native").native


def test_schedule() -> None:
    schedule = _core.parse_choice("allgather", "sparbit").schedule(_core.Shape(5), 0)
    assert len(schedule) == 4
    last = schedule.round(3)
    assert [(each.peer, [r.blocks for r in each.ranges]) for each in last.sends] == [(1, [[0, 3]])]
    assert [(each.peer, [r.blocks for r in each.ranges]) for each in last.recvs] == [(4, [[4, 2]])]
    with pytest.raises(IndexError):
        schedule.round(4)


def test_scratch_and_copies() -> None:
    schedule = _core.parse_choice("allgather", "bruck").schedule(_core.Shape(3), 1)
    assert [block for each in schedule.scratch for block in each.blocks] == [1, 2, 0]
    (copy,) = schedule.round(0).copies
    assert (copy.source[0].buffer, copy.target[0].buffer) == ("send", "scratch")


def test_analyses() -> None:
    choice = _core.parse_choice("allgather", "sparbit:messages=per_block")
    assert choice.verify(_core.Shape(21)) == ""
    assert choice.lockstep(_core.Shape(5), [3, 0, 2, 1, 4]) == ""
    assert choice.cost(_core.Shape(21)).messages == 20
    traffic = choice.traffic(_core.Shape(21), block_bytes=8)
    assert (traffic.rounds, traffic.messages, traffic.sent_bytes) == (5, 20, 160)


def test_analysis_of_an_alltoall() -> None:
    choice = _core.parse_choice("alltoall", "bruck_radix:radix=3")
    assert choice.verify(_core.Shape(10)) == ""
    assert choice.lockstep(_core.Shape(4), [2] * 16) == "", "4 ranks have 16 data"
    for counts, said in ([2] * 15, "given are 15"), ([1] + [2] * 15, "alike"):
        with pytest.raises(_core.ChoiceError, match=said):
            choice.lockstep(_core.Shape(4), counts)


def test_vector_forms_of_rooted_collectives_have_what_serves_them() -> None:
    from toccata.algorithms import catalogue

    regular = {each.name for each in catalogue.of_collective("gather")}
    vector = {each.name for each in catalogue.of_collective("gatherv")}
    assert {"binomial", "linear"} <= regular
    assert vector <= regular
    assert "linear" in vector
    assert "binomial" not in vector
    with pytest.raises(_core.ChoiceError, match="expected one of native, linear"):
        _core.parse_choice("scatterv", "binomial")


def test_analysis_of_a_reduction() -> None:
    choice = _core.parse_choice("reduce", "binomial")
    shape = _core.Shape(6, root=4)
    assert choice.verify(shape) == ""
    assert choice.lockstep(shape, [5]) == ""
    assert choice.cost(shape).reduced == choice.traffic(shape).reduced == 2
    steps = [each for n in range(4) for each in choice.schedule(shape, 4).round(n).copies]
    assert [each.reduces for each in steps] == [False, True, True]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("quick", "'quick'"),
        ("sparbit:messages=two", "per_round|per_block"),
        ("sparbit:speed=high", "no parameter 'speed'"),
    ],
)
def test_bad_choice(text: str, said: str) -> None:
    with pytest.raises(_core.ChoiceError, match=said.replace("|", r"\|")) as caught:
        _core.parse_choice("allgather", text)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)


def test_impossible_and_out_of_range() -> None:
    exchange = _core.parse_choice("allgather", "neighbor_exchange")
    assert exchange.why_impossible(_core.Shape(3)) == "needs an even number of ranks"
    assert exchange.why_impossible(_core.Shape(4)) == ""
    for call in (
        lambda: exchange.schedule(_core.Shape(3), 0),
        lambda: exchange.schedule(_core.Shape(4), 4),
        lambda: exchange.schedule(_core.Shape(0), 0),
        lambda: exchange.verify(_core.Shape(-1)),
        lambda: _core.parse_choice("allgather", "native").cost(_core.Shape(4)),
        lambda: _core.parse_choice("alltoall_", "ring"),
    ):
        with pytest.raises(_core.ChoiceError):
            call()
