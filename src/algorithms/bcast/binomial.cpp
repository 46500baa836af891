// Broadcast down a binomial tree: in every round, all ranks that have the message forward it, over
// half the distance of the previous round.
// [thakur2005, on broadcast]   rounds ⌈log2 p⌉   cost ⌈log2 p⌉·(α + n·β)
//
//   p = 4, root 0   round 0: 0>2    round 1: 0>1 2>3
//
// If the message is cut into segments, each is sent to all children at once, in the round after its
// arrival:
//
//   rounds ⌊log2 p⌋ + s - 1   cost (⌊log2 p⌋ + s - 1)·(α + ⌈log2 p⌉·n/s·β)

#include "patterns/binomial.h"

#include <bit>

#include "writing/algorithm.h"
#include "writing/pipelined_trees.h"

namespace toccata::algorithms::bcast {

static const Parameter segments =
    number_of_segments("segments, which follow each other down the tree", {1, 2, 7}, 1);

static void one_by_one(const Binomial& tree, ScheduleBuilder& schedule) {
  for (int distance = tree.farthest(); distance > 0; distance /= 2) {
    schedule.round();
    if (distance == tree.reach() && !tree.is_root()) schedule.recv(tree.parent(), recv(0));
    if (tree.has_child(distance)) schedule.send(tree.child(distance), recv(0));
  }
}

static TreePlace place_in(const Binomial& tree) {
  TreePlace place{.depth = std::popcount(static_cast<unsigned>(tree.self))};
  if (!tree.is_root()) place.parent = tree.parent();
  for (int distance = tree.farthest(); distance > 0; distance /= 2)
    if (tree.has_child(distance)) place.children.push_back(tree.child(distance));
  return place;
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Binomial tree = Binomial::of(shape.p, rank, shape.root);
  if (shape.parts == 1)
    one_by_one(tree, schedule);
  else
    schedule.then(down(place_in(tree), shape.parts));
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
    .summary = "⌈log2 p⌉ rounds; the number of ranks with the data doubles; for short messages",
    .citation = "thakur2005, on broadcast",
    .claim = claim,
    .parameters = {segments},
    .pattern = "binomial_bcast",
    .parts = [](const Shape& shape) { return shape.parameters[segments]; },
    .write = write,
};

}  // namespace toccata::algorithms::bcast
