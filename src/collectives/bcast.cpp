#include "collectives/collective.h"

namespace toccata {

// Every rank receives the contents of the root's buffer. There is one buffer, recv: datum i is part
// i of the message.
//
//   recv   before   rank 0: -   rank 1: m   rank 2: -        after   everywhere: m      (root 1)
const Collective bcast{
    .name = "bcast",
    .variable = "TOCCATA_BCAST",
    .blocks = [](const Shape& shape, int,
                 Buffer buffer) { return buffer == Buffer::send ? 0 : shape.parts; },
    .data = [](const Shape& shape) -> Datum { return shape.parts; },
    .sized = [](const Shape&, int, Buffer, int block) -> Datum { return block; },
    .before = [](const Shape& shape, int rank, Buffer, int block) -> Datum {
      return rank == shape.root ? block : nothing;
    },
    .after = [](const Shape&, int, Buffer, int block) -> Datum { return block; },
    .rooted = true,
    .one_buffer = true,
};

}  // namespace toccata
