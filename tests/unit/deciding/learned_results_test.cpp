#include "deciding/learned_results.h"

#include <gtest/gtest.h>

#include "collectives/collective.h"

namespace toccata {
namespace {

Tuning::Point point(const char* choice, std::int64_t bytes = 8) {
  return {.collective = &allgather,
          .ranks = 2,
          .nodes = 1,
          .bytes = bytes,
          .choice = parse_choice(allgather, choice)};
}

// Rows and columns of a 2 x 2 grid have one shape. In one run, native won on the rows (by noise),
// and another algorithm on the columns.
TEST(LearnedResults, KeepTheChoiceThatSavedMost) {
  for (const bool native_first : {false, true}) {
    LearnedResults results;
    if (native_first) results.add(point("native"), 0);
    results.add(point("ring"), 0.5);
    results.add(point("bruck"), 1.5);
    results.add(point("sparbit"), 0.7);
    if (!native_first) results.add(point("native"), 0);
    results.add(point("native", 1024), 0);
    ASSERT_EQ(results.points().size(), 2);
    EXPECT_EQ(results.points()[0].choice.text(), "bruck");
    EXPECT_EQ(results.points()[1].bytes, 1024);
    EXPECT_TRUE(results.points()[1].choice.native());
  }
}

}  // namespace
}  // namespace toccata
