#include "networks/links.h"

#include "choices/known_shape.h"
#include "costs/cost.h"
#include "networks/bounds.h"
#include "support.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

Shape on(const Algorithm& algorithm, const std::string& machine, int p, int root = 0) {
  Shape shape = known(p, machine);
  shape.root = root;
  return algorithm.complete(std::move(shape));
}

const Algorithm& named(const Collective& collective, std::string_view name) {
  return *find_algorithm(collective, name);
}

LinkTraffic traffic_on(const Algorithm& algorithm, const std::string& machine, int p,
                       int root = 0) {
  return link_traffic(algorithm, on(algorithm, machine, p, root));
}

std::vector<int> route(const Links& links, int from, int to) {
  std::vector<int> way;
  links.route(from, to, true, way);
  return way;
}

TEST(Links, LeadInDimensionOrderTheShorterWayRound) {
  const Links torus({{4, 5}, {true, true}});
  EXPECT_EQ(route(torus, 0, 0), std::vector<int>{});
  EXPECT_EQ(route(torus, 0, 1), (std::vector{2}));           // cell 0, dimension 1, upwards
  EXPECT_EQ(route(torus, 0, 4), (std::vector{3}));           // ... downwards, round the end
  EXPECT_EQ(route(torus, 0, 15), (std::vector{1}));          // cell 0, dimension 0, downwards
  EXPECT_EQ(route(torus, 0, 11), (std::vector{0, 20, 42}));  // cells 0, 5, then 10; 2 is half
  std::vector<int> down;
  EXPECT_TRUE(torus.route(0, 11, false, down));
  EXPECT_EQ(down, (std::vector{1, 61, 42}));
  EXPECT_FALSE(torus.route(0, 6, false, down));
  const Links mesh({{4, 5}, {false, false}});
  EXPECT_EQ(route(mesh, 0, 4), (std::vector{2, 6, 10, 14}));
  for (int from = 0; from < 20; ++from)
    for (int to = 0; to < 20; ++to)
      for (const Links* each : {&torus, &mesh})
        EXPECT_EQ(static_cast<int>(route(*each, from, to).size()), each->mesh().hops(from, to));
  EXPECT_EQ(torus.fewest_of_a_cell(), 4);
  EXPECT_EQ(mesh.fewest_of_a_cell(), 2);
  EXPECT_EQ(mesh.most_of_a_cell(), 4);
  EXPECT_EQ(Links({{2, 2}, {true, true}}).most_of_a_cell(), 2) << "rings of two";
}

// The paper considers this lower bound unreachable. Blocks in 2N parts make p·2N units. The busiest
// link carries p - 1 units, which is (p-1)/p · n/2N; every link carries as many.
TEST(Multiport, ReachesTheBoundOnEqualDimensions) {
  for (const auto& [machine, p] : std::vector<std::pair<std::string, int>>{
           {"torus:8x8x8", 512}, {"torus:4x4x4x4", 256}, {"torus:5x5", 25}, {"torus:9", 9}}) {
    SCOPED_TRACE(machine);
    for (const Collective* each : {&allgather, &reduce_scatter}) {
      const LinkTraffic found = traffic_on(named(*each, "torus_multiport"), machine, p);
      EXPECT_EQ(found.largest, p - 1);
      EXPECT_EQ(std::ranges::count(found.bytes, p - 1), std::ssize(found.bytes));
      EXPECT_EQ(found.most_conflicts(), 1);
    }
    const LinkTraffic found = traffic_on(named(allreduce, "torus_multiport"), machine, p);
    EXPECT_EQ(found.largest, 2 * (p - 1));
    EXPECT_EQ(found.most_conflicts(), 1);
  }
}

// A corner of a mesh has half the links, so that the bound doubles.
TEST(Multiport, ReachesTheBoundOnEqualDimensionsOfAMesh) {
  for (const auto& [machine, p] :
       std::vector<std::pair<std::string, int>>{{"mesh:8x8x8", 512}, {"mesh:5x5", 25}}) {
    const Algorithm& algorithm = named(allgather, "torus_multiport");
    const Shape shape = on(algorithm, machine, p);
    const double share = link_share(algorithm, shape, link_traffic(algorithm, shape));
    EXPECT_DOUBLE_EQ(share, lower_bounds(allgather, shape, 1).link_bytes) << machine;
  }
}

// Pieces cannot be divided further, which explains the half percent.
TEST(Multiport, IsWithinHalfAPercentOfTheBoundOnRaggedShapes) {
  for (const std::string machine :
       {"torus:16x4", "torus:8x4x2", "torus:5x3x2", "torus:16x8x8", "torus:8x4", "torus:6x4x3",
        "torus:7x5x3", "torus:4x4x2x2", "torus:3x2x4x5", "torus:2x13", "torus:64x3x2", "mesh:8x4",
        "mesh:7x5x3", "mesh:4x~4", "mesh:~8x4x~2", "mesh:6x~3x2"}) {
    const Algorithm& algorithm = named(allgather, "torus_multiport");
    const int p = parse_machine(machine).network()->cells();
    const Shape shape = on(algorithm, machine, p);
    const double share = link_share(algorithm, shape, link_traffic(algorithm, shape));
    EXPECT_LE(share / lower_bounds(allgather, shape, 1).link_bytes, 1.005) << machine;
  }
}

// (D-1)/D·n on the busiest link [chan2006, section 4.2.2], where D is the size of the last
// dimension.
TEST(Bucket, CarriesWhatThePaperSays) {
  for (const auto& [machine, p, shortest] :
       std::vector<std::tuple<std::string, int, int>>{{"torus:8x8x8", 512, 8},
                                                      {"torus:4x4", 16, 4},
                                                      {"torus:3x8", 24, 3},
                                                      {"torus:7", 7, 7}}) {
    SCOPED_TRACE(machine);
    for (const Collective* each : {&allgather, &reduce_scatter}) {
      const LinkTraffic found = traffic_on(named(*each, "torus_bucket"), machine, p);
      EXPECT_EQ(found.largest, p / shortest * (shortest - 1));
      EXPECT_EQ(found.most_conflicts(), 1);
    }
  }
}

// In one round of the tree, messages never share a link. If slabs divide evenly, a scatter sends
// (p-1)/p · n/2N over each link in total [chan2006, sections 4.1.4 and 4.1.5].
TEST(TorusTree, HasNoConflicts) {
  for (const auto& [machine, p] : std::vector<std::pair<std::string, int>>{
           {"torus:8x8x8", 512}, {"mesh:8x8x8", 512}, {"torus:7x5x3", 105}, {"mesh:6x~5x2", 60}})
    for (const int root : {0, p / 2, p - 1}) {
      for (const Collective* each : {&bcast, &reduce, &scatter, &gather})
        EXPECT_EQ(traffic_on(named(*each, "torus_mst"), machine, p, root).most_conflicts(), 1)
            << each->name << " on " << machine;
      EXPECT_EQ(traffic_on(named(bcast, "torus_long"), machine, p, root).most_conflicts(), 1);
    }
  for (const int p : {9, 27, 81})
    EXPECT_EQ(traffic_on(named(scatter, "torus_mst"), "torus:" + std::to_string(p), p).largest,
              (p - 1) / 2);
}

TEST(LinkTraffic, IsThatOfTheNetworkWhereNodesHaveManyRanks) {
  // Two ranks per node: half of the messages of a ring stay in the node.
  const Algorithm& ring = named(allgather, "ring");
  const LinkTraffic found = traffic_on(ring, "torus:5 core:2", 10);
  EXPECT_EQ(found.largest, 9);
  EXPECT_EQ(found.total, 5 * 9);
  EXPECT_EQ(found.most_conflicts(), 1);
  // Every rank to every rank at once.
  const Algorithm& linear = named(alltoall, "linear");
  EXPECT_EQ(traffic_on(linear, "mesh:2 core:3", 6).most_conflicts(), 9);
}

// Four ranks on a line. Each swaps with the rank at distance two: two messages share the middle
// link.
TEST(Conflicts, AreSharedLinksOfARound) {
  const Algorithm& algorithm = named(allgather, "recursive_doubling");
  const Shape shape = on(algorithm, "mesh:4", 4);
  const std::vector<Schedule> schedules = test::schedules(algorithm, shape);
  const LinkTraffic found = link_traffic(algorithm.collective, shape, schedules);
  EXPECT_EQ(found.conflicts, (std::vector{0, 1, 2}));
  const auto conflicts = conflicts_on(shape, schedules);
  EXPECT_EQ(conflicts(0, 1, 0), 1);
  EXPECT_EQ(conflicts(0, 2, 0), 2);
  // alpha + k·n·beta, from the model.
  const Model model = hockney(1, 1);
  const double alone = predict(algorithm, shape, 100, model).seconds;
  const double shared = predict(algorithm, shape, 100, model, {.conflicts = conflicts}).seconds;
  EXPECT_DOUBLE_EQ(alone, 1 + 100 + 1 + 200);
  EXPECT_DOUBLE_EQ(shared, 1 + 100 + 1 + 2 * 200);
}

}  // namespace
}  // namespace toccata
