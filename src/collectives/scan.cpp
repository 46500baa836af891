#include "collectives/collective.h"

namespace toccata {

namespace {

// Datum i is part i of a contribution, and of the result.
Datum part(const Shape&, int, Buffer, int block) { return block; }
Datum contribution(const Shape&, int, Buffer buffer, int block) {
  return buffer == Buffer::send ? block : nothing;
}
Datum result(const Shape&, int, Buffer buffer, int block) {
  return buffer == Buffer::recv ? block : nothing;
}
Datum parts(const Shape& shape) { return shape.parts; }

}  // namespace

// Each rank receives the contributions of all ranks up to itself, combined in their order.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   rank 0: a   rank 1: a∘b   rank 2: a∘b∘c
const Collective scan{
    .name = "scan",
    .variable = "TOCCATA_SCAN",
    .blocks = [](const Shape& shape, int, Buffer) { return shape.parts; },
    .data = parts,
    .sized = part,
    .before = contribution,
    .after = result,
    .in_place = [](const Shape&, int, int block) { return block; },
    .reduces = true,
    .contributors = [](const Shape&, int rank) { return rank + 1; },
};

// The same for the ranks below each rank. Rank 0 receives nothing: it has no recv block.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   rank 1: a   rank 2: a∘b
const Collective exscan{
    .name = "exscan",
    .variable = "TOCCATA_EXSCAN",
    .blocks = [](const Shape& shape, int rank,
                 Buffer buffer) { return buffer == Buffer::send || rank > 0 ? shape.parts : 0; },
    .data = parts,
    .sized = part,
    .before = contribution,
    .after = result,
    .in_place = [](const Shape&, int rank, int block) -> int { return rank > 0 ? block : nothing; },
    .reduces = true,
    .contributors = [](const Shape&, int rank) { return rank; },
};

}  // namespace toccata
