// Allgather with several leaders per node, each for a part of the node's ranks: one leader per
// socket, or any number. All leaders exchange with a flat allgather. More ranks communicate at a
// time than with one leader, but every block enters a node once per leader.
// [kandalla2009]   l leaders, each for s ranks, e.g. binomial and Bruck:
//                  rounds 2·⌈log2 s⌉ + ⌈log2 l⌉
//                  cost of a leader (⌈log2 s⌉ + ⌈log2 l⌉)·α + ((l-1)/l + ⌈log2 s⌉)·n·β
//
//   8 ranks on nodes 0 1 2 3 | 4 5 6 7, leaders=2: leaders 0 2 | 4 6, for 0 1, 2 3, 4 5, 6 7

#include "topology/division.h"
#include "topology/placements.h"
#include "writing/leaders.h"

namespace toccata::algorithms::allgather {

static const Parameter number = toccata::number(
    "leaders", "leaders per node, each for an equal share of its ranks; 0: one per socket", 0, 1024,
    0, {0, 2});

// Proofs of allgather/hierarchical try the other values.
static const Parameter exchange = [] {
  Parameter made = Leaders::exchange();
  made.samples = {0};
  return made;
}();

static Regions parts_of_nodes(const Shape& shape) {
  const Regions nodes = *node_regions(shape.placement, shape.p);
  const int leaders = shape.parameters[number];
  if (leaders == 0) {
    if (shape.placement == nullptr) return nodes;
    const Machine& machine = shape.placement->machine();
    const int level = socket_level(machine);
    return level < machine.innermost() ? shape.placement->regions(level) : nodes;
  }
  std::vector<int> first{0};  // the first part of each node
  for (int node = 0; node < nodes.number(); ++node)
    first.push_back(first.back() + std::min(leaders, nodes.size(node)));
  std::vector<int> labels;
  for (int rank = 0; rank < shape.p; ++rank) {
    const int node = nodes.of(rank);
    labels.push_back(first[node] +
                     nodes.local(rank) * (first[node + 1] - first[node]) / nodes.size(node));
  }
  return Regions(labels);
}

static Leaders leaders(const Shape& shape) {
  return Leaders({std::make_shared<const Regions>(parts_of_nodes(shape)), 0}, shape);
}

extern const Algorithm multi_leader{
    .name = "multi_leader",
    .collective = toccata::allgather,
    .summary = "gather to several leaders per node, allgather among all leaders, broadcast",
    .citation = "kandalla2009",
    .claim = [](const Shape& shape) { return leaders(shape).claim(); },
    .parameters = {number, exchange, Leaders::local()},
    .by_placement = true,
    .impossible = [](const Shape& shape) { return leaders(shape).why_impossible(); },
    .write = [](const Shape& shape, int rank,
                ScheduleBuilder& schedule) { leaders(shape).write(rank, schedule); },
};

}  // namespace toccata::algorithms::allgather
