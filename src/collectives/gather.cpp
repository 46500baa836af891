#include "collectives/collective.h"

namespace toccata {

namespace {

// Datum i is part i % parts of the contribution of rank i / parts.
Datum meant_for(const Shape& shape, int rank, Buffer buffer, int block) {
  return buffer == Buffer::send ? rank * shape.parts + block : block;
}

constexpr Collective named(std::string_view name, std::string_view variable,
                           const Collective* vector_of = nullptr) {
  return {
      .name = name,
      .variable = variable,
      .blocks =
          [](const Shape& shape, int rank, Buffer buffer) {
            if (buffer == Buffer::send) return shape.parts;
            return rank == shape.root ? shape.p * shape.parts : 0;
          },
      .data = [](const Shape& shape) -> Datum { return shape.p * shape.parts; },
      .sized = meant_for,
      .before =
          [](const Shape& shape, int rank, Buffer buffer, int block) {
            return buffer == Buffer::send ? meant_for(shape, rank, buffer, block) : nothing;
          },
      .after = meant_for,
      .in_place = [](const Shape& shape, int rank, int block) -> int {
        return rank == shape.root ? rank * shape.parts + block : nothing;
      },
      .rooted = true,
      .vector_of = vector_of,
  };
}

}  // namespace

// Every rank contributes one block; the root gets all of them, in the order of the ranks.
//
//   send   rank 0: a   rank 1: b   rank 2: c        recv   rank 1: a b c      (root 1)
//
// With MPI_IN_PLACE, the root's block is already in recv.
const Collective gather = named("gather", "TOCCATA_GATHER");

// The same with blocks of different sizes. Only the root has the sizes of all blocks; any other
// rank has only the size of its own.
const Collective gatherv = named("gatherv", "TOCCATA_GATHERV", &gather);

}  // namespace toccata
