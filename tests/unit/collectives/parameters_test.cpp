#include "collectives/parameters.h"

#include "support.h"

namespace toccata {
namespace {

const std::vector<Parameter> declared{choice("colour", "", {"red", "green"}),
                                      number("k", "", 2, 64, 4, {2, 3, 8})};

TEST(Parameters, SayWhatTheyAccept) {
  EXPECT_EQ(declared[0].accepts(), "red|green");
  EXPECT_EQ(declared[1].accepts(), "2..64");
  EXPECT_EQ(declared[0].text(1), "green");
  EXPECT_EQ(declared[1].text(17), "17");
  EXPECT_EQ(declared[0].samples, (std::vector{0, 1}));
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
