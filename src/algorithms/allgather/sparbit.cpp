// Allgather by Sparbit (stripe parallel binomial trees): every rank is the root of a binomial tree
// for its own block, and a node of the p-1 trees of the other ranks. The distance halves while the
// data double, so most data travel the shortest distance.
// [loch2021, algorithm 1]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·α + (p-1)/p·n·β
//                           copies 1 block, the rank's own
//
//   p = 5, what rank 0 holds
//     at first      A . . . .
//     distance 4    A B . . .     B is not passed on: in its tree rank 0 is a leaf
//     distance 2    A B . D .
//     distance 1    A B C D E
//
// In the paper, every block is a message of its own, so a rank sends p-1 messages. Here, the blocks
// of a round are one message, so the latency is ⌈log2 p⌉·α.

#include <bit>

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static const Parameter messages =
    choice("messages", "one message per round, or one per block, as in the paper",
           {"per_round", "per_block"});

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const int p = shape.p;
  const Circulant ranks{p, rank};
  const Travel travel =
      shape.parameters.is(messages, "per_block") ? Travel::per_block : Travel::whole;
  // The distances at which a rank does not forward the block that it received last, because this
  // rank is a leaf of the block's tree.
  const int last_ignore = std::countr_zero(static_cast<unsigned>(p));
  const int ignore_steps = (~(p >> last_ignore) | 1) << last_ignore;

  schedule.round().copy(send(0), recv(rank));
  int data = 1;
  for (int distance = 1 << ceil_log2(p) >> 1; distance > 0; distance /= 2) {
    const int ignore = (distance & ignore_steps) != 0 ? 1 : 0;
    const int count = data - ignore;
    const auto stripe = [&](int first) {
      return circular(Buffer::recv, first, count, p, -2 * distance);
    };
    schedule.round()
        .send(ranks.above(distance), stripe(rank), travel)
        .recv(ranks.below(distance), stripe(rank - distance), travel);
    data += count;
  }
}

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p);
  const bool per_block = shape.parameters.is(messages, "per_block");
  return {.rounds = rounds,
          .messages = per_block ? shape.p - 1 : rounds,
          .sent = shape.p - 1,
          .copied = 1};
}

extern const Algorithm sparbit{
    .name = "sparbit",
    .collective = toccata::allgather,
    .summary = "⌈log2 p⌉ rounds for any p; distance halves while data double; no rotation",
    .citation = "loch2021, algorithm 1",
    .claim = claim,
    .parameters = {messages},
    .pattern = "ring",
    .write = write,
};

}  // namespace toccata::algorithms::allgather
