#include "choices/topology_setting.h"

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
