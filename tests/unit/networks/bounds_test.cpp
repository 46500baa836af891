#include "networks/bounds.h"

#include "choices/known_shape.h"
#include "support.h"
#include "writing/count.h"

namespace toccata {
namespace {

// [chan2006, table 1], written independently: N = 3, p = 512 and n = 6 · 512 bytes.
TEST(Bounds, AreThoseOfTheTable) {
  const double n = 6 * 512;
  struct Row {
    const Collective* collective;
    double link, reduced;
  };
  for (const Row& row :
       {Row{&bcast, 512, 0}, Row{&reduce, 512, 6 * 511}, Row{&scatter, 511, 0},
        Row{&gather, 511, 0}, Row{&allgather, 511, 0}, Row{&reduce_scatter, 511, 6 * 511},
        Row{&allreduce, 1022, 6 * 511}, Row{&scan, 512, 6 * 511}, Row{&exscan, 512, 6 * 510},
        Row{&barrier, 0, 0}}) {
    SCOPED_TRACE(std::string(row.collective->name));
    for (const Bounds& found : {table_bounds(*row.collective, 512, 6, n),
                                lower_bounds(*row.collective, known(512, "torus:8x8x8"), n)}) {
      EXPECT_EQ(found.rounds, 4);  // 7^3 < 512 <= 7^4
      EXPECT_DOUBLE_EQ(found.link_bytes, row.link);
      EXPECT_DOUBLE_EQ(found.reduced_bytes, row.reduced);
    }
  }
  EXPECT_THROW(table_bounds(alltoall, 512, 6, n), std::invalid_argument);
  EXPECT_EQ(table_bounds(bcast, 27, 2, 1).rounds, 3);
  EXPECT_EQ(table_bounds(bcast, 28, 2, 1).rounds, 4);
}

TEST(Bounds, KnowThatCornersOfAMeshHaveFewerLinks) {
  const Shape corner = known(64, "mesh:8x8");
  EXPECT_DOUBLE_EQ(lower_bounds(allgather, corner, 64).link_bytes, 63.0 / 2);
  EXPECT_DOUBLE_EQ(lower_bounds(scatter, corner, 64).link_bytes, 63.0 / 2);
  Shape middle = corner;
  middle.root = 27;
  EXPECT_DOUBLE_EQ(lower_bounds(scatter, middle, 64).link_bytes, 63.0 / 4);
  EXPECT_EQ(lower_bounds(bcast, corner, 64).rounds, 3);
  EXPECT_EQ(lower_bounds(bcast, known(1, "mesh:1"), 64).rounds, 0);
}

TEST(Bounds, KnowThatRanksOfANodeNeedNoLink) {
  const Bounds found = lower_bounds(allreduce, known(18, "torus:3x3 core:2"), 9);
  EXPECT_EQ(found.rounds, 2);
  EXPECT_DOUBLE_EQ(found.link_bytes, 2 * 8.0 / 4);
  EXPECT_DOUBLE_EQ(found.reduced_bytes, 17.0 / 18 * 9);
}

// No algorithm beats the bounds on any sampled mesh. In one round, a rank may have more messages
// than links; these messages then take turns.
TEST(Bounds, AreKeptByAllAlgorithms) {
  for (const Algorithm* each : all_algorithms()) {
    if (&each->collective == &alltoall || each->collective.among_neighbors) continue;
    for (const int p : {2, 8, 9, 12, 16, 27, 30, 64}) {
      if (test::sanitized && p > 12) break;
      for (Shape shape : sample_shapes(*each, p)) {
        const Bounds bounds = lower_bounds(each->collective, shape, 1);
        const LinkTraffic found = link_traffic(*each, shape);
        EXPECT_GE(std::max<std::int64_t>(count(*each, shape).rounds, found.turns), bounds.rounds)
            << test::describe(*each, shape);
        const double share = link_share(*each, shape, found);
        EXPECT_GE(share, bounds.link_bytes - 1e-12) << test::describe(*each, shape);
      }
    }
  }
}

}  // namespace
}  // namespace toccata
