// Barrier by dissemination: in every round, each rank sends a signal to k - 1 other ranks. The
// distances multiply by k, and so does the number of ranks from which a rank has information.
// [hensgen1988; for k > 2 hoefler2006]   rounds ⌈logk p⌉   cost ⌈logk p⌉·α
//
//   p = 4, k = 2    round 0: 0>1 1>2 2>3 3>0    round 1: 0>2 1>3 2>0 3>1

#include "patterns/circulant.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::barrier {

static const Parameter radix =
    number("radix", "k: factor by which the number of known ranks grows per round", 2, 1 << 20, 2,
           {2, 3, 4});

// Calls visit(distance) for each rank to which a rank sends a signal in the round of this weight.
template <typename Visit>
static void for_each_distance(int p, int weight, int k, Visit&& visit) {
  for (int i = 1; i < k && i <= (p - 1) / weight; ++i) visit(i * weight);
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Circulant ranks{shape.p, rank};
  const int k = shape.parameters[radix];
  for (std::int64_t weight = 1; weight < shape.p; weight *= k) {
    schedule.round();
    for_each_distance(shape.p, static_cast<int>(weight), k, [&](int distance) {
      schedule.send(ranks.above(distance)).recv(ranks.below(distance));
    });
  }
}

static Cost claim(const Shape& shape) {
  Cost cost;
  const int k = shape.parameters[radix];
  for (std::int64_t weight = 1; weight < shape.p; weight *= k) {
    ++cost.rounds;
    cost.messages += std::min<std::int64_t>(k - 1, (shape.p - 1) / weight);
  }
  return cost;
}

extern const Algorithm dissemination{
    .name = "dissemination",
    .collective = toccata::barrier,
    .summary = "⌈logk p⌉ rounds, in which every rank signals k-1 others at once",
    .citation = "hensgen1988",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::barrier
