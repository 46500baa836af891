#include "collectives/collective.h"

namespace toccata {

namespace {

// The datum of a part of the block from rank `source` for rank `destination`: datum i is part i %
// parts of such a block.
Datum between(const Shape& shape, int source, int destination, int part) {
  return (Datum{source} * shape.p + destination) * shape.parts + part;
}

// The datum that belongs in block `block` of either buffer.
Datum meant_for(const Shape& shape, int rank, Buffer buffer, int block) {
  const int other = block / shape.parts, part = block % shape.parts;
  return buffer == Buffer::send ? between(shape, rank, other, part)
                                : between(shape, other, rank, part);
}

constexpr Collective named(std::string_view name, std::string_view variable,
                           const Collective* vector_of = nullptr) {
  return {
      .name = name,
      .variable = variable,
      .blocks = [](const Shape& shape, int, Buffer) { return shape.p * shape.parts; },
      .data = [](const Shape& shape) -> Datum { return between(shape, shape.p, 0, 0); },
      .sized = meant_for,
      .before =
          [](const Shape& shape, int rank, Buffer buffer, int block) {
            return buffer == Buffer::send ? meant_for(shape, rank, buffer, block) : nothing;
          },
      .after = meant_for,
      .in_place = nullptr,
      .vector_of = vector_of,
  };
}

}  // namespace

// Every rank has a block for every rank, and gets one from every rank, in the order of the ranks.
//
//   send   rank 0: aa ab ac   rank 1: ba bb bc   rank 2: ca cb cc
//   recv   rank 0: aa ba ca   rank 1: ab bb cb   rank 2: ac bc cc
const Collective alltoall = named("alltoall", "TOCCATA_ALLTOALL");

// The same with blocks of different sizes: MPI_Alltoallv and MPI_Alltoallw.
const Collective alltoallv = named("alltoallv", "TOCCATA_ALLTOALLV", &alltoall);

}  // namespace toccata
