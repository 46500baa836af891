#include "selection/spelling.h"

#include <array>
#include <gtest/gtest.h>

#include "selection/variables.h"

namespace toccata {
namespace {

constexpr std::array<std::string_view, 3> names{"ALLGATHER", "ALLTOALL", "BCAST"};

TEST(Spelling, FindsTheNearest) {
  EXPECT_EQ(nearest("ALGATHER", names), "ALLGATHER");
  EXPECT_EQ(nearest("ALLTOAL", names), "ALLTOALL");
  EXPECT_EQ(nearest("BCSAT", names), "");  // two of five letters
  EXPECT_EQ(nearest("BCASTS", names), "BCAST");
  EXPECT_EQ(nearest("BCAST", names), "BCAST");
}

TEST(Spelling, NothingIsNearWhatIsElse) {
  EXPECT_EQ(nearest("HOME", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("BCAST", {}), "");
}

TEST(Variables, MisspeltOnesAreNamed) {
  EXPECT_EQ(complaint_of_variable("TOCCATA_ALLGATHER"), "");
  EXPECT_EQ(complaint_of_variable("TOCCATA_REPORT"), "");
  EXPECT_EQ(complaint_of_variable("HOME"), "");
  EXPECT_EQ(complaint_of_variable("TOCCATA_ALGATHER"),
            "TOCCATA_ALGATHER is no setting of Toccata; the nearest is TOCCATA_ALLGATHER");
  EXPECT_EQ(complaint_of_variable("TOCCATA_XYZXYZXYZ"),
            "TOCCATA_XYZXYZXYZ is no setting of Toccata");
}

}  // namespace
}  // namespace toccata
