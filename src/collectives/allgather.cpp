#include "collectives/collective.h"

namespace toccata {

// Every rank contributes one block; every rank gets all of them, in the order of the ranks.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   everywhere: a b c
//
// allgatherv is the same with blocks of different sizes.
const Collective allgather{
    .name = "allgather",
    .variable = "TOCCATA_ALLGATHER",
    .blocks = [](const Shape& shape,
                 Buffer buffer) { return buffer == Buffer::send ? 1 : shape.p; },
    .data = [](const Shape& shape) { return shape.p; },
    .sized = [](const Shape&, int rank, Buffer buffer,
                int block) { return buffer == Buffer::send ? rank : block; },
    .before = [](const Shape&, int rank, Buffer buffer,
                 int) { return buffer == Buffer::send ? rank : nothing; },
    .after = [](const Shape&, int rank, Buffer buffer,
                int block) { return buffer == Buffer::send ? rank : block; },
    .in_place = [](const Shape&, int rank, int) { return rank; },
};

}  // namespace toccata
