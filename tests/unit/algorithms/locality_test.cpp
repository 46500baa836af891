// Topology-aware algorithms, on machines of all kinds.
#include "proofs/lockstep.h"
#include "support.h"
#include "topology/division.h"
#include "topology/placements.h"
#include "topology/synthetic.h"

namespace toccata {
namespace {

// Ranks on a machine of one to four levels, possibly uneven and in random order. Some ranks may be
// bound only to their node, and some ranks of the machine may be missing.
std::shared_ptr<const Placement> random_placement(test::Random& random, int p) {
  const std::vector<std::string> names{"leaf", "node", "socket", "cache"};
  std::vector<Machine::Level> levels;
  std::vector<int> cores;  // per object of the current level
  for (int level = random.number(0, 2); level < 4; ++level) {
    Machine::Level& made = levels.emplace_back(Machine::Level{names[level], {}});
    const int outer =
        levels.size() == 1 ? 1 : static_cast<int>(levels[levels.size() - 2].outer.size());
    const int most = random.number(1, levels.size() == 1 ? 20 : 4);
    for (int object = 0; object < outer; ++object)
      made.outer.insert(made.outer.end(), random.number(1, most), object);
    if (random.number(0, 2) == 0) break;
  }
  Machine::Level& innermost = levels.emplace_back(Machine::Level{"core", {}});
  const int objects = static_cast<int>(levels[levels.size() - 2].outer.size());
  const int most = std::max(2, random.number(1, 3) * p / objects);
  for (int object = 0; object < objects; ++object)
    innermost.outer.insert(innermost.outer.end(), random.number(1, most), object);
  while (static_cast<int>(innermost.outer.size()) < p) innermost.outer.push_back(objects - 1);

  auto machine = std::make_shared<const Machine>(std::move(levels));
  std::vector<Place> places;
  for (int core = 0; core < machine->objects(machine->innermost()); ++core)
    places.push_back({machine->innermost(), core});
  const bool unbound = random.coin();
  for (Place& place : places)
    if (unbound && random.number(0, 5) == 0) {
      const int level = random.number(0, machine->innermost());
      place = {level, machine->ancestor(place.level, place.object, level)};
    }
  if (random.coin()) random.shuffle(places);
  places.resize(p);
  return std::make_shared<const Placement>(std::move(machine), std::move(places));
}

std::vector<const Algorithm*> algorithms_by_placement() {
  std::vector<const Algorithm*> result;
  for (const Algorithm* each : all_algorithms())
    if (each->by_placement) result.push_back(each);
  return result;
}

using Locality = test::AlgorithmTest;

TEST_P(Locality, IsRightOnAnyMachine) {
  const Algorithm& algorithm = *GetParam();
  for (int seed = 0; seed < (test::sanitized ? 20 : 400); ++seed) {
    test::Random random(seed);
    Shape shape{.p = random.number(1, seed % 8 == 0 ? 200 : 48)};
    shape.placement = random_placement(random, shape.p);
    shape.parameters = Parameters(algorithm.parameters);
    for (const Parameter& parameter : algorithm.parameters)
      shape.parameters.set(parameter, random.number(parameter.least, std::min(parameter.most, 5)));
    if (algorithm.collective.rooted) shape.root = random.number(0, shape.p - 1);
    if (!algorithm.why_impossible(shape).empty()) continue;
    shape = algorithm.complete(shape);
    if (proof_effort(algorithm, shape) > (test::sanitized ? 100'000 : 1'000'000)) continue;
    SCOPED_TRACE(test::describe(algorithm, shape) + ", seed " + std::to_string(seed) + ", " +
                 text(shape.placement->machine()) + " at " + text(*shape.placement));
    ASSERT_EQ(verify(algorithm, shape), "");
    if (shape.p > 48 && seed % 16 != 0) continue;
    ByteCall call;
    const int alike = random.number(0, 9);
    for (int datum = 0; datum < algorithm.collective.data(shape); ++datum)
      call.counts.push_back(algorithm.blocks_alike ? alike : random.number(0, 9));
    call.send_type = call.recv_type = {{{3, 2}, {0, 1}}, 7};
    call.in_place = random.coin();
    ASSERT_EQ(lockstep(algorithm, shape, call), "");
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, Locality, testing::ValuesIn(algorithms_by_placement()),
                         test::test_name);

TEST(Division, GoesByTheLevelsThatDivide) {
  const auto machine =
      std::make_shared<const Machine>(parse_machine("leaf:1 node:2 board:1 socket:2 core:2"));
  const Placement placement = place(machine, 8, "sequential");
  const Division nodes(&placement);
  ASSERT_TRUE(nodes.divides());
  EXPECT_EQ(nodes.regions().number(), 2);
  const Division sockets = nodes.inside(1);
  ASSERT_TRUE(sockets.divides());
  EXPECT_EQ(sockets.regions().number(), 2);
  EXPECT_EQ(sockets.regions().ranks(), 4);
  EXPECT_FALSE(sockets.inside(0).divides()) << "one core per rank";
  EXPECT_FALSE(Division(nullptr).divides());
}

TEST(Division, SeesTheNodes) {
  const auto machine =
      std::make_shared<const Machine>(parse_machine("leaf:2 node:2 socket:2 core:2"));
  const auto regions = [&](int p, const char* where) {
    const auto placement = std::make_shared<const Placement>(place(machine, p, where));
    return node_regions(placement, p)->number();
  };
  EXPECT_EQ(regions(16, "sequential"), 4);
  EXPECT_EQ(regions(4, "sequential"), 2) << "its sockets";
  EXPECT_EQ(regions(4, "0,4,8,12"), 2) << "the leaves";
  EXPECT_EQ(node_regions(nullptr, 3)->number(), 3) << "one region per rank";
}

// [bienz2022, section 3]: the largest number of messages that one rank sends to other regions.
int messages_out(const Algorithm& algorithm, const Shape& shape) {
  const Regions& regions = shape.placement->regions(0);
  int most = 0;
  for (int rank = 0; rank < shape.p; ++rank) {
    const Schedule schedule = algorithm.schedule(shape, rank);
    int messages = 0;
    for (int round = 0; round < schedule.rounds(); ++round)
      for (const Message& each : schedule.sends(round))
        if (regions.of(each.peer) != regions.of(rank)) ++messages;
    most = std::max(most, messages);
  }
  return most;
}

TEST(LocalityBruck, SendsAsFewMessagesOutAsThePaper) {
  const Algorithm& algorithm = *find_algorithm(allgather, "locality_bruck");
  const auto log = [](double base, int r) {  // the least n with base^n >= r
    int n = 0;
    for (double power = 1; power < r; power *= base) ++n;
    return n;
  };
  for (const int size : {2, 3, 4, 7})
    for (const int r : {2, 3, 4, 8, 16, 27, 49, 64}) {
      const auto machine = std::make_shared<const Machine>(
          parse_machine("node:" + std::to_string(r) + " core:" + std::to_string(size)));
      Shape known{.p = r * size};
      known.placement = std::make_shared<const Placement>(place(machine, known.p, "random:1"));
      for (const bool idles : {false, true}) {
        known.parameters = Parameters(algorithm.parameters);
        known.parameters.set(algorithm.parameters[0], idles ? 1 : 0);
        EXPECT_EQ(messages_out(algorithm, known), log(idles ? size : size + 1, r))
            << r << " regions of " << size << (idles ? ", idle" : "");
      }
    }
}

}  // namespace
}  // namespace toccata
