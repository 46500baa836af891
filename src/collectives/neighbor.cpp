// The collectives among neighbours. An edge connects a block of its source with a block of its
// destination. A rank without neighbours has no blocks.

#include "collectives/collective.h"
#include "collectives/neighborhood.h"

namespace toccata {

namespace {

// Blocks that receive nothing may have any size.
constexpr Datum any = 0;

int blocks_in(const Shape& shape, int rank) {
  return shape.neighborhood == nullptr ? 0 : shape.neighborhood->of(rank).blocks_in;
}

// In an allgather, datum r is the block of rank r; in an all-to-all, the blocks of all ranks are
// numbered rank after rank.
template <bool alltoall>
struct Among {
  static int blocks(const Shape& shape, int rank, Buffer buffer) {
    if (shape.neighborhood == nullptr) return 0;
    if (buffer == Buffer::recv) return blocks_in(shape, rank);
    const Neighbors& own = shape.neighborhood->of(rank);
    return alltoall ? own.blocks_out : own.out.empty() ? 0 : 1;
  }
  static Datum data(const Shape& shape) {
    if (!alltoall) return shape.p;
    return shape.neighborhood == nullptr ? 0 : shape.neighborhood->blocks_out();
  }
  static Datum sent(const Shape& shape, int rank, int block) {
    return alltoall ? shape.neighborhood->first_out(rank) + block : rank;
  }
  static Datum after(const Shape& shape, int rank, Buffer buffer, int block) {
    if (buffer == Buffer::send) return nothing;
    const Neighbors::Edge* const edge = shape.neighborhood->into(rank, block);
    return edge == nullptr ? nothing : sent(shape, edge->peer, edge->there);
  }
  static Datum before(const Shape& shape, int rank, Buffer buffer, int block) {
    return buffer == Buffer::send ? sent(shape, rank, block) : nothing;
  }
  static Datum sized(const Shape& shape, int rank, Buffer buffer, int block) {
    if (buffer == Buffer::send)
      return block < blocks(shape, rank, buffer) ? sent(shape, rank, block) : any;
    const Datum comes = after(shape, rank, buffer, block);
    return comes == nothing ? any : comes;
  }

  static constexpr Collective named(std::string_view name, std::string_view variable,
                                    const Collective* vector_of = nullptr) {
    return {.name = name,
            .variable = variable,
            .blocks = blocks,
            .data = data,
            .sized = sized,
            .before = before,
            .after = after,
            .among_neighbors = true,
            .vector_of = vector_of};
  }
};

using Allgather = Among<false>;
using Alltoall = Among<true>;

}  // namespace

Shape with_neighbors(const Collective& collective, Shape shape) {
  if (collective.among_neighbors && shape.neighborhood == nullptr)
    shape.neighborhood = std::make_shared<const Neighborhood>(Neighborhood::stencil(shape.p));
  return shape;
}

// Every rank has one block for all its destinations, and receives one through each incoming edge.
//
//   edges 0>1, 0>2, 2>1, 1>1; rank 1 lists its sources as 1, 2, 0
//   send   a b c     recv   rank 1: b c a   rank 2: a
const Collective neighbor_allgather =
    Allgather::named("neighbor_allgather", "TOCCATA_NEIGHBOR_ALLGATHER");

// The same with blocks of different sizes; a rank has the sizes of its own block and of its
// neighbours' blocks.
const Collective neighbor_allgatherv =
    Allgather::named("neighbor_allgatherv", "TOCCATA_NEIGHBOR_ALLGATHERV", &neighbor_allgather);

// Every rank has a block for each outgoing edge, and receives one through each incoming edge.
//
//   edges 0>1, 0>2, 2>1      send   rank 0: ab ac   rank 2: cb
//                            recv   rank 1: ab cb   rank 2: ac
const Collective neighbor_alltoall =
    Alltoall::named("neighbor_alltoall", "TOCCATA_NEIGHBOR_ALLTOALL");

// The same with blocks of different sizes: MPI_Neighbor_alltoallv and MPI_Neighbor_alltoallw.
const Collective neighbor_alltoallv =
    Alltoall::named("neighbor_alltoallv", "TOCCATA_NEIGHBOR_ALLTOALLV", &neighbor_alltoall);

}  // namespace toccata
