// Broadcast down a Bine tree: in every round, all ranks that have the message forward it,
// alternately up and down. The distances are a third shorter than in a binomial tree. If p is not a
// power of two, ranks are folded in pairs.
// [desensi2025]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β)
//
//   p = 8, root 0   round 0: 0>3    round 1: 0>7 3>4    round 2: 0>1 7>6 3>2 4>5

#include "patterns/bine.h"

#include "writing/algorithm.h"

namespace toccata::algorithms::bcast {

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const BineTree bine = BineTree::of(shape.p, rank, shape.root);
  const Binomial& tree = bine.tree;
  const bool idle = rank != bine.rank(tree.self);
  for (int distance = tree.farthest(); distance > 0; distance /= 2) {
    schedule.round();
    if (idle) continue;
    if (distance == tree.reach()) schedule.recv(bine.rank(tree.parent()), recv(0));
    if (tree.has_child(distance)) schedule.send(bine.rank(tree.child(distance)), recv(0));
  }
  const int twin = FoldedCube::twin(rank);
  if (bine.cube.in_pair(rank))
    idle ? schedule.round().recv(twin, recv(0)) : schedule.round().send(twin, recv(0));
}

static Cost claim(const Shape& shape) {
  const FoldedCube cube{shape.p, shape.root};
  const int most = floor_log2(shape.p) + (cube.in_pair(shape.root) ? 1 : 0);
  return {.rounds = ceil_log2(shape.p), .messages = most, .sent = most};
}

extern const Algorithm bine{
    .name = "bine",
    .collective = toccata::bcast,
    .summary = "⌈log2 p⌉ rounds over distances a third shorter than binomial's; for short messages",
    .citation = "desensi2025",
    .claim = claim,
    .write = write,
};

}  // namespace toccata::algorithms::bcast
