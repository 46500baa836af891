#include "text/printable.h"

#include <gtest/gtest.h>

namespace toccata {
namespace {

TEST(Printable, IsShortAndHarmless) {
  EXPECT_EQ(printable("ring"), "ring");
  EXPECT_EQ(printable("a\x1b[31m\nb\xff"), "a?[31m?b?");
  EXPECT_EQ(printable(std::string(1000, 'x')), std::string(200, 'x').append("..."));
}

}  // namespace
}  // namespace toccata
