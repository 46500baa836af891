// Broadcast down a binomial tree: in every round all who have the message send it on, to the rank
// half as far as in the round before.
// [thakur2005, on broadcast]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β)
//
//   p = 4, root 0   round 0: 0>2    round 1: 0>1 2>3
//
// Cut into segments, each is passed on to all children at once in the round after it came:
//                rounds ⌊log2 p⌋ + s - 1   cost (⌊log2 p⌋ + s - 1)·(α + ⌈log2 p⌉·n/s·β)

#include "patterns/binomial.h"

#include <bit>

#include "algorithms/algorithm.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number("segments", "pieces that follow each other down the tree", 1, 1024, 1, {1, 2, 7});

static void one_by_one(const Binomial& tree, ScheduleBuilder& schedule) {
  for (int distance = tree.farthest(); distance > 0; distance /= 2) {
    schedule.round();
    if (distance == tree.reach() && !tree.is_root()) schedule.recv(tree.parent(), recv(0));
    if (tree.has_child(distance)) schedule.send(tree.child(distance), recv(0));
  }
}

static void pipelined(const Binomial& tree, int number, ScheduleBuilder& schedule) {
  const int depth = std::popcount(static_cast<unsigned>(tree.self));
  for (int empty = 0; empty < depth - 1; ++empty) schedule.round();
  for (int i = tree.is_root() ? 1 : 0; i <= number; ++i) {
    schedule.round();
    if (i < number && !tree.is_root()) schedule.recv(tree.parent(), recv(i));
    if (i == 0) continue;
    for (int distance = tree.farthest(); distance > 0; distance /= 2)
      if (tree.has_child(distance)) schedule.send(tree.child(distance), recv(i - 1));
  }
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Binomial tree = Binomial::of(shape.p, rank, shape.root);
  shape.parts == 1 ? one_by_one(tree, schedule) : pipelined(tree, shape.parts, schedule);
}

static Cost claim(const Shape& shape) {
  if (shape.p == 1) return {};
  const int children = ceil_log2(shape.p);
  const int depth = floor_log2(shape.p);
  return {.rounds = shape.parts == 1 ? children : depth + shape.parts - 1,
          .messages = children * shape.parts,
          .sent = children * shape.parts};
}

extern const Algorithm binomial{
    .name = "binomial",
    .collective = toccata::bcast,
    .summary = "⌈log2 p⌉ rounds, those who have it double; for short messages",
    .citation = "thakur2005, on broadcast",
    .claim = claim,
    .parameters = {segments},
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
