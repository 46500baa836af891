// Barrier by a k-nomial tree: ranks signal to their parents that all ranks below have entered. The
// root then signals down the tree that all ranks have entered.
// [conceptual, k-nomial tree functions]   rounds 2·⌈logk p⌉   cost 2·⌈logk p⌉·α
//
//   p = 4, k = 2    1>0 3>2    2>0    0>2    0>1 2>3
//
// For about the same number of rounds as dissemination with radix k, it needs radix k². It sends
// 2p-2 messages in total, and dissemination sends about p·(k-1)·logk p.

#include "patterns/knomial.h"

#include "schedule/backwards.h"
#include "writing/algorithm.h"

namespace toccata::algorithms::barrier {

static const Parameter radix =
    number("radix", "k: a rank has up to k-1 children at every distance", 2, 1 << 20, 4, {2, 3, 4});

static Knomial tree_of(const Shape& shape, int rank) {
  return Knomial::of(shape.p, rank, 0, shape.parameters[radix]);
}

static void write(const Shape& shape, int rank, ScheduleBuilder& schedule) {
  const Knomial tree = tree_of(shape, rank);
  ScheduleBuilder release;
  for (int weight = tree.farthest(); weight > 0; weight /= tree.radix) {
    release.round();
    if (weight == tree.reach()) release.recv(tree.parent());
    for (int i = 1; i <= tree.children(weight); ++i) release.send(tree.child(i * weight));
  }
  const Schedule down = std::move(release).build();
  schedule.then(backwards(down, tree.levels()), tree.levels() + 1).then(down);
}

static Cost claim(const Shape& shape) {
  const Knomial root = tree_of(shape, 0);
  std::int64_t messages = root.children();
  // An inner rank has a parent and children; the first inner rank has the most children.
  if (root.levels() > 1)
    messages = std::max<std::int64_t>(messages, tree_of(shape, root.farthest()).children() + 1);
  if (shape.p > 1) messages = std::max<std::int64_t>(messages, 1);
  return {.rounds = 2 * root.levels(), .messages = messages};
}

extern const Algorithm knomial{
    .name = "knomial",
    .collective = toccata::barrier,
    .summary = "up and down a k-nomial tree: 2p-2 messages in total",
    .citation = "conceptual, k-nomial tree functions",
    .claim = claim,
    .parameters = {radix},
    .write = write,
};

}  // namespace toccata::algorithms::barrier
