#include "topology/process_mapping.h"

#include "support.h"

namespace toccata {
namespace {

using Nodes = std::vector<int>;

TEST(ProcessMapping, GivesTheNodeOfEachRank) {
  EXPECT_EQ(nodes_of_mapping("(vector,(0,1,4))", 4), (Nodes{0, 0, 0, 0}));
  EXPECT_EQ(nodes_of_mapping("(vector,(0,2,2))", 4), (Nodes{0, 0, 1, 1}));
  EXPECT_EQ(nodes_of_mapping("(vector,(0,1,3),(1,1,2),(2,1,1))", 6), (Nodes{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(nodes_of_mapping("(vector,(0,4,1))", 6), (Nodes{0, 1, 2, 3, 0, 1}));
  EXPECT_EQ(nodes_of_mapping("(vector,[(0,2,1)]x2)", 4), (Nodes{0, 1, 0, 1}));
  EXPECT_EQ(nodes_of_mapping("(vector,(0,2,4))", 3), (Nodes{0, 0, 0}));
}

TEST(ProcessMapping, IsEmptyInAnotherForm) {
  for (const char* each :
       {"", "(vector,)", "(vector,(0,2,2)", "(vector,(0,2))", "(vector,(0,0,1))",
        "(vector,(0,1,0))", "(vector,(-1,1,1))", "(vector,(0,1,1))x", "(vector,[(0,1,1)])",
        "(vector,(0,1,1)]x2)", "(vector,[(0,1,1)]x2,(1,1,1))", "(scalar,(0,1,1))"})
    EXPECT_EQ(nodes_of_mapping(each, 2), Nodes()) << each;
}

}  // namespace
}  // namespace toccata
