// Allgather by recursive doubling: two ranks swap all their data, which doubles in every round.
// [thakur2005, section 4.1]   rounds log2 p   cost log2 p·α + (p-1)/p·n·β   for p a power of two
//
//   p = 4, swaps   0-1 2-3    0-2 1-3
//   rank 0 holds   A B . .    A B C D

#include "patterns/hypercube.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::allgather {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Hypercube cube{rank};
  schedule.round().copy(send(0), recv(rank));
  for (int distance = 1; distance < shape.p; distance *= 2) {
    const int peer = cube.across(distance);
    schedule.round()
        .send(peer, recv(Hypercube::lowest(rank, distance), distance))
        .recv(peer, recv(Hypercube::lowest(peer, distance), distance));
  }
}

static Cost claim(const Shape& shape) {
  const int rounds = ceil_log2(shape.p);
  return {.rounds = rounds, .messages = rounds, .sent = shape.p - 1, .copied = 1};
}

extern const Algorithm recursive_doubling{
    .name = "recursive_doubling",
    .collective = toccata::allgather,
    .summary = "log2 p rounds; distance and data double in each; for powers of two",
    .citation = "thakur2005, section 4.1",
    .claim = claim,
    .pattern = "recursive_doubling",
    .impossible =
        [](const Shape& shape) {
          return std::string(is_power_of_two(shape.p) ? "" : "needs a power of two ranks");
        },
    .write = write,
};

}  // namespace toccata::algorithms::allgather
