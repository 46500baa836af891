"""Tuning files in the formats of other libraries.

A rule holds for the sizes whose nearest measured size, by ratio, is the rule's; and likewise for
numbers of ranks. The other library keeps its own choice if no measured point is near, or if it has
no algorithm that is worth a rule.
"""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from pathlib import Path
from typing import Any

from toccata import _core, documents
from toccata.errors import InputError
from toccata.models.recorded import IN_BLOCKS
from toccata.tuning.tuning_file import Point, Tuning

MOST_OF_LIBRARY = 1 << 30  # bytes
WORTH_IT = 0.95  # share of the native time; a slower replacement is not exported

# The other library's names, by collective, and by algorithm or algorithm and start of a setting.
# The numbers are those of Open MPI 4.1 in `ompi_info --param coll tuned --level 9`. Its rules
# ignore the operation. So algorithms that change the order of operands are left out, unless Open
# MPI replaces them for operations that do not commute.
OPENMPI: dict[str, dict[str, str]] = {
    "allgather": {"bruck": "2", "recursive_doubling": "3", "ring": "4", "neighbor_exchange": "5"},
    "allreduce": {"reduce_bcast": "2", "recursive_doubling": "3", "rabenseifner": "6"},
    "alltoall": {"linear": "1", "pairwise": "2", "bruck": "3", "bruck_modified": "3"},
    "bcast": {
        "linear": "1", "pipeline": "3", "binary": "5", "binomial": "6", "knomial": "7",
        "scatter_allgather:allgather=recursive_doubling": "8", "scatter_allgather": "9",
        "scatter_allgather:allgather=sparbit": "",
    },
    "gather": {"linear": "1", "binomial": "2"},
    "reduce": {"reduce_scatter_gather": "7"},
    "reduce_scatter": {"recursive_halving": "3"},
    "scatter": {"binomial": "2", "linear": "3"},
}  # fmt: skip
OPENMPI_5 = OPENMPI | {"allgather": OPENMPI["allgather"] | {"sparbit": "7"}}
# A tuning file's reduce_scatter is MPI_Reduce_scatter_block.
OPENMPI_IDS = {
    "allgather": 0, "allreduce": 2, "alltoall": 3, "bcast": 7, "gather": 9, "reduce": 11,
    "reduce_scatter": 13, "scatter": 15,
}  # fmt: skip
# On several nodes, coll/han of Open MPI 5 serves these, unless it hands them to coll/tuned.
OPENMPI_HAN = ("allgather", "allreduce", "bcast", "gather", "reduce", "scatter")
OPENMPI_TUNED = 3  # han's number of coll/tuned

MPICH: dict[str, dict[str, str]] = {
    "allgather": {
        "bruck": "brucks", "recursive_doubling": "recursive_doubling", "ring": "ring",
    },
    "allreduce": {
        "recursive_doubling": "recursive_doubling", "rabenseifner": "reduce_scatter_allgather",
    },
    "alltoall": {"bruck": "brucks", "pairwise": "pairwise", "linear": "scattered"},
    "bcast": {
        "binomial": "binomial", "scatter_allgather": "scatter_ring_allgather",
        "scatter_allgather:allgather=recursive_doubling":
            "scatter_recursive_doubling_allgather",
        "scatter_allgather:allgather=sparbit": "",
    },
    "gather": {"binomial": "binomial"},
    "reduce": {"binomial": "binomial", "reduce_scatter_gather": "reduce_scatter_gather"},
    "reduce_scatter": {"recursive_halving": "recursive_halving", "pairwise": "pairwise"},
    "scatter": {"binomial": "binomial"},
}  # fmt: skip
# Algorithms that MPICH would run, or refuse by ending the job, where they are impossible. They need
# a number of ranks that is a power of two, or an operation of MPI and an element per rank.
MPICH_POWERS_OF_TWO = (
    ("allgather", "recursive_doubling"), ("bcast", "scatter_recursive_doubling_allgather"),
)  # fmt: skip
MPICH_BUILT_IN = (
    ("allreduce", "reduce_scatter_allgather"), ("reduce", "reduce_scatter_gather"),
)  # fmt: skip
# MPICH 5 serves these by shared memory, from the fifth collective on, unless a variable forbids it.
MPICH_DEVICE = ("allreduce", "bcast", "reduce")
# The kind of size in MPICH's own table, by collective.
MPICH_SIZES = {
    "allgather": "total_msg_size", "allreduce": "avg_msg_size", "alltoall": "avg_msg_size",
    "bcast": "avg_msg_size", "gather": "total_msg_size", "reduce": "avg_msg_size",
    "reduce_scatter": "total_msg_size", "scatter": "total_msg_size",
}  # fmt: skip

UCC: dict[str, dict[str, str]] = {
    "allgather": {
        "ring": "ring", "neighbor_exchange": "neighbor", "bruck": "bruck", "sparbit": "sparbit",
        "recursive_doubling": "knomial", "recursive_multiplying": "knomial",
    },
    "allreduce": {
        "recursive_doubling": "knomial", "recursive_multiplying": "knomial",
        "rabenseifner": "sra_knomial", "double_tree": "dbt",
    },
    "alltoall": {"pairwise": "pairwise", "bruck": "bruck"},
    "bcast": {
        "binomial": "knomial", "knomial": "knomial", "scatter_allgather": "sag_knomial",
        "double_tree": "dbt",
    },
    "gather": {"binomial": "knomial", "knomial": "knomial"},
    "reduce": {
        "binomial": "knomial", "knomial": "knomial", "double_tree": "dbt",
        "reduce_scatter_gather": "srg_knomial",
    },
    "reduce_scatter": {"ring": "ring", "recursive_halving": "knomial"},
    "scatter": {"binomial": "knomial", "knomial": "knomial"},
}  # fmt: skip

KNOWN = {"openmpi": OPENMPI, "openmpi5": OPENMPI_5, "mpich": MPICH, "ucc": UCC}


@dataclass(frozen=True)
class Rule:
    """The algorithm for sizes from `first` to `last`, inclusive: bytes of a block, or of the
    message."""

    first: int
    last: int | None  # None: no limit
    name: str | None  # None: the library's own choice
    choice: str  # our name


@dataclass(frozen=True)
class Ranks:
    """The rules for `first` to `last` ranks, from measurements with `ranks` ranks."""

    first: int
    last: int
    ranks: int
    rules: list[Rule]


def _named(known: Mapping[str, str], choice: str) -> str | None:
    """The other library's name for a choice, by the longest matching key; None if it has none."""
    fits = [each for each in known if choice == each or choice.startswith((each + ":", each + ","))]
    return known[max(fits, key=len)] or None if fits else None


def _best(known: Mapping[str, str], point: Point) -> tuple[str | None, str]:
    """The best choice that the other library has, if it is worth a rule: their name and ours."""
    if point.choice == "native" or (name := _named(known, point.choice)):
        return (None, "native") if point.choice == "native" else (name, point.choice)
    others = {
        seconds: choice
        for choice, seconds in point.medians.items()
        if _named(known, choice) and 0 < seconds < WORTH_IT * point.native_seconds
    }
    if not others:
        return None, "native"
    choice = others[min(others)]
    return _named(known, choice), choice


def _ranges(values: Sequence[int], far: float) -> list[tuple[int, int]]:
    """For each value, in ascending order, the range in which it is the nearest and near enough."""
    result = []
    for i, value in enumerate(values):
        first, last = int(-(-value // far)), int(value * far)
        if i > 0:
            first = max(first, isqrt(values[i - 1] * value) + 1)
        if i + 1 < len(values):
            last = min(last, isqrt(value * values[i + 1]))
        result.append((first, last))
    return result


def rules(tuning: Tuning, known: Mapping[str, Mapping[str, str]]) -> dict[str, list[Ranks]]:
    """The rules by collective. They use the largest number of nodes, because the other libraries'
    rules ignore nodes."""
    found: dict[str, list[Ranks]] = {}
    for collective, names in known.items():
        at: dict[int, dict[int, Point]] = defaultdict(dict)
        points = [each for each in tuning.points if each.collective == collective]
        for each in sorted(points, key=lambda each: each.nodes):
            at[each.ranks][each.bytes] = each
        numbers = sorted(at)
        for p, (first, last) in zip(numbers, _ranges(numbers, _core.TUNING_REACH), strict=True):
            sizes = sorted(at[p])
            sized: list[Rule] = []
            for size, (low, high) in zip(
                sizes, _ranges(sizes, _core.TUNING_REACH_OF_SIZES), strict=True
            ):
                _add(sized, low, high, *_best(names, at[p][size]))
            if any(each.name is not None for each in sized):
                end = sized.pop() if sized[-1].name is None else None
                start = end.first if end else (sized[-1].last or 0) + 1
                sized.append(Rule(start, None, None, "native"))
                found.setdefault(collective, []).append(Ranks(first, last, p, sized))
    return found


def _add(sized: list[Rule], low: int, high: int, name: str | None, choice: str) -> None:
    """Appends a rule, after one for native if there is a gap. Merges it with the last one if both
    are equal."""
    end = sized[-1].last or 0 if sized else -1
    if low > end + 1:
        _add(sized, end + 1, low - 1, None, "native")
    if sized and sized[-1].choice == choice:
        low = sized.pop().first
    sized.append(Rule(low, high, name, choice))


def whole_bytes(collective: str, p: int, size: int) -> int:
    """The bytes of the whole vector, if a block (or the vector itself) has `size`."""
    return size * p if collective in IN_BLOCKS else size


def openmpi(tuning: Tuning, version: int = 4) -> str:
    """The rules file of coll/tuned: for Open MPI 4.1, or in the second format for Open MPI 5.

    Algorithm 0 is Open MPI's own choice. Pipelines have a segment size there, but a number of
    segments here.
    """
    found = rules(tuning, OPENMPI if version == 4 else OPENMPI_5)
    lines = [] if version == 4 else ["rule-file-version-2"]
    lines += [f"{len(found)} # collectives; {_origin(tuning)}"]
    more = "" if version == 4 else " 0"
    for collective, all_ranks in found.items():
        ends = list(_with_gaps(all_ranks))
        lines += [f"{OPENMPI_IDS[collective]} # {collective}", f"{len(ends)} # numbers of ranks"]
        for first, ranks in ends:
            lines.append(f"{first} # ranks and more")
            if ranks is None:
                lines += ["1 # size", f"0 0 0 0{more} # native"]
                continue
            lines.append(f"{len(ranks.rules)} # sizes")
            for each in ranks.rules:
                start = whole_bytes(collective, ranks.ranks, each.first)
                shape = _openmpi_shape(collective, each)
                lines.append(f"{start} {each.name or 0} {shape}{more} # {each.choice}")
    return "\n".join(lines) + "\n"


def _with_gaps(all_ranks: Sequence[Ranks]) -> Iterator[tuple[int, Ranks | None]]:
    """The rules with their least number of ranks; in gaps between them, None instead."""
    end = 0
    for each in all_ranks:
        if each.first > end:
            yield end, None
        yield each.first, each
        end = each.last + 1
    yield end, None


def _openmpi_shape(collective: str, rule: Rule) -> str:
    """The fan-out and the segment size of a rule."""
    settings = dict(
        each.split("=") for each in rule.choice.partition(":")[2].split(",") if "=" in each
    )
    if rule.name is None:
        return "0 0"
    if rule.choice.startswith("knomial"):
        return f"{settings.get('radix', 4)} 0"
    if rule.choice.startswith(("pipeline", "binary")):
        middle = isqrt(max(rule.first, 1) * (rule.last or rule.first))
        return f"0 {max(1, middle // int(settings.get('segments', 16)))}"
    return "0 0"


def mpich(tuning: Tuning, table: Mapping[str, Any]) -> str:
    """MPICH's selection in JSON: our rules, then its own table.

    MPICH uses the file instead of its whole table, so the file must be complete.
    """
    result = dict(table)
    for collective, all_ranks in rules(tuning, MPICH).items():
        key = f"collective={_mpich_name(collective)}"
        inside = result.get(key, {}).get("comm_type=intra")
        if inside is None:
            continue
        branches: dict[str, Any] = {}
        for each in all_ranks:
            branches[f"comm_size<{each.first}"] = inside
            branches[f"comm_size<={each.last}"] = _mpich_sizes(collective, each, inside)
        branches["comm_size=any"] = inside
        result[key] = {**result[key], "comm_type=intra": branches}
    return json.dumps(result, indent=1) + "\n"


def _mpich_sizes(collective: str, ranks: Ranks, otherwise: Mapping[str, Any]) -> Any:
    what = MPICH_SIZES[collective]
    tree: dict[str, Any] = {}
    for each in ranks.rules:
        leaf = otherwise if each.name is None else _mpich_leaf(collective, each.name, otherwise)
        if each.last is None:
            tree[f"{what}=any"] = leaf
        else:
            by_block = collective == "alltoall"
            last = each.last if by_block else whole_bytes(collective, ranks.ranks, each.last)
            tree[f"{what}<={last}"] = leaf
    return _where_allowed(collective, tree, otherwise)


def _mpich_name(collective: str) -> str:
    """MPICH's name of the function that was measured."""
    return "reduce_scatter_block" if collective == "reduce_scatter" else collective


def _mpich_leaf(collective: str, name: str, otherwise: Mapping[str, Any]) -> Mapping[str, Any]:
    """The algorithm if it is possible; otherwise, the original rules remain."""
    leaf: dict[str, Any] = {
        f"algorithm=MPIR_{_mpich_name(collective).capitalize()}_intra_{name}": {}
    }
    if (collective, name) in MPICH_POWERS_OF_TWO:
        return {"comm_size=pow2": leaf, "comm_size=any": otherwise}
    if (collective, name) in MPICH_BUILT_IN:
        enough = {"count<pow2": otherwise, "count=any": leaf}
        return {"is_op_built_in=no": otherwise, "is_op_built_in=yes": enough}
    return leaf


def _where_allowed(collective: str, tree: Any, otherwise: Mapping[str, Any]) -> Any:
    """Restricts our rules. The original rules remain for MPI_IN_PLACE of alltoall and for
    operations that do not commute."""
    if collective == "alltoall":
        return {"is_sendbuf_inplace=yes": otherwise, "is_sendbuf_inplace=no": tree}
    if collective in ("reduce_scatter", "allreduce", "reduce"):
        return {"is_commutative=no": otherwise, "is_commutative=yes": tree}
    return tree


def mpich_table(path: Path) -> dict[str, Any]:
    """MPICH's own table, from a JSON file or from its library, which contains it as text.

    Raises InputError if there is none.
    """
    documents.check(path, MOST_OF_LIBRARY)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    found: list[dict[str, Any]] = []
    start = data.find(b'"collective=')
    while start >= 0:
        begin = data.rfind(b"{", 0, start)
        end = data.find(b"\0", begin)
        end = len(data) if end < 0 else end
        try:  # the text may stand in the middle of anything
            table = json.loads(data[max(begin, 0) : end])
        except (ValueError, RecursionError):
            end = start + 1
        else:
            found += [table] if _has_parts(table) else []
        start = data.find(b'"collective=', end)
    tables = [each for each in found if any("comm_type=" in key for key in _second(each))]
    if not tables:
        raise InputError(
            f"{path}: does not contain MPICH's selection table; give its coll_selection.json or "
            "library"
        )
    return max(tables, key=len)


def _has_parts(table: Any) -> bool:
    return isinstance(table, dict) and all(isinstance(each, dict) for each in table.values())


def _second(table: Mapping[str, Any]) -> Iterator[str]:
    for each in table.values():
        yield from each


def ucc(tuning: Tuning) -> str:
    """The value of UCC_TL_UCP_TUNE, and the whole line."""
    tokens = []
    for collective, all_ranks in rules(tuning, UCC).items():
        for ranks in all_ranks:
            for each in ranks.rules:
                if each.name is None or each.last is None:
                    continue
                first = whole_bytes(collective, ranks.ranks, each.first)
                last = whole_bytes(collective, ranks.ranks, each.last + 1)
                where = f"[{ranks.first}-{ranks.last}]"
                tokens.append(f"{collective}:{first}-{last}:{where}:inf:@{each.name}")
    return f"UCC_TL_UCP_TUNE={'#'.join(tokens)}\n"


def settings(tuning: Tuning, format_: str, file: str) -> str:
    """The settings with which the MPI reads the file, and obeys it in each call, for a shell."""
    file = shlex.quote(file)
    if format_ == "mpich":
        names = [each for each in rules(tuning, MPICH) if each in MPICH_DEVICE]
        words = ["MPIR_CVAR_DEVICE_COLLECTIVES=percoll"] if names else []
        words += [f"MPIR_CVAR_{each.upper()}_DEVICE_COLLECTIVE=0" for each in names]
        return " ".join([*words, f"MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file}"])
    pairs = {"coll_tuned_use_dynamic_rules": "1", "coll_tuned_dynamic_rules_filename": file}
    if format_ == "openmpi5":
        for each in rules(tuning, OPENMPI_5):
            if each in OPENMPI_HAN:
                name = f"coll_han_{each}_dynamic_global_communicator_module"
                pairs[name] = str(OPENMPI_TUNED)
    return " ".join(f"--mca {name} {value}" for name, value in pairs.items())


def _origin(tuning: Tuning) -> str:
    by = f"by the model {tuning.model}" if tuning.model else f"measured with {tuning.mpi}"
    return f"toccata export, {by}"


def gone_over(tuning: Tuning, known: Mapping[str, Mapping[str, str]]) -> tuple[int, int]:
    """The number of settings with an algorithm of ours, and the number of these with a rule."""
    wanted = [each for each in tuning.points if each.choice != "native"]
    ruled = [each for each in wanted if _best(known.get(each.collective, {}), each)[0]]
    return len(wanted), len(ruled)
