#include "collectives/collective.h"

namespace toccata {

namespace {

// Datum i is part i % parts of the result of rank i / parts.
Datum meant_for(const Shape& shape, int rank, Buffer buffer, int block) {
  return buffer == Buffer::send ? block : rank * shape.parts + block;
}

}  // namespace

// Every rank contributes one block for every rank, and receives all contributions to its own block,
// combined in the order of the ranks.
//
//   send   rank 0: a0 a1   rank 1: b0 b1        recv   rank 0: a0∘b0   rank 1: a1∘b1
//
// In MPI_Reduce_scatter, blocks may have different sizes, and every rank has all sizes. Its regular
// form is MPI_Reduce_scatter_block.
const Collective reduce_scatter{
    .name = "reduce_scatter",
    .variable = "TOCCATA_REDUCE_SCATTER",
    .blocks = [](const Shape& shape, int,
                 Buffer buffer) { return (buffer == Buffer::send ? shape.p : 1) * shape.parts; },
    .data = [](const Shape& shape) -> Datum { return shape.p * shape.parts; },
    .sized = meant_for,
    .before =
        [](const Shape& shape, int rank, Buffer buffer, int block) {
          return buffer == Buffer::send ? meant_for(shape, rank, buffer, block) : nothing;
        },
    .after =
        [](const Shape& shape, int rank, Buffer buffer, int block) {
          return buffer == Buffer::recv ? meant_for(shape, rank, buffer, block) : nothing;
        },
    .reduces = true,
    .scatters_result = true,
};

}  // namespace toccata
