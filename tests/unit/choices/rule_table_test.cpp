#include "choices/rule_table.h"

#include <gtest/gtest.h>
#include <string>

#include "choices/shipped_rules.h"

namespace toccata {
namespace {

using Section = RuleTable::Section;

const std::string example = R"(
# A comment.
[node]
allgather  2-4     buffer  shared<=1M
allgather  powers  block   bruck<1K, native<=4K, ring  # and another one
bcast      2       block   binomial
bcast      3-      block   linear
[candidates]
bcast  binomial linear
bcast  hierarchical
[libraries]
Example MPI | Example MPI v | openmpi | 1.0, 2.0 | predictable
)";

TEST(RuleTable, FindsTheFirstRowWithTheRanks) {
  const RuleTable table(example, "example.rules");
  EXPECT_EQ(table.find(Section::node, bcast, 2, 8), "binomial");
  EXPECT_EQ(table.find(Section::node, bcast, 1000, 8), "linear");
  EXPECT_EQ(table.find(Section::node, allgather, 8, 8), "bruck");
  EXPECT_EQ(table.find(Section::node, allgather, 7, 8), "");
  EXPECT_EQ(table.find(Section::node, bcast, 1, 8), "");
  EXPECT_EQ(table.find(Section::own, bcast, 2, 8), "");
  EXPECT_EQ(table.find(Section::node, reduce, 2, 8), "");
}

TEST(RuleTable, CountsABlockOrTheLongerBuffer) {
  const RuleTable table(example, "example.rules");
  EXPECT_EQ(table.find(Section::node, allgather, 4, 256 << 10), "shared");
  EXPECT_EQ(table.find(Section::node, allgather, 4, (256 << 10) + 1), "");
  EXPECT_EQ(table.find(Section::node, allgather, 8, 1023), "bruck");
  EXPECT_EQ(table.find(Section::node, allgather, 8, 1024), "native");
  EXPECT_EQ(table.find(Section::node, allgather, 8, 4097), "ring");
}

TEST(RuleTable, CountsNodesAndVersions) {
  const RuleTable table(R"(
[own nodes 6.1]
bcast   nodes:2-3  block   linear
[own nodes 5.0]
bcast   even:2-4   buffer  hierarchical<1K
bcast   nodes:8-   block   hierarchical:between=knomial
bcast   powers     block   pipeline
reduce  even:3     block   hierarchical
)",
                        "example.rules");
  const auto found = [&](const Collective& collective, Spread spread, int version = 500,
                         std::int64_t bytes = 8) {
    return table.find(Section::own_nodes, collective, spread, bytes, version);
  };
  EXPECT_EQ(found(bcast, {16, 4}), "hierarchical");
  EXPECT_EQ(found(bcast, {16, 4}, 499), "");
  EXPECT_EQ(found(bcast, {16, 3}, 601), "linear");
  EXPECT_EQ(found(bcast, {16, 4}, 601), "hierarchical");
  EXPECT_EQ(found(bcast, {16, 4}, 500, 1024), "") << "the first row counts";
  EXPECT_EQ(found(bcast, {16, 4, false}), "pipeline");
  EXPECT_EQ(found(bcast, {15, 4, false}), "");
  EXPECT_EQ(found(bcast, {15, 9, false}), "hierarchical:between=knomial");
  EXPECT_EQ(found(reduce, {16, 3, false}), "");
  EXPECT_EQ(found(reduce, {3, 1}), "");
}

TEST(RuleTable, ListsCandidatesAndLibraries) {
  const RuleTable table(example, "example.rules");
  EXPECT_EQ(table.list(Section::candidates, bcast),
            (std::vector<std::string_view>{"binomial", "linear", "hierarchical"}));
  EXPECT_TRUE(table.list(Section::candidates, reduce).empty());
  ASSERT_EQ(table.libraries().size(), 1U);
  EXPECT_EQ(table.libraries()[0].name, "Example MPI");
  EXPECT_EQ(table.libraries()[0].tested, "1.0, 2.0");
  EXPECT_TRUE(table.libraries()[0].is_predictable);
  EXPECT_FALSE(table.libraries()[0].is_checkable);
}

TEST(RuleTable, NamesTheLineWithAnError) {
  for (const auto& [text, line] : {
           std::pair("[nodes]", "site.rules:1: "),
           std::pair("bcast 2 block ring", "site.rules:1: "),
           std::pair("[own nodes 5]", "site.rules:1: "),
           std::pair("[own nodes 5.x]", "site.rules:1: "),
           std::pair("[own nodes 99999999.0]", "site.rules:1: "),
           std::pair("[node 5.0]", "site.rules:1: "),
           std::pair("[own 5.0]", "site.rules:1: "),
           std::pair("[own nodes]\nbcast nodes: block binomial", "site.rules:2: "),
           std::pair("[own]\nbcast nodes:2 block binomial", "site.rules:2: "),
           std::pair("[node]\nbcast 2-1 block ring", "site.rules:2: "),
           std::pair("[node]\n\nbcast x block ring", "site.rules:3: "),
           std::pair("[node]\nbcast 2 blocks ring", "site.rules:2: "),
           std::pair("[node]\nbcast 2 block", "site.rules:2: "),
           std::pair("[libraries]\nAn MPI | Sign", "site.rules:2: "),
           std::pair("[node]\nbroadcast 2 block linear", "site.rules:2: "),
           std::pair("[node]\nbcast 2 block lineer", "site.rules:2: "),
           std::pair("[node]\nbcast 2 block linear<=1Q", "site.rules:2: "),
           std::pair("[node]\nbcast 2 block linear<=1K, binomial<=1K", "site.rules:2: "),
           std::pair("[candidates]\nbcast linear lineer", "site.rules:2: "),
           std::pair("[node] bcast 2- block binomial", "site.rules:1: "),
           std::pair("[node", "site.rules:1: "),
           std::pair("[node]\nbcast 2 block blocking", "site.rules:2: "),
           std::pair("[persistent]\nbcast 2 block least_regret", "site.rules:2: "),
           std::pair("[own]\nbcast 2 block blocking", "site.rules:2: "),
           std::pair("[own]\nbcast 2 block native<=64K, linear", "site.rules:2: "),
       })
    try {
      RuleTable(text, "site.rules").check();
      ADD_FAILURE() << text;
    } catch (const RulesError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(line)) << error.what();
    }
}

// Every row that is shipped names what exists and is proved.
TEST(RuleTable, IsShippedWithoutErrors) {
  EXPECT_GE(shipped_rules().size(), 4U);
  for (const RuleTable& table : shipped_rules()) EXPECT_NO_THROW(table.check());
  EXPECT_EQ(shipped_rules("no_mpi"), nullptr);
}

}  // namespace
}  // namespace toccata
