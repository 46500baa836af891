#include "costs/cost_bound.h"

#include "costs/cost.h"
#include "costs/model_file.h"
#include "patterns/arithmetic.h"
#include "support.h"

namespace toccata {
namespace {

double bound(const Collective& collective, const Shape& shape, std::int64_t unit,
             const Model& model) {
  return LowerBound(collective, shape, model)(unit);
}

// [chan2006, table 1] with one link: ⌈log2 p⌉·alpha, and (p-1)/p·n·beta.
TEST(LowerBound, OfAllgatherAndAlltoallIsThePapers) {
  for (const int p : {1, 2, 3, 8, 9, 100})
    for (const Collective* collective : {&allgather, &alltoall}) {
      EXPECT_DOUBLE_EQ(bound(*collective, {p}, 0, hockney(1, 1e-6)), ceil_log2(p)) << p;
      EXPECT_DOUBLE_EQ(bound(*collective, {p}, 1000, hockney(1e-6, 1)),
                       p == 1 ? 0 : 1e-6 + (p - 1) * 1000)
          << p;
    }
}

// With a gap of a quarter of the latency, a rank sends 4 messages per latency: 1, 5, 25 ranks have
// the data.
TEST(LowerBound, CountsTheMessagesThatLeaveInALatency) {
  Model model = hockney(4, 0);
  model.levels[0].eager.g = model.levels[0].rendezvous.g = 1;
  EXPECT_DOUBLE_EQ(bound(allgather, {5}, 0, model), 4);
  EXPECT_DOUBLE_EQ(bound(allgather, {6}, 0, model), 8);
}

// Nodes of three ranks. Compared with the network, communication inside a node costs almost
// nothing.
Shape on_nodes_of_three(int p) {
  Machine::Level nodes{"node", {}}, cores{"core", {}};
  std::vector<Place> places;
  for (int rank = 0; rank < p; ++rank) {
    if (rank % 3 == 0) nodes.outer.push_back(0);
    cores.outer.push_back(rank / 3);
    places.push_back({1, rank});
  }
  Shape shape{p};
  shape.placement = std::make_shared<const Placement>(
      std::make_shared<const Machine>(std::vector<Machine::Level>{nodes, cores}), places);
  return shape;
}

// A node informs three other nodes in one latency of the network. [bienz2022, section 3], but local
// rank 0 also sends.
TEST(LowerBound, LetsAllRanksOfANodeTellOthers) {
  Model model = hockney(1, 0);
  model.levels.push_back({.name = "node", .eager = {.alpha = 0.01, .g = 0.01}});
  for (const int p : {9, 12}) EXPECT_DOUBLE_EQ(bound(allgather, on_nodes_of_three(p), 0, model), 1);
}

// The three ranks of a node share the transfer of the data from other nodes. The root's node
// already has all data.
TEST(LowerBound, LetsAllRanksOfANodeShareInItsBytes) {
  Model model = hockney(0, 1);
  model.levels.push_back({.name = "node", .eager = {.beta = 0.01}});
  const Shape shape = on_nodes_of_three(12);
  EXPECT_DOUBLE_EQ(bound(allgather, shape, 1000, model), 3 * 1000);
  EXPECT_DOUBLE_EQ(bound(alltoall, shape, 1000, model), 9 * 1000);
  EXPECT_DOUBLE_EQ(bound(scatter, shape, 1000, model), 3 * 1000);
  EXPECT_DOUBLE_EQ(bound(gather, shape, 1000, model), 3 * 1000);
  EXPECT_DOUBLE_EQ(bound(bcast, shape, 3000, model), 1000);
  EXPECT_DOUBLE_EQ(bound(allreduce, shape, 3000, model), 1000);
}

class EveryBound : public test::AlgorithmTest {};

TEST_P(EveryBound, IsBelowWhatTheAlgorithmTakes) {
  const Algorithm& algorithm = *GetParam();
  for (const std::string name : {"lassen", "quartz-like", "gigabit", "gigabit, publishing"}) {
    const std::string file = name.substr(0, name.find(','));
    Model model = read_model(TOCCATA_SOURCE_DIR "/models/" + file + ".json");
    if (file != name) model.publishing = {.latency = 1e-7, .write = 1e-11, .read = 2e-11};
    for (const int p : {1, 2, 7, 16, 24})
      for (const Shape& shape : sample_shapes(algorithm, p))
        for (const auto& placement : sample_placements(p))
          for (const std::int64_t unit : {0, 8, 3000, 100000}) {
            Shape placed = shape;
            if (!placed.placement) placed.placement = placement;
            if (!algorithm.why_impossible(placed).empty()) continue;
            placed = algorithm.complete(placed);
            const double least = bound(algorithm.collective, placed, unit, model);
            ASSERT_LE(least * (1 - 1e-12), predict(algorithm, placed, unit, model).seconds)
                << test::describe(algorithm, placed) << ", " << name << ", " << unit << " bytes";
          }
  }
}

EVERY_ALGORITHM(EveryBound);

}  // namespace
}  // namespace toccata
