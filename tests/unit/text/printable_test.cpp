#include "text/printable.h"

#include <gtest/gtest.h>

namespace toccata {
namespace {

TEST(Printable, IsShortAndHarmless) {
  EXPECT_EQ(printable("ring"), "ring");
  EXPECT_EQ(printable("a\x1b[31m\nb\xff"), "a?[31m?b?");
  const std::string much(1000, 'x');
  EXPECT_EQ(printable(much), much.substr(0, 200) + "...");
}

}  // namespace
}  // namespace toccata
