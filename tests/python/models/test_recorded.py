"""Reading recorded times, and recognising our algorithms in them."""

from pathlib import Path

import pytest

from toccata.errors import InputError
from toccata.models import recorded
from toccata.models.recorded import cases, read

HUGE = "9" * 5000
HEADING = "machine,nodes,ranks_per_node,collective,algorithm,total_bytes,runs,median_us\n"


def write(path: Path, *lines: str, heading: str = HEADING) -> Path:
    file = path / "recorded.csv"
    file.write_text(heading + "".join(f"{line}\n" for line in lines))
    return file


def test_reads_what_the_benchmark_recorded(tmp_path: Path) -> None:
    (row,) = read(write(tmp_path, "fugaku,2x3x4,2,allgather,default-ring,4096,1,12.5"))
    assert (row.machine, row.number_of_nodes, row.p) == ("fugaku", 24, 48)
    assert (row.collective, row.algorithm, row.total_bytes) == ("allgather", "default-ring", 4096)
    assert row.seconds == pytest.approx(12.5e-6)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("lumi,x4,1,allgather,ring_mpich,64,1,3", "line 3, column nodes: 'x4' is not a number"),
        ("lumi,4,0,allgather,ring_mpich,64,1,3", "line 3, column ranks_per_node: '0'"),
        ("lumi,4,1,allgather,ring_mpich,many,1,3", "line 3, column total_bytes: 'many'"),
        ("lumi,4,1,allgather,ring_mpich,64,1,-3", "line 3, column median_us: '-3' is not a time"),
        ("lumi,4,1,allgather,ring_mpich,64,1,nan", "line 3, column median_us: 'nan' is not a time"),
        ("lumi,4,1,allgather,,64,1,3", "line 3, column algorithm: the value is missing"),
        ("lumi,4,1,allgather", "line 3, column algorithm: the value is missing"),
        ('lumi,4,1,allgather,"ring"x,64,1,3', "line 3: "),
        (
            f"lumi,{HUGE},1,allgather,ring_mpich,64,1,3",
            "line 3, column nodes: '999999999999999999…'",
        ),
        (f"lumi,4,{HUGE},allgather,ring_mpich,64,1,3", "line 3, column ranks_per_node: '9999"),
        (f"lumi,4,1,allgather,ring_mpich,{HUGE},1,3", "line 3, column total_bytes: '99999"),
        ("lumi,1024,1025,allgather,ring_mpich,64,1,3", "line 3: the row is of 1049600 ranks; exp"),
    ],
)
def test_names_line_and_column_of_what_is_wrong(tmp_path: Path, line: str, complaint: str) -> None:
    file = write(tmp_path, "lumi,4,1,allgather,ring_mpich,64,1,3", line)
    with pytest.raises(InputError) as error:
        read(file)
    assert str(error.value).startswith(f"{file}: {complaint}")
    assert "\n" not in str(error.value)


def test_says_which_columns_are_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: there is no column median_us"):
        read(write(tmp_path, heading=HEADING.replace(",median_us", "")))
    with pytest.raises(InputError, match="has only a heading"):
        read(write(tmp_path))


def test_names_that_do_the_same_are_one_case(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "lumi,100,1,allgather,ring_mpich,6400,1,30",
        "lumi,100,1,allgather,ring_over,6400,1,50",
        "lumi,100,1,allgather,bine_lat_over,6400,1,10",
        "lumi,100,1,allgather,default_mpich,6400,1,10",
        "lumi,100,1,reduce,binomial_mpich,6400,1,10",
    )
    ring, reduce = cases(read(file))
    assert (ring.collective, ring.algorithm) == ("allgather", "ring")
    assert ring.seconds == pytest.approx(40e-6)
    assert (ring.unit_bytes, reduce.unit_bytes) == (64, 6400)  # a block, the message


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("lumi,8,1,allreduce,recursive_doubling_mpich,64,1,9", "library's default"),
        ("fugaku,64x64,1,alltoall,default-linear,16384,1,9", "times of default-pairwise"),
        ("mare_nostrum,32,1,scatter,linear_ompi,1024,1,9", "one message after the other"),
        ("mare_nostrum,32,1,bcast,binomial_ompi,1024,1,9", "all children at once"),
        ("mare_nostrum,32,1,allreduce,ring_ompi,64,1,9", "fewer elements than ranks"),
    ],
)
def test_sets_aside_what_only_has_the_name(tmp_path: Path, line: str, why: str) -> None:
    rows = read(write(tmp_path, line))
    assert cases(rows) == []
    (reason,) = recorded.set_aside(rows)
    assert why in reason


def test_others_of_those_names_are_fitted(tmp_path: Path) -> None:
    rows = read(
        write(
            tmp_path,
            "lumi,8,1,allreduce,recursive_doubling_over,64,1,9",
            "fugaku,4x4x4,1,alltoall,default-linear,16384,1,9",
            "mare_nostrum,32,1,scatter,linear_nb_ompi,1024,1,9",
            "mare_nostrum,32,1,allreduce,ring_ompi,128,1,9",
        )
    )
    assert len(cases(rows)) == 4
    assert recorded.set_aside(rows) == {}


@pytest.mark.parametrize(("column", "value"), [("ranks", HUGE), ("bytes", HUGE), ("nodes", "no")])
def test_names_line_and_column_in_tables_of_bench(tmp_path: Path, column: str, value: str) -> None:
    cells = dict(
        zip(recorded.OF_BENCH, ("an MPI", "1", "4", "allgather", "ring", "8", "3"), strict=True)
    )
    row = ",".join((cells | {column: value}).values())
    file = write(tmp_path, row, heading=",".join(cells) + "\n")
    with pytest.raises(InputError, match=f"line 2, column {column}: '{value[:18]}"):
        read(file)
