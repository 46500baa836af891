#include "collectives/collective.h"

namespace toccata {

// The root receives the contributions of all ranks, combined in the order of the ranks. Datum i is
// part i of a contribution, and of the result.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   rank 1: a∘b∘c      (root 1)
//
// With MPI_IN_PLACE, the root's contribution is in recv, where the result will be.
const Collective reduce{
    .name = "reduce",
    .variable = "TOCCATA_REDUCE",
    .blocks =
        [](const Shape& shape, int rank, Buffer buffer) {
          return buffer == Buffer::send || rank == shape.root ? shape.parts : 0;
        },
    .data = [](const Shape& shape) -> Datum { return shape.parts; },
    .sized = [](const Shape&, int, Buffer, int block) -> Datum { return block; },
    .before = [](const Shape&, int, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::send ? block : nothing;
    },
    .after = [](const Shape&, int, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::recv ? block : nothing;
    },
    .in_place = [](const Shape& shape, int rank, int block) -> int {
      return rank == shape.root ? block : nothing;
    },
    .rooted = true,
    .reduces = true,
};

}  // namespace toccata
