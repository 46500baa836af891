#include "collectives/collective.h"

namespace toccata {

namespace {

// Datum i is part i % parts of the contribution of rank i / parts.
Datum meant_for(const Shape& shape, int rank, Buffer buffer, int block) {
  return buffer == Buffer::send ? rank * shape.parts + block : block;
}

}  // namespace

// Every rank contributes one block; every rank gets all of them, in the order of the ranks.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   everywhere: a b c
//
// allgatherv is the same with blocks of different sizes.
const Collective allgather{
    .name = "allgather",
    .variable = "TOCCATA_ALLGATHER",
    .blocks = [](const Shape& shape, int,
                 Buffer buffer) { return (buffer == Buffer::send ? 1 : shape.p) * shape.parts; },
    .data = [](const Shape& shape) -> Datum { return shape.p * shape.parts; },
    .sized = meant_for,
    .before =
        [](const Shape& shape, int rank, Buffer buffer, int block) {
          return buffer == Buffer::send ? meant_for(shape, rank, buffer, block) : nothing;
        },
    .after = meant_for,
    .in_place = [](const Shape& shape, int rank, int block) { return rank * shape.parts + block; },
};

}  // namespace toccata
