#include "topology/synthetic.h"

#include "support.h"
#include "topology/error.h"

namespace toccata {
namespace {

std::string complaint(std::string_view machine) {
  try {
    parse_machine(machine);
  } catch (const TopologyError& error) {
    return error.what();
  }
  return "";
}

TEST(SyntheticMachine, IsLevelsAndTheirCounts) {
  const Machine machine = parse_machine("leaf:2 node:8 socket:2 core:8");
  ASSERT_EQ(machine.levels(), 4);
  EXPECT_EQ(machine.name(3), "core");
  EXPECT_EQ(machine.objects(0), 2);
  EXPECT_EQ(machine.objects(3), 256);
  EXPECT_EQ(machine.ancestor(3, 255, 0), 1);
  EXPECT_EQ(machine.ancestor(3, 127, 1), 7);
  EXPECT_FALSE(machine.network());
}

TEST(SyntheticMachine, MayBeUneven) {
  const Machine machine = parse_machine("leaf:3 node:4,2,3 core:2");
  EXPECT_EQ(machine.counts(1), (std::vector{4, 2, 3}));
  EXPECT_EQ(machine.objects(2), 18);
  EXPECT_EQ(text(parse_machine("node:4,2,3 core:2")), "group:3 node:4,2,3 core:2");
  EXPECT_EQ(parse_machine("node:512 core:64*511,32").objects(1), 64 * 511 + 32);
}

TEST(SyntheticMachine, MayLieOnAMesh) {
  const Machine torus = parse_machine("torus:8x8x8 core:2");
  EXPECT_EQ(torus.network()->dims, (std::vector{8, 8, 8}));
  EXPECT_EQ(torus.network()->periodic, (std::vector{true, true, true}));
  EXPECT_EQ(torus.name(0), "node");
  EXPECT_EQ(torus.objects(1), 1024);
  EXPECT_EQ(parse_machine("mesh:4x~6").network()->periodic, (std::vector{false, true}));
  EXPECT_EQ(parse_machine("torus:3x3 node:2 core:4").name(0), "router");
  EXPECT_EQ(parse_machine("torus:3x3:chip node:2").name(0), "chip");
}

TEST(SyntheticMachine, GoesBackToTheSameText) {
  for (const char* each :
       {"core:1", "node:4096", "leaf:2 node:8 socket:2 core:8", "leaf:3 node:4,2,3 core:2",
        "node:512 core:64*511,32", "torus:8x8x8 core:2", "mesh:4x4", "mesh:4x~6 core:2",
        "torus:3x3 node:2 core:4", "torus:3x3:chip node:2", "node:4 socket:1,2*2,1 core:3"})
    EXPECT_EQ(text(parse_machine(each)), each);
}

TEST(SyntheticMachine, IsRefusedInOneLineThatNamesTheWord) {
  const std::vector<std::pair<const char*, const char*>> wrong{
      {"", "is empty"},
      {"  ", "is empty"},
      {"node", "'node': a count is missing"},
      {"node:", "'' is not an integer of at least 1"},
      {"node:0", "'0' is not an integer of at least 1"},
      {"node:-2", "'-2' is not an integer"},
      {"node:2 core:2,3,4", "it has 3 counts, but there are 2 objects of level node"},
      {"node:2 core:4 node:2", "level 'node' occurs twice"},
      {"node:99999999999", "99999999999 is too large; the maximum is 16777216"},
      {"node:100000 core:100000", "the machine would have more than"},
      {"node:2*99999999", "the machine would have more than"},
      {"torus:8x", "'torus:8x': '' is not an integer"},
      {"torus:4096x4096x2", "the machine would have more than"},
      {"torus:2x2:a:b core:2", "may follow the sizes"},
      {"node:2 torus:2x2", "'torus:2x2'"},
      {":3", "the name of a level consists of letters"},
      {"no/de:3", "the name of a level consists of letters"}};
  for (const auto& [machine, why] : wrong) {
    const std::string said = complaint(machine);
    EXPECT_NE(said.find(why), std::string::npos) << machine << ": " << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace toccata
