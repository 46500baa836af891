#include "choices/sized_choice.h"

#include <gtest/gtest.h>

namespace toccata {
namespace {

std::string at(std::string_view text, std::int64_t bytes) {
  return parse_sized_choice(allgather, text).at(bytes).text();
}

TEST(SizedChoice, IsOneForAllSizesWhereNoneIsGiven) {
  EXPECT_TRUE(parse_sized_choice(allgather, "sparbit").is_fixed());
  EXPECT_TRUE(at("sparbit", 8).starts_with("sparbit"));
  EXPECT_TRUE(parse_sized_choice(allgather, "native").native());
}

TEST(SizedChoice, DiffersBySize) {
  const std::string_view text = "bruck<=4K, allgather/ring<=1M,native";
  EXPECT_EQ(at(text, 0), "bruck");
  EXPECT_EQ(at(text, 4096), "bruck");
  EXPECT_EQ(at(text, 4097), "ring");
  EXPECT_EQ(at(text, 1 << 20), "ring");
  EXPECT_EQ(at(text, (1 << 20) + 1), "native");
  EXPECT_EQ(at(text, SizedChoice::most_bytes), "native");
}

TEST(SizedChoice, IsNativeAboveTheLastLimit) { EXPECT_EQ(at("ring<=64", 65), "native"); }

TEST(SizedChoice, ExcludesTheLimitAfterLess) {
  EXPECT_EQ(at("bruck<4K, ring", 4095), "bruck");
  EXPECT_EQ(at("bruck<4K, ring", 4096), "ring");
  EXPECT_EQ(at("bruck<1, ring", 0), "bruck");
}

TEST(SizedChoice, TakesParameters) {
  EXPECT_EQ(at("sparbit:messages=per_block,travel=packed<=1K,ring", 1),
            "sparbit:messages=per_block,travel=packed");
}

TEST(SizedChoice, SaysWhatIsWrong) {
  for (const std::string_view wrong :
       {"", "ring<=", "ring<=4Q", "ring<=-1", "ring<=1K,", "ring<=1K,bruck<=1K,native",
        "ring<=99999999999999999999", "ring,bruck", "native:x=1<=4", "ring<0",
        "ring<=1K,bruck<1K,native"})
    EXPECT_THROW(parse_sized_choice(allgather, wrong), ChoiceError) << wrong;
}

TEST(SizedChoice, KnowsWhatIsMeantByAnotherSign) {
  for (const std::string_view wrong : {"bruck>4K,pairwise", "bruck>=4K", "bruck>=4K, ring<=1M"})
    try {
      parse_sized_choice(allgather, wrong);
      ADD_FAILURE() << wrong;
    } catch (const ChoiceError& error) {
      EXPECT_NE(std::string_view(error.what()).find("write '<='"), std::string::npos)
          << error.what();
    }
}

}  // namespace
}  // namespace toccata
