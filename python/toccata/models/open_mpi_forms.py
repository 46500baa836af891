"""Open MPI's algorithms for functions that share a collective of Toccata with another function.

From coll_tuned_decision_fixed.c, the same in versions 4.1 to 6.0, for operations that commute.
"""

from math import inf

KIB, MIB = 1 << 10, 1 << 20
# By the least number of ranks, descending: each algorithm serves blocks below that size in bytes.
# Recursive doublings and halvings below 256 bytes among fewer than 8 ranks are left out.
Rows = tuple[tuple[int, tuple[tuple[str, float], ...]], ...]
ALLGATHERV: Rows = (
    (1024, (("bruck", 4 * KIB), ("neighbor_exchange", inf))),
    (512, (("bruck", 512), ("default", KIB), ("bruck", 4 * KIB), ("neighbor_exchange", MIB),
           ("ring", inf))),
    (256, (("bruck", KIB), ("ring", inf))),
    (128, (("bruck", KIB), ("neighbor_exchange", 64 * KIB), ("ring", inf))),
    (64, (("default", 256), ("bruck", 4 * KIB), ("ring", inf))),
    (32, (("default", 256), ("bruck", 8 * KIB), ("ring", inf))),
    (16, (("default", 128), ("bruck", 256 * KIB), ("ring", inf))),
    (8, (("default", KIB), ("bruck", inf))),
    (3, (("default", 256), ("neighbor_exchange", 4 * KIB), ("ring", 8 * KIB),
         ("neighbor_exchange", 16 * KIB), ("bruck", 256 * KIB), ("neighbor_exchange", inf))),
    (2, (("ring", inf),)),
)  # fmt: skip
REDUCE_SCATTER_BLOCK: Rows = (
    (32, (("recursive_halving", 4), ("linear", 16), ("butterfly", 64 * KIB), ("linear", 256 * KIB),
          ("butterfly", inf))),
    (16, (("linear", 32), ("recursive_halving", 512 * KIB), ("linear", 2 * MIB),
          ("recursive_halving", 4 * MIB), ("butterfly", inf))),
    (8, (("linear", 4), ("recursive_halving", 32), ("butterfly", 128),
         ("recursive_halving", 512 * KIB), ("linear", 4 * MIB), ("butterfly", inf))),
    (4, (("butterfly", 256), ("recursive_halving", 8 * KIB), ("butterfly", 16 * KIB),
         ("recursive_halving", MIB), ("linear", inf))),
    (2, (("butterfly", 4 * KIB), ("recursive_halving", 8 * KIB), ("butterfly", 128 * KIB),
         ("linear", inf))),
)  # fmt: skip
FORMS = {"allgatherv": ALLGATHERV, "reduce_scatter_block": REDUCE_SCATTER_BLOCK}


def find(function: str, p: int, size: int) -> str:
    """The algorithm for blocks of that size; "" if the function has the one of its collective.

    "linear" is a reduction to rank 0 and a scatter, "default" a linear gather and a broadcast. A
    "butterfly" halves with near ranks first.
    """
    for least, row in FORMS.get(function, ()):
        if p >= least:
            name = next(name for name, most in row if size < most)
            return "ring" if name == "neighbor_exchange" and p % 2 else name
    return ""
