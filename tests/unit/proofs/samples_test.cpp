#include "proofs/samples.h"

#include <set>

#include "support.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

TEST(SampleMeshes, AreManyDifferentOnes) {
  std::set<std::string> all;
  for (const std::string_view each : sample_meshes()) {
    const Mesh mesh = *parse_machine(each).network();
    all.insert(text(parse_machine(each)));
    const auto grids = sample_grids(mesh.cells());
    EXPECT_TRUE(std::ranges::any_of(grids, [&](const auto& grid) {
      return grid != nullptr && grid->mesh == mesh;
    })) << each;
  }
  EXPECT_GE(all.size(), 40U);
}

TEST(SampleGrids, HaveEveryRankInOneCell) {
  for (const int p : {1, 2, 7, 12, 64, 128, 1000})
    for (const auto& grid : sample_grids(p)) {
      if (grid == nullptr) continue;
      EXPECT_EQ(grid->mesh.cells(), p);
      std::set<int> ranks;
      for (int cell = 0; cell < p; ++cell) ranks.insert(grid->rank_at(cell));
      EXPECT_EQ(static_cast<int>(ranks.size()), p);
    }
}

}  // namespace
}  // namespace toccata
