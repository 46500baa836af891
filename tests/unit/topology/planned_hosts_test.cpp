#include "topology/planned_hosts.h"

#include <gtest/gtest.h>

namespace toccata {
namespace {

constexpr const char* plan = "a*3,b.site,a";

TEST(PlannedHosts, AcceptsEachRankWhereItShouldBe) {
  for (const int rank : {0, 1, 2, 4}) EXPECT_EQ(complaint_of_place(plan, rank, 5, "a"), "");
  EXPECT_EQ(complaint_of_place(plan, 3, 5, "b.site"), "");
  EXPECT_EQ(complaint_of_place(plan, 3, 5, "b"), "");
  EXPECT_EQ(complaint_of_place(plan, 0, 5, "a.site"), "");
  EXPECT_EQ(complaint_of_place("", 7, 8, "anywhere"), "");
}

TEST(PlannedHosts, NamesTheHostOfARankThatIsElsewhere) {
  EXPECT_EQ(complaint_of_place(plan, 4, 5, "b"),
            "rank 4 runs on b, but toccata run --place put it on a; leave out other options and "
            "variables that place ranks");
  EXPECT_NE(complaint_of_place(plan, 3, 5, "b.other"), "");
  EXPECT_NE(complaint_of_place(plan, 3, 5, "a"), "");
}

TEST(PlannedHosts, NamesAnotherNumberOfRanks) {
  for (const int ranks : {4, 6})
    EXPECT_EQ(complaint_of_place(plan, 0, ranks, "a"),
              "toccata run --place has a file of 5 ranks, but the program has " +
                  std::to_string(ranks) + "; record it with this number of ranks");
}

}  // namespace
}  // namespace toccata
