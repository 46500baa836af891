// Allgather by neighbor exchange: pairs of neighbours swap blocks. Every rank alternates between
// its left and its right neighbour, and forwards the two blocks that it received last.
// [chen2005]   rounds p/2   cost p/2·α + (p-1)/p·n·β   for even p
//
//   p = 4, swaps   0-1 2-3    1-2 3-0
//   rank 0 holds   A B . .    A B C D

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ring{shape.p, rank};
  const int toward_partner = rank % 2 == 0 ? +1 : -1;
  const int own_pair = rank - rank % 2;
  // The first block of the pair that arrives in round i. Pairs come from alternating sides, each
  // from further away than the previous one.
  const auto pair = [&](int i) {
    return wrap(own_pair + toward_partner * (i % 2 == 0 ? i : -(i + 1)), shape.p);
  };

  schedule.round().copy(send(0), recv(rank));
  const int partner = ring.above(toward_partner);
  schedule.round().send(partner, recv(rank)).recv(partner, recv(partner));
  for (int i = 1; i < shape.p / 2; ++i) {
    const int peer = ring.above(i % 2 == 0 ? toward_partner : -toward_partner);
    schedule.round().send(peer, recv(pair(i - 1), 2)).recv(peer, recv(pair(i), 2));
  }
}

static Cost claim(const Shape& shape) {
  return {.rounds = shape.p / 2, .messages = shape.p / 2, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm neighbor_exchange{
    .name = "neighbor_exchange",
    .collective = toccata::allgather,
    .summary = "p/2 rounds of pairwise swaps between neighbours; even p",
    .citation = "chen2005",
    .claim = claim,
    .pattern = "ring",
    .impossible =
        [](const Shape& shape) {
          return std::string(shape.p % 2 == 0 ? "" : "needs an even number of ranks");
        },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
