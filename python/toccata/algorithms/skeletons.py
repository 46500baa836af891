"""Templates of algorithms in Python, one per collective, for `toccata new`."""

from toccata.errors import InputError

DRAWING = "# @drawing@"
DRAWN_RANKS = 4

_HEAD = '''"""{title}

    toccata prove {file}
    toccata show {file}:{name} -p 4 -o {name}.png

A schedule is written for one rank, round after round. The messages of a round are in flight
together, its copies and reductions come after. `send(b)` and `recv(b)` are block b of a buffer,
`recv(b, n)` are b to b+n-1; {blocks}
"""
{drawing}

from toccata.writing import {imports}


@algorithm("{collective}", citation="mine")
def {name}(shape, rank, schedule):
    """{summary}"""
{body}'''

# By collective: the blocks, the summary, the imported names, and the body of the function.
_SKELETONS = {
    "allgather": (
        "send has one block, recv has one of every rank.",
        "p-1 rounds between neighbours on a ring",
        ["recv", "send"],
        """
    right, left = (rank + 1) % shape.p, (rank - 1) % shape.p
    schedule.round().copy(send(0), recv(rank))
    for i in range(shape.p - 1):
        schedule.round().send(right, recv((rank - i) % shape.p))
        schedule.recv(left, recv((left - i) % shape.p))
""",
    ),
    "allreduce": (
        "send and recv have one block, the message.",
        "every rank sends its contribution to all others, and adds up all of them",
        ["recv", "send"],
        """
    others = [(rank + i) % shape.p for i in range(1, shape.p)]
    all_ = [schedule.scratch(send(0)) for _ in range(shape.p)]
    schedule.round().copy(send(0), all_[rank])
    for other in others:
        schedule.send(other, send(0)).recv(other, all_[other])
    # In one order on all ranks, so that all get the same bits.
    for i in reversed(range(shape.p - 1)):
        schedule.reduce(all_[i], all_[i + 1] if i == shape.p - 2 else all_[shape.p - 1])
    schedule.copy(all_[shape.p - 1], recv(0))
""",
    ),
    "alltoall": (
        "both buffers have one block for every rank.",
        "p-1 rounds, each with another rank",
        ["recv", "send"],
        """
    schedule.round().copy(send(rank), recv(rank))
    for i in range(1, shape.p):
        to, source = (rank + i) % shape.p, (rank - i) % shape.p
        schedule.round().send(to, send(to)).recv(source, recv(source))
""",
    ),
    "barrier": (
        "a barrier has no blocks.",
        "messages that go twice as far in each round",
        [],
        """
    distance = 1
    while distance < shape.p:
        schedule.round().send((rank + distance) % shape.p).recv((rank - distance) % shape.p)
        distance *= 2
""",
    ),
    "bcast": (
        "recv has one block; at first, only the root's has the message.",
        "twice as many ranks have the message after each round",
        ["recv"],
        """
    place = (rank - shape.root) % shape.p  # the root's is 0
    distance = 1
    while distance < shape.p:
        schedule.round()
        if place < distance and place + distance < shape.p:
            schedule.send((rank + distance) % shape.p, recv(0))
        elif distance <= place < 2 * distance:
            schedule.recv((rank - distance) % shape.p, recv(0))
        distance *= 2
""",
    ),
    "exscan": (
        "send and recv have one block, the message.",
        "a chain: each rank hands on the sum up to itself",
        ["recv", "send"],
        """
    up_to_here = schedule.scratch(send(0))
    schedule.round().copy(send(0), up_to_here)
    for i in range(shape.p - 1):
        schedule.round()
        if rank == i:
            schedule.send(rank + 1, up_to_here)
        elif rank == i + 1:
            schedule.recv(rank - 1, recv(0)).reduce(recv(0), up_to_here)
""",
    ),
    "gather": (
        "send has one block, the root's recv has one of every rank.",
        "every rank sends its block to the root",
        ["recv", "send"],
        """
    schedule.round()
    if rank != shape.root:
        schedule.send(shape.root, send(0))
        return
    for other in range(shape.p):
        if other != rank:
            schedule.recv(other, recv(other))
    schedule.copy(send(0), recv(rank))
""",
    ),
    "reduce": (
        "send has one block, the message, and so has the root's recv.",
        "every rank sends its contribution to the root",
        ["recv", "send"],
        """
    schedule.round()
    if rank != shape.root:
        schedule.send(shape.root, send(0))
        return
    others = [each for each in range(shape.p) if each != rank]
    received = [schedule.scratch(send(0)) for _ in others]
    for other, block in zip(others, received):
        schedule.recv(other, block)
    schedule.copy(send(0), recv(0))
    for block in received:
        schedule.reduce(block, recv(0))
""",
    ),
    "reduce_scatter": (
        "send has one block for every rank, recv has the rank's own.",
        "each rank sends every other its block",
        ["recv", "send"],
        """
    schedule.round().copy(send(rank), recv(0))
    for i in range(1, shape.p):
        to, source = (rank + i) % shape.p, (rank - i) % shape.p
        received = schedule.scratch(send(rank))
        schedule.round().send(to, send(to)).recv(source, received).reduce(received, recv(0))
""",
    ),
    "scan": (
        "send and recv have one block, the message.",
        "a chain: each rank hands on the sum up to itself",
        ["recv", "send"],
        """
    schedule.round().copy(send(0), recv(0))
    for i in range(shape.p - 1):
        schedule.round()
        if rank == i:
            schedule.send(rank + 1, recv(0))
        elif rank == i + 1:
            received = schedule.scratch(send(0))
            schedule.recv(rank - 1, received).reduce(received, recv(0))
""",
    ),
    "scatter": (
        "the root's send has one block for every rank, recv has one.",
        "the root sends every rank its block",
        ["recv", "send"],
        """
    schedule.round()
    if rank != shape.root:
        schedule.recv(shape.root, recv(0))
        return
    for other in range(shape.p):
        if other != rank:
            schedule.send(other, send(other))
    schedule.copy(send(rank), recv(0))
""",
    ),
}


def text(collective: str, name: str) -> str:
    """The file of a new algorithm; DRAWING marks the place of its schedule."""
    if collective not in _SKELETONS:
        known = ", ".join(_SKELETONS)
        raise InputError(f"there is no skeleton for {collective}; expected one of {known}")
    blocks, summary, imports, body = _SKELETONS[collective]
    return _HEAD.format(
        title=f"{collective}/{name}: {summary}.",
        file=f"{name}.py",
        name=name,
        collective=collective,
        blocks=blocks,
        summary=summary,
        imports=", ".join(["algorithm", *imports]),
        body=body.strip("\n") + "\n",
        drawing=DRAWING,
    )
