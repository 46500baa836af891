"""Tuning files in the formats of other libraries."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT
from running import invoke
from toccata.errors import InputError
from toccata.tuning import exporting
from toccata.tuning.tuning_file import Point, Tuning


def tuned(*points: Point) -> Tuning:
    return Tuning(mpi="Fake MPI", points=list(points))


def at(choice: str, ranks: int = 4, size: int = 100, **more: Any) -> Point:
    return Point("allgather", ranks, 1, size, choice, 1e-6, 2e-6, **more)


def test_rules_hold_where_a_point_is_near() -> None:
    found = exporting.rules(tuned(at("ring", 4, 100), at("bruck", 4, 400)), exporting.OPENMPI)
    (ranks,) = found["allgather"]
    assert (ranks.first, ranks.last) == (3, 6)
    assert [(each.first, each.last, each.name) for each in ranks.rules] == [
        (0, 33, None), (34, 200, "4"), (201, 1206, "2"), (1207, None, None),
    ]  # fmt: skip


def test_neighbours_that_say_the_same_are_one() -> None:
    points = [at("ring", 4, size) for size in (8, 64, 100_000)]
    (ranks,) = exporting.rules(tuned(*points, at("ring", 5, 8)), exporting.OPENMPI)["allgather"][:1]
    assert (ranks.first, ranks.last) == (3, 4)
    assert [each.name for each in ranks.rules] == [None, "4", None, "4", None]


@pytest.mark.parametrize(
    ("choice", "medians", "name"),
    [
        ("bruck:rotation=none", {}, "2"),
        ("native", {"ring": 1e-7}, None),
        ("sparbit", {"ring": 1.5e-6, "bruck": 1.2e-6, "hierarchical": 1.1e-6}, "2"),
        ("sparbit", {"ring": 1.95e-6}, None),  # too little gain over native
        ("hierarchical", {}, None),
    ],
)
def test_who_serves_in_place_of_what_is_not_there(
    choice: str, medians: dict[str, float], name: str | None
) -> None:
    found = exporting.rules(tuned(at(choice, medians=medians)), exporting.OPENMPI)
    names = [each.name for ranks in found.get("allgather", []) for each in ranks.rules]
    assert (name in names) if name else not names


def test_openmpi() -> None:
    reduced = Point("allreduce", 6, 2, 1024, "rabenseifner", 1e-6, 2e-6)
    piped = Point("bcast", 6, 2, 1 << 20, "pipeline:segments=64", 1e-6, 2e-6)
    text = exporting.openmpi(tuned(at("ring"), reduced, piped))
    numbers = [line.split("#")[0].split() for line in text.splitlines()]
    assert numbers[0] == ["3"]
    assert numbers[1:14] == [
        ["0"], ["3"],  # allgather, below, near, and above
        ["0"], ["1"], ["0", "0", "0", "0"],
        ["3"], ["3"], ["0", "0", "0", "0"], ["136", "4", "0", "0"], ["1208", "0", "0", "0"],
        ["7"], ["1"], ["0", "0", "0", "0"],
    ]  # fmt: skip
    assert ["2"] in numbers[14:16]  # then allreduce
    segments = next(int(each[3]) for each in numbers if len(each) == 4 and each[1] == "3")
    assert segments == pytest.approx((1 << 20) / 64, rel=0.01)
    newer = exporting.openmpi(tuned(at("sparbit")), version=5)
    assert newer.startswith("rule-file-version-2\n")
    assert "136 7 0 0 0 # sparbit" in newer


TABLE: dict[str, Any] = {
    "collective=allgather": {
        "comm_type=intra": {"algorithm=MPIR_Allgather_intra_brucks": {}},
        "comm_type=inter": {"algorithm=MPIR_Allgather_inter_local_gather_remote_bcast": {}},
    },
    "collective=barrier": {"algorithm=MPIR_Barrier_intra_dissemination": {}},
}


def test_mpich() -> None:
    made = json.loads(exporting.mpich(tuned(at("ring")), TABLE))
    default = TABLE["collective=allgather"]["comm_type=intra"]
    assert made["collective=barrier"] == TABLE["collective=barrier"]
    inside = made["collective=allgather"]["comm_type=intra"]
    assert list(inside) == ["comm_size<3", "comm_size<=6", "comm_size=any"]
    assert inside["comm_size<3"] == inside["comm_size=any"] == default
    assert inside["comm_size<=6"] == {
        "total_msg_size<=132": default,
        "total_msg_size<=1204": {"algorithm=MPIR_Allgather_intra_ring": {}},
        "total_msg_size=any": default,
    }
    assert made["collective=allgather"]["comm_type=inter"]


def test_mpich_runs_nothing_impossible() -> None:
    """Operations of the program, fewer elements than ranks, and other numbers of ranks."""
    own: dict[str, Any] = {"algorithm=MPIR_Allreduce_intra_recursive_doubling": {}}
    table = {**TABLE, "collective=allreduce": {"comm_type=intra": own}}
    points = [Point("allreduce", 4, 1, 512, "rabenseifner", 1e-6, 2e-6)]
    made = json.loads(exporting.mpich(tuned(*points, at("recursive_doubling")), table))
    ruled = made["collective=allreduce"]["comm_type=intra"]["comm_size<=6"]
    assert ruled["is_commutative=no"] == own
    assert list(ruled["is_commutative=yes"].values())[1] == {
        "is_op_built_in=no": own,
        "is_op_built_in=yes": {
            "count<pow2": own,
            "count=any": {"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather": {}},
        },
    }
    gathers = made["collective=allgather"]["comm_type=intra"]["comm_size<=6"]
    assert list(gathers["total_msg_size<=1204"]) == ["comm_size=pow2", "comm_size=any"]


def test_settings_make_the_file_act() -> None:
    found = tuned(at("ring"), Point("allreduce", 4, 1, 64, "rabenseifner", 1e-6, 2e-6))
    assert exporting.settings(found, "mpich", "f.json") == (
        "MPIR_CVAR_DEVICE_COLLECTIVES=percoll MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE=0 "
        "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=f.json"
    )
    older = "--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename f"
    assert exporting.settings(found, "openmpi", "f") == older
    assert exporting.settings(found, "openmpi", "my f") == f"{older[:-1]}'my f'"  # for a shell
    assert exporting.settings(found, "openmpi5", "f") == older + "".join(
        f" --mca coll_han_{each}_dynamic_global_communicator_module 3"
        for each in ("allgather", "allreduce")
    )


def test_mpich_table_is_in_its_library(tmp_path: Path) -> None:
    other = json.dumps({"collective=bcast": {"composition=MPIDI_Bcast": {}}}).encode()
    library = tmp_path / "libmpich.so"
    library.write_bytes(
        b"\x7fELF{\0" + other + b"\0\xff\xfe" + json.dumps(TABLE).encode() + b"\0code"
    )
    assert exporting.mpich_table(library) == TABLE
    library.write_bytes(b"\x7fELF" + other + b"\0")
    with pytest.raises(InputError, match="does not contain"):
        exporting.mpich_table(library)


@pytest.mark.parametrize(
    "text",
    [
        b'"collective= 1',
        b'\0"collective= 1',
        b'[{"collective=bcast": 1}]',
        b'{"collective=": ' * 20000,
        b'["collective="]',
        b'{"collective=bcast": {"comm_type=intra": {}}, "collective=allgather": 1}',
    ],
)
def test_what_is_no_table_of_mpich(text: bytes, tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    file.write_bytes(text)
    with pytest.raises(InputError, match="does not contain MPICH's selection table"):
        exporting.mpich_table(file)


def test_ucc() -> None:
    text = exporting.ucc(tuned(at("ring"), Point("allreduce", 4, 1, 64, "double_tree", 1e-6, 2e-6)))
    assert text == (
        "UCC_TL_UCP_TUNE=allgather:136-1208:[3-6]:inf:@ring#allreduce:22-193:[3-6]:inf:@dbt\n"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("export x.json", "give one of"),
        ("export x.json --ucc --mpich", "give one of"),
        ("export x.json --ucc", "x.json: cannot be read"),
        ("export x.json --ucc --table y", "--table requires --mpich"),
    ],
)
def test_bad_input(arguments: str, said: str, machine: Path) -> None:
    code, _, stderr = invoke(*arguments.split())
    assert (code, stderr.count("\n")) == (2, 1)
    assert said in stderr


# Reports the running allgather of Open MPI; its allgathers are functions of its library.
SPY = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
typedef long (*Call)(long, long, long, long, long, long, long, long);
#define SPY(name) \
  long name(long a, long b, long c, long d, long e, long f, long g, long h) { \
    fprintf(stderr, "ran " #name "\n"); \
    return ((Call)dlsym(RTLD_NEXT, #name))(a, b, c, d, e, f, g, h); \
  }
SPY(ompi_coll_base_allgather_intra_ring)
SPY(ompi_coll_base_allgather_intra_bruck)
SPY(ompi_coll_base_allgather_intra_recursivedoubling)
"""
PROGRAM = r"""
#include <mpi.h>
int main(int argc, char** argv) {
  static char send[4096], recv[8 * 4096];
  MPI_Init(&argc, &argv);
  MPI_Allgather(send, 100, MPI_CHAR, recv, 100, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Finalize();
}
"""


@pytest.mark.parametrize("version", [4, 5])
def test_open_mpi_takes_it(version: int, tmp_path: Path) -> None:
    # `make test-mpis` installs Open MPI 5.
    found = ROOT / "build" / "mpis" / "openmpi" / "bin"
    compiler = shutil.which("mpicc.openmpi") if version == 4 else shutil.which(found / "mpicc")
    starter = shutil.which("mpirun.openmpi") if version == 4 else shutil.which(found / "mpirun")
    if not compiler or not starter:
        pytest.skip(f"there is no Open MPI {version}")
    (tmp_path / "spy.c").write_text(SPY)
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "rules.conf").write_text(exporting.openmpi(tuned(at("ring")), version))
    build = {"cwd": tmp_path, "check": True}
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "spy.so", "spy.c", "-ldl"], **build)  # type: ignore[call-overload]
    subprocess.run([compiler, "-o", "program", "program.c"], **build)  # type: ignore[call-overload]

    def ran(*more: str) -> set[str]:
        done = subprocess.run(
            [
                starter, "--allow-run-as-root", "--oversubscribe", "-n", "4", *more,
                "-x", f"LD_PRELOAD={tmp_path / 'spy.so'}", str(tmp_path / "program"),
            ],
            capture_output=True, text=True, timeout=60, check=True, env=dict(os.environ),
        )  # fmt: skip
        return {line for line in done.stderr.splitlines() if line.startswith("ran ")}

    ring = "ran ompi_coll_base_allgather_intra_ring"
    assert ring not in ran()
    rules = ("coll_tuned_dynamic_rules_filename", str(tmp_path / "rules.conf"))
    assert ran("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", *rules) == {ring}
