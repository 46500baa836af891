#include "choices/cart_weights.h"

#include <gtest/gtest.h>

#include "choices/choice.h"

namespace toccata {
namespace {

TEST(CartWeights, AreOneNumberPerDimension) {
  EXPECT_EQ(parse_cart_weights("1,4,1", 3), (std::vector<double>{1, 4, 1}));
  EXPECT_EQ(parse_cart_weights(" 0.5 ,1e12", 2), (std::vector<double>{0.5, 1e12}));
  EXPECT_EQ(parse_cart_weights("0", 1), std::vector<double>{0});
}

TEST(CartWeights, OtherValuesAreNamed) {
  for (const char* text : {"", "1,4", "1,4,1,1", "1,,1", "1,4,", "1,x,1", "1,-4,1", "1,4 5,1",
                           "nan,1,1", "inf,1,1", "1e13,1,1", "1,4,1\n", " , , "}) {
    try {
      parse_cart_weights(text, 3);
      FAIL() << text;
    } catch (const ChoiceError& error) {
      const std::string said = error.what();
      EXPECT_TRUE(
          said.ends_with("expected numbers from 0 to 1e12, one per dimension of the grid, "
                         "such as 1,4,1"))
          << said;
      EXPECT_EQ(said.find('\n'), said.npos);
    }
  }
}

}  // namespace
}  // namespace toccata
