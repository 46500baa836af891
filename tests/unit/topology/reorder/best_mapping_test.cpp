#include "topology/reorder/best_mapping.h"

#include <gtest/gtest.h>

#include "../../support.h"
#include "topology/placements.h"
#include "topology/reorder/fold.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

double between_nodes(const Placement& placement, const Flows& flows, const Mapping& mapping) {
  const Regions& nodes = placement.regions(node_level(placement.machine()));
  double sum = 0;
  for (int rank = 0; rank < flows.p(); ++rank)
    flows.for_each(rank, [&](int peer, double bytes) {
      if (nodes.of(mapping[rank]) != nodes.of(mapping[peer])) sum += bytes;
    });
  return sum;
}

// Fewer hop-bytes in leaves and sockets do not justify more bytes between nodes.
TEST(BestMapping, AcceptsNoMoreBytesBetweenNodes) {
  const auto machine =
      std::make_shared<const Machine>(parse_machine("leaf:2 node:2 socket:2 core:1"));
  const Placement placement = place(machine, 8, "sequential");
  Flows flows;  // 0 and 1 have one node; 0 and 6, in different leaves, more traffic
  for (int rank = 0; rank < 8; ++rank)
    flows.add_row(rank == 0 ? std::vector<std::pair<int, double>>{{1, 5}, {6, 4}}
                            : std::vector<std::pair<int, double>>());
  BestMapping best(placement, flows);
  Mapping swapped{0, 2, 1, 3, 4, 5, 6, 7};
  best.offer(swapped);  // 5 bytes more between nodes
  EXPECT_EQ(BestMapping(best).result(), identity(8));
  best.offer({0, 1, 6, 3, 4, 5, 2, 7});  // the 4 bytes stay in the leaf
  EXPECT_EQ(BestMapping(best).result(), (Mapping{0, 1, 6, 3, 4, 5, 2, 7}));
}

// Grids on all ranks and on some, on machines with uneven nodes and any placement.
TEST(FoldSome, EveryRankHasOneRoleAndNoMoreBytesCrossNodes) {
  int fewer = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    test::Random random(seed);
    const int nodes = random.number(1, 6);
    std::string machine = "node:" + std::to_string(nodes) + " core:";
    for (int i = 0; i < nodes; ++i)
      machine += (i > 0 ? "," : "") + std::to_string(random.number(1, 6));
    const auto parsed = std::make_shared<const Machine>(parse_machine(machine));
    const Placement placement =
        place(parsed, parsed->objects(parsed->innermost()), "random:" + std::to_string(seed));
    const int p = placement.p();
    const int rows = random.number(1, p);
    const Mesh job{{rows, random.number(1, p / rows)}, {random.coin(), random.coin()}};
    const Flows flows = flows_between_neighbours(job);
    const Mapping mapping = job.cells() == p ? fold(placement, job) : fold_some(placement, job);
    Mapping sorted = mapping;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, identity(p)) << machine << " seed " << seed;
    const double before = between_nodes(placement, flows, identity(p));
    const double after = between_nodes(placement, flows, mapping);
    EXPECT_LE(after, before) << machine << " seed " << seed;
    EXPECT_LE(hop_bytes(placement, flows, mapping), hop_bytes(placement, flows, identity(p)));
    fewer += after < before ? 1 : 0;
  }
  EXPECT_GT(fewer, 100);
}

}  // namespace
}  // namespace toccata
