#include "choices/topology_setting.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "choices/choice.h"

namespace toccata {
namespace {

TEST(TopologySetting, HasPartsInAnyOrder) {
  const TopologySetting all =
      parse_topology_setting("node:4 core:8 placement:node:0,1 core:2 reorder:auto");
  EXPECT_EQ(all.machine, "node:4 core:8");
  EXPECT_EQ(all.placement, "node:0,1 core:2");
  EXPECT_EQ(all.reorder, Reorder::automatic);
  EXPECT_FALSE(all.reorders_topologies);

  const TopologySetting both = parse_topology_setting(" reorder:topologies reorder:shuffle ");
  EXPECT_EQ(both.machine, "");
  EXPECT_EQ(both.placement, "");
  EXPECT_EQ(both.reorder, Reorder::shuffle);
  EXPECT_TRUE(both.reorders_topologies);
  EXPECT_EQ(reorders_text(both), "reorder:shuffle reorder:topologies");

  EXPECT_EQ(parse_topology_setting("my switches.xml reorder:off").machine, "my switches.xml");
  EXPECT_EQ(reorders_text(parse_topology_setting("")), "");
}

TEST(TopologySetting, HasWeightsPerNumberOfDimensions) {
  const TopologySetting both =
      parse_topology_setting("weights:1,4,1 reorder:topologies node:4 weights:2,1");
  EXPECT_EQ(both.machine, "node:4");
  EXPECT_EQ(both.weights_of(3), "1,4,1");
  EXPECT_EQ(both.weights_of(2), "2,1");
  EXPECT_EQ(both.weights_of(1), "");
  EXPECT_EQ(reorders_text(both), "reorder:topologies weights:1,4,1 weights:2,1");
  for (const char* wrong : {"weights:", "weights:1,x", "weights:-1", "weights:1,2 weights:2,1"})
    EXPECT_THROW(parse_topology_setting(wrong), ChoiceError) << wrong;
}

TEST(TopologySetting, FindsChoicesInTheFileOfASavedMachine) {
  const std::string file = testing::TempDir() + "toccata_choices.txt";
  const auto rows = [&](const char* contents) {
    std::ofstream(file) << contents;
    return choices_in_topology(file + " core:8");
  };
  const std::string found = rows(
      "# saved\nmachine node:2\nlinks node1=1/4\n"
      "choice bcast native<1M, forestcoll:segments=8\n");
  EXPECT_EQ(found, "bcast native<1M, forestcoll:segments=8\n");
  const TopologyChoices choices = parse_topology_choices(found);
  ASSERT_EQ(choices.size(), 1);
  EXPECT_EQ(choices[0].first, &bcast);
  EXPECT_TRUE(choices[0].second.at((1 << 20) - 1).native());
  EXPECT_EQ(choices[0].second.at(1 << 20).text(), "forestcoll:segments=8");
  EXPECT_EQ(rows("machine node:2\n"), "");
  EXPECT_EQ(rows("SwitchName=s0 Nodes=n[0-1]\nchoice bcast ring\n"), "");
  std::filesystem::remove(file);
  EXPECT_EQ(choices_in_topology(file), "");
  EXPECT_EQ(choices_in_topology("node:2 core:8"), "");
  for (const char* wrong : {"bcast", "cast ring", "bcast no_algorithm"})
    EXPECT_THROW(parse_topology_choices(wrong), ChoiceError) << wrong;
}

TEST(TopologySetting, AWrongWordIsNamed) {
  for (const char* wrong : {"reorder:upwards", "core:2 reorder:", "reorder:Auto"}) try {
      parse_topology_setting(wrong);
      ADD_FAILURE() << wrong;
    } catch (const ChoiceError& error) {
      EXPECT_NE(std::string(error.what()).find("expected off, auto, straight"), std::string::npos);
    }
}

}  // namespace
}  // namespace toccata
