#include "collectives/collective.h"

namespace toccata {

// Every rank receives the contributions of all ranks, combined in the order of the ranks. Datum i
// is part i of a contribution, and of the result.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   everywhere: a∘b∘c
const Collective allreduce{
    .name = "allreduce",
    .variable = "TOCCATA_ALLREDUCE",
    .blocks = [](const Shape& shape, int, Buffer) { return shape.parts; },
    .data = [](const Shape& shape) -> Datum { return shape.parts; },
    .sized = [](const Shape&, int, Buffer, int block) -> Datum { return block; },
    .before = [](const Shape&, int, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::send ? block : nothing;
    },
    .after = [](const Shape&, int, Buffer buffer, int block) -> Datum {
      return buffer == Buffer::recv ? block : nothing;
    },
    .in_place = [](const Shape&, int, int block) { return block; },
    .reduces = true,
};

}  // namespace toccata
