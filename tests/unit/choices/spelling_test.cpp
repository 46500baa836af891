#include "choices/spelling.h"

#include <array>
#include <gtest/gtest.h>

#include "choices/choice.h"
#include "choices/variables.h"

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
            "unknown setting TOCCATA_ALGATHER; did you mean TOCCATA_ALLGATHER?");
  EXPECT_EQ(complaint_of_variable("TOCCATA_XYZXYZXYZ"),
            "unknown setting TOCCATA_XYZXYZXYZ; see docs/settings.md");
}

TEST(Variables, ValuesThatTheyDoNotTakeAreNamed) {
  for (const Variable& each : variables()) EXPECT_EQ(complaint_of_value(each.name, ""), "");
  for (const char* name : {"TOCCATA", "TOCCATA_REPORT"})
    for (const char* word : {"0", "no", "off", "false", "1", "yes", "on", "true"})
      EXPECT_EQ(complaint_of_value(name, word), "") << name << "=" << word;
  for (const char* word : {"0", "no", "off", "false"})
    EXPECT_EQ(parse_reorder(word), Reorder::off) << word;
  EXPECT_EQ(parse_reorder("on"), Reorder::automatic);
  EXPECT_EQ(complaint_of_value("TOCCATA_DEVICE", "off"), "expected staged or direct");
  EXPECT_EQ(complaint_of_value("TOCCATA", "of"), "expected auto, learn, learn:FILE, model or off");
  for (const char* value : {"learn", "learn:here.json", "model"})
    EXPECT_EQ(complaint_of_value("TOCCATA", value), "");
  for (const char* value : {"learn:", "learned", "models", "model:here.json"})
    EXPECT_NE(complaint_of_value("TOCCATA", value), "");
  EXPECT_EQ(complaint_of_value("TOCCATA_SUMS", "all"), "");
  EXPECT_EQ(complaint_of_value("TOCCATA_SUMS", "maybe"),
            "expected fixed, learn, all or reproducible");
  EXPECT_EQ(complaint_of_value("TOCCATA_REPORT", "run.json"), "");
  EXPECT_EQ(complaint_of_value("TOCCATA_REPORT", "run.txt"), "expected 0, 1 or FILE.json");
  EXPECT_EQ(complaint_of_value("TOCCATA_TUNING", "anything"), "");
}

}  // namespace
}  // namespace toccata
