#include "collectives/collective.h"

namespace toccata {

namespace {

// Datum i is part i % parts of the block of rank i / parts.
Datum meant_for(const Shape& shape, int rank, Buffer buffer, int block) {
  return buffer == Buffer::send ? block : rank * shape.parts + block;
}

constexpr Collective named(std::string_view name, std::string_view variable,
                           const Collective* vector_of = nullptr) {
  return {
      .name = name,
      .variable = variable,
      .blocks =
          [](const Shape& shape, int rank, Buffer buffer) {
            if (buffer == Buffer::recv) return shape.parts;
            return rank == shape.root ? shape.p * shape.parts : 0;
          },
      .data = [](const Shape& shape) -> Datum { return shape.p * shape.parts; },
      .sized = meant_for,
      .before =
          [](const Shape& shape, int rank, Buffer buffer, int block) {
            return buffer == Buffer::send && rank == shape.root
                       ? meant_for(shape, rank, buffer, block)
                       : nothing;
          },
      .after = meant_for,
      .in_place = [](const Shape& shape, int rank, int block) -> int {
        return rank == shape.root && block / shape.parts == rank ? block % shape.parts : nothing;
      },
      .recv_is_in_send = true,
      .rooted = true,
      .vector_of = vector_of,
  };
}

}  // namespace

// The root has one block per rank, in the order of the ranks; every rank receives its own.
//
//   send   rank 1: a b c        recv   rank 0: a   rank 1: b   rank 2: c      (root 1)
//
// With MPI_IN_PLACE, the root's own block does not move: the root's recv is that part of send.
const Collective scatter = named("scatter", "TOCCATA_SCATTER");

// The same with blocks of different sizes. Only the root has the sizes of all blocks; any other
// rank has only the size of its own.
const Collective scatterv = named("scatterv", "TOCCATA_SCATTERV", &scatter);

}  // namespace toccata
