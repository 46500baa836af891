#include "collectives/parameters.h"

#include <algorithm>

#include "support.h"

namespace toccata {
namespace {

const Parameter colour = choice("colour", "", {"red", "green"}),
                k = number("k", "", 2, 64, 4, {2, 3, 8});
const ParameterList declared{colour, k};

TEST(Parameters, SayWhatTheyAccept) {
  EXPECT_EQ(declared[0].accepts(), "red|green");
  EXPECT_EQ(declared[1].accepts(), "2..64");
  EXPECT_EQ(declared[0].text(1), "green");
  EXPECT_EQ(declared[1].text(17), "17");
  EXPECT_TRUE(std::ranges::equal(declared[0].samples, std::vector{0, 1}));
  EXPECT_THROW(choice("long", "", std::vector<std::string_view>(17, "word")), std::length_error);
}

TEST(Parameters, StandAtTheirStandard) {
  const Parameters parameters(declared);
  EXPECT_TRUE(parameters.is(declared[0], "red"));
  EXPECT_EQ(parameters[declared[1]], 4);
  EXPECT_EQ(parameters.text(), "");
}

TEST(Parameters, SayWhatDiffersFromTheStandard) {
  Parameters parameters(declared);
  parameters.set(declared[1], 8);
  EXPECT_EQ(parameters.text(), ":k=8");
  parameters.set(declared[0], 1);
  EXPECT_EQ(parameters.text(), ":colour=green,k=8");
  EXPECT_NE(parameters, Parameters(declared));
  parameters.set(declared[0], 0);
  parameters.set(declared[1], 4);
  EXPECT_EQ(parameters, Parameters(declared));
}

}  // namespace
}  // namespace toccata
