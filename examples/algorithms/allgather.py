"""Three allgathers of the library in Python: `toccata prove examples/algorithms/allgather.py`."""

from toccata.writing import algorithm, circular, recv, scratch, send


@algorithm("allgather", citation="thakur2005, section 4.1")
def ring(shape, rank, schedule):
    right, left = (rank + 1) % shape.p, (rank - 1) % shape.p
    schedule.round().copy(send(0), recv(rank))
    for i in range(shape.p - 1):
        schedule.round().send(right, recv((rank - i) % shape.p))
        schedule.recv(left, recv((left - i) % shape.p))


@algorithm("allgather", citation="bruck1997, section IV")
def bruck(shape, rank, schedule):
    from_own = circular(recv, rank, shape.p, shape.p)
    all_ = schedule.scratch(from_own)
    schedule.round().copy(send(0), scratch(0))
    distance = 1
    while distance < shape.p:
        count = min(distance, shape.p - distance)
        schedule.round().send((rank - distance) % shape.p, scratch(0, count))
        schedule.recv((rank + distance) % shape.p, scratch(distance, count))
        distance *= 2
    schedule.copy(all_, from_own)


@algorithm("allgather", citation="loch2021, algorithm 1")
def sparbit(shape, rank, schedule):
    p, data, zeros = shape.p, 1, (shape.p & -shape.p).bit_length() - 1
    ignored = (~(p >> zeros) | 1) << zeros
    schedule.round().copy(send(0), recv(rank))
    distance = 1 << (p - 1).bit_length() >> 1
    while distance > 0:
        count = data - bool(distance & ignored)
        sent, received = (
            circular(recv, first, count, p, -2 * distance) for first in (rank, rank - distance)
        )
        schedule.round().send((rank + distance) % p, sent).recv((rank - distance) % p, received)
        data, distance = data + count, distance // 2
